"""A real browser, headless, driven over WebDriver (W3C): Chromium with a profile of its own, into which a device's key
and certificate are imported, and which shows them to the hub without asking.

The policy that says so is a file of the whole system, so `run` mounts a folder of its own in its place."""
import base64
import json
import os
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

# In the mount namespace of `run`.
POLICIES = "/etc/chromium/policies/managed"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # WebDriver, section 12.1


class Browser:
    """Chromium in a session of its own.

    - device: whose certificate it has; None for a stranger's browser.
    - scripts: False for a browser that runs no JavaScript."""

    def __init__(self, port, device=None, scripts=True):
        self.home = tempfile.TemporaryDirectory(prefix="hubpair-browser-")
        self.driver = None
        if device:
            self.import_key(device)
        # On every port of this machine.
        with open(os.path.join(POLICIES, "certificates.json"), "w") as file:
            json.dump({"AutoSelectCertificateForUrls": [json.dumps({"pattern": "https://127.0.0.1", "filter": {}})]}, file)
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.home.name})
        self.base = f"http://127.0.0.1:{port}"
        try:
            self.session = f"/session/{self.begin(scripts)['sessionId']}"
        except BaseException:
            self.close()
            raise

    def import_key(self, device):
        store = os.path.join(self.home.name, ".local", "share", "pki", "nssdb")
        os.makedirs(store)
        bundle, certificate = os.path.join(self.home.name, "device.p12"), os.path.join(self.home.name, "device.pem")
        for command in (
                ["certutil", "-N", "-d", f"sql:{store}", "--empty-password"],
                # Of the same key: hubs ignore dates, and a browser does not.
                ["openssl", "req", "-x509", "-new", "-key", device.key_path, "-subj", "/CN=hubpair", "-days", "2",
                 "-addext", "basicConstraints=critical,CA:FALSE", "-addext", "extendedKeyUsage=clientAuth",
                 "-out", certificate],
                ["openssl", "pkcs12", "-export", "-inkey", device.key_path, "-in", certificate, "-out", bundle,
                 "-name", "hub", "-passout", "pass:x"],
                ["pk12util", "-d", f"sql:{store}", "-i", bundle, "-W", "x"]):
            subprocess.run(command, check=True, capture_output=True)

    def begin(self, scripts):
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--disable-background-networking", "--force-prefers-reduced-motion"]
        chrome = {"args": options, "binary": "/usr/bin/chromium"}
        if not scripts:
            chrome["prefs"] = {"profile.managed_default_content_settings.javascript": 2}
        # The hub's certificate is its own; whose key it is, the tests know.
        wish = {"acceptInsecureCerts": True, "goog:chromeOptions": chrome, "goog:loggingPrefs": {"browser": "ALL"}}
        for _ in range(100):
            try:
                return self.send("POST", "/session", {"capabilities": {"alwaysMatch": wish}})
            except urllib.error.URLError:
                time.sleep(0.1)  # the driver is still starting
        raise AssertionError("chromedriver does not start")

    def send(self, method, path, body=None):
        request = urllib.request.Request(
            self.base + path, method=method, data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from None

    def open(self, address):
        self.send("POST", f"{self.session}/url", {"url": address})

    def run(self, script, *arguments):
        return self.send("POST", f"{self.session}/execute/sync", {"script": script, "args": arguments})

    def find(self, xpath):
        """The element, as soon as it is there and can be seen."""
        return self.wait(lambda: next(iter(self.visible(xpath)), None), f"no {xpath}")

    def visible(self, xpath):
        found = self.send("POST", f"{self.session}/elements", {"using": "xpath", "value": xpath})
        return [each for each in found if self.send("GET", f"{self.session}/element/{each[ELEMENT]}/displayed")]

    def click(self, xpath):
        self.send("POST", f"{self.session}/element/{self.find(xpath)[ELEMENT]}/click", {})

    def type(self, xpath, text):
        self.send("POST", f"{self.session}/element/{self.find(xpath)[ELEMENT]}/value", {"text": text})

    @property
    def text(self):
        found = self.send("POST", f"{self.session}/element", {"using": "css selector", "value": "body"})
        return self.send("GET", f"{self.session}/element/{found[ELEMENT]}/text")

    @property
    def address(self):
        return self.send("GET", f"{self.session}/url")

    def wait(self, condition, what, seconds=15):
        """What the condition returns, once that is something."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := condition():
                return found
            time.sleep(0.05)
        raise AssertionError(f"{what}: not within {seconds} s; the page says: {self.text}")

    def picture(self):
        """The window, as PNG."""
        return base64.b64decode(self.send("GET", f"{self.session}/screenshot"))

    def complaints(self):
        """What the browser holds against the page: violated policies, errors of scripts."""
        entries = self.send("POST", f"{self.session}/se/log", {"type": "browser"})
        return [each["message"] for each in entries if each["source"] in ("security", "javascript")]

    def close(self):
        if self.driver:
            try:
                self.send("DELETE", self.session)
            except (AttributeError, AssertionError, urllib.error.URLError):
                pass  # it has ended, or never began
            self.driver.terminate()
            self.driver.wait()
        self.home.cleanup()
