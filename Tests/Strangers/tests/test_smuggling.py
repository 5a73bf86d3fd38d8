"""Request smuggling: streams from a grammar of faults go through the gateway to three servers with different
parsers. Each server may receive only the requests that a strict parser finds in the stream.

HUBPAIR_SEED repeats a run, HUBPAIR_STREAMS is the number of streams (default 4,000)."""
import collections
import contextlib
import copy
import json
import os
import re
import socket
import tempfile
import threading
import time
import unittest

import strict_http
from faulty_requests import Stream
from hub import Hestia, Hub, Nginx
from hestia import adhoc_context
from recorder import Recorder
from second_implementation import Attempt, Connection, Device

STREAMS = int(os.environ.get("HUBPAIR_STREAMS", "4000"))
SEED = os.environ.get("HUBPAIR_SEED") or str(int(time.time()))


class Announced:
    """The requests in the clients' streams, parsed strictly, and how the requests at a server differ from
    them."""

    def __init__(self):
        self.lock = threading.Lock()
        self.whole, self.broken, self.faults = {}, {}, []
        # The last truncated requests without a nonce: devices send at the same time, and a server may hear of one late.
        self.nameless = collections.deque(maxlen=40)
        self.arrived = 0

    def announce(self, stream, device):
        """Returns the requests of a stream, and why it ends."""
        found, why = strict_http.requests(stream.bytes)
        with self.lock:
            for message in found:
                # One without is not sent; see Lane.send.
                if (nonce := message.value(b"x-nonce")) is not None:
                    self.whole[nonce] = (message, device, stream.number)
            if last := getattr(why, "message", None):
                if (nonce := last.value(b"x-nonce")) is None:
                    self.nameless.append((last, device, stream.number))
                else:
                    self.broken[nonce] = (last, device, stream.number)
        return found, why

    def sent_nameless(self, message):
        """The last truncated request without a nonce that begins like this one; the last of all if none does."""
        alike = [sent for sent in self.nameless if sent[0].start[:2] == message.start[:2]
                 and sent[0].body.startswith(message.body)]
        said = message.value(b"x-hubpair-device")
        own = [sent for sent in alike if sent[1] and sent[1].fingerprint.encode() == said]
        return (own or alike or [*self.nameless] or [None])[-1]

    def fault(self, number, kind, what, received):
        with self.lock:
            self.faults.append((number, kind, what, received))

    def note(self, message, is_whole, why, received):
        """Records what a server received: `message`, complete or truncated, or no message because of
        `why`."""
        if why or message is None:
            if is_whole or why or b"\r\n\r\n" in received:
                self.fault(None, "told what is no request", why, received)
            return
        nonce = message.value(b"x-nonce")
        # The hub's own look at the house, which a hub that was busy may send at any moment; streams have a nonce.
        if message.start == (b"GET", b"/devices/", b"HTTP/1.1") and nonce is None and is_whole \
                and message.value(b"x-hubpair-name") == b"Kitchen hub" and not message.body:
            return
        with self.lock:
            self.arrived += is_whole
            sent = self.whole.get(nonce)
            if sent is None and not is_whole:
                sent = self.broken.get(nonce) if nonce is not None else self.sent_nameless(message)
            announced, device, number = sent or (None,) * 3
        if announced is None:
            return self.fault(None, "told of a request that nobody sent", nonce, received)
        if message.start[:2] != announced.start[:2]:
            self.fault(number, "another start", f"{announced.start} became {message.start}", received)
        if is_whole and message.body != announced.body or not announced.body.startswith(message.body):
            self.fault(number, "another body", f"{announced.body} became {message.body}", received)
        owners = [value.decode() for name, value in message.fields
                  if re.sub(rb"[^a-z]", b"", name.lower()) in (b"xhubpairdevice", b"xhubpair")]
        if device and owners != [device.fingerprint]:
            self.fault(number, "another device", f"{device.fingerprint} is said to be {owners}", received)


