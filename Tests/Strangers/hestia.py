#!/usr/bin/python3
"""A stand-in for the Hestia server of 2018, with its API, its error format and its lack of protection:
HTTPS with a new key at every start, no authentication, every path accessible to everyone.

    hestia.py [--port PORT] [--listen ADDRESS] [--plain] [--devices N] [--house FILE] [--delay SECONDS] [--serial]
              [--dead] [--fragile] [--echo] [--log FILE]

Prints its port on one line, then serves until it is killed. Besides the API it has paths under /test/ that
check what a gateway must forward: `echo` (reports the received request), `events` (server-sent events),
`socket` (WebSocket echo), `slow` (a body in pieces), `count` (the number of requests so far); and `all-on`, `all-off`,
which switch all appliances at one moment.

--fragile: its database breaks, as the real one's does. That is a file of JSON (TinyDB), which each request reads or
writes in a thread of its own without a lock; two at once leave a file that cannot be read, and from then on whatever
needs it gets 500 with the JSON of a JSONDecodeError. Here any two that overlap do so, which standard error tells.
"""
import argparse
import base64
import hashlib
import json
import os
import socketserver
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

REQUIRED = {
    "ip": "An mock variable for an IP address", "port": "An mock variable for an port",
    "name": "This name will be used to represent the device"}
HUE = {
    "user": "Identification string for communication with the hue bridge, "
            "if left empty the button on the hue needs to be pressed"}
PLUGINS = {"mock": ["lock", "light"], "philips": ["hue"]}
HTML_404 = (
    b'<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n'
    b"<p>The requested URL was not found on the server.  If you entered the URL manually please check your spelling "
    b"and try again.</p>\n")


class House:
    """The devices, and a lock around them."""

    def __init__(self, count):
        self.lock = threading.Lock()
        self.devices = {}
        self.next_id = 0x6B010ECCA57D7851C19A0448
        self.requests = 0
        self.at_work = 0
        self.is_broken = False
        for number in range(count):
            self.add("lock" if number % 2 else "light", f"Device {number}")

    def new_id(self):
        self.next_id += 1
        return f"{self.next_id:024x}"

    def add(self, plugin, name):
        kinds = [("On/Off", "bool", False), ("Dimmer", "float", 0.5)]
        if plugin == "lock":
            kinds = [("Activate", "bool", False)]
        activators = [
            {"activatorId": self.new_id(), "rank": rank, "name": word, "type": kind, "state": state}
            for rank, (word, kind, state) in enumerate(kinds)]
        device = self.new_id()
        self.devices[device] = {
            "deviceId": device, "name": name, "type": {"lock": "Lock"}.get(plugin, "Light"), "activators": activators}


    def begin(self, what):
        """A request reaches for the database."""
        with self.lock:
            self.at_work += 1
            if self.at_work > 1 and not self.is_broken:
                self.is_broken = True
                print(f"the database is broken: {what} overlaps with another request", file=sys.stderr, flush=True)

    def end(self):
        with self.lock:
            self.at_work -= 1


