"""A relay between callers and two hubs: generated ClientHellos, a relay that lies, a hub that floods, callers that do not
read, and kills of all of them under load."""
import contextlib
import http.client
import os
import random
import socket
import ssl
import struct
import tempfile
import threading
import time
import unittest

from hub import Hub, Relay
from listener import Listener
from second_implementation import Attempt, Connection, Device, fingerprint

SEED = int(os.environ.get("HUBPAIR_SEED", random.SystemRandom().randrange(2**32)))
HELLOS = int(os.environ.get("HUBPAIR_HELLOS", "400"))
KILLS = int(os.environ.get("HUBPAIR_RELAY_KILLS", "12"))
ALPN = "hubpair-relay/1"


def server_name(fingerprint):
    return fingerprint.lower() + ".hub.invalid"


class House:
    """A hub behind the relay, and a device of it."""

    def __init__(self, relay, name, folder):
        self.hub = Hub(name=name).start()
        self.name = name
        self.device = Device(os.path.join(folder, name.replace(" ", "")), "Phone")
        code = self.hub.code()
        self.pin = code.pin
        Attempt(code, self.device).send(self.hub.port)
        self.fingerprint = fingerprint(self.pin)
        self.server_name = server_name(self.fingerprint)
        relay.admit(self.hub)

    def connection(self, relay):
        return Connection(relay.port, self.device, self.pin, name=self.server_name, timeout=60)

    def ask(self, relay):
        """The hub's name for itself, by the relay."""
        with self.connection(relay) as connection:
            status, _, body = connection.request("GET", "/hubpair/v1/hub")
            return status, body


# MARK: ClientHellos

def vector(size, data):
    return len(data).to_bytes(size, "big") + data


def extension(kind, data):
    return struct.pack(">H", kind) + vector(2, data)


def names(*entries, kind=0):
    return vector(2, b"".join(bytes([kind]) + vector(2, each) for each in entries))


class Hello:
    """A ClientHello in parts: of a real TLS stack, so that a hub answers it."""

    def __init__(self, name):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        outgoing = ssl.MemoryBIO()
        client = context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname=name)
        with contextlib.suppress(ssl.SSLWantReadError):
            client.do_handshake()
        body = outgoing.read()[9:]
        at = 34 + 1 + body[34]
        at += 2 + int.from_bytes(body[at:at + 2], "big")
        at += 1 + body[at]
        self.front, rest, self.extensions = body[:at], body[at + 2:], []
        while rest:
            length = int.from_bytes(rest[2:4], "big")
            self.extensions.append((int.from_bytes(rest[:2], "big"), rest[4:4 + length]))
            rest = rest[4 + length:]

    def named(self, data):
        """With another content of server_name; nil takes it out."""
        self.extensions = [each for each in self.extensions if each[0] != 0]
        if data is not None:
            self.extensions.insert(0, (0, data))
        return self

    @property
    def message(self):
        body = self.front + vector(2, b"".join(extension(*each) for each in self.extensions))
        return b"\x01" + vector(3, body)


def records(message, sizes):
    out, at = b"", 0
    for size in sizes:
        if at < len(message):
            out += b"\x16\x03\x01" + vector(2, message[at:at + size])
            at += size
    if at < len(message):
        out += b"\x16\x03\x01" + vector(2, message[at:])
    return out


KINDS = [
    "plain", "upper", "dot", "cut", "drops", "grease", "last", "padded", "none", "unknown", "foreign", "two-names", "twice",
    "kind", "lengths", "nul", "long", "huge", "truncated", "empty-record", "alert-first", "second-hello", "suffix", "challenge", "challenged"]


