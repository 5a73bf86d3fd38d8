"""Roles: what owners, members, guests and devices with a word that is no role may send, by every door.

Requests are generated (role, method, spelling of the path, version, upgrade, expectation, body) and judged by a model
written from the table in the documentation alone. What the hub answers, and what the server behind it gets, must be
what the model says: on the hub's own port, for a proxy that asks the hub, and through a real nginx with the sample's
configuration.

HUBPAIR_SEED repeats a run, HUBPAIR_ROLES is the number of requests (default 2,000)."""
import http.server
import json
import os
import pathlib
import random
import re
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse

import strict_http
from hub import HUBPAIR, Hestia, Hub, free_port
from listener import Listener
from proxies import nginx
from recorder import Recorder
from second_implementation import Attempt, Browser, Connection, Device, Refused

REQUESTS = int(os.environ.get("HUBPAIR_ROLES", "2000"))
SEED = os.environ.get("HUBPAIR_SEED") or str(int(time.time()))
# From here devices speak; a proxy does from 127.0.0.1, which the hub trusts.
DEVICES_ADDRESS = "127.0.0.9"

# The word in the keyfile (None: no key), and the role that it means (None: none).
WORDS = {
    "absent": (None, "member"), "owner": ("owner", "owner"), "member": ("member", "member"),
    "guest": ("guest", "guest"), "Guest": ("Guest", None), "admin": ("admin", None), "empty": ("", None)}
# Guests are those of whom there is something to get wrong.
NAMES = [*WORDS, "guest", "guest", "guest", "guest", "guest"]


# The model.

# The appliances of the server behind the hub: their types and names, and whether guests may set them. What is not in it
# is no appliance: the server answers something else, and hubpair may stand in front of any server.
APPLIANCES = {
    b"x~y": ("Lock", "Front door", False), b"a.b": ("Blind", "Garage door", False), b"A-b_c": ("Light", "Lamp", True),
    # Its people have allowed it: KIND.
    b"6b010ecca57d7851c19a0449": ("Door", "Garden gate", True)}
KIND = b"6b010ecca57d7851c19a0449", {"kind": "gate", "guests": True}
GUARDED = {id for id, (_, _, is_free) in APPLIANCES.items() if not is_free}

ACTIVATOR = re.compile(rb"/devices/([0-9A-Za-z._~-]+)/activators/([0-9A-Za-z._~-]+)")


def may(role, method, target, fields):
    """True if the table lets a device of this role send this to the server behind the hub."""
    if role in ("owner", "member"):
        return True
    if role != "guest":
        return False
    names = {name.lower() for name, _ in fields}
    if names & {b"upgrade", b"x-http-method-override", b"x-http-method", b"x-method-override"}:
        return False
    if method in (b"GET", b"HEAD"):
        return True
    match = ACTIVATOR.fullmatch(target)
    return (method == b"POST" and bool(match) and not {match[1], match[2]} & {b".", b".."}
            and match[1] not in GUARDED)


# RFC 9112, section 3; the methods are those that IANA has.
METHODS = {b"GET", b"HEAD", b"POST", b"PUT", b"PATCH", b"DELETE", b"OPTIONS", b"PROPFIND", b"QUERY", b"M-SEARCH"}
TARGET = re.compile(rb"/[!-\x22$-~]*")


def is_own(target):
    """True if the path is the hub's own in some reading. All such targets here hold the word, in the letters that the
    generator gives it; no other target does."""
    path = target.split(b"?")[0]
    for _ in range(4):
        path = urllib.parse.unquote_to_bytes(path)
    return b"hubpair" in path.lower()


class Verdict:
    """What must come of a request: its status, the error's word, and whether the server gets it. A word that is no
    role has no session, so it is a stranger's there."""

    def __init__(self, role, request, unknown=(403, "role_unknown"), may=may):
        self.arrives = False
        if request.method not in METHODS | {b"TRACE"} or not TARGET.fullmatch(request.target):
            self.status, self.word = 400, "bad_request"
        elif is_own(request.target):
            self.status, self.word = 404, "not_found"
        elif request.method == b"TRACE":
            self.status, self.word = 405, "method_not_allowed"
        elif role is None:
            self.status, self.word = unknown
        elif not may(role, request.method, request.target, request.fields):
            self.status, self.word = 403, "not_allowed"
        else:
            self.status, self.word, self.arrives = 200, None, True


# The hub's own paths, from the documentation's tables: what each method of a path is for. `*` is an ID or a name.
OWN = {
    "rooms": "read GET HEAD", "rooms/*": "arrange PUT DELETE",
    "units/*/*": "arrange PUT DELETE", "kinds/*": "arrange PUT DELETE", "scenes": "read GET HEAD", "scenes/*": "arrange PUT DELETE",
    "scenes/current": "read GET HEAD", "scenes/*/run": "read POST", "rules": "own GET HEAD", "rules/*": "own PUT DELETE",
    "armed": "read GET HEAD; arrange POST DELETE",
    "messages/read": "read POST", "messages/acknowledge": "arrange POST",
    "messages": "read GET HEAD", "messages/*/read": "read POST", "messages/*/acknowledge": "arrange POST",
    "pictures": "arrange GET HEAD", "pictures/*": "arrange GET HEAD; own PUT DELETE", "messages/*/picture": "arrange GET HEAD",
    "timers": "read GET HEAD", "timers/*/*": "read PUT DELETE", "preferences": "read GET HEAD PUT",
    "push": "read GET HEAD PUT DELETE", "push/hub": "own PUT",
    "states": "read GET HEAD", "states/history": "read GET HEAD", "devices": "own GET HEAD", "devices/*": "own PUT",
    "devices/*/approve": "own POST", "devices/*/refuse": "own POST", "devices/*/revoke": "own POST",
    "codes": "own GET HEAD POST", "codes/void": "own POST", "codes/*": "own DELETE", "journal": "own GET HEAD",
    "services/rights": "own GET HEAD", "services/*/devices/*": "own PUT",
    "access": "own GET HEAD POST"}
