"""Tests the exchange of a second implementation with a real hub, and attacks on it."""
import base64
import hashlib
import json
import os
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

from hub import Hestia, Hub
from listener import Listener
from second_implementation import Attempt, Code, Connection, Device, Refused, b64, fingerprint


class ExchangeTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hestia = Hestia()
        cls.addClassCleanup(cls.hestia.stop)

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.hub = Hub(self.hestia.url)
        self.addCleanup(self.hub.remove)
        self.hub.start()
        self.count = 0

    def device(self, name=None):
        self.count += 1
        return Device(os.path.join(self.folder.name, str(self.count)), name or f"Device {self.count}")

    def refused(self, status, error, call, *arguments, **options):
        with self.assertRaises(Refused) as caught:
            call(*arguments, **options)
        self.assertEqual((caught.exception.status, caught.exception.error), (status, error))

    def hub_pin(self):
        """The pin of the hub's key, as the handshake shows it."""
        with Connection(self.hub.port) as connection:
            return connection.hub_pin

    def get(self, path, device=None, source=None):
        with Connection(self.hub.port, device, source=source) as connection:
            return connection.request("GET", path)

    # Valid pairings.

    def test_once_code(self):
        device = self.device("Anna’s tablet 🙂")
        self.assertEqual(self.get("/devices/", device)[0], 403)
        answer = Attempt(self.hub.code(), device).send(self.hub.port)
        self.assertEqual(answer["status"], "approved")
        self.assertEqual(answer["hub"]["name"], "Kitchen hub")
        self.assertEqual(self.hub.approved(), {device.fingerprint: "approved"})
        status, headers, body = self.get("/devices/", device)
        self.assertEqual((status, len(json.loads(body))), (200, 2))
        status, _, body = self.get("/hubpair/v1/device", device)
        self.assertEqual(status, 200)
        told = json.loads(body)
        self.assertEqual(
            (told["status"], told["device"], told["name"]), ("approved", device.fingerprint, device.name))

    def test_typed_code(self):
        device = self.device()
        self.assertEqual(Attempt(self.hub.typed_code(), device).send(self.hub.port)["status"], "approved")
        self.assertEqual(self.get("/devices/", device)[0], 200)

    def test_label_needs_the_owner(self):
        device = self.device()
        attempt = Attempt(self.hub.code("--label"), device)
        self.assertEqual(attempt.send(self.hub.port)["status"], "pending")
        self.assertEqual(self.get("/devices/", device)[0], 403)
        self.assertEqual(json.loads(self.get("/hubpair/v1/device", device)[2])["status"], "pending")
        self.hub.run("devices", "approve", device.fingerprint)
        self.assertEqual(self.get("/devices/", device)[0], 200)
        self.assertEqual(attempt.send(self.hub.port)["status"], "approved")

    def test_hub_says_who_it_is(self):
        status, _, body = self.get("/hubpair/v1/hub")
        self.assertEqual(status, 200)
        self.assertEqual(
            json.loads(body),
            {"name": "Kitchen hub", "id": self.hub.identity["hub"], "api": 1, "pin": b64(self.hub_pin())})
        self.assertEqual(self.get("/hubpair/v1/device", self.device())[0], 403)

    # Attacks.

    def test_man_in_the_middle(self):
        with Middleman(self.hub.port, self.device("middle")) as middle:
            code = self.hub.code()
            with self.assertRaises(ssl.SSLError):  # the pin differs; no request was sent
                Attempt(code, self.device()).send(middle.port)
            self.assertEqual(middle.forwarded, 0)
            typed = self.hub.typed_code()
            self.refused(403, "bad_proof", Attempt(typed, self.device()).send, middle.port)
            self.assertEqual(middle.forwarded, 1)
        self.assertEqual(self.hub.approved(), {})

    def test_replay(self):
        code, owner, thief = self.hub.code(), self.device(), self.device()
        attempt = Attempt(code, owner)
        first = attempt.send(self.hub.port)
        self.assertEqual(attempt.send(self.hub.port), first)  # the same device may repeat its request
        with Connection(self.hub.port, thief) as connection:
            status, _, body = connection.request("POST", "/hubpair/v1/pair", attempt.body(connection.hub_pin))
        self.assertEqual((status, json.loads(body)["error"]), (403, "bad_proof"))

    def test_ticket_is_for_one(self):
        code = self.hub.code()
        Attempt(code, self.device()).send(self.hub.port)
        self.refused(409, "ticket_used", Attempt(code, self.device()).send, self.hub.port)

    def test_race_for_one_ticket(self):
        """Two devices, one ticket, 200 times: exactly one wins."""
        devices = [self.device("Left"), self.device("Right")]
        for _ in range(200):
            code = self.hub.code()
            barrier, results = threading.Barrier(2), [None, None]

            def run(side):
                with Connection(self.hub.port, devices[side], source=f"127.0.0.{10 + side}") as connection:
                    barrier.wait()
                    try:
                        results[side] = Attempt(code, devices[side]).send_over(connection)["status"]
                    except Refused as refusal:
                        results[side] = refusal.error

            threads = [threading.Thread(target=run, args=[side]) for side in (0, 1)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(sorted(results), ["approved", "ticket_used"])

    def test_expired(self):
        code = self.hub.code("--expires", "1s")
        attempt = Attempt(code, self.device())
        time.sleep(max(0, code.expires - time.time()) + 1.1)
        self.refused(410, "ticket_expired", attempt.send, self.hub.port)

    def test_retry_outlives_the_expiry(self):
        device = self.device()
        code = self.hub.code("--expires", "5s")
        attempt = Attempt(code, device)
        first = attempt.send(self.hub.port)
        time.sleep(max(0, code.expires - time.time()) + 1.1)
        self.assertEqual(attempt.send(self.hub.port), first)

    def test_revoked(self):
        device = self.device()
        attempt = Attempt(self.hub.code(), device)
        attempt.send(self.hub.port)
        with Connection(self.hub.port, device) as idle, Connection(self.hub.port, device) as streaming:
            self.assertEqual(idle.request("GET", "/devices/")[0], 200)
            streaming.socket.sendall(b"GET /test/events HTTP/1.1\r\nHost: hub\r\n\r\n")
            self.assertIn(b"200", streaming.socket.recv(65536))
            self.hub.run("devices", "revoke", device.fingerprint)
            self.assertEqual(idle.raw(b""), b"")  # closed by the hub, not timed out
            streaming.raw(b"")
        self.assertEqual(self.get("/devices/", device)[0], 403)
        self.refused(403, "not_approved", attempt.send, self.hub.port)
        label = self.hub.code("--label")
        self.refused(403, "not_approved", Attempt(label, device).send, self.hub.port)
        self.assertEqual(self.hub.approved(), {device.fingerprint: "revoked"})
        Attempt(self.hub.code(), device).send(self.hub.port)  # only a new once code restores access
        self.assertEqual(self.get("/devices/", device)[0], 200)

    def test_another_nonce_or_name_on_a_live_ticket(self):
        code, device = self.hub.code(), self.device()
        first = Attempt(code, device)
        first.send(self.hub.port)
        self.refused(409, "ticket_used", Attempt(code, device).send, self.hub.port)
        self.refused(
            409, "ticket_used", Attempt(code, device, name="Other", nonce=first.nonce).send, self.hub.port)
        self.assertEqual(first.send(self.hub.port)["status"], "approved")

    def test_guessed_proofs_kill_the_ticket(self):
        code, device = self.hub.code(), self.device()
        attempt = Attempt(code, device)
        for _ in range(5):
            self.refused(403, "bad_proof", attempt.send, self.hub.port, proof=b64(os.urandom(32)))
        self.refused(429, "too_many_attempts", attempt.send, self.hub.port)  # a valid proof

    def test_guesses_from_one_source_do_not_shut_the_owner_out(self):
        guesser = self.device()
        for _ in range(20):
            attempt = Attempt(Secret(os.urandom(10)), guesser)
            self.refused(404, "ticket_unknown", attempt.send, self.hub.port, source="127.0.0.66")
        code = self.hub.code()
        self.refused(
            429, "too_many_attempts", Attempt(code, guesser).send, self.hub.port, source="127.0.0.66")
        self.assertEqual(Attempt(code, self.device()).send(self.hub.port)["status"], "approved")

    def test_counts_survive_a_restart(self):
        code, device = self.hub.code(), self.device()
        for _ in range(5):
            self.refused(
                403, "bad_proof", Attempt(code, device).send, self.hub.port, proof=b64(os.urandom(32)))
        self.hub.kill()
        self.hub.start()
        self.refused(429, "too_many_attempts", Attempt(code, device).send, self.hub.port)

    def test_labels_let_five_ask(self):
        code = self.hub.code("--label")
        for _ in range(5):
            Attempt(code, self.device()).send(self.hub.port)
        self.refused(429, "too_many_attempts", Attempt(code, self.device()).send, self.hub.port)

    def test_reprinted_label_replaces_the_old_one(self):
        old = self.hub.code("--label")
        new = self.hub.code("--label")
        self.refused(404, "ticket_unknown", Attempt(old, self.device()).send, self.hub.port)
        self.assertEqual(Attempt(new, self.device()).send(self.hub.port)["status"], "pending")

    def test_without_a_certificate(self):
        attempt = Attempt(self.hub.code(), self.device())
        with Connection(self.hub.port) as connection:
            status, _, body = connection.request(
                "POST", "/hubpair/v1/pair", attempt.body(connection.hub_pin))
        self.assertEqual((status, json.loads(body)["error"]), (401, "no_certificate"))

    def test_malformed(self):
        """Invalid requests are refused, do not count as attempts, and leave the ticket valid."""
        attempt = Attempt(self.hub.code(), self.device())
        good = {"ticket": b64(attempt.ticket), "name": "x", "nonce": b64(bytes(16)), "proof": b64(bytes(32))}
        bad = [
            (400, "bad_request", body) for body in (
                b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"ticket":' * 400, b"[" * 4000, b'"' + b"\\u0000" * 600,
                *(json.dumps({**good, key: value}).encode() for key, value in (
                    ("ticket", 7), ("ticket", None), ("ticket", ""), ("ticket", good["ticket"] + "="),
                    ("ticket", base64.b64encode(b"\xff" * 8).decode()), ("ticket", b64(bytes(9))),
                    ("ticket", b64(bytes(8))[:-1] + "B"), ("nonce", b64(bytes(15))), ("nonce", []),
                    ("proof", b64(bytes(31))), ("proof", {"a": 1}), ("name", 1), ("name", None))),
                *(json.dumps({k: v for k, v in good.items() if k != key}).encode() for key in good))]
        bad += [(413, "bad_request", b" " * 4097)]
        bad += [
            (400, "name_invalid", json.dumps({**good, "name": name}).encode()) for name in (
                "", " x", "x ", "x" * 64, "a\nb", "a\x1b[31mb", "a\u202eb", "a\u2028b", "\x7f")]
        for status, error, body in bad * 2:
            with self.subTest(body=body[:60]), Connection(self.hub.port, attempt.device) as connection:
                answer = connection.request("POST", "/hubpair/v1/pair", body)
                self.assertEqual((answer[0], json.loads(answer[2])["error"]), (status, error))
        self.assertEqual(attempt.send(self.hub.port)["status"], "approved")

    def test_unknown_fields_are_ignored(self):
        attempt = Attempt(self.hub.code(), self.device())
        self.assertEqual(attempt.send(self.hub.port, later={"deep": [1, 2]})["status"], "approved")

    def test_order_of_errors(self):
        """Each request has two faults; the specification says which one is reported."""
        device = self.device()
        used = self.hub.code()
        Attempt(used, self.device()).send(self.hub.port)
        expired = self.hub.code("--expires", "1s")
        time.sleep(max(0, expired.expires - time.time()) + 1.1)
        unknown = Secret(os.urandom(10))
        junk = b64(os.urandom(32))
        port = self.hub.port
        self.refused(400, "name_invalid", Attempt(unknown, device, name=" x").send, port)
        self.refused(404, "ticket_unknown", Attempt(unknown, device).send, port, proof=junk)
        self.refused(403, "bad_proof", Attempt(used, device).send, port, proof=junk)
        self.refused(403, "bad_proof", Attempt(expired, device).send, port, proof=junk)
        self.refused(409, "ticket_used", Attempt(used, device).send, port)

    def test_somebody_elses_certificate(self):
        """The certificate of an approved device is not secret; without its private key it gives no access."""
        victim, thief = self.device(), self.device()
        Attempt(self.hub.code(), victim).send(self.hub.port)
        self.assertEqual(self.get("/devices/", victim)[0], 200)
        thief.certificate_path = victim.certificate_path
        thief.claim_key_of(victim)
        with self.assertRaises((ssl.SSLError, ConnectionError)):  # TLS 1.3: on the first read
            self.get("/devices/", thief)

    def test_logs_hold_no_secret(self):
        code = self.hub.code()
        attempt = Attempt(code, self.device())
        attempt.send(self.hub.port)
        log = self.hub.log()
        self.assertIn(attempt.device.fingerprint, log)
        for secret in (code.secret, attempt.key):
            for written in (secret.hex(), b64(secret), base64.b64encode(secret).decode()):
                self.assertNotIn(written, log)

    def test_stops_as_systemd_wants(self):
        device = self.device()
        Attempt(self.hub.code(), device).send(self.hub.port)
        with Connection(self.hub.port, device) as connection:
            connection.socket.sendall(b"GET /test/slow HTTP/1.1\r\nHost: hub\r\nConnection: close\r\n\r\n")
            start = connection.socket.recv(65536)
            self.assertEqual(self.hub.stop(), 0)
            self.assertEqual((start + connection.raw(b"")).count(b"piece"), 3)


class Secret:
    """A code with a secret that the hub does not know."""
    pin = None

    def __init__(self, secret):
        self.secret = secret


class Middleman(Listener):
    """A man in the middle between device and hub, with his own key on both sides."""

    def __init__(self, hub_port, device):
        self.hub_port, self.device, self.forwarded = hub_port, device, 0
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(device.certificate_path, device.key_path)
        super().__init__()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def serve(self, connection):
        try:
            with self.context.wrap_socket(connection, server_side=True) as victim:
                data = b""
                while b"\r\n\r\n" not in data:
                    piece = victim.recv(65536)
                    if not piece:
                        return
                    data += piece
                head, _, body = data.partition(b"\r\n\r\n")
                length = next(
                    int(line.split(b":")[1]) for line in head.split(b"\r\n")
                    if line.lower().startswith(b"content-length"))
                while len(body) < length:
                    body += victim.recv(65536)
                self.forwarded += 1
                with Connection(self.hub_port, self.device) as hub:
                    status, _, answer = hub.request("POST", "/hubpair/v1/pair", body)
                victim.sendall(
                    f"HTTP/1.1 {status} x\r\nContent-Length: {len(answer)}\r\n\r\n".encode() + answer)
        except (OSError, StopIteration):
            pass


if __name__ == "__main__":
    unittest.main()
