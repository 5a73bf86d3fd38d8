#!/usr/bin/env python3
"""A small Home Assistant: fake.py PORT TOKEN [THINGS]

It answers as Home Assistant 2024.3.3 with its demo integration does: recorded.jsonl has the real one's own words, of
which some entities were kept. test_homeassistant runs the real one. THINGS more lamps are there. `POST /fake` changes a
state: {"entity_id", "state", "attributes"}; {"word": bytes} sends a text to everybody. The tokens that came and the services that were called are written to standard output.
"""
import base64
import hashlib
import json
import pathlib
import socketserver
import sys
import threading

RECORDED = [json.loads(line) for line in (pathlib.Path(__file__).parent / "recorded.jsonl").read_text().splitlines()]
PORT, TOKEN = int(sys.argv[1]), sys.argv[2]
LOCK = threading.RLock()
TALKS = set()


def recorded(kind):
    """The result that the real one gave."""
    return next(got["result"] for line in RECORDED if line["asked"] and line["asked"]["type"] == kind
                for got in line["got"] if got.get("type") == "result")


STATES = {state["entity_id"]: state for state in recorded("get_states")}
for number in range(int(sys.argv[3]) if len(sys.argv) > 3 else 0):
    name = f"light.lamp_{number}"
    STATES[name] = {"entity_id": name, "state": "off", "attributes": {
        "supported_color_modes": ["brightness"], "friendly_name": f"Lamp {number}"}}


def change(entity, state=None, attributes=None):
    with LOCK:
        old = STATES.get(entity)
        new = None if state is None else {
            "entity_id": entity, "state": state, "attributes": {**(old or {}).get("attributes", {}), **(attributes or {})}}
        if new:
            STATES[entity] = new
        else:
            STATES.pop(entity, None)
        for talk in list(TALKS):
            talk.tell({"type": "event", "id": talk.subscription, "event": {"event_type": "state_changed", "data": {
                "entity_id": entity, "old_state": old, "new_state": new}}})


def serve(domain, service, data, entity):
    """What the demo integration does; an error's words, or None."""
    state = STATES[entity]["state"]
    after = {"turn_on": "on", "turn_off": "off", "lock": "locked", "unlock": "unlocked", "open_cover": "open",
             "close_cover": "closed"}
    attributes = {}
    if service == "turn_on" and domain == "light":
        level = data.get("brightness", STATES[entity]["attributes"].get("brightness") or 255)
        attributes = {"brightness": level, **{k: v for k, v in data.items() if k == "hs_color"}}
    elif service == "turn_off" and domain == "light":
        attributes = {"brightness": None}
    elif service == "set_temperature":
        attributes = {"temperature": data["temperature"]}
    elif service == "set_cover_position":
        attributes = {"current_position": data["position"]}
    elif service not in after:
        return f"Service {domain}.{service} not found."
    change(entity, after.get(service, state), attributes)
    return None


class Talk(socketserver.StreamRequestHandler):
    subscription = None

    def handle(self):
        line = self.rfile.readline().decode().split()
        fields = {}
        while (field := self.rfile.readline().decode().strip()):
            name, _, value = field.partition(":")
            fields[name.lower()] = value.strip()
        body = self.rfile.read(int(fields.get("content-length", 0)))
        if line[1] == "/fake":
            wish = json.loads(body)
            if "word" in wish:
                for talk in list(TALKS):
                    talk.send(wish["word"].encode())
            else:
                change(wish["entity_id"], wish.get("state"), wish.get("attributes"))
            self.answer("200 OK", {})
        elif line[1] == "/api/":
            is_let_in = fields.get("authorization") == f"Bearer {TOKEN}"
            self.answer("200 OK" if is_let_in else "401 Unauthorized",
                        {"message": "API running."} if is_let_in else {})
        elif line[1] == "/api/websocket":
            key = hashlib.sha1(fields["sec-websocket-key"].encode() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
            self.wfile.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             b"Sec-WebSocket-Accept: " + base64.b64encode(key) + b"\r\n\r\n")
            try:
                self.talk()
            finally:
                with LOCK:
                    TALKS.discard(self)
        else:
            self.answer("404 Not Found", {})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.wfile.write(f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
                         "Connection: close\r\n\r\n".encode() + body)

    def talk(self):
        self.tell(RECORDED[0]["got"][0])
        told = self.read()
        print("token", "right" if told.get("access_token") == TOKEN else "wrong", flush=True)
        if told.get("access_token") != TOKEN:
            return self.tell({"type": "auth_invalid", "message": "Invalid access token or password"})
        self.tell(RECORDED[1]["got"][0])
        while (told := self.read()) is not None:
            self.take(told)

    def take(self, told):
        number, kind = told["id"], told["type"]
        if kind == "ping":
            return self.tell({"id": number, "type": "pong"})
        result, words = None, None
        if kind == "subscribe_events":
            if told["event_type"] == "state_changed":
                with LOCK:
                    self.subscription = number
                    TALKS.add(self)
        elif kind == "get_states":
            result = list(STATES.values())
        elif kind == "call_service":
            entity = told["target"]["entity_id"]
            print(told["domain"], told["service"], entity, json.dumps(told["service_data"]), flush=True)
            words = serve(told["domain"], told["service"], told["service_data"], entity)
        else:
            result = recorded(kind)
        if words:
            self.tell({"id": number, "type": "result", "success": False, "error": {
                "code": "not_found", "message": words}})
        else:
            self.tell({"id": number, "type": "result", "success": True, "result": result})

    def tell(self, value):
        self.send(json.dumps(value).encode())

    def send(self, text):
        size = len(text)
        head = (bytes([size]) if size < 126 else b"\x7e" + size.to_bytes(2, "big") if size < 65536
                else b"\x7f" + size.to_bytes(8, "big"))
        with LOCK:
            self.wfile.write(b"\x81" + head + text)

    def read(self):
        while True:
            head = self.rfile.read(2)
            if len(head) < 2:
                return None
            size = head[1] & 127
            if size > 125:
                size = int.from_bytes(self.rfile.read(2 if size == 126 else 8), "big")
            if not head[1] & 128:
                raise ValueError("a client masks what it sends")
            mask = self.rfile.read(4)
            text = bytes(byte ^ mask[index % 4] for index, byte in enumerate(self.rfile.read(size)))
            if head[0] & 15 == 1:
                return json.loads(text)
            if head[0] & 15 == 8:
                return None


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


with Server(("127.0.0.1", PORT), Talk) as server:
    print("ready", flush=True)
    server.serve_forever()
