"""The hub's figures and its log for programs, read by Prometheus's own parser. And what they must not tell, and whom."""
import http.client
import json
import os
import socket
import tempfile
import unittest

from hub import Hub, Nginx, free_port
from prometheus_client.parser import text_string_to_metric_families
from second_implementation import Attempt, Connection, Device


class MetricsTests(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.port = free_port()
        self.server = Nginx('location / { return 200 "yes"; } location /slow { return 503; }')
        self.addCleanup(self.server.stop)
        self.hub = Hub(f"http://127.0.0.1:{self.server.port}", concurrency=16, options=[
            "--metrics", f"127.0.0.1:{self.port}", "--log-format", "json"])
        self.addCleanup(self.hub.remove)
        self.hub.start()

    def ask(self, path="/metrics", host=None, method="GET", port=None):
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=120)
        self.addCleanup(connection.close)
        connection.request(method, path, headers={"Host": host} if host is not None else {})
        response = connection.getresponse()
        return response.status, response.read().decode(), response.getheader("Content-Type")

    def figures(self):
        """By name and labels."""
        status, text, kind = self.ask()
        self.assertEqual((status, kind), (200, "text/plain; version=0.0.4; charset=utf-8"))
        families = list(text_string_to_metric_families(text))
        self.assertEqual(len({family.name for family in families}), len(families))
        for family in families:
            self.assertTrue(family.documentation and family.type != "unknown", family)
        return {(sample.name, *sorted(sample.labels.items())): sample.value for family in families for sample in family.samples}

    def test_what_happens_is_counted(self):
        before = self.figures()
        self.assertEqual(before["hubpair_connections",], 0)
        self.assertEqual(before["hubpair_build_info", ("version", self.hub.run("--version").strip())], 1)
        device = Device(os.path.join(self.folder.name, "device"), "Anna's phone")
        Attempt(self.hub.code(), device, name=device.name).send(self.hub.port)
        stranger = Device(os.path.join(self.folder.name, "stranger"), "stranger")
        with Connection(self.hub.port, stranger) as connection:
            for _ in range(3):
                self.assertEqual(connection.request("GET", "/devices/")[0], 403)
        with Connection(self.hub.port, device) as connection:
            for _ in range(5):
                self.assertEqual(connection.request("GET", "/x")[0], 200)
            self.assertEqual(connection.request("GET", "/slow")[0], 503)
            now = self.figures()
            self.assertGreaterEqual(now["hubpair_connections",], 1)
        for name, *labels, count in (
                ("hubpair_requests_total", ("by", "upstream"), ("code", "200"), 5),
                ("hubpair_requests_total", ("by", "upstream"), ("code", "503"), 1),
                ("hubpair_requests_total", ("by", "hub"), ("code", "403"), 3),
                ("hubpair_refusals_total", ("reason", "not_approved"), 3),
                ("hubpair_pairings_total", ("result", "approved"), 1),
                ("hubpair_request_duration_seconds_count", ("by", "upstream"), 6),
                ("hubpair_request_duration_seconds_bucket", ("by", "upstream"), ("le", "+Inf"), 6),
                ("hubpair_devices", ("status", "approved"), 1),
                ("hubpair_events_total", ("kind", "refusal"), 3),
                ("hubpair_upstream_up", 1)):
            self.assertEqual(now[name, *labels], count, (name, labels))
        self.assertGreater(now["process_resident_memory_bytes",], 1 << 20)
        # Counters do not fall.
        later = self.figures()
        for key, value in now.items():
            if key[0].endswith(("_total", "_count", "_bucket", "_sum")):
                self.assertGreaterEqual(later.get(key, -1), value, key)
        self.server.stop()
        with Connection(self.hub.port, device) as connection:
            self.hub.wait_for(lambda: connection.request("GET", "/x")[0] == 502, "the server is not away")
        self.assertEqual(self.figures()["hubpair_upstream_up",], 0)
        # Nobody's name is in it, and no address.
        text = self.ask()[1]
        for word in ("Anna", "Kitchen", device.fingerprint, "127.0.0.1"):
            self.assertNotIn(word, text)

    def test_a_page_of_another_name_reads_nothing(self):
        for host in ("evil.example", f"evil.example:{self.port}", "127.0.0.1.evil.example", "192.0.2.1", "", "[::1", "a@127.0.0.1"):
            status, text, _ = self.ask(host=host)
            self.assertEqual((status, "hubpair_" in text), (421, False), host)
        for host in (f"127.0.0.1:{self.port}", "127.8.8.8", "localhost", f"localhost:{self.port}", f"[::1]:{self.port}", "[::1]"):
            self.assertEqual(self.ask(host=host)[0], 200, host)
        self.assertEqual(self.ask("/")[0], 404)
        self.assertEqual(self.ask(method="POST")[0], 405)

    def test_who_holds_connections_open_keeps_no_device_out(self):
        held = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(64)]
        for each in held:
            self.addCleanup(each.close)
            each.settimeout(120)
        # Sixteen stay; the others are closed at once.
        closed = 0
        while closed < 48:
            for each in held:
                each.setblocking(False)
                try:
                    if each.recv(1) == b"":
                        each.close()
                        held.remove(each)
                        closed += 1
                        break
                except BlockingIOError:
                    pass
                except ConnectionError:
                    held.remove(each)
                    closed += 1
                    break
        with Connection(self.hub.port) as connection:
            self.assertEqual(connection.request("GET", "/hubpair/v1/hub")[0], 200)
        held.pop().close()
        self.hub.wait_for(lambda: self.ask()[0] == 200, "no place becomes free")

    def test_each_line_of_the_log_is_an_object(self):
        with Connection(self.hub.port) as connection:
            self.assertEqual(connection.request("GET", '/%22"%0a\\')[0], 401)
        self.hub.wait_for(lambda: "no_certificate" in self.hub.log(), "the refusal is not logged")
        self.hub.stop()
        lines = [json.loads(line) for line in self.hub.log().splitlines()]
        self.assertTrue(all({"time", "level", "text"} <= set(line) for line in lines))
        refused = next(line for line in lines if "no_certificate" in line["text"])
        self.assertEqual((refused["level"], refused["event"]), ("warning", "refusal"))

    def test_a_socket_is_for_its_folder(self):
        folder = os.path.join(self.folder.name, "run")
        os.mkdir(folder, 0o700)
        path = os.path.join(folder, "metrics")
        self.hub.stop()
        self.hub.options = ["--metrics", path]
        self.hub.start()
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
            client.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = b""
            while piece := client.recv(65536):
                answer += piece
        self.assertIn(b"hubpair_build_info", answer)
        self.hub.stop()
        os.chmod(folder, 0o755)
        with self.assertRaisesRegex(AssertionError, "hub does not get ready"):
            self.hub.start()
        self.hub.process = None
        self.assertIn("0755", self.hub.log())


if __name__ == "__main__":
    unittest.main()
