"""Random hostile clients in front of the hub and random hostile servers behind it: the hub keeps running,
leaks no connection, and still answers. HUBPAIR_SEED repeats a run, HUBPAIR_ROUNDS makes it longer."""
import os
import random
import socket
import struct
import tempfile
import threading
import time
import unittest

from hub import Hub
from listener import Listener
from second_implementation import Attempt, Connection, Device

ROUNDS = int(os.environ.get("HUBPAIR_ROUNDS", "60"))
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
UPGRADE = b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
# The answers; the version is put in front of each.
ANSWERS = [b"HTTP/1.1 " + text for text in (
    b"101 X\r\n" + UPGRADE + b"\r\n\x81\x02hi", b"101 X\r\n" + UPGRADE + b"\r\n" + OK,
    b"101 X\r\n" + UPGRADE + b"Content-Length: 5\r\n\r\nabcde" + OK,
    b"101 X\r\n" + UPGRADE + b"Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n",
    b"101 X\r\nUpgrade: websocket\r\n\r\n" + OK, b"101 X\r\n\r\n" + OK,
    b"100 Continue\r\n\r\nHTTP/1.1 " * 500 + OK[9:], b"103 Early\r\nLink: x\r\n\r\n" + OK,
    b"099 X\r\n\r\n", b"000 X\r\n\r\n", b"999 X\r\nContent-Length: 0\r\n\r\n", b"1000 X\r\n\r\n", b"200\r\n\r\n",
    b"204 X\r\nContent-Length: 5\r\n\r\nabcde", b"304 X\r\nTransfer-Encoding: chunked\r\n\r\n",
    b"200 X\r\nContent-Length: 99999999999999999999\r\n\r\n", b"200 X\r\nContent-Length: -1\r\n\r\n",
    b"200 X\r\nContent-Length: 9223372036854775807\r\n\r\nabc",
    b"200 X\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
    b"200 X\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    b"200 X\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nabc",
    b"200 X\r\nTransfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\n\r\n",
    b"200 X\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + b"T: x\r\n" * 5000 + b"\r\n",
    b"200 X\r\n" + b"H: x\r\n" * 5000 + b"\r\n", b"200 X\r\nH: " + b"x" * 200_000 + b"\r\n\r\n",
    b"200 X\r\nH\x00: a\r\n\r\n", b"200 X\r\nH: a\rb\r\nContent-Length: 0\r\n\r\n", b"200 X\nH: a\n\n",
    b"200 \xff\r\nConnection: \xff, \x80\r\nContent-Length: 0\r\n\r\n",
    b"200 X\r\n" + UPGRADE + b"Content-Length: 2\r\n\r\nok", b"200 X\r\nConnection: close\r\n\r\nto the end")]
ANSWERS += [OK, OK + OK, OK + b"junk", b"junk" * 100, b"", b"\r\n\r\n", b"HTTP/2.0 200 OK\r\n\r\n",
            b"HTTP/1.0 200 OK\r\n\r\nto the end", b"\x16\x03\x01\x02\x00"]
