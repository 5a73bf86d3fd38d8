"""Limits the memory that clients can make a real `serve` use: at most 64 MB above idle for 512 strangers, and
a few MB for one connection. HUBPAIR_SEED repeats a random mix."""
import base64
import contextlib
import json
import os
import random
import resource
import socket
import sqlite3
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

from hub import Hestia, Hub
from listener import Listener
from second_implementation import Attempt, Connection, Device
from stranger import RecordForger, Stranger, certificate, connected, context

SEED = os.environ.get("HUBPAIR_SEED") or str(int(time.time()))
KINDS = int(os.environ.get("HUBPAIR_KINDS", "4"))
STRANGERS = 512
# In MB above idle. The faults that these limits detect used at least ten times as much.
BUDGET, ONE_CONNECTION, EACH_OF_DEVICE = 64, 4, 1
HEAD = b" HTTP/1.1\r\nHost: h\r\n\r\n"
# A request for each kind of answer that a stranger can cause.
REQUESTS = {
    "401": b"GET /x" + HEAD, "404": b"GET /hubpair/none" + HEAD, "405": b"DELETE /hubpair/v1/hub" + HEAD,
    "hub": b"GET /hubpair/v1/hub" + HEAD, "device": b"GET /hubpair/v1/device" + HEAD, "verify": b"GET /hubpair/v1/verify" + HEAD,
    "TRACE": b"TRACE /x" + HEAD, "HEAD": b"HEAD /hubpair/v1/hub" + HEAD, "400": b"GET x" + HEAD,
    "413": b"POST /hubpair/v1/pair HTTP/1.1\r\nHost: h\r\nContent-Length: 99999\r\n\r\n",
    "pair": b"POST /hubpair/v1/pair HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}",
    "100": b"POST /hubpair/v1/pair HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n{}",
    "discarded body": b"POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 60000\r\n\r\n" + b"x" * 60_000}


