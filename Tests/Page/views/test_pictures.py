"""What cameras see: on cards, with alarms; who says where it comes from; and what is no picture."""
import json
import struct
import threading
import unittest
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from house import HouseTests
from second_implementation import Connection
from test_kinds import card


def png(red, green, blue, width=160, height=90):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes((red, green, blue)) * width) * height
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) \
        + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Camera(BaseHTTPRequestHandler):
    """On an address of the home's own network, which `inside` adds."""
    protocol_version = "HTTP/1.1"
    body, kind, count = png(20, 120, 60), "image/png", 0

    def do_GET(self):
        Camera.count += 1
        self.send_response(200)
        self.send_header("Content-Type", Camera.kind)
        self.send_header("Content-Length", str(len(Camera.body)))
        self.end_headers()
        self.wfile.write(Camera.body)

    def log_message(self, *_):
        pass


PICTURE = '//div[@class="picture"]'


class PictureTests(HouseTests):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        server = ThreadingHTTPServer(("10.77.0.1", 0), Camera)
        cls.url = f"http://10.77.0.1:{server.server_address[1]}/now.png"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)

    def setUp(self):
        Camera.body, Camera.kind = png(20, 120, 60), "image/png"
        self.owner = self.device("Olga", "owner")

    def ask(self, method, path, body=None, device=None):
        with Connection(self.hub.port, device or self.owner) as connection:
            return connection.request(method, f"/hubpair/v1/{path}", body)

    def id_of(self, name):
        with Connection(self.hub.port, self.owner) as connection:
            return next(each["deviceId"] for each in json.loads(connection.request("GET", "/devices/")[2]) if each["name"] == name)

    def test_an_owner_gives_it_and_everybody_but_guests_sees_it(self):
        browser = self.browser(self.owner)
        browser.click(card("Device 1", '//button[@class="open"]'))
        browser.click('//dialog//button[.="Camera …"]')
        # What leads nowhere at home is refused in the dialog.
        field = '//dialog//label[contains(., "Address of the picture")]/input'
        browser.type(field, "http://127.0.0.1:1/")
        browser.click('//dialog//button[.="Save"]')
        browser.find('//dialog//*[contains(., "no address of the home")]')
        browser.run(f"document.evaluate({field!r}, document, null, 9).singleNodeValue.value = ''")
        browser.type(field, self.url)
        browser.click('//dialog//button[.="Save"]')
        self.hub.wait_for(lambda: b"10.77.0.1" in self.ask("GET", "pictures")[2], "it is kept")
        browser.key("\ue00c")
        seen = card("Device 1", PICTURE)
        browser.find(card("Device 1", f'{PICTURE}//img[@alt="What \u2068Device 1\u2069 sees"]'))
        browser.find(f'{seen}//span[contains(., "just now") or contains(., "second")]')
        browser.wait(lambda: self.colour(browser, "Device 1") == [20, 120, 60], "it is the camera's")
        # What it is says the hub, and the browser does not guess.
        self.assertEqual(browser.run(
            "return fetch(`/hubpair/v1/pictures/${arguments[0]}`).then((answer) => ['content-type', 'x-content-type-options', "
            "'cache-control'].map((each) => answer.headers.get(each)))", self.id_of("Device 1")), ["image/png", "nosniff", "no-store"])
        # Nothing moves by itself; a tap looks again.
        count = Camera.count
        Camera.body = png(200, 10, 10)
        browser.click(f'{seen}//button')
        browser.wait(lambda: self.colour(browser, "Device 1") == [200, 10, 10], "it is another picture")
        self.assertEqual(Camera.count, count + 1)
        # What is no picture leaves the last one, and says so.
        for kind, body in (("image/png", b"<!doctype html><script>window.bad = 1</script>"),
                           ("image/svg+xml", b'<svg xmlns="http://www.w3.org/2000/svg" onload="window.bad = 1"/>')):
            Camera.body, Camera.kind = body, kind
            browser.click(f'{seen}//button')
            browser.find(f'{seen}//span[starts-with(., "What the camera sends is no JPEG")]')
        self.assertEqual(self.colour(browser, "Device 1"), [200, 10, 10])
        self.assertIsNone(browser.run("return window.bad ?? null"))
        Camera.body, Camera.kind = png(0, 0, 255), "image/png"
        member = self.browser(self.device("Mia", "member"))
        member.find(card("Device 1", f'{PICTURE}//img'))
        member.click(card("Device 1", '//button[@class="open"]'))
        member.find(f'//dialog{PICTURE}//img')
        self.assertEqual(member.visible('//dialog//button[.="Camera …"]'), [])
        guest = self.browser(self.device("Gast", "guest"))
        guest.find(card("Device 1"))
        self.assertEqual(guest.visible(PICTURE), [])
        self.assertEqual(self.ask("GET", f"pictures/{self.id_of('Device 1')}", device=self.device("Gina", "guest"))[0], 403)
        for each in (browser, member, guest):
            # Chromium tells of each answer that is an error.
            self.assertEqual([line for line in each.complaints() if "502" not in line and "400" not in line], [])
        self.ask("DELETE", f"pictures/{self.id_of('Device 1')}")

    def colour(self, browser, name):
        """The colour in the middle of the picture."""
        return browser.run("""
            const image = document.evaluate(arguments[0], document, null, 9).singleNodeValue;
            if (!image || !image.naturalWidth) return null;
            const canvas = document.createElement("canvas");
            [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
            const context = canvas.getContext("2d");
            context.drawImage(image, 0, 0);
            return [...context.getImageData(80, 45, 1, 1).data].slice(0, 3);""", card(name, f'{PICTURE}//img'))

    def test_an_alarm_keeps_what_was_seen(self):
        device = self.id_of("Device 2")
        self.assertEqual(self.ask("PUT", f"pictures/{device}", b'{"url": "%s"}' % self.url.encode())[0], 201)
        activator = self.activator(device)
        rule = b'{"device": "%s", "activator": "%s", "when": "on", "kind": "alarm", "text": "Somebody is there"}' % (device.encode(), activator.encode())
        self.assertEqual(self.ask("PUT", "rules/Visit", rule)[0], 201)
        browser = self.browser(self.owner)
        browser.click(card("Device 2", '//button[@role="switch"]'))
        browser.find('//dialog[contains(@class, "front")]//b[.="Somebody is there"]')
        browser.find(f'//dialog[contains(@class, "front")]{PICTURE}//img')
        # It stays as it was, whatever the camera sees later.
        Camera.body = png(1, 2, 3)
        browser.click('//dialog//button[.="Look"]')
        browser.find(f'//dialog[contains(@class, "wide")]{PICTURE}//img')
        browser.run("document.querySelector('dialog').close()")
        self.ask("DELETE", f"pictures/{device}")
        self.ask("DELETE", "rules/Visit")
        for message in json.loads(self.ask("GET", "messages?open=1")[2])["messages"]:
            self.ask("POST", f"messages/{message['id']}/acknowledge")
        self.assertEqual(browser.complaints(), [])

    def activator(self, device):
        with Connection(self.hub.port, self.owner) as connection:
            all = json.loads(connection.request("GET", "/devices/")[2])
        return next(each for each in all if each["deviceId"] == device)["activators"][0]["activatorId"]


if __name__ == "__main__":
    unittest.main()
