#!/usr/bin/python3
"""A faulty server behind the gateway, in place of a Hestia server.

    broken.py PORT MODE-FILE

The mode is read from the file for every request, so that one server can fail in many ways:

    html     200 and a page                     half     200 and half of a JSON list, in a whole response
    cut      200 and a truncated response       nothing  closes without a byte
    none     an empty list for every request
    empty    200 without a body                 500      500 and a page
    types    JSON of other types                slow     a good list, a byte at a time
    hostile  a device with a name of a megabyte and escape sequences in its type and state
    deep     100,000 brackets                   deaf     accepts every order and carries out none
    hangs    does not answer an order           late     carries out an order after 2.5 seconds
    steps    carries out orders at once; its levels are multiples of one tenth
    crowd    30 lamps; the first 12 do not answer an order; when orders came is written to the file MODE-FILE.log
    deafs    the same 30 lamps in the mode "deaf"
"""
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LAMP = {"deviceId": "a1", "name": "Lamp", "type": "Light", "activators": [
    {"activatorId": "b1", "rank": 0, "name": "On/Off", "type": "bool", "state": False}]}
DIMMER = {"activatorId": "b2", "rank": 0, "name": "Dimmer", "type": "float", "state": 0.0}
CROWD = [LAMP | {"deviceId": f"c{n}", "name": f"Lamp {n}", "activators": [
    {"activatorId": f"d{n}", "rank": 0, "name": "On/Off", "type": "bool", "state": False}]} for n in range(30)]
PAGE = b"<!DOCTYPE html><title>Router</title><h1>Log in</h1>"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body, kind="application/json", missing=0):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body) + missing))
        self.end_headers()
        return self.wfile.write(body)

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with open(sys.argv[2]) as file:
            mode = file.read().strip()
        house = json.dumps([LAMP]).encode()
        if mode == "html":
            self.answer(200, PAGE, "text/html")
        elif mode == "half":
            self.answer(200, house[:len(house) // 2])
        elif mode == "cut":
            self.answer(200, house[:20], missing=1000)
            self.close_connection = True
        elif mode == "nothing":
            self.close_connection = True
        elif mode == "empty":
            self.answer(200, b"")
        elif mode == "none":
            self.answer(200, b"[]")
        elif mode == "500":
            self.answer(500, PAGE, "text/html")
        elif mode == "types":
            self.answer(200, json.dumps([LAMP | {"activators": "none"}]).encode())
        elif mode == "slow":
            self.send_response(200)
            self.send_header("Content-Length", str(len(house)))
            self.end_headers()
            for byte in house:
                self.wfile.write(bytes([byte]))
                time.sleep(0.002)
        elif mode == "hostile":
            state = [{"activatorId": "b1", "rank": 0, "name": "\u202e\x1b[2J", "type": "\x1b]0;x\x07",
                      "state": "\x1b[31m" * 100}]
            self.answer(200, json.dumps([LAMP | {
                "name": "\x1b[2J" + "N" * 1_000_000, "type": "T\u0301" + "\u0301" * 100_000,
                "activators": state}]).encode())
        elif mode == "deep":
            self.answer(200, b"[" * 100_000 + b"]" * 100_000)
        elif mode == "hangs" and self.command == "POST":
            time.sleep(60)
        elif mode == "steps":
            if self.command == "POST":
                DIMMER["state"] = round(json.loads(body)["state"], 1)
            lamp = LAMP | {"activators": [DIMMER]}
            self.answer(200, json.dumps(DIMMER if "activators" in self.path else [lamp]).encode())
        elif mode in ("crowd", "deafs"):
            parts = self.path.strip("/").split("/")
            number = int(parts[1][1:]) if len(parts) > 1 else 0
            if self.command == "POST":
                with open(sys.argv[2] + ".log", "a") as file:
                    file.write(f"{time.monotonic()}\n")
                if mode == "crowd" and number < 12:
                    return time.sleep(60)
                if mode == "crowd":
                    CROWD[number]["activators"][0].update(json.loads(body))
            one = {1: CROWD, 2: CROWD[number], 4: CROWD[number]["activators"][0]}[len(parts)]
            self.answer(200, json.dumps(one).encode())
        elif mode in ("deaf", "hangs", "late"):
            if self.command == "POST":
                if mode == "late":
                    state = json.loads(body)["state"]
                    threading.Timer(2.5, lambda: LAMP["activators"][0].update(state=state)).start()
                self.answer(201, b'"state updated"')
            else:
                parts = self.path.strip("/").split("/")
                one = {1: [LAMP], 2: LAMP, 4: LAMP["activators"][0]}[len(parts)]
                self.answer(200, json.dumps(one).encode())

    do_POST = do_PUT = do_DELETE = do_GET


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # a client that disconnects is normal


if __name__ == "__main__":
    Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
