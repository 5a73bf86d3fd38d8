"""Tests the gateway in front of a Hestia server, and attacks on it."""
import base64
import http.client
import json
import os
import random
import socket
import ssl
import struct
import subprocess
import tempfile
import threading
import time
import unittest

from hub import Hestia, Hub, free_port
from second_implementation import Attempt, Connection, Device


class GatewayTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Any server: what a stock one gets is in test_upstream.
        cls.hestia = Hestia(sturdy=True)
        cls.addClassCleanup(cls.hestia.stop)
        cls.hub = Hub(cls.hestia.url, concurrency=16)
        cls.addClassCleanup(cls.hub.remove)
        cls.hub.start()
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.device = Device(os.path.join(cls.folder.name, "device"), "Tablet für Anna")
        Attempt(cls.hub.code(), cls.device).send(cls.hub.port)
        cls.stranger = Device(os.path.join(cls.folder.name, "stranger"))

    def connect(self, device="device", **options):
        return Connection(
            self.hub.port, self.device if device == "device" else device, **options)

    def upstream_count(self):
        with self.connect() as connection:
            return json.loads(connection.request("GET", "/test/count")[2])

    def test_devices_are_listed_and_switched(self):
        with self.connect() as connection:
            status, _, body = connection.request("GET", "/devices/")
            self.assertEqual(status, 200)
            device = json.loads(body)[0]
            path = f"/devices/{device['deviceId']}/activators/{device['activators'][0]['activatorId']}"
            self.assertEqual(connection.request("POST", path, b'{"state": true}')[0], 201)
            self.assertIs(json.loads(connection.request("GET", path)[2])["state"], True)
            self.assertEqual(connection.request("POST", path, b'{"state": "x"}')[0], 400)
            self.assertEqual(connection.request("GET", "/nope")[0], 404)

    def test_the_others_stay_outside(self):
        with self.connect(None) as connection:
            status, headers, body = connection.request("GET", "/devices/")
            self.assertEqual(status, 401)
            self.assertEqual(headers.get_content_type(), "application/json")
            self.assertIn("pair", json.loads(body)["message"])
        with self.connect(self.stranger) as connection:
            self.assertEqual(connection.request("GET", "/devices/")[0], 403)

    def test_another_kind_of_key_is_named(self):
        """A client whose certificate has another key type than devices is told that, not that it has no
        certificate."""
        kinds = {"an RSA key": ["rsa:2048"], "a P-384 key": ["ec", "-pkeyopt", "ec_paramgen_curve:secp384r1"]}
        for kind, options in kinds.items():
            key, certificate = (os.path.join(self.folder.name, name) for name in ("other.key", "other.crt"))
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", *options, "-nodes", "-subj", "/CN=x", "-days", "9",
                 "-keyout", key, "-out", certificate], check=True, capture_output=True)
            for method, path in ("GET", "/devices/"), ("GET", "/hubpair/v1/device"), ("POST", "/hubpair/v1/pair"):
                with self.subTest(kind=kind, path=path):
                    done = subprocess.run(
                        ["curl", "-sk", "--cert", certificate, "--key", key, "-X", method,
                         f"https://127.0.0.1:{self.hub.port}{path}"], capture_output=True, text=True, check=True)
                    told = json.loads(done.stdout)
                    self.assertEqual(told["error"], "no_certificate")
                    self.assertIn(kind, told["message"])

    def test_a_huge_pairing_request_is_refused_at_once(self):
        with self.connect() as connection:
            # Not a byte of the body is sent.
            connection.socket.sendall(
                b"POST /hubpair/v1/pair HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000000\r\n\r\n")
            self.assertTrue(connection.socket.recv(4096).startswith(b"HTTP/1.1 413 "))

    def test_headers(self):
        lies = {
            "X-Forwarded-For": "10.0.0.1", "Forwarded": "for=10.0.0.1", "X-Real-IP": "10.0.0.1",
            "X-Forwarded-Proto": "gopher", "X-Forwarded-Host": "evil", "X-Hubpair-Device": "AAAA",
            "x-hubpair-name": "root", "X-HUBPAIR-ANYTHING": "1", "Connection": "keep-alive, X-Secret",
            "X-Secret": "hop", "Keep-Alive": "timeout=5", "Proxy-Authorization": "Basic x", "TE": "trailers",
            "X-Kept": "yes", "Cookie": "a=b"}
        with self.connect() as connection:
            told = json.loads(connection.request("POST", "/test/echo?q=%2F..%2f", b"\x00body", lies)[2])
        headers = {}
        for name, value in told["headers"]:
            headers.setdefault(name.lower(), []).append(value)
        self.assertEqual(headers["x-hubpair-device"], [self.device.fingerprint])
        self.assertEqual(len(headers["x-hubpair-name"]), 1)
        self.assertEqual(headers["x-kept"], ["yes"])
        self.assertEqual(headers["cookie"], ["a=b"])
        for name in ("x-secret", "keep-alive", "proxy-authorization", "x-hubpair-anything", "x-real-ip", "te"):
            self.assertNotIn(name, headers)
        for name in ("forwarded", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"):
            self.assertNotIn("10.0.0.1", "".join(headers.get(name, [])))
            self.assertNotIn("evil", "".join(headers.get(name, [])))
        self.assertEqual(told["target"], "/test/echo?q=%2F..%2f")
        self.assertEqual(base64.b64decode(told["body"]), b"\x00body")

    def test_ambiguous_framing_is_refused(self):
        """Two servers might parse each of these differently, so none is forwarded."""
        host = b"Host: hub\r\n"
        smuggled = b"GET /test/echo?smuggled HTTP/1.1\r\nHost: hub\r\n\r\n"
        requests = {
            "TE beside CL": b"POST /x HTTP/1.1\r\n" + host
            + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled,
            "CL beside TE": b"POST /x HTTP/1.1\r\n" + host
            + b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + smuggled,
            "two lengths": b"POST /x HTTP/1.1\r\n" + host + b"Content-Length: 4\r\nContent-Length: 4\r\n\r\nabcd",
            "two other lengths": b"POST /x HTTP/1.1\r\n" + host
            + b"Content-Length: 4\r\nContent-Length: 0\r\n\r\n" + smuggled,
            "list of lengths": b"POST /x HTTP/1.1\r\n" + host + b"Content-Length: 4, 4\r\n\r\nabcd",
            "signed length": b"POST /x HTTP/1.1\r\n" + host + b"Content-Length: +4\r\n\r\nabcd",
            "huge length": b"POST /x HTTP/1.1\r\n" + host + b"Content-Length: 99999999999999999999\r\n\r\nabcd",
            "hidden TE": b"POST /x HTTP/1.1\r\n" + host + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + smuggled,
            "TE that is not chunked": b"POST /x HTTP/1.1\r\n" + host
            + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + smuggled,
            "chunked not last": b"POST /x HTTP/1.1\r\n" + host
            + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + smuggled,
            "bare LF": b"GET /x HTTP/1.1\n" + b"Host: hub\n\n",
            "bare LF in headers": b"GET /x HTTP/1.1\r\n" + host + b"A: b\nC: d\r\n\r\n",
            "bare CR in a header": b"GET /x HTTP/1.1\r\n" + host + b"A: b\rC: d\r\n\r\n",
            "folded header": b"GET /x HTTP/1.1\r\n" + host + b"A: b\r\n c\r\n\r\n",
            "folded with a tab": b"GET /x HTTP/1.1\r\n" + host + b"A: b\r\n\tc\r\n\r\n",
            "NUL in a header": b"GET /x HTTP/1.1\r\n" + host + b"A: b\x00\r\n\r\n",
            "absolute form": b"GET http://127.0.0.1/x HTTP/1.1\r\n" + host + b"\r\n",
            "authority form": b"CONNECT 127.0.0.1:22 HTTP/1.1\r\n" + host + b"\r\n",
            "asterisk form": b"OPTIONS * HTTP/1.1\r\n" + host + b"\r\n",
            "no slash": b"GET x HTTP/1.1\r\n" + host + b"\r\n",
            "no host": b"GET /x HTTP/1.1\r\n\r\n",
            "two hosts": b"GET /x HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "bad chunk": b"POST /x HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        }
        for what, data in requests.items():
            before = self.upstream_count()
            with self.subTest(what=what), self.connect(timeout=5) as connection:
                answer = connection.raw(data + (b"" if data.endswith(b"\r\n\r\n") else b"\r\n\r\n"))
                self.assertIn(answer[:10], (b"HTTP/1.1 4", b"HTTP/1.1 5"), answer[:200])  # 501: unknown coding
                self.assertEqual(answer.count(b"HTTP/1.1"), 1, answer)
                self.assertNotIn(b"smuggled", answer)
            if what != "bad chunk":  # its head is valid and was forwarded
                self.assertEqual(self.upstream_count(), before + 1, what)  # only the count request

    def test_path_tricks_never_reach_the_upstream(self):
        paths = [
            "/hubpair", "/hubpair/x", "/hubpairs", "/hubpair/v1/nothing", "/hubpair/../test/echo", "//hubpair",
            "///hubpair/v1/hub", "/./hubpair", "/%68ubpair", "/%2fhubpair", "/%2Fhubpair/v1/hub", "/hubpai%72",
            "/hub%70air/v1/hub", "/x/../hubpair", "/%2e/hubpair", "/x/%2e%2e/hubpair", "/%2e%2e/hubpair",
            "/hubpair%00", "/hubpair;x", "/hubpair%2f..%2ftest/echo", "/HUBPAIR", "/\\hubpair", "/%5chubpair"]
        for path in paths:
            before = self.upstream_count()
            with self.subTest(path=path), self.connect(timeout=5) as connection:
                answer = connection.raw(
                    f"GET {path} HTTP/1.1\r\nHost: hub\r\nConnection: close\r\n\r\n".encode())
                self.assertTrue(answer.startswith(b"HTTP/1.1 4"), answer[:200])
            self.assertEqual(self.upstream_count(), before + 1, path)

    def test_server_sent_events_come_at_once(self):
        with self.connect() as connection:
            connection.socket.sendall(b"GET /test/events HTTP/1.1\r\nHost: hub\r\n\r\n")
            data, start = b"", time.monotonic()
            while b"data: 2" not in data:
                data += connection.socket.recv(65536)
            self.assertNotIn(b"data: 90", data)  # events are streamed, not collected

    def test_web_socket(self):
        with self.connect() as connection:
            connection.socket.sendall(
                b"GET /test/socket HTTP/1.1\r\nHost: hub\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.socket.recv(65536)
            self.assertTrue(head.startswith(b"HTTP/1.1 101"), head)
            self.assertIn(b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", head)  # RFC 6455 § 1.3
            for word in (b"hello", b"again"):
                mask = os.urandom(4)
                masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(word))
                connection.socket.sendall(b"\x81" + bytes([0x80 | len(word)]) + mask + masked)
                frame = b""
                while len(frame) < 2 + len(word):
                    frame += connection.socket.recv(65536)
                self.assertEqual(frame, b"\x81" + bytes([len(word)]) + word)
            connection.socket.sendall(b"\x88\x80" + bytes(4))
            self.assertEqual(connection.raw(b"")[:1], b"\x88")

    def test_bodies_are_bounded(self):
        with self.connect() as connection:
            answer = connection.raw(
                b"POST /test/echo HTTP/1.1\r\nHost: hub\r\nContent-Length: 33554433\r\n\r\n", end=False)
            self.assertTrue(answer.startswith(b"HTTP/1.1 413"), answer[:100])
        with self.connect() as connection:
            chunk = b"10000\r\n" + bytes(65536) + b"\r\n"
            connection.socket.settimeout(20)
            try:
                connection.socket.sendall(
                    b"POST /test/echo HTTP/1.1\r\nHost: hub\r\nTransfer-Encoding: chunked\r\n\r\n")
                for _ in range(513):
                    connection.socket.sendall(chunk)
            except (OSError, ssl.SSLError):
                pass  # the hub may close before it has read everything
            self.assertIn(connection.raw(b"0\r\n\r\n")[:12], (b"HTTP/1.1 413", b""))
        body = os.urandom(3_000_000)
        with self.connect() as connection:
            told = json.loads(connection.request("POST", "/test/echo", body)[2])
            self.assertEqual(base64.b64decode(told["body"]), body)

    def test_headers_are_bounded(self):
        for head in (b"A: " + b"x" * 200_000, b"".join(b"A%d: x\r\n" % n for n in range(20_000))):
            with self.connect(timeout=5) as connection:
                answer = connection.raw(b"GET /devices/ HTTP/1.1\r\nHost: hub\r\n" + head + b"\r\n\r\n")
                self.assertIn(answer[:10], (b"HTTP/1.1 4", b""))
        with self.connect(timeout=5) as connection:
            answer = connection.raw(b"GET /" + b"x" * 200_000 + b" HTTP/1.1\r\nHost: hub\r\n\r\n")
            self.assertIn(answer[:10], (b"HTTP/1.1 4", b""))
        self.assertEqual(self.hub.process.poll(), None)

    def test_one_source_cannot_take_every_connection(self):
        """Of 60 connections from one address the newest 16 stay open; the others are closed."""
        greedy = [Connection(self.hub.port, source="127.0.0.77", timeout=5) for _ in range(60)]
        try:
            with self.connect(source="127.0.0.78") as connection:
                self.assertEqual(connection.request("GET", "/devices/")[0], 200)
            for connection in greedy[:-16]:
                self.assertEqual(connection.raw(b""), b"")
            for connection in greedy[-16:]:
                self.assertEqual(connection.request("GET", "/hubpair/v1/hub")[0], 200)
        finally:
            for connection in greedy:
                connection.close()

    def test_a_device_with_many_connections_is_answered_on_a_new_one(self):
        """Browsers keep idle connections for every site that made them ask. The oldest that rests gives way; none that
        is in use does; and when all are in use, the answer says so."""
        seed = os.environ.get("HUBPAIR_SEED") or str(int(time.time()))
        print(f"HUBPAIR_SEED={seed}", flush=True)
        generator = random.Random(seed)
        streams, idle, gone = [], [], 0
        try:
            for _ in range(120):
                if len(streams) < 12 and generator.random() < 0.2:
                    streams.append(self.connect())
                    streams[-1].socket.sendall(b"GET /test/events HTTP/1.1\r\nHost: hub\r\n\r\n")
                    self.assertTrue(streams[-1].socket.recv(1024).startswith(b"HTTP/1.1 200"), seed)
                elif idle and generator.random() < 0.5:
                    old = idle.pop(generator.randrange(len(idle)))
                    try:
                        self.assertEqual(old.request("GET", "/devices/")[0], 200)
                        idle.append(old)
                    except (http.client.RemoteDisconnected, ConnectionError, ssl.SSLError):
                        gone += 1
                else:
                    idle.append(self.connect())
                    if generator.random() < 0.7:
                        self.assertEqual(idle[-1].request("GET", "/devices/")[0], 200, seed)
            self.assertGreater(gone, 0)
            while len(streams) < 16:
                streams.append(self.connect())
                streams[-1].socket.sendall(b"GET /test/events HTTP/1.1\r\nHost: hub\r\n\r\n")
                self.assertTrue(streams[-1].socket.recv(1024).startswith(b"HTTP/1.1 200"), seed)
            for each in streams:  # all still tell
                self.assertGreater(len(each.socket.recv(1024)), 0, seed)
            with self.connect() as connection:
                status, _, body = connection.request("GET", "/devices/")
                self.assertEqual((status, json.loads(body)["error"]), (429, "too_many"))
            streams.pop().close()
            self.assertEqual(self.ask_until_free(), 200)
        finally:
            for each in streams + idle:
                each.close()

    def ask_until_free(self):
        end = time.monotonic() + 200
        while True:
            with self.connect() as connection:
                status = connection.request("GET", "/devices/")[0]
            if status != 429 or time.monotonic() > end:
                return status
            time.sleep(0.02)

    def test_thousands_of_connections(self):
        """3,000 silent connections from 200 sources, including the device's own, do not stop the hub. While
        they are open and more arrive, an approved device is answered at once, on an open connection and on
        new ones, and another device can pair."""
        kept = self.connect(source="127.0.1.1")
        self.addCleanup(kept.close)
        self.assertEqual(kept.request("GET", "/devices/")[0], 200)
        silent = [self.silent(number) for number in range(3000)]
        going_on = threading.Event()

        def flood():
            number = 0
            while not going_on.wait(0.005):
                silent.append(self.silent(number := number + 1))
        flooder = threading.Thread(target=flood)
        flooder.start()
        try:
            slowest = 0  # counted in what is flooded meanwhile: at most 200 a second
            for number in range(1, 41):
                start = len(silent)
                with self.connect(source=f"127.0.1.{number % 2 + 1}") as connection:
                    self.assertEqual(connection.request("GET", "/devices/")[0], 200)
                self.assertEqual(kept.request("GET", "/devices/")[0], 200)
                slowest = max(slowest, len(silent) - start)
            self.assertLess(slowest, 400)
            self.assertTrue(flooder.is_alive(), "the flood has ended early")
            newcomer = Device(os.path.join(self.folder.name, "newcomer"))
            self.assertEqual(
                Attempt(self.hub.code(), newcomer).send(self.hub.port, source="127.0.1.3")["status"], "approved")
        finally:
            going_on.set()
            flooder.join()
            for connection in silent:
                connection.close()
        self.assertEqual(self.hub.process.poll(), None)
        with open(f"/proc/{self.hub.process.pid}/status") as status:
            resident = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
        self.assertLess(resident, 200_000)  # kB; a debug build
        self.assertIn("without an approved device", self.hub.log())

    def silent(self, number):
        connection = socket.socket()
        connection.settimeout(5)
        connection.bind((f"127.0.1.{number % 200 + 1}", 0))
        connection.connect(("127.0.0.1", self.hub.port))
        return connection

    def test_slowloris(self):
        """The hub ends a handshake, a head and a body that arrive at one byte per second."""
        slow = {
            "handshake": (None, b"\x16\x03\x01\x02\x00\x01"), "head": (b"GET /hubpair/v1/hub HTTP/1.1\r\nX-Slow: ", b""),
            "body": (b"POST /hubpair/v1/pair HTTP/1.1\r\nHost: hub\r\nContent-Length: 4000\r\n\r\n", b"")}
        ended = {}

        def drip(what, first, plain):
            start, count = time.monotonic(), 0
            if first is None:
                connection = socket.create_connection(("127.0.0.1", self.hub.port))
                connection.sendall(plain)
            else:
                connection = self.connect(None).socket
                connection.sendall(first)
            connection.settimeout(1)
            answer = b""
            try:
                while count < 60:
                    connection.sendall(b"x")
                    count += 1
                    try:
                        piece = connection.recv(4096)
                        answer += piece
                        if not piece:
                            break
                    except TimeoutError:
                        pass
            except (OSError, ssl.SSLError):
                pass
            ended[what] = (time.monotonic() - start, count, answer)
            connection.close()

        threads = [threading.Thread(target=drip, args=[what, *how]) for what, how in slow.items()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for what, (seconds, count, answer) in ended.items():
            self.assertTrue(9 < seconds and count < 20, f"{what}: {count} bytes, {seconds} s")
            if what != "handshake":
                self.assertIn(answer[:12], (b"HTTP/1.1 408", b""), what)

    def test_upstream_down(self):
        hub = Hub(f"http://127.0.0.1:{free_port()}")
        self.addCleanup(hub.remove)
        hub.start()
        Attempt(hub.code(), self.device).send(hub.port)
        for _ in range(2):
            with Connection(hub.port, self.device) as connection:
                status, _, body = connection.request("GET", "/devices/")
            self.assertEqual(status, 502)
            self.assertIn("error", json.loads(body))

    def test_a_client_that_leaves_while_the_upstream_is_being_connected_to(self):
        """A client that is gone must not crash the hub, which would disconnect every other client."""
        def connections(state):
            with open("/proc/net/tcp") as file:  # 01: established, 02: SYN sent
                rows = [line.split()[2:4] for line in file][1:]
            return [int(remote.split(":")[1], 16) for remote, word in rows if word == state]

        upstream = socket.create_server(("127.0.0.1", 0), backlog=0)
        self.addCleanup(upstream.close)
        port = upstream.getsockname()[1]
        hub = Hub(f"http://127.0.0.1:{port}", concurrency=16)
        self.addCleanup(hub.remove)
        hub.start()
        Attempt(hub.code(), self.device).send(hub.port)
        full = []  # fills the accept queue, until a connection stays in SYN-SENT
        while connections("02").count(port) == 0:
            full.append(socket.socket())
            self.addCleanup(full[-1].close)
            full[-1].setblocking(False)
            full[-1].connect_ex(("127.0.0.1", port))
        before = connections("02").count(port)
        client = Connection(hub.port, self.device)
        client.socket.sendall(b"GET /x HTTP/1.1\r\nHost: hub\r\n\r\n")
        hub.wait_for(lambda: connections("02").count(port) > before, "the hub connects")
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        upstream.settimeout(10)
        while connections("02").count(port) > 0:
            self.addCleanup(upstream.accept()[0].close)
        with Connection(hub.port) as connection:
            self.assertEqual(connection.request("GET", "/hubpair/v1/hub")[0], 200)
        self.assertIsNone(hub.process.poll(), hub.log())

    def test_certificates_are_neither_lost_nor_gained_by_resumption(self):
        """A resumed TLS session identifies the device that established it, and no other."""
        session = os.path.join(self.folder.name, "session")
        for device, expected in ((self.device, b"200"), (None, b"401")):
            identity = ["-cert", device.certificate_path, "-key", device.key_path] if device else []
            for option in ("-sess_out", "-sess_in"):
                if option == "-sess_in" and not os.path.exists(session):
                    continue  # the hub issues no session tickets
                done = subprocess.run(
                    ["openssl", "s_client", "-quiet", "-connect", f"127.0.0.1:{self.hub.port}", *identity,
                     option, session],
                    input=b"GET /devices/ HTTP/1.1\r\nHost: hub\r\nConnection: close\r\n\r\n",
                    capture_output=True, timeout=20)
                self.assertIn(b"HTTP/1.1 " + expected, done.stdout, done.stderr)
            if os.path.exists(session):
                os.unlink(session)

    def test_curl_is_let_in_by_pin(self):
        pin = self.hub.identity["pin"]
        base = [
            "curl", "-sS", "--insecure", "--cert", self.device.certificate_path, "--key", self.device.key_path,
            f"https://127.0.0.1:{self.hub.port}/devices/", "--pinnedpubkey"]
        self.assertEqual(len(json.loads(subprocess.run(
            [*base, pin], capture_output=True, timeout=20, check=True).stdout)), 2)
        wrong = "sha256//" + base64.b64encode(bytes(32)).decode()
        self.assertEqual(subprocess.run([*base, wrong], capture_output=True, timeout=20).returncode, 90)

    def test_old_tls_is_refused(self):
        for version in ("-tls1_2", "-tls1_1"):
            done = subprocess.run(
                ["openssl", "s_client", "-connect", f"127.0.0.1:{self.hub.port}", version],
                input=b"", capture_output=True, timeout=20)
            self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
