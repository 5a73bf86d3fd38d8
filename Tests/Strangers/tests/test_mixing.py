"""A faulty server with four devices that use it concurrently: no device gets a byte of another's answer, no
ambiguous answer is forwarded, and a connection with surplus bytes is not reused. HUBPAIR_SEED repeats a run,
HUBPAIR_ANSWERS is the number of answers (default 2,000)."""
import collections
import functools
import os
import re
import select
import socket
import struct
import tempfile
import threading
import time
import unittest

import strict_http
from faulty_answers import Answer
from hestia import adhoc_context
from hub import Hub
from listener import Listener
from second_implementation import Attempt, Connection, Device

Answer = functools.lru_cache(1000)(Answer)
ANSWERS = int(os.environ.get("HUBPAIR_ANSWERS", "2000"))
SEED = os.environ.get("HUBPAIR_SEED") or str(int(time.time()))
DEVICES, LANES = 4, 3


def has_more(connection, is_encrypted, seconds):
    """Whether there is something to read within so many seconds."""
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    return bool(is_encrypted and connection.pending() or poll.poll(max(0, 1000 * seconds)))


class FaultyServer(Listener):
    """Answers `METHOD /NUMBER` with Answer(SEED, NUMBER)."""

    def __init__(self, tls, fault):
        self.tls, self.fault = tls, fault
        super().__init__()

    def serve(self, raw):
        spoilt = None  # the number of the spoiling answer, and its time
        is_over = False  # what comes now was sent long after the spoiling answer
        connection = raw
        try:
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            raw.settimeout(60)
            if self.tls:
                connection = self.tls.wrap_socket(raw, server_side=True)
            data = b""
            while True:
                # A request already in progress when the server spoilt the connection is not a fault. On a busy
                # machine the hub may see the spoiling bytes some 100 ms after they were sent, and what it sent until
                # then may be read here at any time: the connection is over once nothing is left of that.
                if spoilt and not data:
                    is_over = is_over or not has_more(connection, self.tls, spoilt[1] + 0.5 - time.monotonic())
                piece = connection.recv(65536)
                if not piece:
                    return
                data += piece
                try:
                    request, end = strict_http.request(data)
                except strict_http.Partial:
                    continue
                if request.start[1] == b"/devices/":
                    return  # the hub's own look at the states, after an order
                number = int(request.start[1][1:])
                if is_over:
                    self.fault(spoilt[0], f"its connection was used again, for {number}", data)
                data = data[end:]
                # Not only after the answer, when the hub may send the next request at once.
                if spoilt and not data and time.monotonic() - spoilt[1] > 0.5:
                    is_over = is_over or not has_more(connection, self.tls, 0)
                answer = Answer(SEED, number)
                for pause, text in answer.pieces:
                    time.sleep(pause)
                    connection.sendall(text)
                if answer.spoils:
                    spoilt = spoilt or (number, time.monotonic())
                if answer.end in ("close", "nothing"):
                    return
                if answer.end == "reset":
                    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    return
                if answer.end == "half":
                    socket.socket.shutdown(connection, socket.SHUT_WR)  # Python's TLS would drop its keys
        except OSError:
            pass
        finally:
            connection.close()


