"""A real browser, headless, driven over WebDriver (W3C), with a profile of its own into which a device's key and
certificate are imported, and which shows them to every server that asks.

What differs between browsers is in chromium.py and firefox.py."""
import base64
import os
import subprocess
import tempfile
import time

# No test waits for a time: this ends one that hangs, on the slowest machine.
DEADLINE = 120

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # WebDriver, section 12.1


class Failed(AssertionError):
    """A command that the browser does not carry out."""


def bundle_of(device, folder):
    """A PKCS#12 file with the device's key, and its passphrase."""
    bundle, certificate = os.path.join(folder, "device.p12"), os.path.join(folder, "device.pem")
    for command in (
            # Of the same key: hubs ignore dates, and a browser does not.
            ["openssl", "req", "-x509", "-new", "-key", device.key_path, "-subj", "/CN=hubpair", "-days", "2",
             "-addext", "basicConstraints=critical,CA:FALSE", "-addext", "extendedKeyUsage=clientAuth",
             "-out", certificate],
            ["openssl", "pkcs12", "-export", "-inkey", device.key_path, "-in", certificate, "-out", bundle,
             "-name", "hub", "-passout", "pass:x"]):
        subprocess.run(command, check=True, capture_output=True)
    return bundle, "x"


class Browser:
    """A browser in a session of its own.

    - device: whose certificate it has; None for a stranger's browser.
    - bundle: instead, a PKCS#12 file and its passphrase, as `hubpair devices add` makes them.
    - authority: a certificate that it is to trust; without one it is told to trust every server.
    - stock: it trusts nobody, and shows a warning as a person's does; `open_warned` clicks through it.
    - scripts: False for a browser that runs no JavaScript.
    - options: of its command line; preferences: of its profile."""

    def __init__(self, port, device=None, bundle=None, authority=None, stock=False, scripts=True, options=(),
                 preferences=None):
        self.home = tempfile.TemporaryDirectory(prefix="hubpair-browser-")
        self.port, self.scripts, self.options, self.preferences = port, scripts, list(options), preferences or {}
        self.authority = authority
        self.trusts_all = not authority and not stock
        self.process = None
        try:
            store = self.store()
            os.makedirs(store, exist_ok=True)
            self.certutil("-N", "--empty-password")
            if authority:
                self.certutil("-A", "-n", "hub", "-t", "C,,", "-i", authority)
            if device:
                bundle = bundle_of(device, self.home.name)
            if bundle:
                subprocess.run(["pk12util", "-d", f"sql:{store}", "-i", bundle[0], "-W", bundle[1]], check=True, capture_output=True)
            self.begin()
        except BaseException:
            self.close()
            raise

    def certutil(self, *arguments):
        subprocess.run(["certutil", *arguments, "-d", f"sql:{self.store()}"], check=True, capture_output=True)

    def find(self, xpath):
        """The element, as soon as it is there and can be seen."""
        return self.wait(lambda: next(iter(self.visible(xpath)), None), f"no {xpath}")

    def visible(self, xpath):
        # A list that is drawn again meanwhile is looked at again.
        try:
            return [each for each in self.elements("xpath", xpath) if self.is_displayed(each)]
        except Failed:
            return []

    def attempt(self, xpath, act):
        """Acts on the element; again if the page has just been drawn again."""
        def once():
            try:
                act(self.find(xpath))
                return True
            except Failed as error:
                self.last = error
                return False
        self.last = None
        self.wait(once, f"nothing can be done with {xpath}")

    def click(self, xpath):
        self.attempt(xpath, self.press_at_rest)

    def press_at_rest(self, element):
        """Presses it once it has not moved for 50 ms. A driver looks where it is and presses there: while a page is
        still being laid out, that may be beside it. What lies under a bar that stays is scrolled from there first."""
        if self.scripts:
            self.run("arguments[0].scrollIntoView({block: 'center'})", {ELEMENT: element})
        for _ in range(100):
            place = self.place_of(element)
            time.sleep(0.05)
            if place == self.place_of(element):
                break
        self.press(element)

    def type(self, xpath, text):
        self.attempt(xpath, lambda element: self.write(element, text))

    @property
    def text(self):
        try:
            return self.text_of(self.elements("css selector", "body")[0])
        except (Failed, IndexError):
            return ""

    def wait(self, condition, what, seconds=DEADLINE):
        """What the condition returns, once that is something."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := condition():
                return found
            time.sleep(0.05)
        raise AssertionError(f"{what}: not within {seconds} s; the page says: {self.text}")

    def save(self, path):
        with open(path, "wb") as file:
            file.write(self.picture())

    @staticmethod
    def decoded(picture):
        return base64.b64decode(picture)
