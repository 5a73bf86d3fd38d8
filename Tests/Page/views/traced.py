"""What Chromium's main thread does, as Chromium traces it: its own protocol, over a WebSocket (RFC 6455)."""
import base64
import json
import os
import socket
import struct
import urllib.request

from chromium import Chromium


class Traced(Chromium):
    def first_answer(self, wish):
        answer = super().first_answer(wish)
        self.address = answer["capabilities"]["goog:chromeOptions"]["debuggerAddress"]
        return answer

    def traced(self, act, *categories):
        """What Chromium tells of its pages' main threads while `act` runs."""
        tools = DevTools(self.address)
        tools.send("Tracing.start", transferMode="ReportEvents", traceConfig={"includedCategories": list(categories)})
        try:
            act()
        finally:
            tools.send("Tracing.end")
            events = tools.events_until("Tracing.tracingComplete")
            tools.socket.close()
        entries = [each for event in events if event["method"] == "Tracing.dataCollected" for each in event["params"]["value"]]
        main = {(each["pid"], each["tid"]) for each in entries
                if each["name"] == "thread_name" and each["args"]["name"] == "CrRendererMain"}
        return [each for each in entries if (each["pid"], each["tid"]) in main]

    def tasks(self, act):
        """The milliseconds of processor time of each task while `act` runs, the longest first. Time that other programs
        take on a busy machine is not in it."""
        threads = {}
        for each in self.traced(act, "toplevel"):
            if each["name"] == "ThreadControllerImpl::RunTask":
                threads.setdefault(each["pid"], []).append(each.get("tdur", 0) / 1000)
        # The page's process, and not a spare one.
        return sorted(max(threads.values(), key=sum), reverse=True)


class DevTools:
    def __init__(self, address):
        with urllib.request.urlopen(f"http://{address}/json/version") as answer:
            path = json.load(answer)["webSocketDebuggerUrl"].split(address)[1]
        host, port = address.split(":")
        self.socket = socket.create_connection((host, int(port)), timeout=240)
        self.socket.sendall((
            f"GET {path} HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        self.file = self.socket.makefile("rb")
        while self.file.readline().strip():
            pass
        self.count, self.events = 0, []

    def send(self, method, **parameters):
        self.count += 1
        data = json.dumps({"id": self.count, "method": method, "params": parameters}).encode()
        mask = os.urandom(4)
        self.socket.sendall(
            struct.pack(">BBH", 0x81, 0xFE, len(data)) + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(data)))
        while (message := self.message()).get("id") != self.count:
            self.events.append(message)

    def events_until(self, method):
        while not self.events or self.events[-1].get("method") != method:
            self.events.append(self.message())
        return self.events

    def message(self):
        data = b""
        while True:
            first, length = self.file.read(2)
            length &= 127
            if length > 125:
                length = int.from_bytes(self.file.read(2 if length == 126 else 8), "big")
            data += self.file.read(length)
            if first & 0x80:
                return json.loads(data)
