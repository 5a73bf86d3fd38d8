"""A hub that gets another key: a second implementation follows it, and somebody in between tells the real command line
whatever statements there are and can be made.

HUBPAIR_KEYS says how many attacks are generated from HUBPAIR_SEED.
"""
import http.server
import json
import os
import pathlib
import random
import ssl
import struct
import subprocess
import tempfile
import threading
import time
import unittest

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

from hub import HUBPAIR, Hestia, Hub
from second_implementation import Attempt, Browser, Connection, Device, b64, fingerprint, pin_of, unb64

# Below 2^28: Debian's cryptography reads no certificate with a larger number in it.
EXTENSION, OID = "2.25.170225827", bytes.fromhex("060569d195e123")


class Refused(Exception):
    pass


def compressed(key):
    return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.CompressedPoint)


def signed(key, data):
    r, s = utils.decode_dss_signature(key.sign(data, ec.ECDSA(hashes.SHA256())))
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


class Statement:
    """A hub's word that it has another key, read as the specification says."""

    def __init__(self, data):
        if len(data) != 206 or data[:4] != b"HPK1":
            raise Refused("no statement")
        self.serial, self.until = struct.unpack(">II", data[4:12])
        if self.serial == 0:
            raise Refused("serial")
        try:
            old, new = (ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), data[at:at + 33]) for at in (12, 45))
        except ValueError as error:
            raise Refused("key") from error
        self.old, self.new = pin_of(old), pin_of(new)
        if self.old == self.new:
            raise Refused("same key")
        for key, end in ((old, 78), (new, 142)):
            r, s = (int.from_bytes(data[end + at:end + at + 32], "big") for at in (0, 32))
            try:
                key.verify(utils.encode_dss_signature(r, s), data[:end], ec.ECDSA(hashes.SHA256()))
            except (InvalidSignature, ValueError) as error:
                raise Refused("signature") from error

    def check(self, pinned, known, now):
        if self.old != pinned:
            raise Refused("another key")
        if self.serial <= known:
            raise Refused("replayed")
        if now >= self.until:
            raise Refused("over")

    @staticmethod
    def make(old, new, serial, until, by_old=None, by_new=None):
        data = b"HPK1" + struct.pack(">II", serial, int(until)) + compressed(old.public_key()) + compressed(new.public_key())
        data += signed(by_old or old, data)
        return data + signed(by_new or new, data)


def told(connection):
    """What the certificate of a connection says."""
    _, found, rest = connection.socket.getpeercert(binary_form=True).partition(OID)
    if not found:
        return None
    # An octet string of 209 bytes, and in it one of 206.
    assert rest[:6] == bytes.fromhex("0481d10481ce"), rest
    return rest[6:212]


def server_name(pin):
    return fingerprint(pin).lower() + ".hub.invalid"