ALLOWED = {"read": ("guest", "member", "owner"), "arrange": ("member", "owner"), "own": ("owner",)}
PAGES = ("", "page/page.js", "page/owner.js", "page/page.css")


class OwnVerdict:
    """What must come of a request for one of the hub's own paths: a status and a word; None: what it does decides."""

    def __init__(self, role, method, path):
        self.status, self.word, self.is_let_in = None, None, False
        path = path.split("?")[0]
        if path.startswith("/hubpair/") and path[9:] in PAGES:
            self.judge(role, [("page", ["GET", "HEAD"])], method)
            return
        segments = path[len("/hubpair/v1/"):].split("/") if path.startswith("/hubpair/v1/") else [""]
        uses = [(kind, methods.split()) for own, use in OWN.items() if self.fits(own.split("/"), segments)
                for kind, methods in [each.split(" ", 1) for each in use.split("; ")]]
        self.judge(role, uses, method)

    @staticmethod
    def fits(own, segments):
        # A segment is decoded once, and only where an ID or a name stands.
        return len(own) == len(segments) and all(
            one == other if one != "*" else bool(re.fullmatch(r"([0-9A-Za-z._~!$&'()*+,;=:@-]|%[0-7][0-9A-Fa-f])+", other))
            for one, other in zip(own, segments))

    def judge(self, role, uses, method):
        kinds = [kind for kind, methods in uses if method in methods]
        if not uses:
            self.status, self.word = 404, "not_found"
        elif not kinds:
            self.status, self.word = 405, "method_not_allowed"
        elif role is None:
            self.status, self.word = 403, "role_unknown"
        elif kinds[0] != "page" and role not in ALLOWED[kinds[0]]:
            self.status, self.word = 403, "not_allowed"
        else:
            self.is_let_in = True


class Request:
    """A request from the generator, with a nonce of its own."""
    count = 0

    def __init__(self, generator):
        Request.count += 1
        self.nonce = b"n%d" % Request.count
        self.method = generator.choice(
            [b"GET", b"HEAD", b"POST", b"POST", b"POST", b"PUT", b"DELETE", b"PATCH", b"OPTIONS", b"PROPFIND", b"QUERY",
             b"M-SEARCH", b"TRACE", b"get", b"Post", b"POSTX", b"CONNECT"])
        self.target = self.spelled(generator)
        self.version = generator.choice([b"1.1"] * 6 + [b"1.0"])
        self.fields = [(b"Host", b"h"), (b"X-Nonce", self.nonce), (b"User-Agent", self.nonce)]
        if self.version == b"1.0" and generator.random() < 0.5:
            self.fields.append((b"Connection", b"keep-alive"))
        self.add_oddity(generator)
        self.body = b""
        if self.method not in (b"GET", b"HEAD", b"TRACE") and generator.random() < 0.8 or generator.random() < 0.1:
            self.add_body(generator)

    def spelled(self, generator):
        """A target: one of the server's, mostly that of an activator, in one of its spellings."""
        devices, activators = b"devices", b"activators"
        one, two = (generator.choice([b"1", b"6b010ecca57d7851c19a0449", b"a.b", b"x~y", b"A-b_c"]) for _ in "12")
        odd = generator.choice([
            b".", b"..", b"", b"%2e", b"%2E%2e", b"a%2fb", b"..%2f..%2fx", b"%31", b"%2531", b"a;b", b";a", b"a:b", b"a@b",
            b"a,b", b"a+b", b"a\\b", b"\x00", b"a\x00", b"\xc3\xa4", b"\xff", b"a b", b"a\tb", b"#", b"*", b"a%", b"a%zz"])
        separator = generator.choice([b"/"] * 8 + [b"//", b"/./", b"/../", b"/x/../", b"\\", b"%2f", b";/"])
        match generator.randrange(16):
            case 0:
                one = odd
            case 1:
                two = odd
            case 2:
                devices = generator.choice([b"Devices", b"DEVICES", b"%64evices", b"devices;v=1", b"device", b"devices."])
            case 3:
                activators = generator.choice([b"Activators", b"activator", b"%61ctivators", b"activators;", b"..", b"x"])
            case 4:
                return generator.choice([
                    b"/", b"/devices", b"/devices/", b"/devices/1", b"/plugins/x/plugins/y", b"/devices/1/activators",
                    b"/devices/1/activators/", b"/devices/1/activators/2/x", b"/x?/devices/1/activators/2", b"*", b"x", b"",
                    b"?", b"h:80", b"http://h/devices/1/activators/2", b"https://h", b"//h/devices/1/activators/2"])
            case 5:
                return generator.choice([
                    b"/hubpair", b"/hubpair/v2", b"//hubpair", b"/%68ubpair", b"/HUBPAIR/x", b"/./hubpair",
                    b"/devices/../hubpair", b"/hubpair/../devices/1/activators/2", b"/%2e/hubpair", b"/;x/hubpair"])
        target = separator.join([b"", devices, one, activators, two])
        if generator.random() < 0.2:
            target += generator.choice([b"/", b"?", b"?x=1", b"?_method=DELETE", b";v=1", b"%20", b"%00", b"/.", b"/..", b"//"])
        if generator.random() < 0.05:
            target = generator.choice([b"/", b"/.", b"/x/..", b"http://h", b"h"]) + target
        return target

    def add_oddity(self, generator):
        """An upgrade, another method in a field, or what only a proxy may say; mostly nothing."""
        more = generator.choice([
            [(b"Connection", b"Upgrade"), (b"Upgrade", b"websocket"), (b"Sec-WebSocket-Version", b"13"),
             (b"Sec-WebSocket-Key", b"dGhlIHNhbXBsZSBub25jZQ==")],
            [(b"Connection", b"keep-alive, Upgrade"), (b"Upgrade", generator.choice([b"h2c", b"WebSocket", b"x"]))],
            [(b"Upgrade", b"websocket")],
            [(generator.choice([b"X-HTTP-Method-Override", b"x-http-method", b"X-METHOD-OVERRIDE"]), b"DELETE")],
            [(b"X_HTTP_Method_Override", b"DELETE")],
            [(b"X-Hubpair-Role", b"owner")], [(b"x-hubpair_role", b"owner")], [(b"X-HUBPAIR-ROLE", b"")],
            [(b"X-Original-Method", b"GET"), (b"X-Original-URI", b"/")],
            [(b"X-Forwarded-Method", b"GET"), (b"X-Forwarded-Uri", b"/")],
            [(b"Sec-WebSocket-Key", b"x")]] + [[]] * 15)
        self.fields += more

    def add_body(self, generator):
        smuggled = b"DELETE /devices/1 HTTP/1.1\r\nHost: h\r\nX-Nonce: smuggled\r\nUser-Agent: smuggled\r\n\r\n"
        self.body = generator.choice([b"", b'{"state": true}', b"x" * 3000, smuggled, b"\r\n" + smuggled, b"0\r\n\r\n" + smuggled])
        if self.version == b"1.1" and generator.random() < 0.3:
            self.fields.append((b"Transfer-Encoding", b"chunked"))
            self.sent = b"%x\r\n%s\r\n0\r\n\r\n" % (len(self.body), self.body) if self.body else b"0\r\n\r\n"
        else:
            self.fields.append((b"Content-Length", b"%d" % len(self.body)))
            self.sent = self.body
        if generator.random() < 0.1:
            self.fields.append((b"Expect", b"100-continue"))

    sent = b""

    @property
    def bytes(self):
        lines = b"".join(b"%s: %s\r\n" % field for field in self.fields)
        return b"%s %s HTTP/%s\r\n%s\r\n%s" % (self.method, self.target, self.version, lines, self.sent)