class Endless(Listener):
    """An upstream that sends an endless body, or endless WebSocket data, and reads nothing more."""

    def serve(self, connection):
        with connection:
            self.answer(connection)

    def answer(self, connection):
        try:
            asked = connection.recv(65_536)
            if b"websocket" in asked:
                connection.sendall(b"HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
            elif b"/small" in asked:
                while True:
                    connection.sendall(asked.count(b"\r\n\r\n") * b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + bytes(1000))
                    asked = connection.recv(65_536)
            else:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")
            while b"/idle" not in asked:
                connection.sendall(bytes(65_536))
            connection.recv(1, socket.MSG_PEEK)
            threading.Event().wait()
        except OSError:
            pass


class MemoryTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, hard), hard))
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.unknown = Device(os.path.join(cls.folder.name, "unknown"))

    def fresh_hub(self, *arguments):
        """A hub that has answered only one request, because a process keeps memory that it has used
        before."""
        hub = Hub(*arguments)
        self.addCleanup(hub.remove)
        hub.start()
        first = Stranger(hub.port)
        first.write(REQUESTS["hub"])
        first.read()
        first.close()
        # What the hub begins after it is ready (its announcement, the household) is no client's doing.
        hub.wait_for(lambda: "announced over mDNS" in hub.log(), "it is announced", 30)
        hub.idle = float("inf")
        self.come_to_rest(hub, 2)
        hub.idle = self.status(hub, "VmRSS")
        return hub

    def status(self, hub, key):
        with open(f"/proc/{hub.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith(key + ":")) / 1024

    def busy_time(self, hub):
        """The processor time used, the house's too, in ticks of 10 ms."""
        total = 0
        for pid in (hub.process.pid, *hub.children()):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/stat") as stat:
                total += sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13]))
        return total

    def come_to_rest(self, hub, times=1):
        """Waits until the hub is idle, or already uses too much memory. On a busy machine one that gets no processor
        looks idle: `times` is how often in a row it must."""
        before, quiet = self.busy_time(hub), 0
        while quiet < times and self.status(hub, "VmRSS") - hub.idle < 2 * BUDGET:
            time.sleep(0.2)
            now = self.busy_time(hub)
            quiet = 0 if now > before + 1 else quiet + 1
            before = now

    def growth(self, hub, what):
        """The peak memory of the hub in MB above idle, after it is idle again and has answered once more."""
        self.come_to_rest(hub)
        last = Stranger(hub.port, 5000)
        last.write(REQUESTS["hub"])
        self.assertIn(b"200 OK", last.read())
        last.close()
        most = self.status(hub, "VmHWM") - hub.idle
        print(f"  {what}: {most:.1f} MB above {hub.idle:.0f}", flush=True)
        return most

    def flood(self, hub, stranger, request, most):
        """Sends requests until no more can be sent, and reads nothing; returns the number of bytes."""
        sent, count = 0, 1
        try:
            while count and sent < most and self.status(hub, "VmRSS") - hub.idle < BUDGET:
                sent += (count := stranger.flood(request, min(500_000, most - sent), 0.1))
                if not count:
                    self.come_to_rest(hub)
                    sent += (count := stranger.flood(request, most - sent, 0.1))
        except OSError:
            pass  # closed
        return sent

    def test_one_connection_that_reads_nothing(self):
        """The hub stops reading a client that repeats requests of any kind and does not read the answers."""
        for what, request in REQUESTS.items():
            for device in (None, self.unknown):
                with self.subTest(what=what, certificate=bool(device)):
                    hub = self.fresh_hub()
                    stranger = Stranger(hub.port, 0, context(device))
                    sent = self.flood(hub, stranger, request, 5_000_000)
                    growth = self.growth(hub, f"{what}, {'403 certificate' if device else 'no certificate'}, {sent:,} bytes sent")
                    stranger.close()
                    hub.remove()
                    self.assertLess(growth, ONE_CONNECTION)

    def test_approved_devices_that_read_nothing(self):
        """8 connections of a device: the hub's own answers, the upstream's, and both sides of a WebSocket."""
        upstream = Endless()
        self.addCleanup(upstream.close)
        kinds = {
            "own answers": b"GET /hubpair/v1/device" + HEAD, "404": b"GET /hubpair/none" + HEAD,
            "an endless body": b"GET /endless" + HEAD, "small answers": b"GET /small" + HEAD,
            "a WebSocket": b"GET /x HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
            "an upstream that does not read": b"GET /idle HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
            "an upload that is not read": b"POST /idle HTTP/1.1\r\nHost: h\r\nContent-Length: 33000000\r\n\r\n"}
        for what, request in kinds.items():
            with self.subTest(what=what):
                hub = self.fresh_hub(f"http://127.0.0.1:{upstream.port}")
                device = Device(os.path.join(self.folder.name, what), "Device")
                Attempt(hub.code(), device).send(hub.port)
                tls = context(device)
                devices = [Stranger(hub.port, 100, tls) for _ in range(8)]
                for each in devices:
                    each.write(request)
                    self.flood(hub, each, request if "WebSocket" not in what and "not" not in what else bytes(999), 10_000_000)
                growth = self.growth(hub, what)
                for each in devices:
                    each.close()
                hub.remove()
                self.assertLess(growth, 8 * EACH_OF_DEVICE + ONE_CONNECTION)

    # The actions of a stranger. They take a port, a number and dice, and return the object to keep open.

    def connects(self, port, number, dice):
        return connected(port, number)

    def greets(self, port, number, dice):
        """A ClientHello of 16 KB without its end, in records of random size."""
        raw = connected(port, number)
        hello = b"\x01\x00\x3f\xfc\x03\x03" + bytes(dice.choice([15_000, 16_370]))
        size = dice.choice([1, 100, 16_000])
        if size == 1:
            hello = hello[:2000]
        raw.sendall(b"".join(
            b"\x16\x03\x01" + len(hello[at:at + size]).to_bytes(2, "big") + hello[at:at + size]
            for at in range(0, len(hello), size)))
        return raw

    def chain(self, *more):
        tls = context(self.unknown, more)
        return lambda port, number, dice: Stranger(port, number, tls)

    def begins_a_head(self, port, number, dice):
        stranger = Stranger(port, number)
        lines = [b"X%d: %s\r\n" % (each, b"x" * 500) for each in range(60)]
        stranger.write(b"GET /x HTTP/1.1\r\nHost: h\r\n" + b"".join(lines), dice.choice([16_384, 16_384, 50]))
        return stranger

    def begins_a_body(self, port, number, dice):
        stranger = Stranger(port, number)
        stranger.write(dice.choice([b"POST /hubpair/v1/pair HTTP/1.1\r\nHost: h\r\nContent-Length: 4096\r\n\r\n" + b"x" * 4095,
                                    b"POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 65536\r\n\r\n" + b"x" * 65_535]))
        return stranger

    def sends_fast(self, port, number, dice):
        """Many bytes at once, all of which are answered."""
        stranger = Stranger(port, number)
        for _ in range(5):
            stranger.write(REQUESTS["discarded body"])
        for _ in range(5):
            stranger.read()
        return stranger

    def cuts_a_record(self, port, number, dice):
        stranger = Stranger(port, number)
        stranger.raw.sendall(stranger.records(b"GET /x HTTP/1.1\r\nHost: h\r\nX: " + b"x" * 16_000)[:-1])
        return stranger

    def reads_nothing(self, port, number, dice):
        stranger = Stranger(port, number)
        # Slightly more than fits into the socket buffers of both sides.
        stranger.flood(REQUESTS[dice.choice(["401", "404", "hub", "device", "discarded body"])], 300_000, 0.02)
        return stranger

    def updates_keys(self, port, number, dice):
        forger = RecordForger(port, number)
        forger.raw.sendall(b"".join(forger.key_update(dice.randrange(2)) for _ in range(dice.choice([30, 30, 30, 100]))))
        return forger

    def sends_nothing(self, port, number, dice):
        """Records without content."""
        forger = RecordForger(port, number)
        forger.raw.sendall(b"".join(forger.record(23, b"") for _ in range(dice.choice([30, 30, 30, 100]))))
        return forger

    def sends_single_bytes(self, port, number, dice):
        stranger = Stranger(port, number)
        stranger.write(b"GET /x HTTP/1.1\r\nHost: h\r\nX: " + b"x" * 500, 1)
        return stranger

    def does_it_all(self, port, number, dice):
        """One action after the other, each up to its limit."""
        stranger = Stranger(port, number, self.largest)
        for _ in range(2):
            stranger.write(REQUESTS["discarded body"])
            stranger.read()
        if dice.random() < 0.3:
            stranger.flood(REQUESTS["hub"], 300_000, 0.02)
        else:
            head = b"GET /x HTTP/1.1\r\nHost: h\r\n" + b"".join(b"X%d: %s\r\n" % (each, b"x" * 300) for each in range(25))
            stranger.raw.sendall(stranger.records(head + b"X: " + b"x" * 16_384)[:-1])
        return stranger

    def many(self, what, act):
        dice = random.Random(f"{SEED}/{what}")
        hub = self.fresh_hub()
        strangers, refused = [], 0
        for number in range(STRANGERS):
            try:
                strangers.append(act(hub.port, number, dice))
            except OSError:
                refused += 1
            if number % 64 == 0 and self.status(hub, "VmRSS") - hub.idle > 4 * BUDGET:
                break
        growth = self.growth(hub, f"{len(strangers)} strangers, {what}, {refused} refused")
        for stranger in strangers:
            stranger.close()
        hub.remove()
        return growth

    def test_512_strangers(self):
        print(f"memory: HUBPAIR_SEED={SEED}", flush=True)
        # The largest certificates that need no place among the large handshakes: just under 1 KiB.
        self.largest = context(self.unknown, [certificate(names=70)])
        actions = {
            "connect": self.connects, "a long greeting": self.greets,
            "a chain of 130 certificates": self.chain(*[certificate()] * 130),
            "a chain of 1000 certificates": self.chain(*[certificate()] * 1000),
            "2000 names": self.chain(certificate(names=2000)), "1500 extensions": self.chain(certificate(extensions=1500)),
            "70 names": self.chain(certificate(names=70)), "half a head": self.begins_a_head, "half a body": self.begins_a_body,
            "much at a time": self.sends_fast, "half a record": self.cuts_a_record, "nothing read": self.reads_nothing,
            "key updates": self.updates_keys, "empty records": self.sends_nothing, "single bytes": self.sends_single_bytes,
            "all of it": self.does_it_all}
        # Everything is in the mixture; some also alone, all of them in a long run.
        kinds = random.Random(SEED).sample(list(actions.items()), min(KINDS, len(actions)))
        for what, act in [*kinds, ("mixed", lambda *each: each[2].choice(list(actions.values()))(*each))]:
            with self.subTest(what=what):
                self.assertLess(self.many(what, act), BUDGET)