class MixingTests(unittest.TestCase):
    def setUp(self):
        self.faults, self.counts = [], collections.Counter()

    def fault(self, number, what, received):
        self.faults.append((number, what, received))

    def test_nobody_gets_anothers_answer(self):
        print(f"mixing: HUBPAIR_SEED={SEED} HUBPAIR_ANSWERS={ANSWERS}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            tls = adhoc_context()
            threads = []
            # The third server is a service, at a port of its own.
            for lane, context in enumerate((None, tls, None)):
                server = FaultyServer(context, self.fault)
                self.addCleanup(server.close)
                url = f"{'https' if context else 'http'}://127.0.0.1:{server.port}"
                hub = Hub(None if lane == 2 else url, concurrency=16)
                self.addCleanup(hub.remove)
                gate = hub.add_service(url) if lane == 2 else hub.port
                hub.start()
                for which in range(DEVICES):
                    device = Device(os.path.join(folder, f"{lane}.{which}"), f"Device {which}")
                    Attempt(hub.code(), device).send(hub.port)
                    threads.append(threading.Thread(target=self.ask, args=[gate, device, len(threads)]))
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        print(f"  {dict(self.counts)}", flush=True)
        self.assertGreater(self.counts["passed on"], ANSWERS / 4)
        if self.faults:
            kinds = collections.Counter(re.sub(r"\d+|b'.*", "…", what)[:90] for _, what, _ in self.faults)
            text = f"HUBPAIR_SEED={SEED}: {dict(kinds)}"
            for each in kinds:
                number, what, received = next(
                    fault for fault in self.faults if re.sub(r"\d+|b'.*", "…", fault[1])[:90] == each)
                answer = Answer(SEED, number)
                text += (f"\n\nanswer {number} to {answer.method}: {what}\nreceived: {received[:500]}\n"
                         f"the server: {[(pause, piece[:700]) for pause, piece in answer.pieces]}, then {answer.end}")
            self.fail(text)

    def ask(self, gate, device, which):
        """Sends every twelfth request, reusing its connection as long as possible."""
        connection = None
        for number in range(which, ANSWERS, LANES * DEVICES):
            answer = Answer(SEED, number)
            if connection is None:
                connection = Connection(gate, device, timeout=20)
            body = b"x" if answer.method in (b"POST", b"PUT") else b""
            length = b"Content-Length: %d\r\n" % len(body) if body else b""
            if not self.take(number, answer, connection, b"%s /%d HTTP/1.1\r\nHost: h\r\n%s\r\n%s" % (
                    answer.method, number, length, body)):
                connection.close()
                connection = None
        if connection:
            connection.close()

    def take(self, number, answer, connection, request):
        """Sends a request and checks the answer; returns false if the connection has ended."""
        data, message, is_over, start = b"", None, False, 0
        # A late answer after another request of the same device cannot be distinguished from the answer to
        # that. It comes after 50 ms, in which a device sends several requests.
        before = [Answer(SEED, other) for other in range(number % (LANES * DEVICES), number, LANES * DEVICES)[-8:]]
        is_behind_late = any(other.is_late for other in before)
        is_vain = answer.end == "hang" or answer.is_unfinished
        is_due = not is_vain and not is_behind_late and (answer.message or answer.end != "stay")
        try:
            connection.socket.settimeout(0.3 if is_vain else 60)
            connection.socket.sendall(request)
            while message is None and not is_over:
                piece = connection.socket.recv(1 << 20)
                is_over = not piece
                data += piece
                message, start = self.read(data, start, answer.method, is_over)
        except (TimeoutError, OSError) as error:
            if isinstance(error, TimeoutError) and not is_vain:
                if is_due or data and not is_behind_late:
                    self.fault(number, "silence", data)
                self.counts["waited in vain"] += 1  # for example for the end of a header line
            is_over = True
        except strict_http.Fault as fault:
            self.fault(number, f"the hub's own answer cannot be read: {fault}", data)
            return False
        for mark in set(re.findall(rb"<(\d+)>", data)) - {b"%d" % number}:
            if int(mark) % (LANES * DEVICES) != number % (LANES * DEVICES):
                self.fault(number, f"another device's answer, {int(mark)}", data)
            elif not is_behind_late:
                self.fault(number, f"the device's own answer to something else, {int(mark)}", data)
        if message is None:
            self.counts["broken off"] += 1
            if answer.is_clean and not is_behind_late:
                self.fault(number, "a good answer was broken off", data)
            return False
        code, given = message.start[1], answer.message
        if given and (code, message.body) == (given.start[1], given.body):
            self.counts["passed on"] += 1
        elif code in (502, 504):
            self.counts["502"] += 1
            if answer.is_clean and not is_behind_late:
                self.fault(number, "a good answer became 502", data)
        elif is_behind_late:
            self.counts["late, the device's own"] += 1
        elif given is None:
            self.fault(number, f"what has no one meaning was passed on as {code} with {len(message.body)} bytes", data)
        else:
            self.fault(number, f"{given.start[1]} with {len(given.body)} bytes became {code} with {len(message.body)}", data)
        return not is_over and b"close" not in message.values(b"connection")

    def read(self, data, at, method, is_over):
        """The final answer in `data` from `at` on, or None; and the offset to continue from."""
        try:
            while True:
                message, end = strict_http.answer(data, at, method)
                if message.start[1] >= 200:
                    return message if end is not None or is_over else None, at
                at = end
        except strict_http.Partial:
            return None, at


if __name__ == "__main__":
    unittest.main()
