"""A house that a Home Assistant has joined, and what the tests ask of it."""
import json
import os
import subprocess
import tempfile
import time
import unittest
import urllib.request

from hub import HERE, Hub, free_port
from second_implementation import Attempt, Connection, Device

FAKE = os.path.join(HERE, "homeassistant", "fake.py")


def until(found, process=None):
    """Waits for a condition; the time only guards against hanging."""
    end = time.monotonic() + 300
    while time.monotonic() < end:
        if process is not None and process.poll() is not None:
            raise AssertionError("the server has ended")
        if result := found():
            return result
        time.sleep(0.1)
    raise AssertionError("it never came")


class House(unittest.TestCase):
    """A hub without a server behind it, and an owner's device."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.hub = self.make_hub()
        self.addCleanup(self.hub.remove)
        self.hub.start()
        self.owner = self.device()

    def make_hub(self):
        return Hub()

    def device(self, *options, name="Laptop"):
        device = Device(os.path.join(self.folder, name), name)
        Attempt(self.hub.code(*options), device).send(self.hub.port)
        return device

    def join(self, url, token):
        path = os.path.join(self.folder, "token")
        with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as file:
            file.write(token)
        self.hub.run("hub", "join", "home-assistant", url, "--token-file", path)

    def ask(self, method, path, body=None, device=None):
        with Connection(self.hub.port, device or self.owner) as connection:
            status, _, answer = connection.request(
                method, path, body, {"Host": "localhost", "Content-Type": "application/json"})
        return status, json.loads(answer or b"null")

    def things(self):
        """What the house has, by id; and which of it does not answer."""
        status, states = self.ask("GET", "/hubpair/v1/states")
        if status != 200:
            return {}, set()
        silent = {each["deviceId"] for each in states.get("silent", [])}
        return {each["deviceId"]: each for each in states["devices"]}, silent

    def state(self, thing, part):
        device = self.things()[0].get(thing, {"activators": []})
        return next((each["state"] for each in device["activators"] if each["activatorId"] == part), None)

    def set(self, thing, part, state, device=None):
        return self.ask("POST", f"/devices/{thing}/activators/{part}", json.dumps({"state": state}).encode(), device)

    def start(self, words, ready):
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        until(ready, process)
        return process

    def fake(self, port, *options):
        def answers():
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/fake", b"{\"entity_id\": \"x.y\"}").close()
                return True
            except OSError:
                return False
        return self.start(["/usr/bin/python3", FAKE, str(port), "a-token", *options], answers)

    def tell(self, port, wish):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/fake", json.dumps(wish).encode()).close()