class Lane:
    """A hub with two approved devices, in front of one kind of server."""

    def __init__(self, test, folder, name):
        self.announced = Announced()
        if name == "http.server":
            self.log_path = os.path.join(folder, "hestia.log")
            server = Hestia("--plain", "--echo", "--log", self.log_path, sturdy=True)
            test.addCleanup(server.stop)
            self.url, self.port = server.url, server.port
        else:
            recorder = Recorder(self.announced.note, adhoc_context() if name == "recorder, https" else None)
            test.addCleanup(recorder.close)
            self.port = recorder.port
            self.url = f"{'https' if recorder.tls else 'http'}://127.0.0.1:{self.port}"
            if name == "nginx":
                nginx = Nginx(
                    f"underscores_in_headers on; ignore_invalid_headers off; merge_slashes off; location / {{"
                    f"proxy_pass {self.url}; proxy_http_version 1.1; proxy_set_header Connection ''; }}")
                test.addCleanup(nginx.stop)
                self.port, self.url = nginx.port, f"http://127.0.0.1:{nginx.port}"
        self.name = name
        # A service passes everything on at a port of its own, by other code.
        is_service = name.startswith("service")
        self.hub = Hub(None if is_service else self.url, concurrency=16)
        test.addCleanup(self.hub.remove)
        self.gate = self.hub.port
        if is_service:
            host = "server" if "rewritten" in name else "kept"
            self.gate = self.hub.add_service(
                self.url, "--kind", "plain", "--host", host, "--forwarded", "forwarded")
        self.hub.start()
        self.devices = [Device(os.path.join(folder, f"{name} {number}"), f"Device {number}") for number in (1, 2)]
        for device in self.devices:
            Attempt(self.hub.code(), device).send(self.hub.port)

    def send(self, stream, device):
        """Sends a stream and reads the answers; returns how many requests reached the server."""
        found, why = self.announced.announce(stream, device)
        if any(message.value(b"x-nonce") is None for message in found):
            return 0  # a fault merged two requests into one valid request, which cannot be identified
        methods = [message.start[0] for message in found]
        # A fault gets one more answer; a stream that ends within or after a request does not.
        wanted = len(methods) + isinstance(why, strict_http.Fault)
        data = b""
        with Connection(self.gate, device) as connection:
            connection.socket.settimeout(5 if wanted else 0.03)
            connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                for piece in stream.pieces():
                    connection.socket.sendall(piece)
                answers = []
                while len(answers) < wanted and not (answers and b"close" in answers[-1].values(b"connection")):
                    piece = connection.socket.recv(65536)
                    if not piece:
                        break
                    data += piece
                    answers = strict_http.answers(data, methods + [b"GET"])
            except TimeoutError:
                if wanted:
                    self.announced.fault(stream.number, "silence", f"{wanted} answers were expected", data)
            except OSError:
                pass  # closed before everything was sent
            except strict_http.Fault as fault:
                self.announced.fault(stream.number, "an answer that cannot be read", fault, data)
        return self.check(stream, device, found, data, methods)

    def check(self, stream, device, found, data, methods):
        through = 0
        try:
            answers = strict_http.answers(data, methods + [b"GET"])
        except strict_http.Fault:
            return 0
        for place, answer in enumerate(answers):
            echo = answer.value(b"x-echo")
            if echo is None:
                continue
            through += 1
            nonce = found[place].value(b"x-nonce") if place < len(found) else b"that was none"
            if echo != b"%s %s" % (nonce, device.fingerprint.encode()):
                self.announced.fault(
                    stream.number, "another request's answer", f"{device.fingerprint} got {echo} for {nonce}", data)
        return through

    def shrink(self, stream, device, kind):
        """Removes lines from a stream as long as it still causes the same kind of fault."""
        lines, at, tries = re.findall(rb"[^\n]*\n|[^\n]+", stream.bytes), 0, 0
        while at < len(lines) and (tries := tries + 1) < 100:
            fewer = copy.copy(stream)
            fewer.bytes, fewer.cuts = b"".join(lines[:at] + lines[at + 1:]), []
            self.announced.__init__()
            self.send(fewer, device)
            time.sleep(0.02)  # a request may be recorded after its answer
            if any(fault[1] == kind for fault in self.announced.faults):
                del lines[at]
            else:
                at += 1
        return b"".join(lines)


def read_log(path, announced):
    """Reads the requests as Python's http.server has parsed them."""
    with open(path, "rb") as log:
        for text in log:
            told = json.loads(text)
            fields = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in told["fields"]]
            message = strict_http.Message(tuple(each.encode("latin-1") for each in told["start"]), fields)
            message.body = bytes.fromhex(told["body"])
            announced.note(message, told["whole"], None, text)