def generated(rng, houses, kind):
    """Bytes, and the house that must be reached, or None."""
    house = rng.choice(houses)
    other = houses[1 - houses.index(house)]
    own = house.server_name.encode()
    hello = Hello(house.server_name)
    reached, sizes = house, []
    match kind:
        case "upper": hello.named(names(bytes(rng.choice([c, c - 32]) if 97 <= c <= 122 else c for c in own)))
        case "dot": hello.named(names(own + b"."))
        case "cut": sizes = [rng.randint(1, 60) for _ in range(rng.randint(1, 12))]
        case "drops": sizes = [1] * 600
        case "grease":
            kinds = rng.sample([0x0A0A, 0x1A1A, 0x2A2A, 0xFAFA], 2)
            hello.extensions.insert(0, (kinds[0], b""))
            hello.extensions.append((kinds[1], os.urandom(rng.randint(0, 40))))
        case "last": hello.extensions.append(hello.extensions.pop(0))
        case "padded": hello.extensions.insert(0, (0x4444, bytes(rng.randint(1, 15_000))))
        case "none": reached = hello.named(None) and None
        case "unknown":
            text = "".join(rng.choice("0123456789abcdefghjkmnpqrstvwxyz") for _ in range(16))
            reached = hello.named(names(server_name("-".join(text[i:i + 4] for i in range(0, 16, 4))).encode())) and None
        case "foreign":
            name = rng.choice([b"example.org", b"localhost", b"hub.invalid", b".hub.invalid", own[:-1], b"x" + own,
                               own.replace(b"-", b""), own.replace(b".hub.", b".hub.hub."), own + b".."])
            reached = hello.named(names(name)) and None
        case "two-names": reached = hello.named(names(own, other.server_name.encode())) and None
        case "twice":
            hello.extensions.append((0, names(other.server_name.encode())))
            reached = None
        case "kind": reached = hello.named(names(own, kind=rng.randint(1, 255))) and None
        case "lengths":
            data = bytearray(names(own))
            data[rng.choice([0, 1, 3, 4])] ^= 1 << rng.randint(0, 7)
            reached = hello.named(bytes(data)) and None
        case "nul": reached = hello.named(names(own + rng.choice([b"\0", b"\n", b" ", b"\xc2\xa0", b"\0." + own]))) and None
        case "long": reached = hello.named(names(own + b"." + b"a" * rng.randint(240, 12_000))) and None
        case "huge":
            hello.extensions.append((0x4444, bytes(rng.randint(16_500, 40_000))))
            sizes, reached = [16_000] * 4, None
        # An authority's question for a name that no hub holds; for one that it does, the hub answers.
        case "challenge":
            hello.extensions.append((16, vector(2, vector(1, b"acme-tls/1"))))
            reached = hello.named(names(rng.choice([b"kitchen.example.org", b"hub.invalid", own + b".example.org"]))) and None
        case "challenged": hello.extensions.append((16, vector(2, vector(1, b"acme-tls/1"))))
        case "suffix": reached = hello.named(names(own + b"." + other.server_name.encode())) and None
    data = records(hello.message, sizes)
    match kind:
        case "truncated": data, reached = data[:rng.randrange(len(data))], None
        case "empty-record": data, reached = b"\x16\x03\x01\0\0" + data, None
        case "alert-first": data, reached = b"\x15\x03\x01\0\x02\x01\0" + data, None
        case "second-hello": data, reached = data + records(Hello(other.server_name).message, []), house
    return data, reached


