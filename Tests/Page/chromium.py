"""Chromium and its driver.

The policy that lets it show a certificate without asking is a file of the whole system, so `run` mounts a folder of its
own in its place."""
import json
import os
import subprocess
import time
import urllib.error
import urllib.request

from browser import DEADLINE, ELEMENT, Browser, Failed

# In the mount namespace of `run`.
POLICIES = "/etc/chromium/policies/managed"


class Chromium(Browser):
    name = "chromium"

    def store(self):
        return os.path.join(self.home.name, ".local", "share", "pki", "nssdb")

    def begin(self):
        # Whatever server asks, evil ones too.
        with open(os.path.join(POLICIES, "certificates.json"), "w") as file:
            json.dump({"AutoSelectCertificateForUrls": [
                json.dumps({"pattern": pattern, "filter": {}})
                for pattern in ("https://127.0.0.1", "https://localhost", "https://[*.]example")]}, file)
        self.process = subprocess.Popen(
            ["chromedriver", f"--port={self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.home.name})
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--disable-background-networking", "--force-prefers-reduced-motion", "--lang=en-GB", *self.options]
        chrome = {"args": options, "binary": "/usr/bin/chromium", "prefs": dict(self.preferences)}
        if not self.scripts:
            chrome["prefs"]["profile.managed_default_content_settings.javascript"] = 2
        wish = {"acceptInsecureCerts": self.trusts_all, "goog:chromeOptions": chrome,
                "goog:loggingPrefs": {"browser": "ALL"},
                # By itself it gives a script 30 s, which a look at a thousand appliances takes on a busy machine.
                "timeouts": {"script": 1000 * DEADLINE}}
        self.session = f"/session/{self.first_answer(wish)['sessionId']}"

    def first_answer(self, wish):
        for _ in range(10 * DEADLINE):
            try:
                return self.send("POST", "/session", {"capabilities": {"alwaysMatch": wish}})
            except urllib.error.URLError:
                time.sleep(0.1)  # the driver is still starting
        raise AssertionError("chromedriver does not start")

    def send(self, method, path, body=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", method=method, data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=2 * DEADLINE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise Failed(json.load(error)["value"]["message"]) from None

    def get(self, path):
        return self.send("GET", f"{self.session}/{path}")

    def post(self, path, **body):
        return self.send("POST", f"{self.session}/{path}", body)

    def open(self, address):
        self.post("url", url=address)

    def open_warned(self, address):
        """Through the warning of a certificate that nobody has signed, by its own buttons."""
        try:
            self.open(address)
        except Failed as error:
            if "insecure certificate" not in str(error) and "ERR_CERT" not in str(error):
                raise
        self.click('//*[@id="details-button"]')
        self.click('//*[@id="proceed-link"]')

    def another_window(self):
        """Opens a window and goes there; returns it."""
        window = self.post("window/new", type="window")["handle"]
        self.turn_to(window)
        return window

    def turn_to(self, window):
        self.post("window", handle=window)

    def close_window(self):
        """The one that is turned to."""
        self.send("DELETE", f"{self.session}/window")

    def run(self, script, *arguments):
        return self.post("execute/sync", script=script, args=arguments)

    def elements(self, using, value):
        return [each[ELEMENT] for each in self.post("elements", using=using, value=value)]

    def is_displayed(self, element):
        return self.get(f"element/{element}/displayed")

    def text_of(self, element):
        return self.get(f"element/{element}/text")

    def attribute(self, xpath, name):
        return self.get(f"element/{self.find(xpath)}/attribute/{name}")

    def place_of(self, element):
        return self.get(f"element/{element}/rect")

    def press(self, element):
        self.post(f"element/{element}/click")

    def write(self, element, text):
        self.post(f"element/{element}/value", text=text)

    def key(self, text):
        """A key, to what has the focus."""
        self.write(self.get("element/active")[ELEMENT], text)

    def cookies(self):
        return self.get("cookie")

    def drop_cookies(self):
        self.develop("Network.clearBrowserCookies")

    def take_cookie(self, cookie):
        self.post("cookie", cookie=cookie)

    def drop(self, xpath, path):
        """A file for an input, as a person chooses one."""
        self.write(self.elements("xpath", xpath)[0], path)

    def picture(self):
        """The window, as PNG."""
        return self.decoded(self.get("screenshot"))

    def resize(self, width, height):
        """The part of the window in which the page is."""
        self.develop("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def develop(self, command, **parameters):
        """A command of Chromium's own protocol."""
        return self.post("goog/cdp/execute", cmd=command, params=parameters)

    def complaints(self):
        """What the browser holds against the page: violated policies, errors of scripts."""
        entries = self.post("se/log", type="browser")
        return [each["message"] for each in entries if each["source"] in ("security", "javascript")]

    def close(self):
        if self.process:
            try:
                self.send("DELETE", self.session)
            except (AttributeError, AssertionError, OSError):
                pass  # it has ended, or never began
            self.process.terminate()
            self.process.wait()
            self.process = None
        self.home.cleanup()
