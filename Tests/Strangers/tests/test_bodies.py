"""A body becomes a request: a guest hides requests in bodies, behind servers that leave bodies unread. What a server carries
out has to be what the guest was allowed to send, with the guest's own name and role.

The line that begins a hidden request is made of all bytes: each of the 256 in front of it, between its parts and as its end.
HUBPAIR_SEED repeats a run, HUBPAIR_HIDDEN is the number of bodies for each server (default 300; with 4,000 each byte
is in each place)."""
import collections
import http.client
import itertools
import os
import random
import tempfile
import time
import unittest

from careless import PerlServer, PythonServer
from hub import Hub, Nginx
from second_implementation import Attempt, Connection, Device

HIDDEN = int(os.environ.get("HUBPAIR_HIDDEN", "300"))
SEED = os.environ.get("HUBPAIR_SEED") or str(int(time.time()))
# What Python takes for white space in a line; the rest is not left to chance either, with `long`.
SPACES = b"\xa0\x85\x1c\x1d\x1e\x1f \t\x0b\x0c"
PLACES = ["before", "method", "target", "parts", "end"]
ACTIVATOR = "/devices/6b01/activators/7c"


class Body:
    """A body with a hidden request, for the number of a case."""

    def __init__(self, number):
        self.dice = dice = random.Random(f"{SEED}/{number}")
        # Every third has a byte that Python takes for white space.
        byte = bytes([SPACES[number // 3 % len(SPACES)] if number % 3 == 0 else number // 3 % 256])
        place = PLACES[number // 3 % len(PLACES)] if number % 3 else "parts"
        before = byte if place == "before" else dice.choice([b"", b"", b"{}", b"\r\n", b"{}\n", b"{}\r\n", b"x\r"])
        one = byte if place in ("method", "parts") else b" "
        other = byte if place in ("target", "parts") else b" "
        end = byte if place == "end" else dice.choice([b"\r\n", b"\r\n", b"\n", b"\r", b" ", b""])
        version = dice.choice([b"HTTP/1.1", b"HTTP/1.1", b"HTTP/1.0", b""])
        method = dice.choice([b"DELETE", b"PUT", b"GET"])
        fields = dice.choice([b"", b"Host: h\r\nX-Hubpair-Role: owner\r\nX-Hubpair-Device: AAAA-AAAA-AAAA-AAAA\r\n\r\n"])
        line = method + one + b"/devices/hidden-%d" % number + other + version
        self.bytes = before + line + end + fields
        if number < len(SPACES):  # what was found first: a server may be looked at otherwise once something went wrong
            self.bytes = SPACES[number:number + 1].join([b"DELETE", b"/devices/hidden-%d" % number, b"HTTP/1.1"]) + (
                b"\r\nX-Hubpair-Role: owner\r\nX-Hubpair-Device: AAAA-AAAA-AAAA-AAAA\r\n\r\n")
        self.read = dice.choice([0, 0, len(before), len(before) + 1]) if number >= len(SPACES) else 0

    def request(self, number):
        """A request that a guest may send, with this body."""
        method, target = self.dice.choice([("GET", f"/devices/?{number}"), ("HEAD", f"/x?{number}"), ("POST", ACTIVATOR)])
        head = f"{method} {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Read: {self.read}\r\n".encode()
        if self.dice.random() < 0.3:
            return method, target, head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(self.bytes), self.bytes)
        return method, target, head + b"Content-Length: %d\r\n\r\n%s" % (len(self.bytes), self.bytes)


class BodyTests(unittest.TestCase):
    def lane(self, port, is_service=False):
        """A hub in front of a server, which may be a service of its, a guest, and the port that leads to the server."""
        url = f"http://127.0.0.1:{port}"
        hub = Hub(None if is_service else url, concurrency=16)
        self.addCleanup(hub.remove)
        gate = hub.add_service(url, "--kind", "plain", "--role", "guest") if is_service else hub.port
        hub.start()
        guest = Device(os.path.join(self.folder.name, f"{port}"), "Guest")
        Attempt(hub.code("--role", "guest"), guest).send(hub.port)
        return hub, guest, gate

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_a_server_that_leaves_bodies_unread_carries_out_nothing_else(self):
        print(f"bodies: HUBPAIR_SEED={SEED} HUBPAIR_HIDDEN={HIDDEN}", flush=True)
        for kind, is_service in itertools.product((PythonServer, PerlServer), (False, True)):
            with self.subTest(kind.__name__, is_service=is_service):
                server = kind(self.folder.name)
                hub, guest, gate = self.lane(server.port, is_service)
                sent, wrong, connection = collections.Counter(), [], None
                for number in range(HIDDEN):
                    connection = connection or Connection(gate, guest)
                    try:
                        statuses = self.send(number, connection, sent)
                    except (OSError, http.client.HTTPException) as error:
                        statuses, connection = error, connection.close()
                    if statuses != (200, 200):
                        wrong.append((number, statuses, Body(number).bytes))
                if connection:
                    connection.close()
                hub.kill()
                server.close()
                # The hub itself asks which appliances there are, and what an appliance is before a guest sets it.
                own = ("owner", hub.identity["hub"])
                got = collections.Counter(one for one in server.requests if not (
                    one[2:] == own and one[:2] in {("GET", "/devices/"), ("GET", "/devices/6b01")}))
                wanted = collections.Counter({(*key, "guest", guest.fingerprint): count for key, count in sent.items()})
                extra, lost = got - wanted, wanted - got
                print(f"  {kind.__name__}{', a service' * is_service}: {got.total()} carried out", flush=True)
                self.assertFalse(extra, f"carried out and never sent, the first of {len(extra)}: {list(extra)[:5]}")
                self.assertFalse(lost, f"sent and never carried out: {list(lost)[:5]}")
                self.assertFalse(wrong, f"answered otherwise, the first of {len(wrong)}: {wrong[:3]}")

    def send(self, number, connection, sent):
        """Sends a body with a hidden request, and another request after it; returns the status of both answers."""
        method, target, request = Body(number).request(number)
        sent[method, target] += 1
        response = self.answer(connection, method, request)
        # A server that takes the body for a request has this for its answer, or this joined to the body.
        sent["GET", f"/after?{number}"] += 1
        return response.status, connection.request("GET", f"/after?{number}")[0]

    def answer(self, connection, method, request):
        """Head and body are sent together: to what comes later, some servers have answered already."""
        connection.socket.sendall(request)
        response = connection.http.response_class(connection.socket, method=method)
        response.begin()
        response.read()
        return response

    def test_a_server_that_is_known_keeps_its_connections(self):
        """nginx says on which connection an answer comes."""
        nginx = Nginx("location / { add_header X-Connection $connection always; return 200; }")
        self.addCleanup(nginx.stop)
        hub, guest, _ = self.lane(nginx.port)
        body = b'{\r\n "state": true\r\n}'
        order = b"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n%s" % (ACTIVATOR.encode(), len(body), body)
        seen = collections.Counter()
        with Connection(hub.port, guest) as connection:
            self.assertEqual(connection.request("GET", "/")[0], 200)
            for _ in range(50):
                response = self.answer(connection, "POST", order)
                self.assertEqual(response.status, 200)
                seen[response.headers["X-Connection"]] += 1
        # On a machine that stands still for a second, an order gets a connection of its own.
        self.assertLess(len(seen), 25, seen)


if __name__ == "__main__":
    unittest.main()
