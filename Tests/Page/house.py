"""What the tests of the page share: a real hub, a house behind it, devices with roles, and browsers."""
import importlib
import os
import tempfile
import unittest

from hub import Hestia, Hub, free_port
from second_implementation import Attempt, Device

NAME = os.environ.get("HUBPAIR_BROWSER", "chromium")
# The browser of this run.
Used = getattr(importlib.import_module(NAME), NAME.capitalize())
IS_LONG = os.environ.get("HUBPAIR_LONG") == "1"


class HouseTests(unittest.TestCase):
    HESTIA = ("--devices", "4")

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.log = os.path.join(cls.folder.name, "upstream.log")
        cls.hestia = Hestia(*cls.HESTIA, "--log", cls.log)
        cls.addClassCleanup(cls.hestia.stop)
        cls.hub = Hub(cls.hestia.url)
        cls.addClassCleanup(cls.hub.remove)
        cls.hub.start()

    def device(self, name, role=None):
        device = Device(os.path.join(self.folder.name, f"{self.id()}-{name}"), name)
        if role:
            Attempt(self.hub.code("--role", role), device, name=name).send(self.hub.port)
        return device

    def browser(self, device=None, path="/hubpair/", **options):
        browser = Used(free_port(), device, **options)
        self.addCleanup(browser.close)
        if path is not None:
            browser.open(f"https://127.0.0.1:{self.hub.port}{path}")
        return browser

    def says(self, browser, words):
        browser.wait(lambda: words in browser.text, f"it does not say “{words}”")

    def entered(self, host="127.0.0.1"):
        """A browser with a key of its own, on the hub's page."""
        code = self.hub.run("print", "--format", "text", "--address", host, "--role", "owner").strip()
        browser = self.browser(path=None)
        browser.open(code)
        browser.click('//main//button[text()="Let this browser in"]')
        browser.find('//button[@role="switch"]')
        return browser

    def asking(self, name):
        device = self.device(name)
        Attempt(self.hub.code("--label"), device, name=name).send(self.hub.port)
        return device

    def status(self, device):
        return next(each for each in self.hub.devices() if each["device"] == device.fingerprint)

    def row(self, name):
        return f'//li[contains(@class, "item")][.//p[@class="name"][contains(., "{name}")]]'
