"""A stock server behind the hub, whose database breaks when two requests overlap, and guests who try to make them.

HUBPAIR_SEED repeats a run, HUBPAIR_GUESTS is the number of their deeds (default 240)."""
import json
import os
import random
import tempfile
import threading
import time
import unittest

from hub import Hestia, Hub
from second_implementation import Attempt, Connection, Device

SEED = os.environ.get("HUBPAIR_SEED") or str(int(time.time()))
DEEDS = int(os.environ.get("HUBPAIR_GUESTS", 240))


class StockTests(unittest.TestCase):
    def setUp(self):
        self.hestia = Hestia("--plain", "--devices", "6")
        self.addCleanup(lambda: self.hestia.stop())
        self.hub = Hub(self.hestia.url)
        self.addCleanup(self.hub.remove)
        self.hub.start()
        self.hub.wait_for(lambda: "it gets one request at a time" in self.hub.log(), "the hub knows the server")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.owner = self.pair("Anna", "--role", "owner")
        self.guests = [self.pair(f"Guest {number}", "--role", "guest") for number in range(3)]

    def pair(self, name, *options):
        device = Device(os.path.join(self.folder.name, name), name)
        Attempt(self.hub.code(*options), device).send(self.hub.port)
        return device

    def act(self, guest, paths, chance):
        """One deed of a guest: mostly one that leaves a request behind."""
        connection = Connection(self.hub.port, guest, timeout=30)
        path = chance.choice(paths)
        order = f"POST {path} HTTP/1.1\r\nHost: h\r\nContent-Length: 15\r\n\r\n"
        state = '{"state": true}'
        match chance.randrange(8):
            case 0:
                self.assertEqual(connection.request("GET", "/devices/")[0], 200)
            case 1:
                self.assertEqual(connection.request("POST", path, state)[0], 201)
            case 2:  # gone when it has asked
                connection.socket.sendall(b"GET /devices/ HTTP/1.1\r\nHost: h\r\n\r\n")
                time.sleep(chance.choice([0, 0, 0.002]))
            case 3:  # gone when it has ordered
                connection.socket.sendall((order + state).encode())
                time.sleep(chance.choice([0, 0, 0.002]))
            case 4:  # gone before the body
                connection.socket.sendall((order + state[:chance.randrange(15)]).encode())
            case 5:  # the body in pieces
                for byte in order + state:
                    connection.socket.sendall(byte.encode())
                self.assertIn(b" 201 ", connection.socket.recv(4096))
            case 6:  # several at once, none read
                connection.socket.sendall(b"GET /devices/ HTTP/1.1\r\nHost: h\r\n\r\n" * 5)
            case 7:  # another protocol, which the server does not speak
                connection.socket.sendall(
                    b"GET /devices/ HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
                time.sleep(chance.choice([0, 0.002]))
        connection.close()

    def test_guests_cannot_make_requests_overlap(self):
        print(f"upstream: HUBPAIR_SEED={SEED}", flush=True)
        with Connection(self.hub.port, self.owner) as connection:
            devices = json.loads(connection.request("GET", "/devices/")[2])
            switch = devices[0]["activators"][0]["activatorId"]
            rule = {"device": devices[0]["deviceId"], "activator": switch, "when": "on", "kind": "notification",
                    "text": "on"}
            self.assertIn(
                connection.request("PUT", "/hubpair/v1/rules/Light", json.dumps(rule))[0], (200, 201, 204))
        paths = [f"/devices/{device['deviceId']}/activators/{device['activators'][0]['activatorId']}"
                 for device in devices if device["type"] != "Lock"]  # those are no guest's
        faults = []

        def use(number):
            chance = random.Random(f"{SEED} {number}")
            try:
                for _ in range(DEEDS // 6):
                    self.act(self.guests[number % 3], paths, chance)
            except Exception as fault:
                faults.append(fault)

        users = [threading.Thread(target=use, args=(number,)) for number in range(6)]
        for user in users:
            user.start()
        for user in users:
            user.join()
        self.assertEqual(faults, [])
        with Connection(self.hub.port, self.owner, timeout=30) as connection:
            status, _, body = connection.request("GET", "/devices/")
            self.assertEqual((status, len(json.loads(body))), (200, 6))


if __name__ == "__main__":
    unittest.main()
