"""Messages to browsers while the page is closed, at a push service of our own, decrypted and verified by independent
programs (http-ece, py-vapid from PyPI). And what a browser may not make the hub do: ask elsewhere."""
import base64
import http.server
import json
import os
import queue
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from hub import Hub, free_port
from second_implementation import Attempt, Browser, Connection, Device, b64

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../.build/push"))
import http_ece  # noqa: E402
import py_vapid  # noqa: E402

# What the namespace of Tests/Strangers/run has in place of the system's.
AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"


class Service:
    """A push service: it notes what comes, and answers with the statuses that it is given, then with 201."""

    def __init__(self, folder, port):
        self.port, self.arrived, self.statuses = port, queue.Queue(), []
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = service.statuses.pop(0) if service.statuses else 201
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()
                service.arrived.put((self.path, self.headers, body, status))

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.path.join(folder, "push.pem"), os.path.join(folder, "push.key"))
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Subscription:
    """What a browser has got from its maker."""

    def __init__(self, endpoint):
        self.endpoint, self.key, self.auth = endpoint, ec.generate_private_key(ec.SECP256R1()), os.urandom(16)

    def body(self, *kinds, **changes):
        point = self.key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        return json.dumps({"endpoint": self.endpoint, "key": b64(point), "auth": b64(self.auth), "kinds": kinds, **changes})

    def read(self, body):
        return json.loads(http_ece.decrypt(body, private_key=self.key, auth_secret=self.auth, version="aes128gcm"))


class PushTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        name = lambda file: os.path.join(cls.folder.name, file)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-keyout", name("push.key"), "-out", name("push.pem"), "-subj", "/CN=localhost",
             "-addext", "subjectAltName=DNS:localhost,DNS:push.example"], check=True, capture_output=True)
        # This machine trusts the service's certificate, in this mount namespace alone; and knows a name that leads home.
        with open(name("hosts"), "w") as file:
            file.write("127.0.0.1 localhost push.example\n")
        for own, system in (("push.pem", AUTHORITIES), ("hosts", "/etc/hosts")):
            subprocess.run(["mount", "--bind", name(own), system], check=True)
            cls.addClassCleanup(subprocess.run, ["umount", system], check=True)

    def setUp(self):
        self.service = Service(self.folder.name, free_port())
        self.addCleanup(self.service.close)
        self.hub = Hub()
        self.addCleanup(self.hub.remove)
        with open(os.path.join(self.hub.state, "hub"), "a") as file:
            file.write(f"push-hosts=localhost:{self.service.port}\n")
        self.hub.start()
        self.count = 0
        self.owner = self.device("owner")
        self.subscription = Subscription(f"https://localhost:{self.service.port}/p/abc?x=1")

    def device(self, role="member"):
        self.count += 1
        device = Device(os.path.join(self.folder.name, f"{self.id()}-{self.count}"), f"Device {self.count}")
        Attempt(self.hub.code("--role", role), device, name=device.name).send(self.hub.port)
        return device

    def ask(self, device, method, path="push", body=None):
        with Connection(self.hub.port, device) as connection:
            status, _, answer = connection.request(
                method, f"/hubpair/v1/{path}", body, {"Content-Type": "application/json"} if body else None)
            return status, json.loads(answer)

    def on(self, *kinds):
        self.hub.run("hub", "push", "on")
        body = self.subscription.body(*(kinds or ("notification",)))
        # The house is told of the settings by an event, soon.
        self.hub.wait_for(lambda: self.ask(self.owner, "PUT", body=body)[0] == 200, "push is not on")

    def arrival(self):
        path, fields, body, status = self.service.arrived.get(timeout=120)
        return path, fields, self.subscription.read(body), status

    def test_a_message_reaches_its_browser_alone(self):
        self.assertEqual(self.ask(self.owner, "GET")[1]["on"], False)
        status, answer = self.ask(self.owner, "PUT", body=self.subscription.body("notification"))
        self.assertEqual((status, answer["error"]), (409, "push_off"))
        self.on()
        status, told = self.ask(self.owner, "GET")
        self.assertEqual((told["on"], told["kinds"], told["service"]), (True, ["notification"], f"localhost:{self.service.port}"))
        self.device("guest")
        path, fields, message, _ = self.arrival()
        self.assertEqual(path, "/p/abc?x=1")
        self.assertEqual((message["hub"], message["kind"]), ("Kitchen hub", "notification"))
        self.assertIn("Device 2", message["text"])
        self.assertEqual(set(message), {"hub", "kind", "text", "id"})
        self.assertEqual((fields["Content-Encoding"], fields["TTL"], fields["Urgency"]), ("aes128gcm", "3600", "normal"))
        # Nothing says of whom it is, but the key that the browser has subscribed with.
        self.assertTrue(py_vapid.Vapid02.verify(fields["Authorization"]))
        token, key = fields["Authorization"].removeprefix("vapid t=").split(",k=")
        self.assertEqual(key, told["key"])
        claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
        self.assertEqual(claims["aud"], f"https://localhost:{self.service.port}")
        self.assertEqual(set(fields), {
            "Host", "Content-Length", "Connection", "Authorization", "Content-Encoding", "Content-Type", "TTL", "Urgency"})
        listed = json.loads(self.hub.run("hub", "push", "--json"))
        self.assertEqual(listed, {"on": True, "devices": [{
            "device": self.owner.fingerprint, "kinds": ["notification"], "service": f"localhost:{self.service.port}"}]})
        self.assertNotIn("/p/abc", self.hub.log())

    def test_who_wants_nothing_or_may_not_is_told_nothing(self):
        self.on("alarm")
        other = self.device()
        self.assertEqual(self.ask(other, "GET")[1].get("kinds"), None)
        self.assertNotIn("devices", self.ask(other, "GET")[1])
        self.assertEqual(self.ask(other, "PUT", "push/hub", '{"on": false}')[0], 403)
        # Only alarms: this one calls another's browser alone. When that is told, all have been looked at.
        theirs = Subscription(self.subscription.endpoint.replace("abc", "def"))
        self.assertEqual(self.ask(other, "PUT", body=theirs.body("notification"))[0], 200)
        paired, text = self.device(), ""
        while paired.name not in text:
            path, _, body, _ = self.service.arrived.get(timeout=120)
            self.assertEqual(path, "/p/def?x=1")
            text = theirs.read(body)["text"]
        self.assertEqual(self.ask(other, "DELETE")[0], 200)
        self.ask(self.owner, "PUT", body=self.subscription.body("alarm", "notification"))
        last = self.device()
        self.assertIn(last.name, self.arrival()[2]["text"])
        # A device that is revoked is forgotten, and told nothing.
        mine = Subscription(self.subscription.endpoint)
        self.assertEqual(self.ask(last, "PUT", body=mine.body("notification"))[0], 200)
        self.hub.run("devices", "revoke", last.fingerprint)
        self.assertIn("revoked", self.arrival()[2]["text"])
        self.hub.wait_for(
            lambda: [each["device"] for each in json.loads(self.hub.run("hub", "push", "--json"))["devices"]]
            == [self.owner.fingerprint], "it is not forgotten")
        # Switched off on the page, it counts at once.
        self.assertEqual(self.ask(self.owner, "PUT", "push/hub", '{"on": false}')[0], 200)
        self.hub.wait_for(lambda: not self.ask(self.owner, "GET")[1]["on"], "push is not off")
        # Whether a message is sent is decided as it is written, one after the other: with the second, the first has been.
        meanwhile = []
        for _ in range(2):
            meanwhile.append(self.device())
            self.hub.wait_for(
                lambda: meanwhile[-1].name in str(self.ask(self.owner, "GET", "messages")), "no message tells of it")
        self.on("notification")
        again, text = self.device(), ""
        while again.name not in text:
            text = self.arrival()[2]["text"]
            self.assertNotIn(meanwhile[0].name, text)

    def test_a_service_in_trouble_and_a_browser_that_is_gone(self):
        self.service.statuses = [503, 201, 410]
        self.on()
        self.device()
        first, second = self.arrival(), self.arrival()
        self.assertEqual((first[3], second[3], first[2]["id"]), (503, 201, second[2]["id"]))
        self.device()
        self.assertEqual(self.arrival()[3], 410)
        self.hub.wait_for(lambda: "kinds" not in self.ask(self.owner, "GET")[1], "it is not forgotten")

    def test_a_browser_cannot_make_it_ask_elsewhere(self):
        self.on()
        for endpoint in ("http://localhost/x", f"https://127.0.0.1:{self.service.port}/x", "https://192.168.1.1/",
                         f"https://localhost:{self.hub.port}/hubpair/v1/hub", "https://x@localhost/", "file:///etc/passwd"):
            status, answer = self.ask(self.owner, "PUT", body=self.subscription.body("alarm", endpoint=endpoint))
            self.assertEqual((status, answer["error"]), (400, "bad_request"), endpoint)
        # A name that leads into the home: it looks like any other, until it is asked for.
        with socket.create_server(("127.0.0.1", 443)) as trap:
            trap.setblocking(False)
            status, _ = self.ask(
                self.owner, "PUT", body=self.subscription.body("notification", endpoint="https://push.example/x"))
            self.assertEqual(status, 200)
            self.device()
            self.hub.wait_for(lambda: "not public" in self.hub.log(), "nothing is said of it")
            with self.assertRaises(BlockingIOError):
                trap.accept()

    def test_a_browser_of_its_own_key_subscribes(self):
        self.hub.run("hub", "push", "on")
        browser = Browser()
        with Connection(self.hub.port) as connection:
            browser.pair(connection, self.hub.code("--role", "guest"))
            cookie = browser.session(connection)
            fields = {"Cookie": cookie, "Content-Type": "application/json"}
            self.hub.wait_for(lambda: connection.request(
                "PUT", "/hubpair/v1/push", self.subscription.body("notification"), fields)[0] == 200, "push is not on")
        self.device()
        self.assertEqual(self.arrival()[2]["kind"], "notification")


if __name__ == "__main__":
    unittest.main()
