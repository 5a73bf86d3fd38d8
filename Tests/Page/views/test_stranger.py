"""A stock browser in a phone's size, with nothing installed, through a real warning: from the text of the code that the
hub's screen shows to a lamp that is switched. And what else may come of a code, in words on a small screen."""
import http.server
import ssl
import threading
import time
import unittest

from house import HouseTests
from hub import Hub, free_port, typed_twin
from second_implementation import Code


class StrangerTests(HouseTests):
    SIZE = (390, 844)

    def code(self, *options, hub=None):
        return (hub or self.hub).run("print", "--format", "text", "--address", "127.0.0.1", *options).strip()

    def phone(self, address=None, browser=None):
        """A browser that has opened what its camera has read, through the warning."""
        if browser:
            browser.open(address)
            return browser
        browser = self.browser(path=None, stock=True)
        browser.resize(*self.SIZE)
        browser.open_warned(address or f"https://127.0.0.1:{self.hub.port}/")
        return browser

    def page(self, fragment=""):
        return f"https://127.0.0.1:{self.hub.port}/hubpair/{fragment}"

    def enter(self, browser, words="Let this browser in"):
        browser.click(f'//main//button[text()="{words}"]')

    def is_in(self, browser):
        return browser.find('//button[@role="switch"]')

    def says(self, browser, words):
        browser.wait(lambda: words in browser.text, f"it does not say “{words}”")

    def switched(self):
        with open(self.log) as file:
            return file.read().count("POST")

    def devices(self):
        return [each for each in self.hub.devices() if each["kind"] == "browser"]

    # The way in.

    def test_from_the_code_to_the_lamp(self):
        before, began = self.switched(), time.monotonic()
        code = self.code("--role", "owner")
        self.assertTrue(code.startswith("HTTPS://127.0.0.1:"), code[:20])
        browser = self.phone(code)
        browser.find('//main//button[text()="Let this browser in"]')
        # The secret is not in the address any more, nor in the history.
        self.assertNotIn("#", browser.run("return location.href"))
        self.assertLessEqual(browser.run("return document.documentElement.scrollWidth"), self.SIZE[0])
        self.enter(browser)
        browser.click('//button[@role="switch"][1]')
        browser.wait(lambda: self.switched() > before, "no order has come")
        print(f"from the code's text to the lamp: {time.monotonic() - began:.1f} s")
        device = self.devices()[-1]
        self.assertEqual((device["status"], device["role"]), ("approved", "owner"))
        self.assertNotIn("hubpair", browser.run("return document.cookie"))
        self.assertEqual(browser.complaints(), [])

    def test_a_typed_code_as_people_type_it(self):
        browser = self.phone()
        typed = typed_twin(self.hub.code()).text.replace("-", "–").lower()
        browser.type("//main//input", f"Code: “{typed}”.")
        self.enter(browser, "Go on")
        self.enter(browser)
        self.is_in(browser)

    def test_in_german(self):
        browser = self.browser(path=None, stock=True, preferences={"intl.accept_languages": "de"})
        browser.resize(*self.SIZE)
        browser.open_warned(f"https://127.0.0.1:{self.hub.port}/")
        browser.find('//main//button[text()="Weiter"]')
        browser.click("//main//summary")
        text = browser.text
        for english in ("This", "The ", "let in", "browser"):
            self.assertNotIn(english, text.replace("Browser", ""))
        self.assertLessEqual(browser.run("return document.documentElement.scrollWidth"), self.SIZE[0])
        browser.type("//main//input", "abc")
        self.enter(browser, "Weiter")
        self.says(browser, "dieser hat 3")
        browser.open("about:blank")
        browser.open(self.code())
        self.enter(browser, "Diesen Browser einlassen")
        self.is_in(browser)
        self.says(browser, "Diese Zentrale verlassen")
        self.assertEqual(browser.complaints(), [])

    def test_a_label_waits_for_the_owner(self):
        browser = self.phone(self.code("--label"))
        known = {each["device"] for each in self.devices()}
        self.enter(browser, "Ask to be let in")
        self.says(browser, "has to approve it")
        device = next(each for each in self.devices() if each["device"] not in known)
        self.assertEqual(device["status"], "pending")
        self.says(browser, device["device"])
        self.hub.run("devices", "approve", device["device"], "--role", "member")
        self.is_in(browser)

    # What else may come of it.

    def test_codes_that_let_nobody_in(self):
        browser = self.phone()
        used = self.code()
        first = self.phone(used)
        self.enter(first)
        self.is_in(first)
        name = self.devices()[-1]["name"]
        browser.open(used)
        self.enter(browser)
        self.says(browser, "used already")
        self.says(browser, name)
        other = Hub(self.hestia.url)
        self.addCleanup(other.remove)
        foreign = self.code(hub=other).replace(f":{other.port}/", f":{self.hub.port}/")
        browser.open("about:blank")
        browser.open(foreign)
        self.enter(browser)
        self.says(browser, "another hub")
        expired = self.code("--expires", "1s")
        time.sleep(1.1)
        browser.open("about:blank")
        browser.open(expired)
        self.enter(browser)
        self.says(browser, "run out")
        gone = self.code()
        self.hub.run("codes", "void", "--all")
        browser.open("about:blank")
        browser.open(gone)
        self.enter(browser)
        self.says(browser, "does not know the code")
        browser.open("about:blank")
        browser.open(self.code()[:-4] + "0000")
        self.says(browser, "character of the code is wrong")
        # No UTF-8: it is taken out of the address all the same, and told.
        browser.open("about:blank")
        browser.open(self.page("#%ff%E0abc"))
        self.says(browser, "has 20 letters")
        self.assertEqual(browser.run("return location.hash"), "")
        for text, words in (("abc", "has 20 letters"), ("U" * 20, "No code has"), ("H851-MAHT-99D6-MYMA-KEGF", "is wrong")):
            browser.open("about:blank")
            browser.open(self.page())
            browser.type("//main//input", text)
            self.enter(browser, "Go on")
            self.says(browser, words)
        self.assertLessEqual(browser.run("return document.documentElement.scrollWidth"), self.SIZE[0])
        self.assertEqual(browser.complaints(), [])

    def entered(self, *options):
        browser = self.phone(self.code(*options))
        known = {each["device"] for each in self.devices()}
        self.enter(browser)
        self.is_in(browser)
        return browser, next(each["device"] for each in self.devices() if each["device"] not in known)

    def test_an_expired_session_is_seen_by_nobody(self):
        browser, device = self.entered()
        browser.drop_cookies()
        # A navigation: it goes on to where it was.
        browser.open(self.page("?x=1"))
        self.is_in(browser)
        self.assertIn("?x=1", browser.run("return location.href"))
        # An order, with the page open.
        browser.drop_cookies()
        before = self.switched()
        browser.click('//button[@role="switch"][1]')
        browser.wait(lambda: self.switched() > before, "no order has come")
        # Two tabs.
        browser.another_window()
        browser.open(self.page())
        self.is_in(browser)
        self.assertEqual(len([each for each in self.devices() if each["device"] == device]), 1)

    def test_revoked_and_left(self):
        browser, device = self.entered()
        self.hub.run("devices", "revoke", device)
        browser.open("about:blank")
        browser.open(self.page())
        self.says(browser, "taken its access back")
        # A code for one device lets it in again.
        browser.open("about:blank")
        browser.open(self.code())
        self.enter(browser)
        self.is_in(browser)
        browser.click('//footer//button[text()="Leave this hub"]')
        browser.click('//footer//button[text()="Leave"]')
        browser.find("//main//input")
        self.hub.wait_for(
            lambda: next(each["status"] for each in self.devices() if each["device"] == device) == "revoked", "it has left")
        # The key is gone here, too: the next code makes another device.
        browser.open("about:blank")
        browser.open(self.code())
        self.enter(browser)
        self.is_in(browser)
        self.assertNotEqual(self.devices()[-1]["device"], device)

    def test_a_key_that_the_browser_threw_away(self):
        browser, device = self.entered()
        browser.run("return new Promise((done) => { const gone = indexedDB.deleteDatabase('hubpair'); "
                    "gone.onsuccess = gone.onblocked = () => done(true); })")
        browser.drop_cookies()
        browser.open(self.page())
        browser.find("//main//input")

    def test_another_port_of_this_host(self):
        """A page at another port is of the same site, and the browser sends the session's cookie with what it asks."""
        browser, device = self.entered("--role", "owner")
        port = self.evil()
        browser.another_window()
        browser.open_warned(f"https://127.0.0.1:{port}/")
        answers = browser.run(f"""
            const ask = (path, more) => fetch(`https://127.0.0.1:{self.hub.port}${{path}}`, {{ credentials: "include", ...more }})
              .then((answer) => answer.type === "opaque" ? "opaque" : answer.status, () => "refused");
            return Promise.all([
              ask("/devices/"), ask("/devices/", {{ mode: "no-cors" }}),
              ask("/hubpair/v1/device", {{ method: "DELETE" }}),
              ask("/hubpair/v1/devices/{device}/revoke", {{ method: "POST", mode: "no-cors" }}),
              ask("/hubpair/v1/session", {{ method: "POST", mode: "no-cors", body: "{{}}" }}),
            ]);""")
        self.assertEqual(answers, ["refused", "opaque", "refused", "opaque", "opaque"])
        self.assertEqual(next(each["status"] for each in self.devices() if each["device"] == device), "approved")
        self.assertIn("cross_site", self.hub.log())
        # It plants a cookie of its own; the page goes on with its key.
        browser.run("document.cookie = `__Host-hubpair=${'A'.repeat(43)}; Secure; Path=/`; return 1")
        browser.open(self.page())
        self.is_in(browser)

    def evil(self):
        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<title>evil</title>")

            def log_message(self, *_):
                pass

        import subprocess
        folder = self.folder.name
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-keyout", f"{folder}/evil.key", "-out", f"{folder}/evil.pem", "-subj", "/CN=evil"],
            check=True, capture_output=True)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", free_port()), Page)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{folder}/evil.pem", f"{folder}/evil.key")
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        return server.server_port


if __name__ == "__main__":
    unittest.main()