class DeviceAnswerTests(MemoryTests):
    """What approved devices can make the hub hold with its own answers. Its service may use 256 MiB."""
    MOST = 192
    GUESTS = 3

    test_512_strangers = test_one_connection_that_reads_nothing = test_approved_devices_that_read_nothing = None

    def device(self, hub, name, *options):
        device = Device(os.path.join(self.folder.name, f"{self.id()}-{name}"), name)
        Attempt(hub.code(*options), device).send(hub.port)
        return device

    def large_scenes(self, hub, most=4_100_000):
        """A file of scenes such as members may write with some hundred requests: nearly 4 MiB."""
        state = '{"activator":"%s","device":"%s","name":"Lamp: On/Off","state":true}'
        lines, size, scene = ["[keyfile]", "format=1"], 0, 0
        while size < most:
            scene += 1
            lines += ["", f"[scene Scene {scene}]"]
            for number in range(1, 201):
                lines.append(f"state.{number}=" + state % (f"activator-{number}", f"device-{scene}-{number}"))
                size += len(lines[-1]) + 1
        path = os.path.join(hub.state, "house", "scenes")
        with open(path, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write("\n".join(lines) + "\n")
        return scene

    def long_history(self, hub, count=10_000):
        """Changes in the database, of an appliance whose state is a text."""
        with Connection(hub.port, self.device(hub, "first"), timeout=60) as connection:
            connection.request("GET", "/hubpair/v1/messages")  # it is made with the first use
        hub.stop()
        with contextlib.closing(sqlite3.connect(os.path.join(hub.state, "house", "household.sqlite"))) as database, database:
            database.executemany("INSERT INTO changes (id, device, activator, state, time) VALUES (?, 'd', 'a', ?, ?)", (
                (number, '"%s"' % (1000 * "x"), 1000 * int(time.time())) for number in range(1, count + 1)))
        hub.start()

    def test_eight_guests_that_ask_for_everything(self):
        """Several requests on each of 16 connections of eight guests, in a random order; none reads."""
        dice = random.Random(SEED)
        print(f"memory: HUBPAIR_SEED={SEED}", flush=True)
        hub = self.fresh_hub()
        self.large_scenes(hub)
        self.long_history(hub)
        paths = [b"scenes", b"scenes", b"scenes", b"states/history?limit=10000", b"states/history?limit=10000", b"messages",
                 b"messages/stream", b"states/stream?after=0-1", b"rooms", b"hub"]
        guests = [context(self.device(hub, f"guest {number}", "--role", "guest")) for number in range(8)]
        opened = []
        for number in range(16 * len(guests)):
            opened.append(Stranger(hub.port, 100 + number, guests[number % len(guests)]))
            opened[-1].write(b"".join(b"GET /hubpair/v1/" + dice.choice(paths) + HEAD for _ in range(3)))
        hub.idle = float("inf")
        self.come_to_rest(hub, 3)
        most = self.status(hub, "VmHWM")
        print(f"  {len(opened)} connections of {len(guests)} guests: {most:.0f} MB at most", flush=True)
        self.assertLess(most, 224)
        for each in opened:
            each.close()
        with Connection(hub.port, self.device(hub, "owner", "--role", "owner"), timeout=120) as connection:
            # What they held is given back, once the hub has seen that they are gone.
            hub.wait_for(lambda: connection.request("GET", "/hubpair/v1/hub")[0] == 200, "it answers", 60)

    def test_three_guests_that_never_read(self):
        """16 connections each ask for the scenes, and read nothing. The hub stays below its limit, holds a few of the
        answers, and an owner gets all the scenes meanwhile."""
        hub = self.fresh_hub()
        count = self.large_scenes(hub)
        owner = self.device(hub, "owner", "--role", "owner")
        guests = [context(self.device(hub, f"guest {number}", "--role", "guest")) for number in range(self.GUESTS)]
        opened = []
        for number in range(16 * self.GUESTS):
            try:
                opened.append(Stranger(hub.port, 100 + number, guests[number % self.GUESTS]))
                opened[-1].write(b"GET /hubpair/v1/scenes" + HEAD)
            except OSError:
                pass  # the hub has ended: said below
        hub.idle = float("inf")  # however much it takes
        self.come_to_rest(hub, 3)
        most = self.status(hub, "VmHWM")
        print(f"  {len(opened)} connections of {self.GUESTS} guests: {most:.0f} MB at most", flush=True)
        self.assertLess(most, self.MOST)
        with Connection(hub.port, owner, timeout=120) as connection:
            status, _, body = connection.request("GET", "/hubpair/v1/scenes")
            self.assertEqual((status, len(json.loads(body)["scenes"])), (200, count))
        # Those who read get theirs, or are told when to come back.
        answers = []
        for each in opened:
            each.raw.settimeout(60)
            told = b""
            while b"\r\n\r\n" not in told and (piece := each.read()):
                told += piece
            answers.append(told.split(b" ", 2)[1])
            if answers[-1] == b"503":
                self.assertIn(b"\r\nRetry-After: ", told)
            each.close()
        self.assertEqual(set(answers), {b"200", b"503"})
        # What they held is given back.
        with Connection(hub.port, owner, timeout=120) as connection:
            for _ in range(3):
                self.assertEqual(connection.request("GET", "/hubpair/v1/scenes")[0], 200)


class HandshakeTests(unittest.TestCase):
    """Tests what a client may send before the end of its handshake."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        hestia = Hestia("--plain", sturdy=True)
        cls.addClassCleanup(hestia.stop)
        cls.hub = Hub(hestia.url, concurrency=16)
        cls.addClassCleanup(cls.hub.remove)
        cls.hub.start()
        cls.device = cls.approved("device")

    @classmethod
    def approved(cls, name):
        device = Device(os.path.join(cls.folder.name, name), name)
        Attempt(cls.hub.code(), device).send(cls.hub.port)
        return device

    def is_served(self, stranger):
        try:
            stranger.write(REQUESTS["hub"])
            return b"200 OK" in stranger.read()
        except OSError:
            return False

    def test_certificates_of_all_usual_kinds(self):
        """Three RSA-4096 certificates, and a device's own followed by 2 KB more."""
        files = [os.path.join(self.folder.name, name) for name in ("rsa-key", "rsa-certificate")]
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:4096", "-nodes", "-keyout", files[0], "-out", files[1], "-days", "9",
             "-subj", "/O=A company with a name/CN=client"], check=True, stderr=subprocess.DEVNULL)
        rsa = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        rsa.check_hostname, rsa.verify_mode = False, ssl.CERT_NONE
        with open(files[1]) as one:
            chain = 3 * one.read()
        with open(files[1], "w") as three:
            three.write(chain)
        rsa.load_cert_chain(files[1], files[0])
        for number, tls in enumerate([context(), context(self.device), rsa, context(self.device, [certificate()] * 25)]):
            with self.subTest(number):
                stranger = Stranger(self.hub.port, number, tls)
                self.assertTrue(self.is_served(stranger))
                stranger.close()

    def test_more_than_16_kib_are_not_taken(self):
        tls = context(self.device, [certificate()] * 160)
        with self.assertRaises(OSError):
            stranger = Stranger(self.hub.port, 100, tls)
            stranger.write(REQUESTS["hub"])
            self.assertEqual(stranger.read(), b"")
            raise ConnectionError
        self.assertIn("its TLS handshake takes more than 16384 bytes", self.hub.log())

    def test_a_body_right_behind_the_handshake(self):
        """A request that arrives with the end of the handshake does not count as part of it."""
        for count in (1_000, 20_000, 300_000):
            body = os.urandom(count)
            stranger = Stranger(self.hub.port, 200, context(self.device), (
                b"POST /test/echo HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % count) + body)
            told = b""
            while piece := stranger.read():
                told += piece
            self.assertEqual(base64.b64decode(json.loads(told.split(b"\r\n\r\n", 1)[1])["body"]), body)
            stranger.close()

    def test_16_strangers_have_large_certificates(self):
        """The oldest is closed for a new one; approved devices are not counted."""
        large = [certificate()] * 30
        unknown = context(Device(os.path.join(self.folder.name, "unknown")), large)
        devices = [context(self.approved(name), large) for name in ("one", "two")]
        own = [Stranger(self.hub.port, 300, devices[number % 2]) for number in range(24)]
        strangers = [Stranger(self.hub.port, 400 + 16 * number, unknown) for number in range(20)]
        # The newest first: when it is served, the hub has processed the certificates of all.
        served = [self.is_served(stranger) for stranger in reversed(strangers)]
        # Of neighbours the hub may have taken up the later one first: it has two event loops.
        self.assertEqual((sum(served), served[:12]), (16, 12 * [True]), served)
        self.assertTrue(all(self.is_served(each) for each in own))
        for each in own + strangers:
            each.close()


if __name__ == "__main__":
    unittest.main()