class Refusal(Exception):
    def __init__(self, status, exception, /, **details):
        self.status = status
        self.body = {"error": {"exception": exception, "details": details}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "Werkzeug/0.14.1"

    def log_message(self, *_):
        pass

    def answer(self, status, value, kind="application/json"):
        body = value if isinstance(value, bytes) else json.dumps(value).encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if status != 204 and self.command != "HEAD":
            self.wfile.write(body)

    def read_body(self):
        self.is_cut_off = False
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            whole = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                whole += self.rfile.read(size)
                self.rfile.readline()
            while self.rfile.readline().strip():
                pass
            return whole
        count = int(self.headers.get("Content-Length", 0))
        whole = self.rfile.read(count)
        self.is_cut_off = len(whole) < count
        return whole

    def json(self):
        try:
            return json.loads(self.body)
        except ValueError:
            raise Refusal(500, "ServerException", exception="BadRequest") from None

    def find(self, kind, table, key):
        if key not in table:
            raise Refusal(404, "NotFoundException", type=kind)
        return table[key]

    def handle_one(self):
        house = self.server.house
        with house.lock:
            house.requests += 1
        path = self.path.split("?")[0]
        self.body = self.read_body()
        if self.server.log:
            # http.server replaces a leading // by / to prevent an open redirect.
            target = self.requestline.split(" ")[1] if "//" in self.requestline else self.path
            with house.lock:
                self.server.log.write(json.dumps({
                    "start": [self.command, target, self.request_version], "fields": self.headers.items(),
                    "body": self.body.hex(), "whole": not self.is_cut_off}) + "\n")
                self.server.log.flush()
        # The catalogue of plugins is in folders, and what is under /test/ is not the server's.
        self.is_fragile = self.server.fragile and path.startswith("/devices")
        if self.is_fragile:
            house.begin(f"{self.command} {path}")
        try:
            if self.server.serial:
                with self.server.turn:
                    time.sleep(self.server.delay)
            else:
                # Long enough for another to come in between.
                time.sleep(max(self.server.delay, 0.003) if self.is_fragile else self.server.delay)
            answer = self.find_answer(house, path)
        finally:
            if self.is_fragile:
                house.end()
        if answer:
            self.answer(*answer)

    def find_answer(self, house, path):
        """Status, body and type; None if it has been written."""
        if self.server.echo:
            self.send_response(200)
            self.send_header("X-Echo", f"{self.headers['X-Nonce']} {self.headers['X-Hubpair-Device']}")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        if path.startswith("/test/"):
            return self.test(path[6:])
        parts = path.strip("/").split("/")
        try:
            with house.lock:
                if self.is_fragile and house.is_broken:
                    raise Refusal(500, "ServerException", exception="JSONDecodeError")
                return self.route(house, parts)
        except Refusal as refusal:
            return refusal.status, refusal.body
        except LookupError:
            return 404, HTML_404, "text/html"

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_OPTIONS = do_PATCH = do_PROPFIND = handle_one
    locals()["do_M-SEARCH"] = handle_one

    def route(self, house, parts):
        method = "GET" if self.command == "HEAD" else self.command
        match parts:
            case ["devices"] if method == "GET" and self.server.dead:
                # As the server does when one of its appliances does not answer it.
                raise Refusal(500, "ServerException", exception="ConnectionError")
            case ["devices"] if method == "GET":
                return 200, list(house.devices.values())
            case ["devices"] if method == "POST":
                wish = self.json()
                try:
                    collection, plugin, info = wish["collection"], wish["plugin_name"], wish["required_info"]
                    name = info["name"]
                except (KeyError, TypeError):
                    raise Refusal(500, "ServerException", exception="KeyError") from None
                if plugin not in PLUGINS.get(collection, []):
                    raise Refusal(404, "NotFoundException", type="plugin")
                house.add(plugin, name)
                return 201, "new device"
            case ["devices", device]:
                found = self.find("device", house.devices, device)
                if method == "GET":
                    return 200, found
                if method == "PUT":
                    found["name"] = self.json()["name"]
                    return 201, "name changed"
                if method == "DELETE":
                    del house.devices[device]
                    return 204, b""
            case ["devices", device, "activators", activator]:
                found = self.find("device", house.devices, device)
                one = self.find("activator", {a["activatorId"]: a for a in found["activators"]}, activator)
                if method == "GET":
                    return 200, one
                if method == "POST":
                    state = self.json()["state"]
                    kind = {"bool": bool, "float": float}[one["type"]]
                    if kind is float and type(state) is int:
                        state = float(state)
                    if type(state) is not kind:
                        raise Refusal(
                            400, "InvalidStateException", expected_type=str(kind), value_type=str(type(state)))
                    one["state"] = state
                    return 201, "state updated"
            case ["plugins"] if method == "GET":
                return 200, list(PLUGINS)
            case ["plugins", collection] if method == "GET":
                return 200, self.find("collection", PLUGINS, collection)
            case ["plugins", collection, "plugins", plugin] if method == "GET":
                if plugin not in self.find("collection", PLUGINS, collection):
                    raise Refusal(404, "NotFoundException", type="plugin")
                required = REQUIRED | (HUE if plugin == "hue" else {})
                return 200, {"collection": collection, "plugin_name": plugin, "required_info": required}
            case _:
                raise LookupError
        return 405, {"message": "The method is not allowed for the requested URL."}

    # Responses that a gateway must forward.
    def test(self, what):
        if what == "echo":
            self.answer(200, {
                "method": self.command, "target": self.path, "headers": self.headers.items(),
                "body": base64.b64encode(self.body).decode()})
        elif what == "count":
            self.answer(200, self.server.house.requests)
        elif what in ("all-on", "all-off"):
            house = self.server.house
            with house.lock:
                for device in house.devices.values():
                    for one in device["activators"]:
                        if one["type"] == "bool":
                            one["state"] = what == "all-on"
            self.answer(200, len(house.devices))
        elif what == "events":
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            for number in range(1000):
                self.wfile.write(f"data: {number}\n\n".encode())
                self.wfile.flush()
                time.sleep(0.1)
            self.close_connection = True
        elif what == "slow":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for _ in range(3):
                self.wfile.write(b"5\r\npiece\r\n")
                self.wfile.flush()
                time.sleep(0.3)
            self.wfile.write(b"0\r\n\r\n")
        elif what == "socket":
            self.echo_frames()
        else:
            self.answer(404, HTML_404, "text/html")

    def echo_frames(self):
        """RFC 6455, for short masked frames only."""
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        self.end_headers()
        self.close_connection = True
        while head := self.rfile.read(2):
            mask = self.rfile.read(4)
            data = bytes(byte ^ mask[at % 4] for at, byte in enumerate(self.rfile.read(head[1] & 127)))
            self.wfile.write(bytes([head[0], len(data)]) + data)
            self.wfile.flush()
            if head[0] & 15 == 8:
                return


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_):
        pass  # a client that disconnects is normal

    def get_request(self):
        connection, address = self.socket.accept()
        if self.context:
            # The handshake runs in the connection's own thread, so that one client cannot delay the others.
            connection = self.context.wrap_socket(
                connection, server_side=True, do_handshake_on_connect=False)
        return connection, address