def received(message):
    return b"\n".join(b": ".join(field) for field in message.fields)


class Appliances(Recorder):
    """A recorder that is a house as well: it tells what an appliance is."""

    def answer(self, message):
        parts = message.start[1].split(b"/")
        if message.start[0] != b"GET" or len(parts) != 3 or parts[2] not in APPLIANCES:
            return super().answer(message)
        kind, name, _ = APPLIANCES[parts[2]]
        activator = {"activatorId": "1", "rank": 0, "name": "On/Off", "type": "bool", "state": False}
        body = json.dumps({"deviceId": parts[2].decode(), "name": name, "type": kind, "activators": [activator]}).encode()
        return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body


class Upstream:
    """What the server behind the hub got, by nonce; the hub's own questions have none."""

    def __init__(self, nonce=b"x-nonce"):
        self.got, self.faults, self.lock, self.nonce, self.asked = {}, [], threading.Lock(), nonce, []
        self.recorder = Appliances(self.note)
        self.url = f"http://127.0.0.1:{self.recorder.port}"

    def note(self, message, is_whole, why, received):
        with self.lock:
            if message is None or why:
                self.faults.append((why, received))
            elif message.start[0] == b"GET" and not message.value(self.nonce):
                self.asked.append(message.start[1])
            else:
                self.got.setdefault(message.value(self.nonce), []).append(message)

    def close(self):
        self.recorder.close()


class Household:
    """A hub with a device of each role."""

    def __init__(self, test, url, options=("--trusted-proxy", "127.0.0.1")):
        self.folder = tempfile.TemporaryDirectory()
        test.addCleanup(self.folder.cleanup)
        self.hub = Hub(url, options, concurrency=16)
        test.addCleanup(self.hub.remove)
        self.hub.start()
        self.devices, self.cookies = {}, {}
        for name, (word, role) in WORDS.items():
            device = self.devices[name] = Device(os.path.join(self.folder.name, name), f"The {name} one")
            # nginx looks at a certificate's dates, which for hubpair mean nothing.
            subprocess.run(
                ["openssl", "req", "-x509", "-key", device.key_path, "-out", device.certificate_path, "-subj", "/CN=x",
                 "-days", "9"], check=True, capture_output=True)
            code = self.hub.code(*(["--role", word] if word and role else []))
            Attempt(code, device).send(self.hub.port, source=DEVICES_ADDRESS)
            if role is None:
                self.write_role(device, word)
        connection = self.connect(self.devices["owner"])
        status, _, answer = connection.request("PUT", f"/hubpair/v1/kinds/{KIND[0].decode()}", json.dumps(KIND[1]).encode())
        connection.close()
        # A hub of an older version has no kinds.
        assert status in (200, 201, 404), answer

    def write_role(self, device, word):
        """By hand, in the keyfile."""
        path = pathlib.Path(self.hub.state, "approved-devices")
        text = path.read_text()
        group = f"[device {device.fingerprint}]\n"
        assert group in text
        new = path.with_suffix(".new")
        new.touch(mode=0o600)
        new.write_text(text.replace(group, f"{group}role={word}\n"))
        new.rename(path)

    def cookie(self, name):
        """A session of the device's key; nil for one that gets none."""
        if name not in self.cookies:
            device = self.devices[name]
            with self.connect(None) as connection:
                try:
                    self.cookies[name] = Browser(device.name, device.key).session(connection)
                except Refused as error:
                    assert error.error == "role_unknown", error
                    self.cookies[name] = None
        return self.cookies[name]

    def connect(self, device, **options):
        return Connection(self.hub.port, device, source=DEVICES_ADDRESS, **options)


class Answers:
    """Answers in order on one connection."""

    def __init__(self, connection):
        self.connection, self.data = connection, b""

    def next(self, method):
        """The next final answer; None if the connection ends first."""
        while True:
            try:
                message, end = strict_http.answer(self.data, 0, method)
            except strict_http.Partial:
                try:
                    piece = self.connection.recv(65536)
                except (ConnectionError, ssl.SSLError):
                    piece = b""
                if not piece:
                    return None
                self.data += piece
                continue
            assert end is not None
            self.data = self.data[end:]
            if message.start[1] >= 200:
                return message