class KeyTests(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.hestia = Hestia()
        self.addCleanup(self.hestia.stop)
        self.hub = Hub(self.hestia.url)
        self.addCleanup(self.hub.remove)

    def device(self, name):
        return Device(os.path.join(self.folder.name, name), name)

    def serves(self, pin, name=None):
        """Waits until the hub shows this key."""
        def shows():
            try:
                with Connection(self.hub.port, name=name) as connection:
                    return connection.hub_pin == pin
            except OSError:
                return False
        self.hub.wait_for(shows, "the hub shows its new key")

    def key(self):
        return json.loads(self.hub.run("hub", "key", "--json"))

    def rotated(self):
        """Gives the hub another key; the pins before and after."""
        old = self.pin()
        self.hub.run("hub", "key", "rotate")
        new = self.pin()
        self.assertNotEqual(old, new)
        self.serves(new)
        return old, new

    def pin(self):
        import base64
        return base64.b64decode(self.key()["pin"].removeprefix("sha256//"))

    def status(self, device, pin):
        with Connection(self.hub.port, device, pin, name=server_name(pin)) as connection:
            return connection.request("GET", "/hubpair/v1/device")[0]

    def test_both_keys_are_shown(self):
        self.hub.start()
        device, late, browser = self.device("one"), self.device("late"), Browser()
        Attempt(self.hub.code(), device).send(self.hub.port)
        old_code, typed = self.hub.code(), self.hub.typed_code()
        with Connection(self.hub.port) as connection:
            self.assertIsNone(told(connection))
            browser.pair(connection, self.hub.code())
        old, new = self.rotated()
        # Who knows nothing of all this goes on.
        self.assertEqual(self.status(device, old), 200)
        with Connection(self.hub.port, device, name=server_name(old)) as connection:
            self.assertEqual(connection.hub_pin, old)
            hub = json.loads(connection.request("GET", "/hubpair/v1/hub")[2])
            self.assertEqual(hub["id"], fingerprint(old))
            first = told(connection)
        with Connection(self.hub.port, name="unknown.example") as connection:
            self.assertEqual(connection.hub_pin, new)
            self.assertEqual(told(connection), first)
            hub = json.loads(connection.request("GET", "/hubpair/v1/hub")[2])
            self.assertEqual((hub["id"], unb64(hub["pin"]), hub["past"]), (fingerprint(new), new, [b64(old)]))
            self.assertEqual(unb64(hub["key"]), first)
            # A browser signs for the key that it met.
            self.assertIn("=", browser.session(connection))
        statement = Statement(first)
        self.assertEqual((statement.old, statement.new, statement.serial), (old, new, 1))
        statement.check(old, 0, time.time())
        # It has taken the new key over.
        self.assertEqual(self.status(device, new), 200)
        self.hub.wait_for(lambda: device.fingerprint not in {each["device"] for each in self.key()["missing"]}, "it has come")
        # A code from before is for the key that was shown, and no other.
        with Connection(self.hub.port, late, old, name=server_name(old)) as connection:
            answer = Attempt(old_code, late).send_over(connection)
            self.assertEqual(answer["hub"]["id"], fingerprint(old))
        with Connection(self.hub.port, self.device("typed"), name=server_name(new)) as connection:
            self.assertEqual(Attempt(typed, self.device("typed")).ticket, Attempt(typed, self.device("x")).ticket)
        self.assertEqual(self.status(late, new), 200)

    def test_lost(self):
        self.hub.start()
        device, browser = self.device("one"), Browser()
        Attempt(self.hub.code(), device).send(self.hub.port)
        unused = self.hub.code()
        with Connection(self.hub.port) as connection:
            browser.pair(connection, self.hub.code())
        old = self.pin()
        self.hub.run("hub", "key", "lost", "--yes")
        new = self.pin()
        self.serves(new)
        with Connection(self.hub.port, device, name=server_name(old)) as connection:
            self.assertEqual((connection.hub_pin, told(connection)), (new, None))
            self.assertNotIn("past", json.loads(connection.request("GET", "/hubpair/v1/hub")[2]))
            self.assertNotEqual(connection.request("GET", "/devices/")[0], 200)
            self.assertEqual(browser.challenge(connection) and browser.answer(connection, browser.challenge(connection))[0], 403)
        for name in os.listdir(self.hub.state):
            path = os.path.join(self.hub.state, name)
            if os.path.isfile(path) and "key" in name and name.endswith((".pem", ".bak")):
                key = serialization.load_pem_private_key(pathlib.Path(path).read_bytes(), None)
                self.assertEqual(pin_of(key.public_key()), new, name)
        with self.assertRaises(Exception):
            Attempt(unused, self.device("two")).send(self.hub.port)

    def test_attacks_on_the_command_line(self):
        """The real client has paired with a hub whose key we hold; from then on it meets servers of ours. What it
        takes over is told by an oracle that knows whose word is good."""
        self.hub.start()
        config = os.path.join(self.folder.name, "config")
        environment = {**os.environ, "HUBPAIR_CONFIG": config, "LC_ALL": "C.UTF-8"}
        text = self.hub.run("print", "--format", "text", "--address", f"127.0.0.1:{self.hub.port}")
        subprocess.run([HUBPAIR, "pair", "-", "--hub", f"127.0.0.1:{self.hub.port}"], input=text, text=True, check=True,
                       capture_output=True, env=environment, timeout=120)
        own = serialization.load_pem_private_key(
            pathlib.Path(self.hub.state, "hub-key.pem").read_bytes(), None)
        self.hub.stop()
        seed = int(os.environ.get("HUBPAIR_SEED", random.randrange(2**32)))
        print(f"HUBPAIR_SEED={seed}", flush=True)
        choose = random.Random(seed)
        new_key = lambda: ec.generate_private_key(ec.SECP256R1())
        # pinned: the key that the client has now; past: those that it had, all of them stolen by now.
        pinned, known, past, heard = own, 0, [], []
        files = pathlib.Path(config, "known-hubs")
        counts = {}
        for step in range(int(os.environ.get("HUBPAIR_KEYS", 40))):
            thief, now = new_key(), time.time()
            kind = choose.choice(["genuine", "replayed", "over", "other key", "unsigned", "flipped", "swapped", "stolen", "none",
                                  "backwards", "shown old"])
            shows = thief
            if kind in ("genuine", "shown old"):
                data = Statement.make(pinned, thief, known + choose.randrange(1, 5), now + 3600)
                shows = pinned if kind == "shown old" else thief
            elif kind == "replayed":
                data = choose.choice(heard) if heard and choose.random() < 0.5 else Statement.make(pinned, thief, known, now + 3600)
            elif kind == "over":
                data = Statement.make(pinned, thief, known + 1, now - choose.randrange(1, 10**6))
            elif kind == "other key":
                data = Statement.make(new_key(), thief, known + 1, now + 3600)
            elif kind == "unsigned":
                by = {"by_old": thief} if choose.random() < 0.5 else {"by_new": new_key()}
                data = Statement.make(pinned, thief, known + 1, now + 3600, **by)
            elif kind == "flipped":
                data = bytearray(Statement.make(pinned, thief, known + 1, now + 3600))
                data[choose.randrange(len(data))] ^= 1 << choose.randrange(8)
                data = bytes(data)
            elif kind == "swapped":
                # The statement is good, and names another key than the one that is shown.
                data = Statement.make(pinned, new_key(), known + 1, now + 3600)
            elif kind == "stolen":
                data = Statement.make(choose.choice(past or [new_key()]), thief, known + 9, now + 3600)
            elif kind == "backwards":
                shows = choose.choice(past or [new_key()])
                data = heard[-1] if heard else b""
            else:
                data = b""
            isGood = False
            try:
                statement = Statement(data)
                statement.check(pin_of(pinned.public_key()), known, now)
                isGood = pin_of(shows.public_key()) in (statement.new, statement.old)
            except Refused:
                pass
            before = files.read_text()
            with FakeHub(self.folder.name, shows, data, self.hub.port):
                done = subprocess.run(
                    [HUBPAIR, "call", "GET", "/hubpair/v1/device"], capture_output=True, text=True,
                    env=environment, timeout=120)
            after = files.read_text()
            what = (step, kind, seed, done.returncode, done.stderr, after)
            counts[kind, isGood] = counts.get((kind, isGood), 0) + 1
            if isGood:
                self.assertEqual(done.returncode, 0, what)
                self.assertIn("has a new key", done.stderr, what)
                self.assertIn(f"[hub {fingerprint(statement.new)}]", after, what)
                self.assertIn(f"serial={statement.serial}\n", after, what)
                self.assertNotIn(f"[hub {fingerprint(statement.old)}]", after, what)
                past.append(pinned)
                heard.append(data)
                pinned, known = thief, statement.serial
            else:
                self.assertEqual(done.returncode, 77, what)
                self.assertEqual(before, after, what)
        print(sorted(counts.items()), flush=True)


class FakeHub:
    """A server with this key, whose certificate has these bytes in the extension; it approves everybody."""

    def __init__(self, folder, key, data, port):
        path = os.path.join(folder, "fake.pem")
        with open(path, "wb") as file:
            file.write(key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        added = []
        if data:
            length = bytes([0x81, len(data)]) if len(data) > 127 else bytes([len(data)])
            added = ["-addext", f"{EXTENSION}=DER:{(bytes([4]) + length + data).hex(':')}"]
        certificate = subprocess.run(
            ["openssl", "req", "-new", "-x509", "-key", path, "-subj", "/CN=a hub", "-days", "9999", *added],
            check=True, capture_output=True).stdout
        with open(path, "ab") as file:
            file.write(certificate)

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                body = b'{"status":"approved","device":"K7QF-2M9D-X0TW-8RHC","name":"x"}'
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.set_alpn_protocols(["http/1.1"])
        context.load_cert_chain(path)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
