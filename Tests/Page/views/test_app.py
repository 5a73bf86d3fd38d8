"""The page as an app, in a stock browser that trusts the hub's certificate: it opens while the hub is away, says how old
is what it shows, and keeps nothing of a device that has left or lost its access."""
import contextlib
import json
import os
import tempfile
import unittest

from browser import Failed
from house import HouseTests, NAME
from hub import Hestia, Hub


class AppTests(HouseTests):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)

    def setUp(self):
        # A hub of its own, since it stops.
        self.hestia = Hestia("--devices", "4")
        self.addCleanup(self.hestia.stop)
        self.hub = Hub(self.hestia.url)
        self.addCleanup(self.hub.remove)
        self.hub.start()

    @property
    def address(self):
        return f"https://127.0.0.1:{self.hub.port}/hubpair/"

    def certificate(self):
        path = os.path.join(self.folder.name, f"{self.id()}.pem")
        with open(path, "w") as file:
            file.write(self.hub.run("hub", "certificate"))
        return path

    def entered(self, *options, trusts=True):
        browser = self.browser(path=None, **({"authority": self.certificate()} if trusts else {"stock": True}))
        browser.resize(390, 844)
        code = self.hub.run("print", "--format", "text", "--address", "127.0.0.1", *options).strip()
        (browser.open if trusts else browser.open_warned)(code)
        browser.click('//main//button[text()="Let this browser in"]')
        browser.find('//button[@role="switch"]')
        return browser

    def kept(self, browser):
        """What the browser keeps beside its key."""
        return browser.run("""return new Promise((done) => {
            const opening = indexedDB.open("hubpair");
            opening.onsuccess = () => {
              const database = opening.result;
              if (!database.objectStoreNames.contains("keys")) { database.close(); return done(null); }
              const asked = database.transaction("keys").objectStore("keys").get("house");
              asked.onsuccess = () => { database.close(); done(asked.result ? asked.result.answers.map(([path]) => path) : null); };
            };
          });""")

    def is_kept(self, browser):
        browser.wait(lambda: browser.run("return navigator.serviceWorker.controller !== null"), "no worker")
        browser.open(self.address)
        browser.find('//button[@role="switch"]')
        browser.wait(lambda: "states" in (self.kept(browser) or []), "the states are not kept")

    def says(self, browser, words):
        browser.wait(lambda: words in browser.text, f"it does not say “{words}”")

    def test_it_opens_while_the_hub_is_away(self):
        browser = self.entered("--role", "owner")
        registered = "return navigator.serviceWorker.getRegistrations().then((all) => all.length)"
        browser.wait(lambda: browser.run(registered) == 1, "no worker")
        self.is_kept(browser)
        lamps = len(browser.visible('//button[@role="switch"]'))
        self.hub.stop()
        browser.open("about:blank")
        browser.open(self.address)
        self.says(browser, "So stood the house")
        self.assertEqual(len(browser.visible('//button[@role="switch"]')), lamps)
        browser.wait(lambda: browser.text_of(browser.find('//*[@id="status"]')).endswith("old"), "no age")
        # Nothing that only owners see is kept.
        self.assertFalse([path for path in self.kept(browser) if "devices" in path or "journal" in path])
        # It comes back by itself.
        self.hub.start()
        browser.wait(lambda: "Up to date" in browser.text and "So stood" not in browser.text, "it does not come back")
        self.assertEqual(browser.complaints(), [])

    def test_who_leaves_leaves_nothing(self):
        browser = self.entered()
        self.is_kept(browser)
        browser.click('//footer//button[text()="Leave this hub"]')
        browser.click('//footer//button[text()="Leave"]')
        browser.find("//main//input")
        self.assertIsNone(self.kept(browser))
        self.assertEqual(browser.run("return caches.keys().then((all) => all.length)"), 0)

    def test_who_is_revoked_keeps_nothing(self):
        browser = self.entered()
        self.is_kept(browser)
        self.hub.run("devices", "revoke", self.hub.devices()[-1]["device"])
        browser.wait(lambda: self.kept(browser) is None, "the states are still kept")

    def test_what_another_device_saw_is_not_shown(self):
        browser = self.entered()
        self.is_kept(browser)
        browser.run("""return new Promise((done) => {
            const opening = indexedDB.open("hubpair");
            opening.onsuccess = () => {
              const change = opening.result.transaction("keys", "readwrite"), keys = change.objectStore("keys");
              const asked = keys.get("house");
              asked.onsuccess = () => keys.put({ ...asked.result, device: "K7QF-2M9D-X0TW-8RHC" }, "house");
              change.oncomplete = () => { opening.result.close(); done(true); };
            };
          });""")
        self.hub.stop()
        browser.open("about:blank")
        browser.open(self.address)
        self.says(browser, "The page asks again by itself.")
        self.assertEqual(browser.visible('//button[@role="switch"]'), [])

    def test_what_the_browser_checks_is_said(self):
        for trusts, words in ((True, "checks at each visit"), (False, "cannot check yet")):
            browser = self.entered(trusts=trusts)
            # Firefox keeps the certificate that was let pass, and tells the page nothing of it.
            said = words if NAME == "chromium" else "warns when another certificate"

            def is_said():
                browser.click('//*[@id="about"]')
                browser.find('//dialog//button[.="Close"]')
                found = said in browser.text
                browser.click('//dialog//button[.="Close"]')
                return found
            # Once the house is there.
            browser.wait(is_said, f"it does not say “{said}”")
            # No worker behind a warning that was clicked away.
            if NAME == "chromium":
                self.assertEqual(
                    browser.run("return navigator.serviceWorker.getRegistrations().then((all) => all.length)"), int(trusts))

    def test_messages_while_the_page_is_closed(self):
        if NAME != "chromium":
            raise unittest.SkipTest("Chromium's protocol gives the message to the worker")
        browser = self.entered("--role", "owner")
        self.is_kept(browser)
        browser.develop("Browser.grantPermissions", permissions=["notifications"], origin=self.address.removesuffix("/hubpair/"))
        # No browser's maker can be reached here: what he would give to this browser.
        browser.run("""
            const point = crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"])
              .then((pair) => crypto.subtle.exportKey("raw", pair.publicKey));
            const text = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/\\+/g, "-").replace(/\\//g, "_").replace(/=/g, "");
            PushManager.prototype.subscribe = async function (how) {
              window.asked = how;
              const keys = { p256dh: text(await point), auth: text(new Uint8Array(16)) };
              return { toJSON: () => ({ endpoint: "https://push.example.com/abc", keys }) };
            };
            return 1""")
        told = lambda: json.loads(self.hub.run("hub", "push", "--json"))
        self.assertEqual(told(), {"on": False, "devices": []})
        browser.click('//*[@id="about"]')
        alarms = '//dialog//label[contains(., "Alarms")]//input'

        def is_allowed():
            # A press while the dialog is being filled is lost.
            for button in browser.visible('//dialog//button[text()="Allow it for all devices"]'):
                with contextlib.suppress(Failed):
                    browser.press_at_rest(button)
            return browser.visible(alarms)
        browser.wait(is_allowed, "messages cannot be allowed")
        browser.click(alarms)
        device = self.hub.devices()[-1]["device"]
        self.hub.wait_for(
            lambda: told() == {"on": True, "devices": [{"device": device, "kinds": ["alarm"], "service": "push.example.com"}]},
            "the hub does not know it")
        self.assertRegex(browser.run("return window.asked.applicationServerKey"), r"^B[A-Za-z0-9_-]{86}$")
        # What the hub has sent, as the browser gives it to the worker.
        browser.develop("ServiceWorker.enable")
        shown = """return navigator.serviceWorker.ready.then((ready) => ready.getNotifications())
            .then((all) => all.map((each) => [each.title, each.body, each.tag]))"""

        def arrives(message, notification):
            # Chromium numbers its registrations, and one for each attempt. On a busy machine it gives up now and then.
            if notification not in browser.run(shown):
                for number in range(8):
                    with contextlib.suppress(Failed):
                        browser.develop(
                            "ServiceWorker.deliverPushMessage", origin=self.address.removesuffix("/hubpair/"),
                            registrationId=str(number), data=json.dumps(message))
            return notification in browser.run(shown)
        message = {"hub": "Kitchen hub", "kind": "alarm", "id": 7, "text": "Water in the cellar"}
        browser.wait(lambda: arrives(message, ["Kitchen hub", "Water in the cellar", "message 7"]), "no notification")
        # What the hub says of itself, in the language of the page.
        browser.run("localStorage.setItem('language', 'de'); location.reload()")
        browser.find('//a[@href="#messages"][contains(., "Meldungen")]')
        words = """return new Promise((done) => {
            const opening = indexedDB.open("hubpair");
            opening.onsuccess = () => {
              const asked = opening.result.transaction("keys").objectStore("keys").get("words");
              asked.onsuccess = () => { opening.result.close(); done((asked.result ?? []).map((each) => each[1])); };
            };
          });"""
        browser.wait(lambda: "{0} bittet um Zugang" in browser.run(words), "the words")
        message = {"hub": "Kitchen hub", "kind": "notification", "id": 8, "text": "Ben (x) asks to be let in"}
        browser.wait(lambda: arrives(message, ["Kitchen hub", "Ben (x) bittet um Zugang", "message 8"]), "no German")
        browser.run("localStorage.setItem('language', 'en'); location.reload()")
        browser.find('//a[@href="#messages"][contains(., "Messages")]')
        browser.click('//button[@id="about"]')
        browser.click('//dialog//label[contains(., "Alarms")]//input')
        self.hub.wait_for(lambda: told()["devices"] == [], "the hub still knows it")
        self.assertEqual(browser.complaints(), [])

    def test_it_can_be_installed(self):
        if NAME != "chromium":
            raise unittest.SkipTest("Chromium's protocol tells it")
        browser = self.entered()
        told = browser.develop("Page.getAppManifest")
        self.assertEqual(told["errors"], [])
        self.assertIn("Kitchen hub", told["data"])
        browser.wait(lambda: browser.develop("Page.getInstallabilityErrors")["installabilityErrors"] == [], "it cannot be installed")


if __name__ == "__main__":
    unittest.main()