class GeneratedTests(unittest.TestCase):
    def setUp(self):
        print(f"HUBPAIR_SEED={SEED}", flush=True)
        self.generator = random.Random(SEED)

    def fail_with(self, request, device, what):
        self.fail(f"HUBPAIR_SEED={SEED} {device}: {what}\n{request.bytes[:600]}")

    def test_requests_on_the_hubs_own_port(self):
        self.requests(lambda house, name: house.connect(house.devices[name], timeout=20))

    def test_requests_with_sessions(self):
        """The same, from browsers: no certificate, and a cookie that stands for the same key."""
        self.requests(
            lambda house, name: house.connect(None, timeout=20), lambda house, name: house.cookie(name), (401, "no_certificate"))

    def test_requests_to_a_service(self):
        """The same at the port of a web service: whose role suffices may do everything there, and the owner names devices
        that may or may not besides."""
        for least in ("owner", "member", "guest"):
            with self.subTest(least=least):
                self.service(least)

    def service(self, least):
        order = ("guest", "member", "owner")
        named = {name: self.generator.choice(["allow", "deny", None, None]) for name in WORDS}
        port = None

        def connect(house, name):
            nonlocal port
            if port is None:
                # Rights count from the next start on at the latest; test_services has them change while it serves.
                house.hub.stop()
                port = house.hub.add_service(upstream.url, "--kind", "plain", "--role", least)
                for each, verb in named.items():
                    if verb:
                        house.hub.run("hub", "service", verb, "Service", house.devices[each].fingerprint)
                house.hub.start()
            return Connection(port, house.devices[name], source=DEVICES_ADDRESS, timeout=20)

        def may_use(name):
            role = WORDS[name][1]
            by_role = role is not None and order.index(role) >= order.index(least)
            return role is not None and {"allow": True, "deny": False, None: by_role}[named[name]]

        upstream = Upstream()
        self.addCleanup(upstream.close)
        print(f"least {least}, named {named}", flush=True)
        self.requests(connect, may=lambda name: lambda *_: may_use(name), upstream=upstream, count=REQUESTS // 3)

    def requests(self, connect, cookie=lambda house, name: None, unknown=(403, "role_unknown"), may=lambda name: may,
                 upstream=None, count=REQUESTS):
        upstream = upstream or Upstream()
        self.addCleanup(upstream.close)
        house = Household(self, upstream.url)
        seen, sent, counts = [], 0, {}
        connections = {}
        while sent < count:
            name = self.generator.choice(NAMES)
            batch = [Request(self.generator) for _ in range(self.generator.choice([1, 1, 2, 4]))]
            if shown := cookie(house, name):
                for request in batch:
                    request.fields.insert(1, (b"Cookie", shown.encode()))
            if name not in connections:
                connections[name] = connect(house, name)
            connection = connections[name]
            answers = Answers(connection.socket)
            try:
                connection.socket.sendall(b"".join(request.bytes for request in batch))
            except (ConnectionError, ssl.SSLError):
                pass  # it has been closed after an answer that is still to be read
            closed = False
            for request in batch:
                if closed:
                    # What stands behind the last answer is read by nobody.
                    seen.append((request, name, None))
                    continue
                verdict = Verdict(WORDS[name][1], request, unknown, may(name))
                answer = answers.next(request.method)
                if answer is None:
                    self.fail_with(request, name, "no answer")
                status = answer.start[1]
                if (status == verdict.status if verdict.status != 400 else 400 <= status < 600) is False:
                    self.fail_with(request, name, f"{answer.start}, and {verdict.status} {verdict.word} is right")
                if verdict.word and answer.body and json.loads(answer.body)["error"] != verdict.word:
                    self.fail_with(request, name, f"{answer.body}, and {verdict.word} is right")
                if any(echo.split()[0] != request.nonce for echo in answer.values(b"x-echo")):
                    self.fail_with(request, name, f"the answer of another request: {answer.fields}")
                seen.append((request, name, verdict))
                counts[verdict.word or "passed on"] = counts.get(verdict.word or "passed on", 0) + 1
                closed = b"close" in answer.values(b"connection") or (
                    request.version == b"1.0" and b"keep-alive" not in answer.values(b"connection"))
            sent += len(batch)
            if closed:
                connection.close()
                del connections[name]
        for connection in connections.values():
            connection.close()
        for request, name, verdict in seen:
            got = upstream.got.pop(request.nonce, [])
            if len(got) != bool(verdict and verdict.arrives):
                self.fail_with(request, name, f"the server got it {len(got)} times")
            for message in got:
                self.check_passed(request, name, message)
                self.assertNotIn(b"__Host-hubpair", received(message))
        self.assertEqual((upstream.got, upstream.faults), ({}, []))
        print(f"own port: {sent} requests: {counts}", flush=True)
        self.assertGreater(min(counts.values()), count // 100, counts)

    def check_passed(self, request, name, message, role=None):
        role = role or WORDS[name][1]
        if message.start[:2] != (request.method, request.target) or message.body != request.body:
            self.fail_with(request, name, f"it became {message}")
        names = [value for each, value in message.fields if re.sub(rb"[^a-z]", b"", each.lower()) == b"xhubpairrole"]
        if names != [role.encode()]:
            self.fail_with(request, name, f"the server is told of the roles {names}")

    def own_request(self):
        """Method, target and body of a request for a path of the hub's own, mostly one that exists, in some spelling."""
        generator = self.generator
        path = generator.choice([*OWN] * 3 + ["x", "rooms/*/x", "verify/x", "device/x", "", "journal/x"])
        name = lambda: generator.choice(["x", "Nobody", "1", "%20a", "K7QF-2M9D-X0TW-8RHC", "a%2fb", "%ff", "a b", ".", "%2e%2e"])
        path = re.sub(r"\*", lambda _: name(), path)
        target = f"/hubpair/v1/{path}"
        match generator.randrange(12):
            case 0:
                target = generator.choice([f"/hubpair/{each}" for each in PAGES])
            case 1:
                target = target.replace("hubpair", generator.choice(["Hubpair", "%68ubpair", "HUBPAIR", "hubpair/", "hubpair/."]), 1)
            case 2:
                target = target.replace("/v1", generator.choice(["/V1", "/v2", "/v1/", "/v1/.", "//v1", "/%761"]), 1)
            case 3:
                target += generator.choice(["/", "//", "/.", "/..", ";x", "%00", "%20", "/../devices", "?x=1", "?"])
            case 4:
                at = generator.randrange(12, len(target) + 1)
                target = target[:at] + generator.choice(["%2f", "%", "/", "\\", "é", "%61", ";"]) + target[at:]
        method = generator.choice(["GET", "GET", "GET", "HEAD", "POST", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
        body = generator.choice([b"", b"{}", b"[]", b"x", b"do=approve&device=x", b'{"name": "x"}', b'{"a": ' * 500])
        return method, target, body if method in ("POST", "PUT", "PATCH", "DELETE") else b""

    def test_the_hubs_own_paths(self):
        self.own_paths(lambda house, name: (house.devices[name], ""))

    def test_the_hubs_own_paths_with_sessions(self):
        """The same, from browsers: who gets no session is a stranger."""
        self.own_paths(
            lambda house, name: (None, f"Cookie: {house.cookie(name)}\r\n" if house.cookie(name) else ""), "no_certificate")

    def own_paths(self, shown, unknown="role_unknown"):
        upstream = Upstream()
        self.addCleanup(upstream.close)
        house = Household(self, upstream.url)
        connections, counts = {}, {}
        for _ in range(REQUESTS):
            name = self.generator.choice(NAMES)
            role = WORDS[name][1]
            method, target, body = self.own_request()
            device, field = shown(house, name)
            if name not in connections:
                connections[name] = house.connect(device, timeout=20)
            connection = connections[name]
            connection.socket.sendall(
                f"{method} {target} HTTP/1.1\r\nHost: h\r\n{field}X-Nonce: own\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
            answer = Answers(connection.socket).next(method.encode())
            what = f"HUBPAIR_SEED={SEED} {name} {method} {target} {body[:40]}"
            self.assertIsNotNone(answer, what)
            status = answer.start[1]
            if not TARGET.fullmatch(target.encode()):
                self.assertEqual(status, 400, what)
                word = "bad_request"
            else:
                verdict = OwnVerdict(role, method, target)
                if verdict.word == "role_unknown" and unknown == "no_certificate":
                    verdict.status, verdict.word = 401, unknown
                word = verdict.word or "let in"
                if verdict.status:
                    self.assertEqual(status, verdict.status, what)
                    if answer.body:
                        self.assertEqual(json.loads(answer.body)["error"], verdict.word, what)
                else:
                    # What is let in finds nothing, or is no good; it is not refused, and breaks nothing.
                    self.assertIn(status, (200, 201, 204, 303, 400, 404, 409, 413, 415, 429, 503), what)
            counts[word] = counts.get(word, 0) + 1
            if b"close" in answer.values(b"connection"):
                connections.pop(name).close()
        for connection in connections.values():
            connection.close()
        # None of it is for the server behind the hub; the hub itself asks that one for states.
        self.assertEqual((upstream.got.get(b"own"), upstream.faults), (None, []))
        print(f"own paths: {REQUESTS} requests: {counts}", flush=True)
        self.assertGreater(min(counts.values()), REQUESTS // 100, counts)

    def test_what_a_proxy_is_told(self):
        """The fields that nginx and Traefik send, in all combinations, with what a client may have added."""
        self.questions(lambda house: house.hub.port, self.told)

    def test_what_a_proxy_of_a_service_is_told(self):
        """The same at the port of a service, whose rights count in place of the table."""
        def port(house):
            port = house.hub.add_service("http://127.0.0.1:1")
            house.hub.run("hub", "service", "allow", "Service", house.devices["guest"].fingerprint)
            house.hub.run("hub", "service", "deny", "Service", house.devices["member"].fingerprint)
            house.hub.stop()
            house.hub.start()
            return port

        def told(role, fields, is_odd, name):
            # What an owner may not do either: the fields contradict each other, or lead to the hub.
            status, word = self.told(role and "owner", fields, is_odd)
            return (403, "not_allowed") if word is None and name == "member" else (status, word)

        self.questions(port, told)

    def questions(self, port, told):
        # The hub asks the server that it was set up with what an appliance is.
        upstream = Upstream()
        self.addCleanup(upstream.close)
        house = Household(self, upstream.url)
        context = ssl._create_unverified_context()
        escaped = {name: urllib.parse.quote(pathlib.Path(device.certificate_path).read_text(), safe="").encode()
                   for name, device in house.devices.items()}
        proxy = Connection(port(house), timeout=20)
        self.addCleanup(proxy.close)
        answers, counts = Answers(proxy.socket), {}
        for _ in range(REQUESTS):
            name, request = self.generator.choice(NAMES), Request(self.generator)
            method, target = request.method, request.target
            if not re.fullmatch(rb"[!-~]+(?:[ -~]*[!-~])?", target):
                target = b"/devices/1/activators/2"
            other = Request(self.generator)
            fields = []
            columns = {b"X-Original-": (b"Method", b"URI"), b"X-Forwarded-": (b"Method", b"Uri")}
            for prefix, (first, second) in columns.items():
                match self.generator.randrange(10):
                    case 0 | 1 | 2 | 3 | 4:
                        fields += [(prefix + first, method), (prefix + second, target)]
                    case 5:
                        fields += [(prefix + first, self.generator.choice([method, other.method]))]
                    case 6:
                        fields += [(prefix + second, target), (prefix + first, other.method)]
                    case 7:
                        fields += [(prefix + first, method), (prefix + second, target + self.generator.choice([b"", b"?"]))]
            if self.generator.random() < 0.1:
                fields.append(self.generator.choice([
                    (b"X-Original-Method", b"GET"), (b"X-Forwarded-Uri", b"/"), (b"X-Original-URI", target)]))
            more = [field for field in request.fields if field[0].lower() in (
                b"sec-websocket-key", b"x-http-method-override", b"x-http-method", b"x-method-override")]
            if any(field[0] == b"Upgrade" for field in request.fields):
                more.append((b"X-Original-Upgrade", b"websocket"))
            fields += more
            self.generator.shuffle(fields)
            lines = b"".join(b"%s: %s\r\n" % field for field in fields)
            proxy.socket.sendall(
                b"GET /hubpair/v1/verify HTTP/1.1\r\nHost: h\r\nX-SSL-Client-Cert: %s\r\n%s\r\n" % (escaped[name], lines))
            answer = answers.next(b"GET")
            status, word = told(WORDS[name][1], fields, bool(more), name)
            self.assertEqual(answer.start[1], status, f"HUBPAIR_SEED={SEED} {name} {fields}")
            if word:
                self.assertEqual(json.loads(answer.body)["error"], word, f"HUBPAIR_SEED={SEED} {name} {fields}")
            else:
                self.assertEqual(answer.value(b"x-hubpair-role"), WORDS[name][1].encode())
            counts[word or "passed"] = counts.get(word or "passed", 0) + 1
        print(f"verify: {REQUESTS} questions: {counts}", flush=True)
        self.assertGreater(min(counts.values()), REQUESTS // 50)

    def told(self, role, fields, is_odd, _=None):
        """The model of verify: status and word."""
        if role is None:
            return 403, "role_unknown"
        lower = [(name.lower(), value) for name, value in fields]
        methods = {value for name, value in lower if name in (b"x-original-method", b"x-forwarded-method")}
        targets = {value for name, value in lower if name in (b"x-original-uri", b"x-forwarded-uri")}
        names = {name for name, _ in lower}
        if len(methods) > 1 or len(targets) > 1:
            return 403, "not_allowed"
        if not ({b"x-original-method", b"x-original-uri"} <= names or {b"x-forwarded-method", b"x-forwarded-uri"} <= names):
            return (403, "not_allowed") if role == "guest" else (204, None)
        method, target = methods.pop(), targets.pop()
        if not target.startswith(b"/") or is_own(target):
            return 403, "not_allowed"
        return (204, None) if may(role, method, target, [(b"Upgrade", b"x")] if is_odd else []) else (403, "not_allowed")

    def test_requests_through_nginx(self):
        upstream = Upstream(nonce=b"user-agent")
        self.addCleanup(upstream.close)
        house = Household(self, upstream.url)
        port = nginx(self, house.hub, upstream.url, house.hub.port)
        counts = {"passed on": 0, "refused": 0}
        for _ in range(REQUESTS // 2):
            name, request = self.generator.choice(NAMES), Request(self.generator)
            device, role = house.devices[name], WORDS[name][1]
            # nginx waits for a body before it looks at what it asks hubpair; a request by itself is enough here.
            request.fields = [field for field in request.fields if field[0] != b"Expect"]
            with Connection(port, device, timeout=20) as connection:
                answer = connection.raw(request.bytes.replace(b"Host: h\r\n", b"Host: h\r\nConnection: close\r\n", 1), end=False)
            status = int(answer[9:12]) if answer.startswith(b"HTTP/1.1 ") else 400
            got = upstream.got.pop(request.nonce, [])
            verdict = Verdict(role, request)
            for message in got:
                # nginx may rewrite a target: an absolute form becomes a path.
                arrived = [(b"Upgrade", b"")] if message.value(b"upgrade") else []
                if not may(role, message.start[0], message.start[1], arrived) or is_own(message.start[1]):
                    self.fail_with(request, name, f"nginx passed it on as {message}")
                if message.values(b"x-hubpair-role") != [role.encode()]:
                    self.fail_with(request, name, f"told of {message.values(b'x-hubpair-role')}")
            odd = {each.lower() for each, _ in request.fields} & {
                b"upgrade", b"x-http-method-override", b"x-http-method", b"x-method-override", b"connection", b"transfer-encoding"}
            is_plain = request.version == b"1.1" and not odd and request.method in (
                b"GET", b"HEAD", b"POST", b"PUT", b"DELETE", b"PATCH", b"OPTIONS") and re.fullmatch(rb"/[\w./~?=-]*", request.target)
            if is_plain and b".." not in request.target and not is_own(request.target):
                if (len(got), status) != ((1, 200) if verdict.arrives else (0, verdict.status)):
                    self.fail_with(request, name, f"through nginx: {status}, {len(got)} times")
                counts["passed on" if verdict.arrives else "refused"] += 1
        self.assertEqual(upstream.got, {})
        print(f"nginx: {REQUESTS // 2} requests, of the plain ones {counts}", flush=True)
        # What is plain and refused is a hundredth of them, more or less.
        self.assertGreater(min(counts.values()), REQUESTS // 100)


class ChangeTests(unittest.TestCase):
    """A role that changes while something is open."""

    @classmethod
    def setUpClass(cls):
        cls.hestia = Hestia("--plain", sturdy=True)
        cls.addClassCleanup(cls.hestia.stop)
        cls.hub = Hub(cls.hestia.url, concurrency=16)
        cls.addClassCleanup(cls.hub.remove)
        cls.hub.start()
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)

    def device(self, name, *options):
        device = Device(os.path.join(self.folder.name, name), name)
        Attempt(self.hub.code(*options), device).send(self.hub.port)
        return device

    def role(self, device, word):
        self.hub.run("devices", "role", device.fingerprint, word)

    def shown(self, device):
        return next(each["role"] for each in self.hub.devices() if each["device"] == device.fingerprint)

    def web_socket(self, device):
        connection = Connection(self.hub.port, device, timeout=10)
        connection.socket.sendall(
            b"GET /test/socket HTTP/1.1\r\nHost: hub\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        head = b""
        while b"\r\n\r\n" not in head:
            piece = connection.socket.recv(65536)
            self.assertTrue(piece, head)
            head += piece
        self.addCleanup(connection.close)
        return connection, head

    def upload(self, device):
        """A PUT whose body is on its way: the server has its head."""
        connection = Connection(self.hub.port, device, timeout=10)
        self.addCleanup(connection.close)
        connection.socket.sendall(b"PUT /test/echo HTTP/1.1\r\nHost: hub\r\nContent-Length: 9000000\r\n\r\n" + bytes(100_000))
        return connection

    def ended(self, connection):
        """Reads until the hub closes; TimeoutError if it does not."""
        try:
            while connection.socket.recv(65536):
                pass
        except (ConnectionError, ssl.SSLError) as error:
            if isinstance(error, TimeoutError):
                raise

    def test_a_hundred_changes_reach_what_is_open(self):
        changing = self.device("changing", "--role", "member")
        other = self.device("other")
        stream, bystander = Connection(self.hub.port, changing), self.web_socket(other)[0]
        self.addCleanup(stream.close)
        stream.socket.sendall(b"GET /test/events HTTP/1.1\r\nHost: hub\r\n\r\n")
        kept = Connection(self.hub.port, changing)
        self.addCleanup(kept.close)
        times = []
        for number in range(50):
            tunnel, head = self.web_socket(changing)
            self.assertTrue(head.startswith(b"HTTP/1.1 101"), head)
            upload = self.upload(changing)
            self.role(changing, "guest")
            start = time.monotonic()
            for connection in (tunnel, upload):
                self.ended(connection)
            times.append(time.monotonic() - start)
            for connection in (tunnel, upload):
                connection.close()
            # A connection that is kept has the new role, and so has a request that is on it already.
            self.assertEqual(kept.request("PUT", "/test/echo", b"x")[0], 403)
            self.assertEqual(kept.request("GET", "/test/echo")[0], 200)
            refused, head = self.web_socket(changing)
            self.assertTrue(head.startswith(b"HTTP/1.1 403"), head)
            refused.close()
            self.role(changing, ("member", "owner")[number % 2])
            status, _, body = kept.request("PUT", "/test/echo", b"x")
            self.assertEqual(status, 200)
            self.assertIn(["X-Hubpair-Role", ("member", "owner")[number % 2]], json.loads(body)["headers"])
            # What a guest may have open has stayed open.
            self.assertTrue(stream.socket.recv(65536))
        print(f"100 changes: closed {1000 * max(times):.0f} ms at most after the command had ended", flush=True)
        bystander.socket.sendall(b"\x81\x82\0\0\0\0hi")
        self.assertEqual(bystander.socket.recv(4), b"\x81\x02hi")
        # A word that is no role, and a revocation, end everything.
        path = pathlib.Path(self.hub.state, "approved-devices")
        path.write_text(re.sub(r"role=owner\n", "role=king\n", path.read_text()))
        self.ended(stream)
        self.assertEqual(kept.raw(b""), b"")
        with Connection(self.hub.port, changing) as connection:
            for target in ("/test/echo", "/hubpair/v1/device", "/hubpair/v1/verify"):
                status, _, body = connection.request("GET", target)
                self.assertEqual((status, json.loads(body)["error"]), (403, "role_unknown"), target)
        self.role(changing, "member")
        stream = Connection(self.hub.port, changing)
        self.addCleanup(stream.close)
        stream.socket.sendall(b"GET /test/events HTTP/1.1\r\nHost: hub\r\n\r\n")
        self.assertTrue(stream.socket.recv(65536))
        self.hub.run("devices", "revoke", changing.fingerprint)
        self.ended(stream)

    def test_a_pipelined_request_gets_the_role_of_its_own_time(self):
        device = self.device("pipeline", "--role", "member")
        with Connection(self.hub.port, device) as connection:
            connection.socket.sendall(
                b"GET /test/slow HTTP/1.1\r\nHost: h\r\n\r\nPUT /test/echo HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n")
            self.assertTrue(connection.socket.recv(65536).startswith(b"HTTP/1.1 200"))
            self.role(device, "guest")  # the first is being answered, and the second has been sent
            rest = b""
            while b"not_allowed" not in rest:
                piece = connection.socket.recv(65536)
                self.assertTrue(piece, rest)
                rest += piece
            self.assertIn(b"HTTP/1.1 403 ", rest)

    def test_codes_and_roles(self):
        device = Device(os.path.join(self.folder.name, "roles"), "Roles")

        def pair(*options, attempt=None):
            attempt = attempt or Attempt(self.hub.code(*options), device)
            self.assertEqual(attempt.send(self.hub.port)["status"], "approved")
            with Connection(self.hub.port, device) as connection:
                told = json.loads(connection.request("GET", "/hubpair/v1/device")[2])["role"]
            self.assertEqual(self.shown(device), told)
            return told, attempt

        self.assertEqual(pair("--role", "guest")[0], "guest")
        # A guest who finds another code for one device is let in by it, as what it says; without a word as before.
        told, attempt = pair()
        self.assertEqual(told, "guest")
        self.assertEqual(pair("--role", "owner")[0], "owner")
        # The same request sent again changes nothing.
        self.assertEqual(pair(attempt=attempt)[0], "owner")
        self.assertEqual(pair()[0], "owner")
        # An owner that was revoked does not come back as one with an ordinary code.
        self.hub.run("devices", "revoke", device.fingerprint)
        with self.assertRaises(Refused):
            attempt.send(self.hub.port)
        self.assertEqual(pair()[0], "member")
        self.hub.run("devices", "role", device.fingerprint, "guest")
        self.hub.run("devices", "revoke", device.fingerprint)
        self.assertEqual(pair()[0], "guest")
        # Nothing in the code tells its role: it is in the hub's record alone.
        one, two = self.hub.code("--role", "owner"), self.hub.code("--role", "guest")
        self.assertEqual((one.expires > 0, one.is_label, one.pin), (two.expires > 0, two.is_label, two.pin))

    def test_the_first_code_of_a_hub_makes_an_owner(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        state, file = os.path.join(folder.name, "state"), os.path.join(folder.name, "code.txt")
        port = free_port()
        subprocess.run(
            [HUBPAIR, "setup", "--name", "H", "--port", str(port), "--state", state, "-o", file], check=True, capture_output=True)
        hub = Hub.__new__(Hub)
        hub.folder, hub.state, hub.port, hub.options, hub.process = folder.name, state, port, [], None
        hub.log_path = os.path.join(folder.name, "log")
        hub.start()
        self.addCleanup(hub.kill)
        from second_implementation import Code
        for code, role in ((Code(pathlib.Path(file).read_text()), "owner"), (hub.code(), "member")):
            device = Device(os.path.join(folder.name, role), role)
            Attempt(code, device).send(port)
            self.assertEqual([each["role"] for each in hub.devices() if each["device"] == device.fingerprint], [role])

    def test_a_rename_that_races_a_change_of_role_loses_nothing(self):
        device = self.device("racing")
        for number in range(10):
            commands = [["devices", "rename", device.fingerprint, f"racing {number}"],
                        ["devices", "role", device.fingerprint, ("guest", "owner")[number % 2]]]
            running = [subprocess.Popen([HUBPAIR, *command, "--state", self.hub.state], stderr=subprocess.DEVNULL)
                       for command in commands]
            self.assertEqual([each.wait() for each in running], [0, 0])
            now = next(each for each in self.hub.devices() if each["device"] == device.fingerprint)
            self.assertEqual((now["name"], now["role"]), (f"racing {number}", ("guest", "owner")[number % 2]))

    def test_two_roles_of_one_device_let_nobody_in(self):
        device = self.device("twice", "--role", "guest")
        path = pathlib.Path(self.hub.state, "approved-devices")
        whole = path.read_text()
        path.write_text(whole.replace("role=guest\n", "role=guest\nrole=owner\n", 1))
        try:
            with Connection(self.hub.port, device) as connection:
                self.assertEqual(connection.request("GET", "/test/echo")[0], 503)
        finally:
            path.write_text(whole)


class Unread(Listener):
    """A server that reads no bodies: what follows a head is the next request to it. It ends a connection only if it is
    told to."""

    def __init__(self):
        self.methods, self.lock = [], threading.Lock()
        super().__init__()

    def serve(self, connection):
        data = b""
        with connection:
            while piece := connection.recv(65536):
                data += piece
                while b"\r\n\r\n" in data:
                    head, data = data.split(b"\r\n\r\n", 1)
                    with self.lock:
                        self.methods.append(head.lstrip(b"\r\n").split(b" ")[0])
                    closes = b"connection: close" in head.lower()
                    connection.sendall(
                        b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n" + (b"Connection: close\r\n" if closes else b"") + b"\r\n")
                    if closes:
                        return


class UnseenTests(unittest.TestCase):
    """Appliances that the hub cannot look at, though the server may set them."""

    def test_a_guest_sets_what_there_is_not_but_nothing_that_cannot_be_told(self):
        posts = []

        class House(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.answer(200 if self.path == "/devices/" else int(self.path.split("/")[2]))

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                posts.append(int(self.path.split("/")[2]))
                self.answer(201)

            def answer(self, status):
                self.send_response(status)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"[]")

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), House)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        house = Household(self, f"http://127.0.0.1:{server.server_port}")
        guest = next(name for name in NAMES if WORDS[name][1] == "guest")
        statuses = [300, 301, 302, 307, 400, 401, 403, 404, 405, 407, 408, 409, 410, 418, 421, 429, 451, 500, 501, 503, 599]
        for status in statuses:
            connection = house.connect(house.devices[guest], timeout=60)
            answer = connection.request("POST", f"/devices/{status}/activators/a", b'{"state": true}')
            self.assertEqual(answer[0], 201 if status in (404, 410) else 503, status)
            connection.close()
        self.assertEqual(posts, [404, 410])


class SmugglingTests(unittest.TestCase):
    def test_a_guest_smuggles_no_second_request_in_a_body(self):
        """Even a server that takes bodies for requests gets none that a guest may not send."""
        server = Unread()
        self.addCleanup(server.close)
        hub = Hub(f"http://127.0.0.1:{server.port}", concurrency=16)
        self.addCleanup(hub.remove)
        hub.start()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        guest = Device(os.path.join(folder.name, "guest"), "Guest")
        Attempt(hub.code("--role", "guest"), guest).send(hub.port)
        smuggled = b"DELETE /devices/1 HTTP/1.1\r\nHost: h\r\n\r\n"
        bodies = [smuggled, b"\r\n" + smuggled, b"\n" + smuggled, b"x\r\n" + smuggled, b"\r\n\r\n" + smuggled, b" " + smuggled,
                  b'{"state": true}\r\n\r\n' + smuggled, b"\0\r\n" + smuggled, b"DELETE", b"DELETE ", b"DELETE /devices/1 HTTP/1.1"]
        for start in (b"POST /devices/1/activators/2", b"GET /devices/", b"HEAD /x"):
            for body in bodies:
                for chunked in (False, True):
                    framing = b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
                    if not chunked:
                        framing = b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
                    with Connection(hub.port, guest, timeout=5) as connection:
                        # The connections to the server are in use already, and are kept.
                        for _ in range(2):
                            connection.socket.sendall(b"GET /warm HTTP/1.1\r\nHost: h\r\n\r\n")
                            connection.socket.recv(65536)
                        connection.socket.sendall(start + b" HTTP/1.1\r\nHost: h\r\n" + framing)
                        connection.socket.recv(65536)
                        connection.socket.sendall(b"GET /after HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
                        connection.raw(b"")
        told = [method for method in server.methods if method.startswith(b"DELETE") and method != b"DELETEGET"]
        self.assertEqual(told, [])
        self.assertGreater(len(server.methods), 3 * len(bodies))


if __name__ == "__main__":
    unittest.main()