class SmugglingTests(unittest.TestCase):
    NAMES = ["recorder", "recorder, https", "nginx", "service", "service, rewritten", "http.server"]

    def test_servers_are_told_what_clients_announce(self):
        print(f"smuggling: HUBPAIR_SEED={SEED} HUBPAIR_STREAMS={STREAMS}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            lanes = [Lane(self, folder, name) for name in self.NAMES]
            through = []

            def run(index, which):
                lane = lanes[index]
                device, other = lane.devices[which], lane.devices[1 - which]
                for number in range(2 * index + which, STREAMS, 2 * len(lanes)):
                    through.append(lane.send(Stream(SEED, number, other.fingerprint), device))

            # Both devices of every hub run concurrently.
            threads = [threading.Thread(target=run, args=[index, which]) for index in range(len(lanes)) for which in (0, 1)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            time.sleep(0.3)  # there is no event for the last request
            read_log(lanes[-1].log_path, lanes[-1].announced)
            for lane in lanes:
                print(f"  {lane.name}: {lane.announced.arrived} requests arrived", flush=True)
                with self.subTest(lane=lane.name):
                    self.assertIsNone(lane.hub.process.poll(), lane.hub.log()[-5000:])
                    self.explain(lane)
            self.assertEqual(len(through), STREAMS, "a thread has ended early")
            self.assertGreater(sum(through), STREAMS / 4, "the hub lets hardly anything through")

    def explain(self, lane):
        """Fails if there is a fault; prints the first one of each kind."""
        faults = lane.announced.faults
        kinds = collections.Counter(kind for _, kind, _, _ in faults)
        if not kinds:
            return
        text = f"behind {lane.name}: {dict(kinds)}"
        for each in kinds:
            number, _, what, received = next(fault for fault in faults if fault[1] == each)
            text += f"\n\n{each}: {what}\nreceived: {received[:2000]}"
            if number is None and b"x-nonce: " in received.lower():
                digits = received.lower().split(b"x-nonce: ")[-1].split(b"-")[0]
                number = int(digits) if digits.isdigit() else None
            if number is not None:
                which = number % 2
                stream = Stream(SEED, number, lane.devices[1 - which].fingerprint)
                text += f"\nHUBPAIR_SEED={SEED}, stream {number}, cuts {stream.cuts}: {stream.bytes[:4000]}"
                if lane.name != "http.server":
                    text += f"\nless of it: {lane.shrink(stream, lane.devices[which], each)[:4000]}"
        self.fail(text)

    def test_what_the_servers_alone_would_believe(self):
        """Control without a gateway: how often the servers parse a stream differently from the strict
        parser."""
        with tempfile.TemporaryDirectory() as folder:
            log_path = os.path.join(folder, "log")
            announced = {name: Announced() for name in ("nginx", "http.server")}
            recorder = Recorder(announced["nginx"].note)
            self.addCleanup(recorder.close)
            nginx = Nginx(
                f"merge_slashes off; location / {{ proxy_pass http://127.0.0.1:{recorder.port}; proxy_http_version 1.1;"
                "proxy_set_header Connection ''; }")
            self.addCleanup(nginx.stop)
            hestia = Hestia("--plain", "--echo", "--log", log_path)
            self.addCleanup(hestia.stop)
            numbers = range(0, STREAMS, 20)
            for number in numbers:
                stream = Stream(SEED, number, "AAAA-AAAA-AAAA-AAAA")
                for port, name in ((nginx.port, "nginx"), (hestia.port, "http.server")):
                    announced[name].announce(stream, None)
                    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.03) as client:
                        client.sendall(stream.bytes)
                        while client.recv(65536):
                            pass
            read_log(log_path, announced["http.server"])
            for name, each in announced.items():
                kinds = collections.Counter(kind for _, kind, _, _ in each.faults)
                print(f"  {name} alone, {len(numbers)} streams: {each.arrived} requests, {dict(kinds)}", flush=True)
            self.assertGreater(announced["http.server"].arrived, 0)


if __name__ == "__main__":
    unittest.main()
