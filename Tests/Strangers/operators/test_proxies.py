"""nginx and Caddy, the real ones, in front of a server, where they ask the hub or one of its services about every request;
and as web services behind the hub."""
import os
import subprocess
import tempfile
import unittest

from hub import Hub
from proxies import caddy, caddy_behind, nginx, nginx_behind
from second_implementation import Attempt, Connection, Device
from test_services import Service

UPGRADE = ("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")


class ProxyTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.server = Service()
        self.addCleanup(self.server.close)

    def started(self, *options):
        hub = Hub("http://127.0.0.1:1", options)
        self.addCleanup(hub.remove)
        return hub.start()

    def device(self, role, *, paired=True):
        device = Device(os.path.join(self.folder, role), f"The {role}")
        # A proxy looks at a certificate's dates, which for hubpair mean nothing.
        subprocess.run(["openssl", "req", "-x509", "-key", device.key_path, "-out", device.certificate_path, "-subj", "/CN=x",
                        "-days", "9"], check=True, capture_output=True)
        if paired:
            Attempt(self.hub.code("--role", role), device).send(self.hub.port, source="127.0.0.9")
        return device

    def get(self, device, method="GET", path="/x", **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        with Connection(self.port, device, source="127.0.0.9") as connection:
            return connection.request(method, path, None, {"Host": f"127.0.0.1:{self.port}", **headers})

    def status(self, *arguments, **headers):
        return self.get(*arguments, **headers)[0]

    def echoes(self, device):
        """A WebSocket that is open, or None."""
        connection = Connection(self.port, device, source="127.0.0.9")
        self.addCleanup(connection.close)
        connection.socket.sendall(f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n{UPGRADE}\r\n".encode())
        data = b""
        while b"\r\n\r\n" not in data:
            piece = connection.socket.recv(65536)
            if not piece:
                break
            data += piece
        if b" 101 " not in data.split(b"\r\n")[0]:
            return None
        connection.socket.sendall(b"hello")
        return connection if connection.socket.recv(5) == b"hello" else None


class InFrontTests(ProxyTests):
    def front(self, kind, asks_service):
        self.hub = self.started("--trusted-proxy", "127.0.0.1")
        self.asked = self.hub.port
        if asks_service:
            self.asked = self.hub.add_service(self.server.url, "--kind", "plain", "--role", "guest", name="Wiki")
            self.hub.wait_for(lambda: "serves Wiki" in self.hub.log(), "the service")
        self.port = kind(self, self.hub, self.server.url, self.asked)
        return self.device("owner"), self.device("guest"), self.device("stranger", paired=False)

    def nobody_else_comes_in(self, owner, stranger):
        count = len(self.server.heads)
        with open(owner.certificate_path) as file:
            stolen = "".join(line.strip() for line in file if not line.startswith("-"))
        for who in (stranger, None):
            self.assertEqual([self.status(who), self.status(who, X_SSL_Client_Cert=stolen)], [401, 401])
        self.assertEqual(self.status(owner, "GET", "/hubpair/v1/device"), 404)
        self.assertEqual(self.status(owner, Sec_Fetch_Site="cross-site"), 403)
        self.hub.run("devices", "revoke", owner.fingerprint)
        self.hub.wait_for(lambda: self.status(owner) == 401, "the revocation")
        self.assertEqual(len(self.server.heads), count)

    def told(self, device):
        """What the server is told of who asks, whatever the client says."""
        self.assertEqual(self.status(device, X_Hubpair_Role="king", X_Hubpair_Name="Nobody"), 200)
        return [self.server.last(f"X-Hubpair-{each}") for each in ("Role", "Name", "Device")]

    def the_table_of_roles(self, kind):
        owner, guest, stranger = self.front(kind, asks_service=False)
        self.assertEqual(self.told(owner), [["owner"], ["The owner"], [owner.fingerprint]])
        self.assertEqual([self.status(owner, "DELETE"), self.status(guest), self.status(guest, "DELETE")], [200, 200, 403])
        self.assertEqual(
            self.status(guest, "DELETE", X_Forwarded_Method="GET", X_Original_Method="GET", X_Original_URI="/x"), 403)
        self.assertIsNotNone(self.echoes(owner))
        self.assertIsNone(self.echoes(guest))
        self.nobody_else_comes_in(owner, stranger)

    def the_rights_of_a_service(self, kind):
        owner, guest, stranger = self.front(kind, asks_service=True)
        self.assertEqual(self.told(guest), [["guest"], ["The guest"], [guest.fingerprint]])
        # Who may use it may do everything there.
        self.assertEqual([self.status(each, "DELETE") for each in (owner, guest)], [200, 200])
        self.assertIsNotNone(self.echoes(guest))
        self.hub.run("hub", "service", "deny", "Wiki", guest.fingerprint)
        self.hub.wait_for(lambda: self.status(guest) == 403, "the right taken away")
        self.assertIsNone(self.echoes(guest))
        self.assertEqual(self.status(owner), 200)
        self.hub.run("hub", "service", "allow", "Wiki", guest.fingerprint)
        self.hub.wait_for(lambda: self.status(guest) == 200, "the right")
        self.nobody_else_comes_in(owner, stranger)
        # Where it is the hub that serves it, nobody asks so.
        with Connection(self.asked, guest, source="127.0.0.9") as connection:
            self.assertEqual(connection.request("GET", "/hubpair/v1/verify")[0], 404)

    def test_nginx_asks_the_hub(self):
        self.the_table_of_roles(nginx)

    def test_caddy_asks_the_hub(self):
        self.the_table_of_roles(caddy)

    def test_nginx_asks_a_service(self):
        self.the_rights_of_a_service(nginx)

    def test_caddy_asks_a_service(self):
        self.the_rights_of_a_service(caddy)


class BehindTests(ProxyTests):
    """A proxy that somebody has already is a web server like any other: it stays, and the hub stands in front of it."""

    def use(self, behind):
        proxied = behind(self, self.server.url)
        self.hub = self.started()
        self.port = self.hub.add_service(f"http://127.0.0.1:{proxied}", name="Behind")
        self.hub.wait_for(lambda: "serves Behind" in self.hub.log(), "the service")
        owner, guest = self.device("owner"), self.device("guest")
        status, _, body = self.get(owner, X_Hubpair_Role="guest", Forwarded="for=9.9.9.9")
        self.assertEqual((status, body), (200, b"ok"))
        self.assertEqual((self.server.last("X-Hubpair-Role"), self.server.last("Forwarded")), (["owner"], []))
        # It is told the hub's name, and leads to its own port.
        for name in ("127.0.0.1", "localhost"):
            status, headers, _ = self.get(owner, path="/old", Host=f"{name}:{self.port}")
            self.assertIn((status, headers["Location"]), [
                (301, f"https://{name}:{self.port}/new"), (302, f"https://{name}:{self.port}/new")])
        self.assertIsNotNone(self.echoes(owner))
        self.assertEqual((self.status(guest), self.status(None)), (403, 401))

    def test_nginx(self):
        self.use(nginx_behind)

    def test_caddy(self):
        self.use(caddy_behind)


if __name__ == "__main__":
    unittest.main()