def memory(process, field):
    """Bytes, of /proc/PID/status."""
    with open(f"/proc/{process.pid}/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field + ":"))


def sockets(process):
    count = 0
    for each in os.listdir(f"/proc/{process.pid}/fd"):
        with contextlib.suppress(OSError):
            count += os.readlink(f"/proc/{process.pid}/fd/{each}").startswith("socket:")
    return count


def own_key(state, purpose=ssl.PROTOCOL_TLS_CLIENT):
    """What whoever has a copy of the key can do."""
    context = ssl.SSLContext(purpose)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.load_cert_chain(f"{state}/hub-certificate.pem", f"{state}/hub-key.pem")
    context.set_alpn_protocols([ALPN])
    return context


class RelayCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.relay = Relay()
        self.addCleanup(self.relay.remove)
        self.relay.start()
        self.houses = []
        for name in ("Kitchen hub", "Summer house"):
            self.houses.append(House(self.relay, name, self.folder))
            self.addCleanup(self.houses[-1].hub.remove)

    def wait_for(self, condition, what):
        self.houses[0].hub.wait_for(condition, what)

    def reaches(self, house):
        try:
            return house.ask(self.relay)[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def assert_all_well(self):
        for house in self.houses:
            status, body = house.ask(self.relay)
            self.assertEqual(status, 200)
            self.assertIn(house.fingerprint.encode(), body)


class HelloTests(RelayCase):
    def answer(self, data, ends, rng):
        """What comes back: a byte, or nothing once the relay has closed."""
        with socket.create_connection(("127.0.0.1", self.relay.port)) as connection:
            connection.settimeout(60)
            try:
                while data:
                    size = rng.choice([1, 7, 500, len(data)])
                    connection.sendall(data[:size])
                    data = data[size:]
                if ends:
                    connection.shutdown(socket.SHUT_WR)
                return connection.recv(1)
            # The relay may close before it has read all.
            except OSError as error:
                self.assertNotIsInstance(error, TimeoutError)
                return b""

    def test_hellos(self):
        print(f"HUBPAIR_SEED={SEED}")
        rng = random.Random(SEED)
        end = "a caller for "
        for number in range(HELLOS):
            kind = rng.choice(KINDS)
            data, reached = generated(rng, self.houses, kind)
            before = len(self.relay.log().encode())
            # What is not whole ends at the caller's end; nobody waits five seconds for each.
            answered = self.answer(data, kind == "truncated", rng)
            where = f"number {number}, {kind}, {data[:60].hex()}"
            # What comes too early may cost the answer: the connection is reset.
            if kind != "second-hello":
                self.assertEqual(answered != b"", reached is not None, where)
            if reached:
                # The relay notes a caller when both ends are closed.
                self.wait_for(lambda: end in self.relay.log(before), where)
            notes = [line for line in self.relay.log(before).splitlines() if end in line]
            self.assertTrue(all(reached and f"{reached.name}: {end}" in line for line in notes), (where, notes))
        for _ in range(HELLOS):
            data = bytearray(generated(rng, self.houses, rng.choice(KINDS))[0])
            # One that is cut may have nothing left to turn.
            for _ in range(rng.randint(1, 3) if data else 0):
                data[rng.randrange(len(data))] ^= 1 << rng.randint(0, 7)
            self.answer(bytes(data), True, rng)
        self.assert_all_well()


class KillTests(RelayCase):
    def test_kills(self):
        """Whatever dies, an answer is the right hub's and whole, and afterwards nobody has lost the way."""
        print(f"HUBPAIR_SEED={SEED}")
        rng = random.Random(SEED)
        wrong, rounds, over = [], [0] * 6, threading.Event()

        def call(number):
            house = self.houses[number % 2]
            while not over.is_set():
                try:
                    status, body = house.ask(self.relay)
                except (OSError, http.client.HTTPException):
                    time.sleep(0.01)
                    continue
                if status != 200 or house.fingerprint.encode() not in body:
                    wrong.append((house.name, status, body))
                rounds[number] += 1

        callers = [threading.Thread(target=call, args=(number,)) for number in range(len(rounds))]
        for each in callers:
            each.start()
        try:
            for _ in range(KILLS):
                victim = rng.choice([self.relay, self.houses[0].hub, self.houses[1].hub])
                victim.kill()
                victim.start()
                before = list(rounds)
                self.wait_for(lambda: all(now > then for now, then in zip(rounds, before)), "each caller is back")
        finally:
            over.set()
            for each in callers:
                each.join()
        self.assertEqual(wrong, [])
        # A listener, and for each hub a control connection and three spare ones.
        self.wait_for(lambda: sockets(self.relay.process) <= 1 + 2 * 4 + 2, "no connection stays behind")
        self.assert_all_well()


class CallerTests(RelayCase):
    def test_a_source_that_takes_all_places(self):
        """A stranger at two addresses gets a stranger's places, and no more; others still get through."""
        with contextlib.ExitStack() as stack:
            hello = records(Hello(self.houses[0].server_name).message, [])
            for number in range(120):
                connection = stack.enter_context(socket.socket())
                connection.bind((f"127.0.0.{2 + number % 2}", 0))
                connection.connect(("127.0.0.1", self.relay.port))
                with contextlib.suppress(OSError):
                    connection.sendall(hello[:-1])
            self.wait_for(lambda: "there are too many" in self.relay.log(), "the relay bounds a source")
            self.assert_all_well()


class HubTests(RelayCase):
    """A hub of the relay's that has fallen into other hands."""

    def hub_connection(self, role, house=None):
        raw = socket.create_connection(("127.0.0.1", self.relay.port), timeout=60)
        connection = own_key((house or self.houses[0]).hub.state).wrap_socket(
            raw, server_hostname=server_name(fingerprint(self.relay.pin())))
        connection.sendall(role)
        return connection

    def test_many_spare_connections(self):
        with contextlib.ExitStack() as stack:
            for _ in range(300):
                with contextlib.suppress(OSError):
                    stack.enter_context(self.hub_connection(b"S"))
            status, body = self.houses[1].ask(self.relay)
            self.assertEqual(status, 200)
            self.wait_for(lambda: sockets(self.relay.process) <= 128 + 2 * 4 + 3, "a bounded number of them stays")

    def test_callers_that_do_not_read(self):
        """What the hub sends is not kept for them: both are slowed down to what they take."""
        before = memory(self.relay.process, "VmRSS")
        with contextlib.ExitStack() as stack:
            self.houses[0].hub.kill()
            control = stack.enter_context(self.hub_connection(b"C\0"))
            self.assertEqual(control.recv(1), b"\0")
            hello = records(Hello(self.houses[0].server_name).message, [])
            sent = 0
            for _ in range(12):
                spare = stack.enter_context(self.hub_connection(b"S\0"))
                self.assertEqual(spare.recv(1), b"\0")
                caller = stack.enter_context(socket.socket())
                # As little as possible is kept for it elsewhere.
                caller.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                caller.connect(("127.0.0.1", self.relay.port))
                caller.sendall(hello)
                self.assertEqual(spare.recv(12), b"\r\n\r\n\0\r\nQUIT\n")
                # It stands still once nobody takes more; how long that is waited for decides nothing.
                spare.settimeout(1)
                with contextlib.suppress(TimeoutError, ssl.SSLError):
                    for _ in range(256):
                        sent += spare.send(bytes(65536))
            self.assertEqual(self.houses[1].ask(self.relay)[0], 200)
            self.assertLess(memory(self.relay.process, "VmHWM") - before, 24 << 20)
            self.assertLess(sent, 12 * 256 * 65536)

    def test_pings_whose_answers_are_not_read(self):
        before = memory(self.relay.process, "VmRSS")
        with self.hub_connection(b"S") as connection, contextlib.suppress(OSError):
            connection.settimeout(5)
            for _ in range(2_000_000):
                connection.sendall(bytes(64))
        self.assertLess(memory(self.relay.process, "VmHWM") - before, 24 << 20)
        self.assertEqual(self.houses[1].ask(self.relay)[0], 200)

    def test_nonsense(self):
        for data in (b"X", b"C\x01", b"S" + bytes(65), b"SS", b"CC", b"C" + os.urandom(64), os.urandom(3000)):
            with self.hub_connection(data) as connection, contextlib.suppress(ConnectionResetError):
                while connection.recv(4096):
                    pass
        self.wait_for(lambda: self.reaches(self.houses[0]), "the true hub is back")


class LyingRelay(Listener):
    """A relay in other hands, which has the key: it takes a hub's connections, and sends what it likes."""

    def __init__(self, relay):
        self.context = own_key(relay.state, ssl.PROTOCOL_TLS_SERVER)
        self.lock, self.controls, self.spares, self.most = threading.Lock(), [], [], 0
        super().__init__(relay.port)

    def serve(self, raw):
        try:
            connection = self.context.wrap_socket(raw, server_side=True)
            role = connection.recv(1)
            connection.sendall(b"\0")
            with self.lock:
                (self.controls if role == b"C" else self.spares).append(connection)
                self.most = max(self.most, len(self.spares))
        except OSError:
            raw.close()

    def spare(self):
        while True:
            with self.lock:
                if self.spares:
                    return self.spares.pop()
            time.sleep(0.01)

    def close(self):
        super().close()
        for each in self.controls + self.spares:
            each.close()


class LiesTests(RelayCase):
    @staticmethod
    def header(address="127.0.0.1"):
        return (b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c" + socket.inet_aton(address) * 2 + bytes([0x99, 0x99, 0, 0]))

    def test_a_lying_relay(self):
        """It has nothing of what is inside, gives nobody an address's rights, and the hub goes on at home."""
        house = self.houses[0]
        self.houses[1].hub.kill()
        self.relay.kill()
        liar = LyingRelay(self.relay)
        self.addCleanup(liar.close)
        self.wait_for(lambda: liar.controls and liar.spares, "the hub comes")
        for connection in list(liar.controls):
            with contextlib.suppress(OSError):
                for _ in range(2000):
                    connection.sendall(b"\x01\xff")
        recorded = self.recorded(house)
        for data in (
            b"GET /hubpair/v1/hub HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Hubpair-Role: owner\r\n\r\n", recorded, recorded * 2,
            os.urandom(2000), bytes(2000), records(Hello(house.server_name).message, [])[:-1],
        ):
            with liar.spare() as connection:
                connection.settimeout(60)
                answer = b""
                with contextlib.suppress(OSError):
                    connection.sendall(self.header() + data)
                    connection.shutdown(socket.SHUT_WR)
                    while piece := connection.recv(4096):
                        answer += piece
                self.assertNotIn(house.fingerprint.encode(), answer)
                self.assertNotIn(b"approved", answer)
        for data in (b"\r\n\r\n\0\r\nQUIT\n\x21\x11\xff\xff", b"\r\n\r\n\0\r\nQUIT\n\x20\x11\0\x0c" + bytes(12),
                     b"PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n", b"\x02" * 20, self.header()[:20]):
            with liar.spare() as connection, contextlib.suppress(OSError):
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(4096):
                    pass
        self.assertLessEqual(liar.most, 64)
        with Connection(house.hub.port, house.device, house.pin) as connection:
            self.assertEqual(connection.request("GET", "/hubpair/v1/hub")[0], 200)
        self.assertIsNone(house.hub.process.poll())

    def recorded(self, house):
        """What a device has sent in a connection at home, to the byte."""
        taken = []

        def carry(one, other, keep):
            with one, contextlib.suppress(OSError):
                while data := one.recv(65536):
                    if keep:
                        taken.append(data)
                    other.sendall(data)
                other.shutdown(socket.SHUT_WR)

        with socket.create_server(("127.0.0.1", 0)) as listener:
            def serve():
                one, other = listener.accept()[0], socket.create_connection(("127.0.0.1", house.hub.port))
                for pair in ((one, other, True), (other, one, False)):
                    threading.Thread(target=carry, args=pair, daemon=True).start()

            threading.Thread(target=serve, daemon=True).start()
            with Connection(listener.getsockname()[1], house.device, house.pin) as connection:
                self.assertEqual(connection.request("GET", "/hubpair/v1/hub")[0], 200)
        return b"".join(taken)


if __name__ == "__main__":
    unittest.main()
