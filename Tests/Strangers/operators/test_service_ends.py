"""Web services behind the hub when things end: one is removed or dies while it is used, a device's role is taken, a body is too
large, a server is not there yet; and servers of several ports, keys and names."""
import contextlib
import json
import os
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest

from hub import Hub
from listener import Listener
from second_implementation import Attempt, Connection, Device, pin_of

UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\n"


class Server(Listener):
    """Reads chunked bodies, and keeps what came of each connection in `bodies`, and in `whole` those that came whole. /ws echoes,
    /stream and /half begin an answer and never end it, /early sends an early hint, anything else is told who asks."""

    def __init__(self, port=0, context=None):
        self.context, self.connections, self.bodies, self.whole, self.ended = context, [], [], [], 0
        super().__init__(port)

    @property
    def url(self):
        return f"{'https' if self.context else 'http'}://127.0.0.1:{self.port}"

    def serve(self, connection):
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            self.connections.append(connection)
            stack.callback(connection.close)
            stack.callback(self.note_end)
            data = b""
            while piece := connection.recv(65536):
                data += piece
                while b"\r\n\r\n" in data:
                    head, data = data.split(b"\r\n\r\n", 1)
                    data = self.answer(connection, head.decode("latin-1"), data)

    def note_end(self):
        self.ended += 1

    def answer(self, connection, head, data):
        target = head.split(" ")[1]
        if "transfer-encoding" in head.lower():
            self.bodies.append(data)
            at = len(self.bodies) - 1
            while not data.endswith(b"0\r\n\r\n"):
                piece = connection.recv(65536)
                if not piece:
                    raise OSError("cut short")
                data += piece
                self.bodies[at] = data
            self.whole.append(data)
            data = b""
        if target == "/ws":
            connection.sendall(f"HTTP/1.1 101 Switching\r\n{UPGRADE}\r\n".encode() + data)
            while piece := connection.recv(65536):
                connection.sendall(piece)
        elif target == "/stream":
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n")
        elif target == "/half":
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf!")
        else:
            early = b"HTTP/1.1 103 Early Hints\r\nLink: </x.css>; rel=preload\r\n\r\n" if target == "/early" else b""
            lines = [line for line in head.split("\r\n") if line.lower().startswith(("x-hubpair-", "cookie", "host"))]
            body = "\n".join(lines).encode()
            connection.sendall(
                early + b"HTTP/1.1 200 OK\r\nSet-Cookie: sid=%d; HttpOnly; Domain=127.0.0.1; SameSite=None\r\nContent-Length: %d\r\n\r\n%s"
                % (len(self.connections), len(body), body))
        return data

    def die(self):
        """As a process does that is killed: it listens no more, and what it has open is reset."""
        self.close()
        for each in self.connections:
            with contextlib.suppress(OSError):
                each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                each.shutdown(socket.SHUT_RDWR)
                each.close()


class ServiceEndTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.hub = Hub()
        self.addCleanup(self.hub.remove)
        self.hub.start()
        self.member = self.device("Laptop")

    def server(self, port=0, context=None):
        server = Server(port, context)
        self.addCleanup(server.close)
        return server

    def device(self, name, *options):
        device = Device(os.path.join(self.folder, name), name)
        Attempt(self.hub.code(*options), device).send(self.hub.port)
        return device

    def added(self, url, *options, name="Service"):
        port = self.hub.add_service(url, *options, name=name)
        self.hub.wait_for(lambda: self.is_served(port), "the service")
        return port

    @staticmethod
    def is_served(port):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return True
        except ConnectionRefusedError:
            return False

    def get(self, port, path="/", device=None, **headers):
        headers = {"Host": f"127.0.0.1:{port}", **{name.replace("_", "-"): value for name, value in headers.items()}}
        with Connection(port, device or self.member) as connection:
            return connection.request("GET", path, None, headers)

    def opened(self, port, path, *, until, device=None, fields="", into=None):
        """A connection on which this was asked, and answered so far; what came goes into the list `into`."""
        connection = Connection(port, device or self.member, timeout=120)
        self.addCleanup(connection.close)
        connection.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{fields}\r\n".encode())
        data = b""
        while until not in data:
            piece = connection.socket.recv(65536)
            self.assertTrue(piece, data)
            data += piece
        if into is not None:
            into.append(data)
        return connection.socket

    def web_socket(self, port, device=None):
        opened = self.opened(port, "/ws", until=b"\r\n\r\n", device=device, fields=UPGRADE)
        self.echo(opened)
        return opened

    def echo(self, opened):
        opened.sendall(b"hello")
        self.assertEqual(opened.recv(5), b"hello")

    @staticmethod
    def rest(opened):
        """What still comes until the end, which comes."""
        data = b""
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            while piece := opened.recv(65536):
                data += piece
        return data

    def test_removed_while_everything_is_open(self):
        server, other = self.server(), self.server()
        port, neighbour = self.added(server.url), self.added(other.url, name="Neighbour")
        socket_to, theirs = self.web_socket(port), self.web_socket(neighbour)
        stream = self.opened(port, "/stream", until=b"data: 1")
        upload = Connection(port, self.member, timeout=120)
        self.addCleanup(upload.close)
        upload.socket.sendall(b"POST /up HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
        self.hub.wait_for(lambda: any(b"hello" in body for body in server.bodies), "the upload")
        self.hub.run("hub", "service", "remove", "Service")
        # The end of the stream must not look like its own: no last chunk.
        self.assertEqual([self.rest(each) for each in (socket_to, stream)], [b"", b""])
        self.assertNotIn(b" 200 ", self.rest(upload.socket))
        self.hub.wait_for(lambda: server.ended == len(server.connections), "nothing is left open to the server")
        self.assertEqual(server.whole, [])
        self.assertFalse(self.is_served(port))
        self.echo(theirs)
        # The same again, at once.
        self.hub.run("hub", "service", "add", "Service", server.url, "--port", str(port), "--kind", "plain")
        self.hub.wait_for(lambda: self.is_served(port), "the service once more")
        self.assertEqual(self.get(port)[0], 200)
        self.echo(theirs)

    def test_a_role_that_is_taken_ends_what_is_open(self):
        server = self.server()
        port = self.added(server.url)
        ours, theirs = self.web_socket(port), self.web_socket(port, self.device("Tablet"))
        stream = self.opened(port, "/stream", until=b"data: 1")
        self.hub.run("devices", "role", "Laptop", "guest")
        self.assertEqual([self.rest(each) for each in (ours, stream)], [b"", b""])
        self.assertEqual(self.get(port)[0], 403)
        self.echo(theirs)
        self.hub.run("devices", "role", "Laptop", "member")
        self.web_socket(port)
        # So does the service's own: for owners alone.
        self.hub.run("hub", "service", "add", "Service", server.url, "--kind", "plain", "--role", "owner")
        self.assertEqual(self.rest(theirs), b"")
        self.assertEqual(self.get(port)[0], 403)
        self.hub.run("devices", "role", "Laptop", "owner")
        self.web_socket(port)

    def test_a_server_that_dies_and_comes_again(self):
        server = self.server()
        port = self.added(server.url)
        socket_to, stream = self.web_socket(port), self.opened(port, "/stream", until=b"data: 1")
        half = self.opened(port, "/half", until=b"half!")
        server.die()
        # Neither looks whole: no last chunk, and fewer bytes than were said.
        self.assertEqual([self.rest(each) for each in (socket_to, stream, half)], [b""] * 3)
        status, _, body = self.get(port)
        self.assertEqual((status, json.loads(body)["error"]), (502, "upstream_unavailable"))
        self.server(server.port)
        self.hub.wait_for(lambda: self.get(port)[0] == 200, "the server")
        self.web_socket(port)

    def test_one_that_is_added_before_it_runs(self):
        listener = socket.create_server(("127.0.0.1", 0))
        later = listener.getsockname()[1]
        listener.close()
        port = self.added(f"http://127.0.0.1:{later}")
        self.assertEqual(self.get(port)[0], 502)
        self.server(later)
        self.hub.wait_for(lambda: self.get(port)[0] == 200, "the server")

    def test_a_body_that_grows_too_large(self):
        """In the middle of its chunks: the server never sees it whole, and the next request is answered."""
        server = self.server()
        port = self.added(server.url, "--kind", "plain", "--max-body", "100000")
        chunk = b"8000\r\n" + b"x" * 0x8000 + b"\r\n"
        with Connection(port, self.member, timeout=120) as connection:
            said = connection.raw(
                b"POST /up HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk * 8 + b"0\r\n\r\n")
        self.assertIn(b" 413 ", said.split(b"\r\n")[0])
        self.assertIn(b'"error":"too_large"', said)
        self.hub.wait_for(lambda: server.ended == len(server.connections), "the connection to the server ends")
        self.assertEqual(server.whole, [])
        self.assertLessEqual(sum(map(len, server.bodies)), 100_000 + 200)
        with Connection(port, self.member) as connection:
            said = connection.raw(
                b"POST /up HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n186a0\r\n" + b"x" * 100_000 + b"\r\n0\r\n\r\n",
                end=False)
        self.assertIn(b" 200 ", said.split(b"\r\n")[0])
        self.assertEqual(sum(body.count(b"x") for body in server.whole), 100_000)

    def test_two_services_on_one_server(self):
        server = self.server()
        one, other = self.added(server.url, name="One"), self.added(server.url, "--role", "guest", "--kind", "plain", name="Other")
        guest = self.device("Guest", "--role", "guest")
        self.assertEqual([self.get(port, device=guest)[0] for port in (one, other)], [403, 200])
        jar = [self.get(port)[1]["Set-Cookie"].split(";") for port in (one, other)]
        names = [each[0].split("=")[0] for each in jar]
        self.assertEqual(names, [f"__Http-hubpair-{port}-sid" for port in (one, other)])
        self.assertEqual([{word.strip() for word in each[1:]} for each in jar], [{"HttpOnly", "SameSite=None", "Secure"}] * 2)
        # Each has a login of its own there.
        for port, own in ((one, "sid=1"), (other, "sid=2")):
            said = self.get(port, Cookie="; ".join(f"{name}={at}" for name, at in zip(names, (1, 2))))[2].decode()
            self.assertIn(f"ookie: {own}", said)
        theirs = self.web_socket(other, guest)
        ours = self.web_socket(one)
        self.hub.run("hub", "service", "remove", "One")
        self.assertEqual(self.rest(ours), b"")
        self.echo(theirs)

    def test_a_server_with_a_certificate_of_its_own(self):
        path = os.path.join(self.folder, "server.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", path,
             "-out", path + ".crt", "-subj", "/CN=nobody", "-days", "1"], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path + ".crt", path)
        server = self.server(context=context)
        port = self.added(server.url)
        self.assertEqual(self.get(port)[0], 200)
        self.web_socket(port)
        self.assertEqual(json.loads(self.hub.run("hub", "service", "--json"))["url"], server.url)
        # With a pin that one alone, here too.
        from cryptography import x509
        with open(path + ".crt", "rb") as file:
            pin = pin_of(x509.load_pem_x509_certificate(file.read()).public_key())
        import base64
        right = self.added(f"{server.url}#sha256//{base64.b64encode(pin).decode()}", name="Right")
        wrong = self.added(f"{server.url}#sha256//{base64.b64encode(bytes(32)).decode()}", name="Wrong")
        self.assertEqual([self.get(each)[0] for each in (right, wrong)], [200, 502])

    def test_names_that_people_give(self):
        server = self.server()
        names = ["Küche 🏠 2", "<b>&\"'", "8001", "数据"]
        ports = [self.added(server.url, name=name) for name in names]
        self.assertEqual([self.get(port)[0] for port in ports], [200] * len(ports))
        listed = json.loads(self.get(self.hub.port, "/hubpair/v1/services")[2])["services"]
        self.assertEqual([each["name"] for each in listed], names)
        page = self.get(ports[1], device=self.device("Guest", "--role", "guest"), Accept="text/html")[2].decode()
        self.assertIn("&lt;b&gt;&amp;", page)
        self.assertNotIn("<b>", page)
        for name in names:
            self.hub.run("hub", "service", "deny", name, "Laptop")
            self.hub.run("hub", "service", "remove", name)
        journal = [json.loads(line) for line in self.hub.run("hub", "journal", "--list", "house", "--json").splitlines()]
        self.assertEqual([each["what"] for each in journal if each["event"] == "removed"], names)

    def test_hints_before_the_answer(self):
        """103 Early Hints, which few servers send: the answer comes."""
        port = self.added(self.server().url)
        heads = []
        self.opened(port, "/early", until=b"X-Hubpair-Role: member", into=heads)
        self.assertEqual([head.split(b"\r\n")[0] for head in heads[0].split(b"\r\n\r\n")[:2]], [b"HTTP/1.1 103 Early Hints", b"HTTP/1.1 200 OK"])


if __name__ == "__main__":
    unittest.main()
