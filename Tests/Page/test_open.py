"""`hubpair open` in a real browser: a computer that pairs by a picture, a camera or a typed code, and its hubs."""
import base64
import os
import re
import signal
import subprocess
import unittest

from browser import DEADLINE
from hub import HUBPAIR, Hestia, Hub
from house import NAME, HouseTests


class Opened:
    """`hubpair open` with files of its own."""

    def __init__(self, configuration, *options):
        self.program = subprocess.Popen(
            [HUBPAIR, "open", *(["--config", configuration] if configuration else []), *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            # Without a display it opens no browser.
            env={**os.environ, "DISPLAY": "", "WAYLAND_DISPLAY": ""})
        self.address = self.program.stdout.readline().strip()
        match = re.fullmatch(r"(http://127\.0\.0\.1:\d+)/\?token=[0-9a-f]{32}", self.address)
        if not match:
            raise AssertionError(f"{self.address}: {self.program.communicate(timeout=DEADLINE)[1]}")
        self.origin = match[1]

    def end(self):
        """Ctrl-C; returns the exit code and standard error."""
        self.program.send_signal(signal.SIGINT)
        errors = self.program.communicate(timeout=DEADLINE)[1]
        return self.program.returncode, errors


class OpenTests(HouseTests):
    def setUp(self):
        self.configuration = os.path.join(self.folder.name, self.id())

    def opened(self, *options):
        opened = Opened(self.configuration, *options)
        self.addCleanup(lambda: opened.program.poll() is None and opened.end())
        return opened

    def page(self, opened, **options):
        browser = self.browser(path=None, **options)
        browser.open(opened.address)
        return browser

    def picture(self, *options, form="png"):
        path = os.path.join(self.folder.name, f"{self.id()}.{form}")
        self.hub.run("print", *options, "--format", form, "-o", path, "--address", f"127.0.0.1:{self.hub.port}")
        return path

    def is_in(self, browser, role):
        """The house is on the screen, with this role."""
        browser.find('//p[@id="hub"][.="Kitchen hub"]')
        browser.find('//li[contains(@class, "card")][contains(., "Device 0")]')
        browser.wait(lambda: (browser.visible('//a[@href="#access"]') != []) == (role == "owner"), f"what {role}s see")

    def pair(self, hub=None):
        hub = hub or self.hub
        code = hub.run("print", "--format", "text", "--address", f"127.0.0.1:{hub.port}", "--role", "guest")
        subprocess.run([HUBPAIR, "pair", "-", "--config", self.configuration], input=code, text=True, check=True,
                       capture_output=True, timeout=60)

    def test_a_picture_that_is_chosen(self):
        browser = self.page(self.opened())
        browser.find('//p[@id="status"][contains(., "No hub yet")]')
        browser.find('//h1[.="Hubs"]')
        browser.drop('//input[@type="file"]', self.picture("--role", "owner"))
        self.is_in(browser, "owner")
        browser.click('//a[@href="#hubs"]')
        browser.find(f'{self.row("Kitchen hub")}[contains(., "shown here")]')
        # The search finds it at its address, and it shows its key.
        browser.find('//li[contains(., "Kitchen hub")][contains(., "shown here")][contains(., "near")][contains(., "has shown the key")]')
        self.assertEqual(browser.complaints(), [])

    def test_a_picture_that_is_dropped(self):
        browser = self.page(self.opened())
        browser.find('//h1[.="Hubs"]')

        def drop(path, kind):
            with open(path, "rb") as file:
                data = base64.b64encode(file.read()).decode()
            browser.run("""
                const bytes = Uint8Array.from(atob(arguments[0]), (letter) => letter.charCodeAt(0));
                const transfer = new DataTransfer();
                transfer.items.add(new File([bytes], 'x', { type: arguments[1] }));
                const drop = new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true });
                document.querySelector('.drop').dispatchEvent(drop);
                return drop.defaultPrevented;""", data, kind)
        # What is no picture, and one without a code, are named.
        nothing = os.path.join(self.folder.name, "nothing")
        for picture, words in ((b"\x89PNG\r\n\x1a\nbroken", "image"), (b"P5 200 200 255\n" + bytes(200) * 200, "QR code"),
                               (b"", "image"), (b"GIF89a" + b"\xff" * 5000, "image")):
            with open(nothing, "wb") as file:
                file.write(picture)
            drop(nothing, "image/png")
            browser.find(f'//p[@role="status"][contains(., "{words}")]')
        drop(self.picture("--label", form="pdf"), "application/pdf")
        # A label's code asks, and the page opens by itself when the owner approves.
        browser.find('//p[@role="status"][contains(., "has to let this computer in")]')
        asking = next(each for each in self.hub.devices() if each["status"] == "pending")
        self.assertIn(asking["device"], browser.text)
        self.hub.run("devices", "approve", asking["device"], "--role", "member")
        self.is_in(browser, "member")

    def test_a_typed_code(self):
        # An interface that leads nowhere: hubs announce themselves there.
        subprocess.run("ip link add house type veth peer name street && ip link set street up && ip link set house up multicast on"
                       " && ip address add 10.99.0.1/24 dev house",
                       shell=True, check=True)
        self.addCleanup(subprocess.run, ["ip", "link", "delete", "house"], check=True)
        self.hub.kill()
        self.hub.start()
        browser = self.page(self.opened())
        browser.click('//li[contains(., "near")]//button[.="Pair"]')
        browser.find('//label[contains(., "Or type the code that")][contains(., "Kitchen hub")]')
        # The field has the focus.
        browser.key("1234-5678\ue007")
        browser.find('//p[@role="status"][contains(., "20")]')
        browser.run("document.activeElement.value = ''")
        browser.key(self.hub.typed_code().text.lower() + "\ue007")
        self.is_in(browser, "member")

    @unittest.skipUnless(NAME == "chromium", "Firefox has no camera that shows a file")
    def test_a_camera(self):
        film = os.path.join(self.folder.name, "film.mjpeg")
        # Some empty pictures first, then the code as a camera sees it: smaller than the picture, and not quite sharp.
        subprocess.run(
            ["ffmpeg", "-v", "error", "-loop", "1", "-t", "3", "-i", self.picture("--role", "guest"), "-vf",
             "scale=400:-1,pad=800:600:(ow-iw)/2:(oh-ih)/2:gray,boxblur=1,format=yuvj420p,tpad=start_duration=1:color=gray",
             "-r", "10", "-q:v", "4", "-f", "mjpeg", "-y", film], check=True)
        browser = self.page(self.opened(), options=[
            "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream", f"--use-file-for-fake-video-capture={film}"])
        browser.click('//button[.="Use the camera"]')
        self.is_in(browser, "guest")
        # The camera is off again, and its dialog gone.
        self.assertEqual(browser.run("return document.querySelectorAll('video, dialog').length"), 0)
        self.assertEqual(browser.complaints(), [])

    def test_the_address_works_once_and_the_cookie_in_one_browser(self):
        self.pair()
        opened = self.opened()
        first = self.page(opened)
        self.is_in(first, "guest")
        first.open(opened.address)
        self.assertIn("this address has been used, or is not right; run 'hubpair open' again", first.text)
        first.open(f"{opened.origin}/hubpair/")
        self.is_in(first, "guest")
        cookie = next(each for each in first.cookies() if each["name"].startswith("hubpair-"))
        self.assertTrue(cookie["httpOnly"])
        agent = first.run("return navigator.userAgent") + " another"
        second = self.page(opened, **(
            {"options": [f"--user-agent={agent}"]} if NAME == "chromium" else {"preferences": {"general.useragent.override": agent}}))
        self.assertIn("this address has been used", second.text)
        second.take_cookie(cookie)
        for path in ("/hubpair/", "/devices/", "/hubpair/local/hubs"):
            second.open(opened.origin + path)
            self.assertIn("this is for the browser that 'hubpair open' has opened", second.text)
        self.is_in(first, "guest")

    def test_hubs_are_used_and_forgotten(self):
        self.pair()
        # A server of its own: two hubs do not know of each other's requests, and a stock one breaks when they overlap.
        hestia = Hestia(*self.HESTIA)
        self.addCleanup(hestia.stop)
        other = Hub(hestia.url)
        self.addCleanup(other.remove)
        other.start()
        name = "<i>Garten</i> حديقة"
        self.pair(other)
        subprocess.run([HUBPAIR, "hubs", "rename", "Kitchen hub 2", name, "--config", self.configuration], check=True, capture_output=True)
        browser = self.page(self.opened())
        self.is_in(browser, "guest")
        browser.click('//a[@href="#hubs"]')
        browser.click(f'//button[@aria-label="Use {name}"]')
        browser.find('//li[contains(@class, "card")]')
        browser.click('//a[@href="#hubs"]')
        shown = f'//li[contains(., "{name}")][contains(., "shown here")]'
        browser.find(shown)
        browser.click(f'//button[@aria-label="Forget {name}"]')
        browser.click('//dialog//button[.="Forget"]')
        # The one that is left is shown.
        browser.find(f'{self.row("Kitchen hub")}[contains(., "shown here")]')
        self.assertEqual(browser.visible(shown), [])
        browser.click('//button[@aria-label="Forget Kitchen hub"]')
        browser.click('//dialog//button[.="Forget"]')
        browser.find('//p[@id="status"][contains(., "No hub yet")]')
        listed = subprocess.run([HUBPAIR, "hubs", "--json", "--config", self.configuration], capture_output=True, text=True)
        self.assertEqual(listed.stdout, "")

    def test_services_of_the_hub(self):
        """Those that this computer may use, at the hub's own address: there a browser comes in by its own key."""
        ports = {}
        for name, role in (("Wiki", "guest"), ("Books", "member")):
            ports[name] = self.hub.add_service("http://127.0.0.1:1", "--kind", "plain", "--role", role, name=name)
            self.addCleanup(self.hub.run, "hub", "service", "remove", name)
        self.hub.wait_for(lambda: "serves Books" in self.hub.log(), "the services")
        self.pair()
        browser = self.page(self.opened())
        browser.find('//nav[contains(@class, "services")]//a[.="Wiki"]')
        links = browser.run("return [...document.querySelectorAll('nav.services a')].map(({ href }) => href)")
        self.assertEqual(len(links), 1)
        self.assertRegex(links[0], rf"^https://[^/]+:{ports['Wiki']}/$")

    def test_on_the_hub_itself(self):
        self.configuration = None
        opened = self.opened("--state", self.hub.state)
        browser = self.page(opened)
        self.is_in(browser, "owner")
        self.assertEqual(browser.visible('//a[@href="#hubs"]'), [])
        browser.click('//a[@href="#access"]')
        browser.find('//li[contains(., "hubpair open")][contains(., "(this browser)")]')
        self.assertEqual(opened.end()[0], 0)
        # Nothing of it stays but the journal.
        self.assertFalse([each for each in self.hub.devices() if each["name"].startswith("hubpair open")])
        browser.find('//p[@id="status"][contains(., "Hub away")]')


if __name__ == "__main__":
    unittest.main()
