"""Web services behind the hub, from outside: who comes in, what a service learns and sets, and what one that is hostile
can do to the hub and to its neighbours."""
import json
import os
import re
import socket
import tempfile
import threading
import unittest

from hub import Hub
from listener import HeadListener
from second_implementation import Attempt, Browser, Connection, Device

DOCUMENT = {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document",
            "Accept": "text/html"}
COOKIE = re.compile(r"__Host-hubpair-(\d+)=[\w-]{43}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=604800")


class Service(HeadListener):
    """Notes the heads that it gets, and answers with the fields `sets`. At /ws it echoes, at /poll it waits, /drip never
    ends."""

    def __init__(self, *sets):
        self.sets, self.go = sets, threading.Event()
        super().__init__()

    def answer(self, connection, head):
        if head.startswith("GET /ws"):
            connection.sendall(b"HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
            while piece := connection.recv(65536):
                connection.sendall(piece)
            return True
        if head.startswith("GET /drip"):
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n")
            self.go.wait(60)
            return True
        if head.startswith("GET /poll"):
            self.go.wait(60)
        lines = "".join(line + "\r\n" for line in self.sets)
        connection.sendall(f"HTTP/1.1 200 OK\r\n{lines}Content-Length: 2\r\n\r\nok".encode())

    def last(self, name):
        """The values of this field in the last request."""
        return re.findall(rf"(?mi)^{re.escape(name)}: ?(.*?)\r?$", self.heads[-1])


class ServiceTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.hub = Hub()
        self.addCleanup(self.hub.remove)
        self.one, self.other = self.service("sid=one; HttpOnly", "theme=dark"), self.service("sid=two; HttpOnly")
        self.ports = [self.hub.add_service(each.url, name=name) for each, name in ((self.one, "One"), (self.other, "Other"))]
        self.hub.start()

    def service(self, *cookies, fields=()):
        service = Service(*(f"Set-Cookie: {each}" for each in cookies), *fields)
        self.addCleanup(service.close)
        return service

    def device(self, *options, name="Laptop"):
        device = Device(os.path.join(self.folder, name), name)
        Attempt(self.hub.code(*options), device).send(self.hub.port)
        return device

    def browser(self, *options):
        """A browser that is in, and its cookie at the hub."""
        browser = Browser()
        with Connection(self.hub.port) as connection:
            browser.pair(connection, self.hub.code(*options))
            return browser, browser.session(connection)

    def get(self, port, path="/", cookie=None, method="GET", device=None, body=None, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers.setdefault("Host", f"127.0.0.1:{port}")
        if cookie:
            headers["Cookie"] = cookie
        with Connection(port, device) as connection:
            return connection.request(method, path, body, headers)

    def jar(self, headers):
        return [value.split(";")[0] for value in headers.get_all("Set-Cookie") or []]

    def test_the_hubs_session_opens_a_service_and_never_reaches_it(self):
        browser, cookie = self.browser()
        port = self.ports[0]
        status, headers, body = self.get(port, cookie=cookie, **DOCUMENT)
        self.assertEqual((status, body), (200, b"ok"))
        self.assertEqual(self.one.last("X-Hubpair-Device"), [browser.fingerprint])
        self.assertEqual(self.one.last("Cookie"), [])
        own = [value for value in headers.get_all("Set-Cookie") if value.startswith("__Host-")]
        self.assertEqual([COOKIE.fullmatch(value)[1] for value in own], [str(port)])
        self.assertNotEqual(own[0].split("=")[1].split(";")[0], cookie.split("=")[1])
        session = own[0].split(";")[0]
        # It stands for nothing elsewhere, and goes nowhere either.
        self.assertEqual(self.get(port, "/x", session)[0], 200)
        self.assertEqual(self.one.last("Cookie"), [])
        self.assertEqual(self.get(self.ports[1], "/x", session)[0], 401)
        self.assertEqual(self.get(self.hub.port, "/hubpair/v1/device", session)[0], 401)
        value = session.split("=")[1]
        self.assertEqual(self.get(self.ports[1], "/x", f"__Host-hubpair-{self.ports[1]}={value}")[0], 401)
        self.assertEqual(self.get(self.hub.port, "/hubpair/v1/device", f"__Host-hubpair={value}")[0], 401)
        # What a page asks for makes no session, and a session that is used is not made anew.
        self.assertEqual(self.jar(self.get(port, "/x", cookie)[1])[-1], "theme=dark")
        again = self.get(port, cookie=session, **DOCUMENT)[1]
        self.assertIn(session, self.jar(again))

    def test_sessions_end_with_the_device(self):
        for way in ("revoke", "leave"):
            browser, cookie = self.browser()
            session = next(each for each in self.jar(self.get(self.ports[0], cookie=cookie, **DOCUMENT)[1])
                           if each.startswith("__Host-"))
            with Connection(self.ports[0]) as socket_to:
                socket_to.socket.sendall(
                    f"GET /ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nCookie: {session}\r\n\r\n".encode())
                self.assertIn(b" 101 ", socket_to.socket.recv(65536))
                socket_to.socket.sendall(b"hello")
                self.assertEqual(socket_to.socket.recv(100), b"hello")
                if way == "revoke":
                    self.hub.run("devices", "revoke", browser.fingerprint, "--yes")
                else:
                    self.assertEqual(self.get(self.hub.port, "/hubpair/v1/device", cookie, "DELETE")[0], 200)
                socket_to.socket.settimeout(60)
                self.assertEqual(socket_to.socket.recv(100), b"", "the socket goes on")
            self.assertEqual(self.get(self.ports[0], "/x", session)[0], 401)
            self.assertEqual(self.get(self.ports[0], "/x", cookie)[0], 401)

    def test_cookies_stay_with_their_service(self):
        device = self.device()
        jar = []
        for port in self.ports:
            jar += self.jar(self.get(port, device=device)[1])
        self.assertEqual(jar, [f"__Http-hubpair-{self.ports[0]}-sid=one", "theme=dark", f"__Http-hubpair-{self.ports[1]}-sid=two"])
        for service, port, own in ((self.one, self.ports[0], "sid=one"), (self.other, self.ports[1], "sid=two")):
            self.get(port, cookie="; ".join(jar), device=device)
            self.assertEqual(service.last("Cookie"), [f"{own}; theme=dark"])

    def test_what_reaches_beyond_the_service_is_not_passed_on(self):
        hostile = self.service(
            "__Host-hubpair=evil; Path=/; Secure", f"__Host-hubpair-{self.ports[0]}=evil", f"__Http-hubpair-{self.ports[0]}-sid=evil",
            "=__Host-hubpair=evil", "a=b; Domain=example", fields=(
                'Clear-Site-Data: "*"', "Strict-Transport-Security: max-age=1", 'Alt-Svc: h3=":1"', "Service-Worker-Allowed: /",
                "Content-Security-Policy: default-src 'self'"))
        port = self.hub.add_service(hostile.url, name="Hostile")
        device = self.device()
        self.hub.wait_for(lambda: self.is_served(port), "the new service")
        headers = self.get(port, device=device)[1]
        self.assertEqual(headers.get_all("Set-Cookie"), ["a=b; Secure"])
        self.assertEqual([headers[name] for name in ("Clear-Site-Data", "Strict-Transport-Security", "Alt-Svc")], [None] * 3)
        self.assertEqual((headers["Service-Worker-Allowed"], headers["Content-Security-Policy"]), ("/", "default-src 'self'"))

    def is_served(self, port):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return True
        except ConnectionRefusedError:
            return False

    def test_a_service_cannot_make_a_browser_use_another_or_the_hub(self):
        _, cookie = self.browser()
        origin = f"https://127.0.0.1:{self.ports[0]}"
        link = {**DOCUMENT, "Sec-Fetch-Site": "same-site"}
        cases = [
            {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Origin": origin},
            {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
            {**link, "Sec-Fetch-Dest": "iframe"}, {"Origin": origin}, {"Origin": "null"},
        ]
        before = len(self.other.heads)
        for port in (self.ports[1], self.hub.port):
            for headers in cases:
                for method, path in (("GET", "/"), ("GET", "/ws"), ("POST", "/"), ("GET", "/hubpair/v1/device")):
                    status = self.get(port, path, cookie, method, **headers)[0]
                    self.assertIn(status, (403,) if path != "/hubpair/v1/device" or port == self.hub.port else (403, 404),
                                  (port, headers, method, path))
        # A link opens the front page, by a page of the gate's that asks again, and no other without being asked.
        self.assertEqual(self.get(self.ports[1], "/x?y", cookie, **link)[0], 403)
        self.assertEqual(self.get(self.ports[1], "/?y", cookie, **link)[0], 403)
        self.assertEqual(self.get(self.hub.port, "/hubpair/", cookie, **link)[0], 403)
        self.assertEqual(self.get(self.hub.port, "/hubpair/?service=x", cookie, **link)[0], 403)
        for port, target in ((self.ports[1], "/"), (self.hub.port, f"/hubpair/?service={self.ports[1]}")):
            status, headers, page = self.get(port, target, cookie, **link)
            self.assertEqual((status, headers.get_all("Set-Cookie")), (200, None))
            self.assertIn(f'content="0; url={target}"', page.decode())
        self.assertEqual(len(self.other.heads), before)
        page = self.get(self.ports[1], "/x?<y>", cookie, **{**DOCUMENT, "Sec-Fetch-Site": "cross-site"})[2].decode()
        self.assertIn('href="/x?&lt;y&gt;"', page)
        self.assertEqual(self.get(self.ports[1], "/", cookie, **DOCUMENT)[0], 200)

    def test_roles_and_changes_count_at_once(self):
        devices = {role: self.device("--role", role, name=role) for role in ("owner", "member", "guest")}

        def statuses():
            return [self.get(self.ports[0], "/x", device=device, method="POST", body=b"")[0] for device in devices.values()]

        def listed(role):
            answer = json.loads(self.get(self.hub.port, "/hubpair/v1/services", device=devices[role])[2])
            return [each["name"] for each in answer["services"]]

        self.assertEqual(statuses(), [200, 200, 403])
        self.assertEqual([listed(role) for role in devices], [["One", "Other"]] * 2 + [[]])
        guest = Connection(self.ports[0], devices["guest"])
        self.addCleanup(guest.close)
        for role, expected in (("guest", [200, 200, 200]), ("owner", [200, 403, 403]), ("member", [200, 200, 403])):
            self.hub.run("hub", "service", "add", "One", self.one.url, "--role", role)
            self.hub.wait_for(lambda: self.is_served(self.ports[0]) and self.settled(statuses, expected), f"for {role}")
        self.assertEqual(listed("guest"), [])
        self.hub.run("devices", "role", devices["member"].fingerprint, "guest")
        self.assertEqual(statuses(), [200, 403, 403])

    def test_rights_of_a_device_count_at_once_and_leave_others_alone(self):
        """A WebSocket of the device that may not use the service any more ends; that of another goes on."""
        one, other = self.device(name="One"), self.device("--role", "guest", name="Other")

        def socket_of(device):
            connection = Connection(self.ports[0], device)
            self.addCleanup(connection.close)
            connection.socket.sendall(b"GET /ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
            data = b""
            while b"\r\n\r\n" not in data:
                data += (piece := connection.socket.recv(65536))
                if not piece:
                    return None
            return connection.socket if b" 101 " in data.split(b"\r\n")[0] else None

        self.assertIsNone(socket_of(other))
        self.hub.run("hub", "service", "allow", "One", other.fingerprint)
        self.hub.wait_for(lambda: self.get(self.ports[0], "/x", device=other)[0] == 200, "the right")
        self.assertEqual(self.get(self.ports[1], "/x", device=other)[0], 403)
        theirs, ours = socket_of(one), socket_of(other)
        self.hub.run("hub", "service", "deny", "One", one.fingerprint)
        self.assertEqual(self.end_of(theirs), b"")
        status, _, body = self.get(self.ports[0], "/x", device=one)
        self.assertEqual((status, json.loads(body)["error"]), (403, "not_allowed"))
        self.assertEqual(self.get(self.ports[1], "/x", device=one)[0], 200)
        ours.sendall(b"still")
        self.assertEqual(ours.recv(5), b"still")
        self.hub.run("hub", "service", "deny", "One", other.fingerprint)
        self.assertEqual(self.end_of(ours), b"")
        listed = json.loads(self.get(self.hub.port, "/hubpair/v1/services", device=one)[2])["services"]
        self.assertEqual([each["name"] for each in listed], ["Other"])

    @staticmethod
    def end_of(connection):
        connection.settimeout(120)
        try:
            return connection.recv(1)
        except ConnectionResetError:
            return b""

    @staticmethod
    def settled(statuses, expected):
        try:
            return statuses() == expected
        except OSError:
            return False  # its port is closed and opened for the new rule

    def test_long_polls_and_streams_wait(self):
        """Longer than the hub waits for the server of a house: the clock is the test's."""
        device = self.device()
        answers = []
        poll = threading.Thread(target=lambda: answers.append(self.get(self.ports[0], "/poll", device=device)[0]))
        poll.start()
        with Connection(self.ports[0], device) as stream:
            stream.socket.sendall(b"GET /drip HTTP/1.1\r\nHost: h\r\n\r\n")
            data = b""
            while b"data: 1" not in data:
                data += stream.socket.recv(65536)
            # A poll that waits takes nobody's turn.
            self.assertEqual([self.get(self.ports[0], f"/{number}", device=device)[0] for number in range(20)], [200] * 20)
            self.one.go.set()
            poll.join()
        self.assertEqual(answers, [200])

    def test_what_is_packed_stays_packed(self):
        packed = self.service(fields=("Content-Encoding: gzip", "Vary: Accept-Encoding"))
        port = self.hub.add_service(packed.url, name="Packed")
        self.hub.wait_for(lambda: self.is_served(port), "the new service")
        _, headers, body = self.get(port, device=self.device(), Accept_Encoding="br, gzip;q=0.5")
        self.assertEqual(packed.last("Accept-Encoding"), ["br, gzip;q=0.5"])
        self.assertEqual((headers["Content-Encoding"], headers["Vary"], body), ("gzip", "Accept-Encoding", b"ok"))

    def test_nothing_of_the_hub_is_there(self):
        device = self.device("--role", "owner")
        for path in ("/hubpair/", "/hubpair/v1/hub", "/hubpair/v1/pair", "/hubpair/v1/session", "/hubpair/v1/devices",
                     "/hubpair/page/session.js", "/hubpair/page/enter.js", "/%68ubpair/v1/hub", "//hubpair/v1/hub"):
            for method in ("GET", "POST"):
                self.assertEqual(self.get(self.ports[0], path, method=method, device=device)[0], 404, path)
        self.assertEqual(self.get(self.ports[0], "/hubpair/page/plain.css")[0], 200)
        self.assertEqual([head for head in self.one.heads if "hubpair/" in head.split("\r\n")[0]], [])

    def test_strangers_read_why(self):
        status, headers, page = self.get(self.ports[0], "/x", Accept="text/html", Sec_Fetch_Site="none")
        self.assertEqual((status, headers["X-Frame-Options"]), (401, "DENY"))
        self.assertIn(f"https://127.0.0.1:{self.hub.port}/hubpair/?service={self.ports[0]}".replace("&", "&amp;"), page.decode())
        self.assertEqual(json.loads(self.get(self.ports[0], "/x")[2])["error"], "no_certificate")
        self.assertEqual(self.get(self.ports[0], "/x", Host="evil.example", Accept="text/html")[0], 421)


if __name__ == "__main__":
    unittest.main()