def adhoc_context():
    """A new key and certificate at every start, like Flask's ssl_context='adhoc'."""
    with tempfile.TemporaryDirectory() as folder:
        key, certificate = os.path.join(folder, "key"), os.path.join(folder, "certificate")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate,
             "-days", "365", "-subj", "/O=Dummy Certificate/CN=*"], check=True, stderr=subprocess.DEVNULL)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        return context


def serve(options, house, handler=Handler):
    """Serves until the process is killed; `options` as `main` reads them."""
    server = Server((options.listen, options.port), handler, bind_and_activate=False)
    server.allow_reuse_address = True
    server.context = None if options.plain else adhoc_context()
    server.house, server.turn = house, threading.Lock()
    server.serial, server.dead = options.serial, options.dead
    server.delay, server.echo, server.log = options.delay, options.echo, options.log
    server.fragile = options.fragile
    server.server_bind()
    server.server_activate()
    print(server.server_address[1], flush=True)
    server.serve_forever()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--listen", default="127.0.0.1")
    parser.add_argument("--plain", action="store_true", help="HTTP without TLS")
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--house", type=argparse.FileType("r"), help="the appliances, as the API writes them")
    parser.add_argument("--serial", action="store_true", help="one answer at a time")
    parser.add_argument("--dead", action="store_true", help="the list fails, because an appliance is dead")
    parser.add_argument("--fragile", action="store_true", help="break when two requests overlap, as the real one does")
    parser.add_argument("--delay", type=float, default=0, help="before every answer, as on a small computer")
    parser.add_argument("--echo", action="store_true", help="answer every request with X-Echo: X-Nonce X-Hubpair-Device")
    parser.add_argument("--log", type=argparse.FileType("w"), help="what was asked, as JSON, a line each")
    options = parser.parse_args()
    house = House(options.devices)
    if options.house:
        house.devices = {device["deviceId"]: device for device in json.load(options.house)}
    serve(options, house)


if __name__ == "__main__":
    main()