WEB_SOCKET = b"GET /w HTTP/1.1\r\nHost: h\r\n" + UPGRADE + b"\r\n"
REQUESTS = [
    b"GET /x HTTP/1.1\r\nHost: h\r\n\r\n", b"HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n", b"GET /x HTTP/1.0\r\n\r\n",
    b"GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", WEB_SOCKET, WEB_SOCKET + b"early bytes",
    WEB_SOCKET.replace(b"GET", b"HEAD"), WEB_SOCKET.replace(b"websocket", b"h2c") + b"PRI * HTTP/2.0\r\n\r\n",
    WEB_SOCKET.replace(b"/w", b"/hubpair/v1/hub") + b"\x81\x85aaaaaaaaa",
    b"POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nabcde",
    b"POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab",
    b"POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\n\r\n",
    b"POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
    b"POST /x HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n",
    b"POST /hubpair/v1/pair HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n{}",
    b"POST /hubpair/v1/pair HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\nGET / HT",
    b"GET /1 HTTP/1.1\r\nHost: h\r\n\r\n" * 5, b"GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n",
    b"GET /hubpair/v1/hub HTTP/1.1\r\nHost: h\r\nContent-Length: 70000\r\n\r\n" + b"x" * 70_000,
    b"HEAD /hubpair/v1/hub HTTP/1.1\r\nHost: h\r\n\r\n" * 2, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", b"\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"]
ENDS = ["close", "reset", "half", "stay", "more"]


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def in_pieces(connection, data, cut, is_slow):
    """Sends `data` in two pieces, or the first 300 bytes one by one."""
    pieces = [data[at:at + 1] for at in range(min(300, len(data)))] + [data[300:]] if is_slow else [data[:cut], data[cut:]]
    for piece in pieces:
        connection.sendall(piece)
        time.sleep(0 if is_slow else 0.002)


class Upstream(Listener):
    """Answers every request with the same invalid bytes until `conduct` is changed."""

    def __init__(self):
        self.conduct = (OK, 0, False, "close")
        super().__init__()

    def serve(self, connection):
        with connection:
            connection.settimeout(3)
            try:
                while True:
                    data = b""
                    while b"\r\n\r\n" not in data:
                        piece = connection.recv(65536)
                        if not piece:
                            return
                        data += piece
                    answer, cut, is_slow, end = self.conduct
                    in_pieces(connection, answer, cut, is_slow)
                    if end == "close":
                        return
                    if end == "reset":
                        return reset(connection)
                    if end == "half":
                        connection.shutdown(socket.SHUT_WR)
                    if end == "more":
                        connection.sendall(b"more, which nobody asked for")
            except OSError:
                pass


class NonsenseTests(unittest.TestCase):
    def test_the_hub_outlives_them(self):
        seed = int(os.environ.get("HUBPAIR_SEED", random.randrange(1 << 32)))
        dice = random.Random(seed)
        upstream = Upstream()
        self.addCleanup(upstream.close)
        hub = Hub(f"http://127.0.0.1:{upstream.port}", options=["--max-connections", "512/200"])
        self.addCleanup(hub.remove)
        hub.start()
        with tempfile.TemporaryDirectory() as folder:
            device, stranger = (Device(os.path.join(folder, name), name) for name in ("device", "stranger"))
            Attempt(hub.code(), device).send(hub.port)
            for number in range(ROUNDS):
                answer = dice.choice(ANSWERS)
                upstream.conduct = (
                    answer, dice.randrange(len(answer) + 1), dice.random() < 0.15, dice.choice(ENDS))
                clients = []
                for _ in range(6):
                    request, who = dice.choice(REQUESTS), dice.choice([device] * 6 + [stranger, None])
                    how = (dice.randrange(len(request) + 1), dice.random() < 0.2, dice.choice(ENDS))
                    clients.append(threading.Thread(target=self.client, args=[hub.port, who, request, *how]))
                for client in clients:
                    client.start()
                for client in clients:
                    client.join()
                self.assertIsNone(hub.process.poll(), f"seed {seed}, round {number}\n{hub.log()[-20_000:]}")
            with Connection(hub.port, device) as connection:
                self.assertEqual(connection.request("GET", "/hubpair/v1/device")[0], 200)
        self.assertEqual(hub.stop(), 0, f"seed {seed}")  # within 10 seconds, so no connection was leaked

    def client(self, port, who, request, cut, is_slow, end):
        try:
            with Connection(port, who, timeout=0.3) as connection:
                if end == "reset":
                    reset(connection.socket)
                in_pieces(connection.socket, request, cut, is_slow)
                if end in ("close", "reset"):
                    return
                if end == "half":
                    connection.socket.unwrap()  # close_notify, followed by more data
                for _ in range(20):
                    if not connection.socket.recv(65536):
                        break
                    if end == "more":
                        connection.socket.sendall(request)
        except (OSError, ValueError):
            pass


if __name__ == "__main__":
    unittest.main()
