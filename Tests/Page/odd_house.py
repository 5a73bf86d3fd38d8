"""A server behind the hub whose list of appliances is not what it should be."""
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def appliance(number, name="Lamp"):
    return {"deviceId": f"d{number}", "name": f"{name} {number}", "type": "light", "activators": [
        {"activatorId": f"a{number}", "rank": 0, "name": "On/Off", "type": "bool", "state": False}]}


HOUSE = [appliance(number) for number in range(3)]


class OddHouse:
    """Serves `body` for every path, until it is given another one."""

    def __init__(self):
        self.good()
        house = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                body, kind = house.body, house.kind
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_GET

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # The hub breaks off what is too long.
        self.server.handle_error = lambda *_: None
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def good(self):
        self.send(json.dumps(HOUSE).encode())

    def send(self, body, kind="application/json"):
        self.body, self.kind = body, kind

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
