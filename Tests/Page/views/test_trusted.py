"""A stock browser in a phone's size that has the hub's certificate installed, and nothing else of the hub: no warning from
the code to the lamp, the page's worker is there, and who stands between from then on gets nothing."""
import contextlib
import os
import ssl
import subprocess
import unittest
import urllib.request

from browser import Failed
from house import HouseTests
from middle import Middle, disguise


class TrustedTests(HouseTests):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.authority = os.path.join(cls.folder.name, "hub.pem")
        with open(cls.authority, "w") as file:
            file.write(cls.hub.run("hub", "certificate"))
        cls.middle = Middle(cls.hub)
        cls.addClassCleanup(cls.middle.close)
        cls.place = f"https://127.0.0.1:{cls.middle.port}"

    def code(self, *options):
        code = self.hub.run("print", "--format", "text", "--address", "127.0.0.1", *options).strip()
        return code.replace(f":{self.hub.port}/", f":{self.middle.port}/")

    def orders(self):
        with open(self.log) as file:
            return file.read().count("POST")

    def entered(self):
        browser = self.browser(path=None, authority=self.authority)
        browser.resize(390, 844)
        # Without a warning, or this fails.
        browser.open(self.code("--role", "owner"))
        browser.click('//main//button[text()="Let this browser in"]')
        before = self.orders()
        browser.click('//button[@role="switch"][1]')
        browser.wait(lambda: self.orders() > before, "no order has come")
        browser.wait(lambda: browser.run(
            "return navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 1, "no worker")
        return browser

    def test_no_warning_and_a_worker(self):
        browser = self.entered()
        self.assertTrue(browser.run("return isSecureContext"))
        browser.click('//*[@id="about"]')
        browser.wait(lambda: "checks at each visit" in browser.text or "warns when another certificate" in browser.text,
                     "it does not say what the browser checks")
        self.assertEqual(browser.complaints(), [])

    def test_who_stands_between_gets_nothing(self):
        subject = subprocess.run(
            ["openssl", "x509", "-in", self.authority, "-noout", "-subject", "-nameopt", "rfc2253"],
            check=True, capture_output=True, text=True).stdout.strip().removeprefix("subject=CN=")
        folder = self.folder.name
        disguises = [
            disguise(folder, "own", "/CN=127.0.0.1"),
            # As the hub's own chain, in all but the key.
            disguise(folder, "alike", f"/CN={self.hub.identity['name']}", issuer=f"/CN={subject}"),
        ]
        browser = self.entered()
        for each in disguises:
            tries = self.middle.tries
            self.middle.pretend(each)
            # The page that is open asks again and again, and has a key and a session.
            browser.wait(lambda: "Hub away" in browser.text, "it does not notice")
            answers = browser.run("""
                const no = () => "nothing";
                return Promise.all([
                  fetch("/hubpair/v1/device").then((answer) => answer.status, no),
                  fetch("/hubpair/v1/session", { method: "POST", body: "{}" }).then((answer) => answer.status, no),
                  fetch("/devices/").then((answer) => answer.status, no),
                  navigator.serviceWorker.ready.then((ready) => ready.update()).then(() => "updated", no),
                ]);""")
            self.assertEqual(answers, ["nothing"] * 4)
            # A new visit: the browser's own warning, or the page as it was kept; never his.
            for path in ("/", "/hubpair/trust", "/hubpair/"):
                try:
                    browser.open(self.place + path)
                except Failed as error:
                    self.assertRegex(str(error), "insecure certificate|ERR_CERT")
            self.assertGreater(self.middle.tries, tries)
            self.assertEqual(self.middle.heard, b"")
            # Who does not check is heard.
            with contextlib.suppress(OSError):
                urllib.request.urlopen(self.place, context=ssl._create_unverified_context(), timeout=60)
            self.assertIn(b"GET / ", self.middle.heard)
            self.middle.heard = b""
            self.middle.pretend(None)
            browser.open(self.place + "/hubpair/")
            browser.wait(lambda: "Up to date" in browser.text, "it does not come back")


if __name__ == "__main__":
    unittest.main()
