"""The server behind the hub is hostile: its pages, opened in an owner's browser, by the hub's address and by `hubpair open`.
They may show what they like. What they learn of the hub, change on it and leave in the browser must be nothing."""
import contextlib
import os
import subprocess
import tempfile

import test_hostile
from browser import Failed
from hostile_upstream import OPENED, HostileUpstream
from house import HouseTests
from hub import HUBPAIR, Hub
from test_open import Opened


class UpstreamTests(HouseTests):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.hestia = HostileUpstream()
        cls.addClassCleanup(cls.hestia.stop)
        cls.hub = Hub(cls.hestia.url)
        cls.addClassCleanup(cls.hub.remove)
        cls.hub.start()

    def state(self):
        return test_hostile.HostileTests.state(self)

    def prepare(self):
        self.owner = self.device("owner", "owner")
        self.hestia.pending = self.asking("Eve").fingerprint
        self.hestia.seen.clear()

    def visit(self, browser, origin):
        """Opens all pages of the upstream, and does there what a person may be led to do."""
        browser.open(f"{origin}/hubpair/")
        browser.find('//li[contains(@class, "card")]')
        browser.run("localStorage.mine = 'kept'")
        before = self.state()
        for path in OPENED:
            with self.subTest(path):
                browser.open(origin + path)
                # Not of a service worker that answers in its place.
                self.assertIn(path, self.hestia.seen)
                for element in ("#ping", "#form button", "#link"):
                    for each in browser.elements("css selector", element):
                        # One of them loads itself anew all the while.
                        with contextlib.suppress(*[Failed] if path.endswith(".refresh") else []):
                            browser.press(each)
                self.assertEqual(self.hestia.stolen, [])
                self.assertEqual(self.state(), before)
        browser.open(f"{origin}/hubpair/")
        browser.find('//li[contains(@class, "card")]')
        left = browser.run("""
            return navigator.serviceWorker.getRegistrations().then((all) => ({
              workers: all.filter((each) => each.active?.scriptURL !== `${location.origin}/hubpair/worker.js`).length, cookies: document.cookie, mine: localStorage.mine, theirs: localStorage.lamp ?? null }))""")
        self.assertEqual(left, {"workers": 0, "cookies": "", "mine": "kept", "theirs": None})
        self.assertEqual([each["name"] for each in browser.cookies() if not each["name"].startswith("hubpair-")], [])

    def test_its_pages_are_nobody_to_the_hub(self):
        self.prepare()
        browser = self.browser(self.owner, path=None)
        self.visit(browser, f"https://127.0.0.1:{self.hub.port}")

    def test_nor_to_this_computers_own_page(self):
        self.prepare()
        configuration = os.path.join(self.folder.name, self.id())
        code = self.hub.run("print", "--format", "text", "--address", f"127.0.0.1:{self.hub.port}", "--role", "owner")
        subprocess.run([HUBPAIR, "pair", "-", "--config", configuration], input=code, text=True, check=True, capture_output=True,
                       timeout=60)
        opened = Opened(configuration)
        self.addCleanup(lambda: opened.program.poll() is None and opened.end())
        browser = self.browser(path=None)
        browser.open(opened.address)
        self.visit(browser, opened.origin)


if __name__ == "__main__":
    import unittest
    unittest.main()
