"""Firefox, by Marionette: what geckodriver speaks to it, which Debian 12 does not have. A message is its length in
decimal, a colon, and a JSON array: [0, number, command, parameters], answered by [1, number, error, result]."""
import json
import os
import socket
import subprocess
import time

from browser import DEADLINE, ELEMENT, Browser, Failed

PREFERENCES = {
    # Without a question.
    "security.default_personal_cert": "Select Automatically",
    "security.enterprise_roots.enabled": False,
    "network.proxy.type": 0,
    "app.update.auto": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    # Other languages write other times.
    "intl.accept_languages": "en-GB",
    "ui.prefersReducedMotion": 1,
    # Names of this test's own lead to loopback; only a hub may refuse what comes of that.
    "network.dns.disableIPv6": True,
    "dom.disable_open_during_load": False,
    "network.dns.localDomains": "evil.example",
}

# The first element that has one of the names, and can be seen, also inside of others.
WARNED = """
const found = (root) => {
  for (const each of root.querySelectorAll("*")) {
    const one = arguments[0].includes(each.id) && each.checkVisibility() ? each : each.shadowRoot && found(each.shadowRoot);
    if (one) return one;
  }
  return null;
};
return found(document);"""


class Firefox(Browser):
    name = "firefox"

    def store(self):
        return os.path.join(self.home.name, "profile")

    def begin(self):
        profile = self.store()
        wished = {**PREFERENCES, "marionette.port": self.port, **self.preferences}
        if not self.scripts:
            wished["javascript.enabled"] = False
        with open(os.path.join(profile, "user.js"), "w") as file:
            for name, value in wished.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", profile, *self.options],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.home.name, "MOZ_DISABLE_AUTO_SAFE_MODE": "1", "MOZ_CRASHREPORTER_DISABLE": "1"})
        self.socket, self.data, self.count = self.connect(), b"", 0
        self.message()  # it introduces itself
        self.command("WebDriver:NewSession", acceptInsecureCerts=self.trusts_all, timeouts={"script": 1000 * DEADLINE})
        self.context("chrome")
        self.run("""
            Services.console.reset();
            return null;""")
        self.context("content")

    def connect(self):
        for _ in range(10 * DEADLINE):
            try:
                connection = socket.create_connection(("127.0.0.1", self.port), timeout=2 * DEADLINE)
                return connection
            except ConnectionRefusedError:
                if self.process.poll() is not None:
                    raise AssertionError("Firefox does not start") from None
                time.sleep(0.1)
        raise AssertionError("Firefox does not start")

    def message(self):
        while b":" not in self.data:
            self.receive()
        length, self.data = self.data.split(b":", 1)
        while len(self.data) < int(length):
            self.receive()
        whole, self.data = self.data[:int(length)], self.data[int(length):]
        return json.loads(whole)

    def receive(self):
        piece = self.socket.recv(1 << 16)
        if not piece:
            raise AssertionError("Firefox has ended")
        self.data += piece

    def command(self, name, /, **parameters):
        self.count += 1
        text = json.dumps([0, self.count, name, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        _, number, error, value = self.message()
        assert number == self.count
        if error:
            raise Failed(f"{error['error']}: {error['message']}")
        return value

    def context(self, which):
        self.command("Marionette:SetContext", value=which)

    def open(self, address):
        self.command("WebDriver:Navigate", url=address)

    def open_warned(self, address):
        """Through the warning of a certificate that nobody has signed, by its own buttons: "Advanced…", and then "Accept
        the Risk and Continue". They stand inside of elements of the browser's own, which a path does not see."""
        try:
            self.open(address)
        except Failed as error:
            if "insecure certificate" not in str(error):
                raise
        self.press(self.wait(lambda: self.run(WARNED, ["advanced-button", "advancedButton"]), "no advanced button"))
        self.wait(self.has_gone_on, "the warning stays")

    def has_gone_on(self):
        # Pressed too soon, as while the page is being laid out, it does nothing.
        if self.run("return document.documentURI").startswith("https:"):
            return True
        if button := self.run(WARNED, ["exception-button", "exceptionDialogButton"]):
            self.press_at_rest(button)
        return False

    def another_window(self):
        """Opens a window and goes there; returns it."""
        window = self.command("WebDriver:NewWindow", type="window")["handle"]
        self.turn_to(window)
        return window

    def turn_to(self, window):
        self.command("WebDriver:SwitchToWindow", handle=window)

    def close_window(self):
        """The one that is turned to."""
        self.command("WebDriver:CloseWindow")

    def run(self, script, *arguments):
        value = self.command("WebDriver:ExecuteScript", script=script, args=arguments)["value"]
        return value[ELEMENT] if isinstance(value, dict) and ELEMENT in value else value

    def elements(self, using, value):
        return [each[ELEMENT] for each in self.command("WebDriver:FindElements", using=using, value=value)]

    def is_displayed(self, element):
        return self.command("WebDriver:IsElementDisplayed", id=element)["value"]

    def text_of(self, element):
        return self.command("WebDriver:GetElementText", id=element)["value"]

    def attribute(self, xpath, name):
        return self.command("WebDriver:GetElementAttribute", id=self.find(xpath), name=name)["value"]

    def place_of(self, element):
        return self.command("WebDriver:GetElementRect", id=element)

    def press(self, element):
        self.command("WebDriver:ElementClick", id=element)

    def write(self, element, text):
        self.command("WebDriver:ElementSendKeys", id=element, text=text)

    def key(self, text):
        """A key, to what has the focus. Behind the end of the page Tab leads to the browser's own bars, where no driver
        presses keys: from there it comes back."""
        if not self.run("return document.hasFocus()"):
            self.context("chrome")
            self.run("gBrowser.selectedBrowser.focus(); return null")
            self.context("content")
        self.write(self.command("WebDriver:GetActiveElement")["value"][ELEMENT], text)

    def cookies(self):
        return self.command("WebDriver:GetCookies")

    def drop_cookies(self):
        self.command("WebDriver:DeleteAllCookies")

    def take_cookie(self, cookie):
        self.command("WebDriver:AddCookie", cookie=cookie)

    def drop(self, xpath, path):
        """A file for an input, as a person chooses one."""
        self.write(self.elements("xpath", xpath)[0], path)

    def picture(self):
        """The window, as PNG."""
        return self.decoded(self.command("WebDriver:TakeScreenshot", full=False)["value"])

    def resize(self, width, height):
        """The part of the window in which the page is; a window itself is never as narrow as a telephone."""
        self.command("WebDriver:SetWindowRect", width=max(width, 500), height=height + 200)
        self.context("chrome")
        self.run("""
            const { style } = gBrowser.selectedBrowser;
            [style.width, style.height] = [`${arguments[0]}px`, `${arguments[1]}px`];
            return null;""", width, height)
        self.context("content")
        self.wait(lambda: self.run("return [innerWidth, innerHeight]") == [width, height], "its size")

    def complaints(self):
        """What the browser holds against the page: violated policies, errors of scripts."""
        self.context("chrome")
        try:
            return self.run("""
                return Services.console.getMessageArray().filter((each) => each instanceof Ci.nsIScriptError
                    && !(each.flags & 1) && /^https:/.test(each.sourceName)).map((each) => each.errorMessage);""")
        finally:
            self.context("content")

    def close(self):
        if self.process:
            try:
                self.command("Marionette:Quit", flags=["eForceQuit"])
                self.process.wait(timeout=20)
            except (AttributeError, AssertionError, OSError, subprocess.TimeoutExpired):
                self.process.kill()
            self.process.wait()
            self.process = None
        if hasattr(self, "socket"):
            self.socket.close()
        self.home.cleanup()
