"""Web services behind the hub in a real browser: found on the hub's page, opened without anything else, with scripts,
cookies, storage and a WebSocket; and a service that is hostile. Real servers are in test_servers."""
import base64
import hashlib
import json
import re
import unittest

from house import HouseTests
from listener import HeadListener

PAGE = """<!DOCTYPE html><title>A service</title><p id=text>waits</p><script>
document.cookie = "choice=1; Secure";
localStorage.setItem("here", "yes");
const socket = new WebSocket(`wss://${location.host}/ws`);
socket.onopen = () => socket.send("over the socket");
socket.onmessage = ({ data }) => { document.getElementById("text").textContent = data; };
</script>"""


class Web(HeadListener):
    """A server with a page, a session by cookie and a WebSocket that echoes."""

    def __init__(self, page=PAGE):
        self.page = page
        super().__init__()

    def answer(self, connection, head):
        if head.startswith("GET /ws"):
            self.echo(connection, re.search(r"(?mi)^sec-websocket-key: (\S+)", head)[1])
            return True
        page = self.page.encode()
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: sid=secret; HttpOnly\r\n"
            b"Content-Length: %d\r\n\r\n%s" % (len(page), page))

    @staticmethod
    def echo(connection, key):
        digest = hashlib.sha1(key.encode() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
        connection.sendall(
            b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Accept: %s\r\n\r\n" % base64.b64encode(digest))
        frame = connection.recv(65536)
        mask, text = frame[2:6], frame[6:6 + (frame[1] & 127)]
        text = bytes(byte ^ mask[at % 4] for at, byte in enumerate(text))
        connection.sendall(bytes((0x81, len(text))) + text)
        while connection.recv(65536):
            pass


class ServicesPageTests(HouseTests):
    def service(self, page=PAGE, name="A service"):
        web = Web(page)
        self.addCleanup(web.close)
        port = self.hub.add_service(web.url, name=name)
        self.addCleanup(self.hub.run, "hub", "service", "remove", name)
        self.hub.wait_for(lambda: f"serves {name} ({web.url})" in self.hub.log(), "the service")
        return web, port

    def test_from_the_hubs_page_to_the_service(self):
        web, port = self.service()
        browser = self.entered()
        browser.click('//nav[contains(@class, "services")]//a[text()="A service"]')
        self.says(browser, "over the socket")
        self.assertEqual(browser.run("return location.href"), f"https://127.0.0.1:{port}/")
        self.assertNotIn("hubpair", browser.run("return document.cookie"))
        self.assertNotIn("hubpair=", "\n".join(web.heads))
        browser.open(f"https://127.0.0.1:{port}/again")
        self.says(browser, "over the socket")
        again = next(head for head in web.heads if head.startswith("GET /again"))
        self.assertRegex(again, r"(?mi)^cookie: (?=.*sid=secret)(?=.*choice=1)[^_]*$")
        self.assertRegex(again, r"(?mi)^x-hubpair-role: owner$")
        self.assertEqual(browser.complaints(), [])

    def test_who_comes_to_the_service_first_comes_back(self):
        _, port = self.service()
        browser = self.entered()
        browser.open(f"https://127.0.0.1:{port}/")
        self.says(browser, "over the socket")
        # Its session is gone, as after a start of the hub: by the hub's page it gets another one.
        self.hub.stop()
        self.hub.start()
        browser.open(f"https://127.0.0.1:{port}/")
        self.says(browser, "has not shown that it is one")
        browser.click('//a[contains(text(), "Go on by the hub")]')
        self.says(browser, "over the socket")

    def test_a_service_that_is_hostile_gets_nowhere(self):
        web, port = self.service(name="Neighbour")
        hostile, at = self.service("<!DOCTYPE html><title>Hostile</title><p>hostile</p>", "Hostile")
        browser = self.entered()
        browser.open(f"https://127.0.0.1:{port}/")
        self.says(browser, "over the socket")
        before = len(web.heads)
        browser.open(f"https://127.0.0.1:{at}/")
        tried = browser.run("""
            const [hub, other] = arguments, done = [];
            const tell = (name, wish) => wish.then((answer) => done.push([name, answer.type, answer.status]), (fault) => done.push([name, "refused"]));
            const socket = new Promise((good, bad) => { const s = new WebSocket(other.replace("https", "wss") + "/ws"); s.onopen = () => good({ type: "open" }); s.onerror = bad; });
            return Promise.all([
                tell("read the hub", fetch(`${hub}/hubpair/v1/device`, { credentials: "include" })),
                tell("change the hub", fetch(`${hub}/hubpair/v1/device`, { method: "DELETE", credentials: "include" })),
                tell("read the neighbour", fetch(`${other}/`, { credentials: "include" })),
                tell("post to the neighbour", fetch(`${other}/`, { method: "POST", mode: "no-cors", credentials: "include" })),
                tell("socket", socket),
            ]).then(() => done);""", f"https://127.0.0.1:{self.hub.port}", f"https://127.0.0.1:{port}")
        self.assertEqual({each[0]: each[1] for each in tried if each[0] != "post to the neighbour"},
                         {name: "refused" for name in ("read the hub", "change the hub", "read the neighbour", "socket")})
        self.assertEqual(len(web.heads), before, web.heads[before:])
        cookies = re.findall(r"(?mi)^cookie: (.*?)\r?$", "\n".join(hostile.heads))
        self.assertNotIn("secret", json.dumps(cookies[:1]))
        # Nor can its scripts plant a session at the neighbour: a browser that knows the prefix takes it from servers alone.
        browser.run(f"document.cookie = '__Http-hubpair-{port}-sid=planted; Path=/planted; Secure';")
        browser.open(f"https://127.0.0.1:{port}/planted")
        self.says(browser, "over the socket")
        planted = next(head for head in web.heads if head.startswith("GET /planted"))
        self.assertRegex(planted, r"(?mi)^cookie: (?=.*sid=secret)(?!.*=planted)")
        # It cannot take the hub's cookie away or put another in its place, and the hub's page goes on.
        browser.run("document.cookie = '__Host-hubpair=x; Path=/; Secure'; document.cookie = '__Host-hubpair=; Path=/; Secure; Max-Age=0';")
        browser.open(f"https://127.0.0.1:{self.hub.port}/hubpair/")
        browser.find('//button[@role="switch"]')

    def test_an_owner_says_who_may(self):
        """What `hub service allow` and `deny` do, on the page: it counts at once."""
        web, port = self.service(name="For members")
        guest = self.device("Gustav", "guest")
        visitor = self.browser(guest)
        visitor.open(f"https://127.0.0.1:{port}/")
        self.says(visitor, "may not use this service")
        owner = self.browser(self.device("Olga", "owner"))
        owner.open(f"https://127.0.0.1:{self.hub.port}/hubpair/#access")
        owner.click('//button[text()="Who may"]')
        box = '//dialog//label[span[text()="Gustav"]]/input'
        self.assertIs(owner.run(f"return document.evaluate({json.dumps(box)}, document, null, 9).singleNodeValue.checked"), False)
        owner.click(box)
        rights = lambda: json.loads(self.hub.run("hub", "service", "--json"))
        self.hub.wait_for(lambda: len(rights()["allow"]) == 1, "the right")
        self.hub.wait_for(lambda: "the rights at the service For members have changed" in self.hub.log(), "the right at the gate")
        visitor.open(f"https://127.0.0.1:{port}/")
        self.says(visitor, "over the socket")
        owner.wait(lambda: owner.run(f"return !document.evaluate({json.dumps(box)}, document, null, 9).singleNodeValue.disabled"), "the answer")
        owner.click(box)
        self.hub.wait_for(lambda: rights()["allow"] == [], "the right taken back")
        visitor.wait(lambda: (visitor.open(f"https://127.0.0.1:{port}/"), "may not use this service" in visitor.text)[1], "it is still let in")
        owner.wait(lambda: owner.run(f"return !document.evaluate({json.dumps(box)}, document, null, 9).singleNodeValue.disabled"), "the answer")
        # An owner's own right, too, and back.
        mine = box.replace("Gustav", "Olga")
        owner.click(mine)
        self.hub.wait_for(lambda: len(rights()["deny"]) == 1, "the owner's own right")
        owner.click('//dialog//button[text()="Close"]')
        # The journal tells of it, there too: a name stands in marks of its own direction.
        called = "\u2068{}\u2069".format
        for words in ("{0} may use {1}", "{0} may not use {1} any more", "{2} may not use {1} any more"):
            words = words.format(*map(called, ("Gustav", "For members", "Olga")))
            owner.find(f'//li[contains(@class, "line")][span[text()="{words}"]]'
                       f'[contains(., "by {called("Olga")} · on the page")]')
        self.assertEqual(owner.complaints(), [])

    def test_a_guest_finds_what_is_for_guests(self):
        _, port = self.service(name="For members")
        browser = self.browser(self.device("guest", "guest"))
        browser.find('//button[@role="switch"]')
        self.assertEqual(browser.elements("xpath", '//nav[contains(@class, "services")]//a'), [])
        browser.open(f"https://127.0.0.1:{port}/")
        self.says(browser, "may not use this service")


if __name__ == "__main__":
    unittest.main()
