"""The real Home Assistant in the house: that of `samples/prepare services`, or the one whose program HUBPAIR_HASS names."""
import json
import os
import subprocess
import unittest
import urllib.parse
import urllib.request

from hub import free_port
from joined import House, until

HASS = os.environ.get("HUBPAIR_HASS") or os.path.abspath("../../.build/services/homeassistant/bin/hass")
CONFIGURATION = """
homeassistant: {{name: Test house, latitude: 52, longitude: 13, elevation: 0, unit_system: metric, time_zone: UTC}}
http: {{server_host: 127.0.0.1, server_port: {port}}}
api:
websocket_api:
config:
demo:
"""
# Asks a real one by WebSocket with the program's own libraries: lines of JSON in, answers out.
ASK = """
import asyncio, json, sys, aiohttp
async def main():
    async with aiohttp.ClientSession() as session, session.ws_connect(sys.argv[1] + "/api/websocket") as talk:
        await talk.receive_json()
        await talk.send_json({"type": "auth", "access_token": sys.argv[2]})
        await talk.receive_json()
        for number, line in enumerate(sys.stdin, 1):
            await talk.send_json({"id": number, **json.loads(line)})
            print(json.dumps(await talk.receive_json()), flush=True)
asyncio.run(main())
"""


class RealTests(House):
    def setUp(self):
        super().setUp()
        self.config = os.path.join(self.folder, "ha")
        os.mkdir(self.config)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        with open(os.path.join(self.config, "configuration.yaml"), "w") as file:
            file.write(CONFIGURATION.format(port=self.port))
        self.server = self.run_server()
        self.token = self.onboard()

    def run_server(self):
        def answers():
            try:
                urllib.request.urlopen(self.url + "/manifest.json").close()
                return True
            except urllib.error.HTTPError:
                return True
            except OSError:
                return False
        return self.start([HASS, "--skip-pip", "-c", self.config], answers)

    def post(self, path, value, is_form=False):
        body = urllib.parse.urlencode(value).encode() if is_form else json.dumps(value).encode()
        kind = "application/x-www-form-urlencoded" if is_form else "application/json"
        with urllib.request.urlopen(urllib.request.Request(self.url + path, body, {"Content-Type": kind})) as answer:
            return json.load(answer)

    def onboard(self):
        def try_once():
            try:
                return self.post("/api/onboarding/users", {
                    "client_id": self.url, "name": "A", "username": "a", "password": "b", "language": "en"})
            except OSError:
                return None
        code = until(try_once)["auth_code"]
        self.access = self.post("/auth/token", {
            "client_id": self.url, "grant_type": "authorization_code", "code": code}, is_form=True)["access_token"]
        return self.there({"type": "auth/long_lived_access_token", "client_name": "hubpair", "lifespan": 3650})[0]["result"]

    def there(self, *messages):
        python = os.path.join(os.path.dirname(HASS), "python")
        done = subprocess.run(
            [python, "-c", ASK, self.url, self.access], input="".join(json.dumps(each) + "\n" for each in messages),
            capture_output=True, text=True, timeout=300)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([each["success"] for each in answers], [True] * len(messages), done.stderr)
        return answers

    def test_it_is_in_the_house(self):
        areas = {each["name"]: each["area_id"] for each in self.there({"type": "config/area_registry/list"})[0]["result"]}
        self.there({"type": "config/entity_registry/update", "entity_id": "light.ceiling_lights",
                    "area_id": areas["Kitchen"]})
        self.join(self.url, self.token)
        until(lambda: "ha~light.ceiling_lights" in self.things()[0])
        things, silent = self.things()
        self.assertFalse(silent)
        self.assertEqual(things["ha~lock.front_door"]["type"], "Lock")
        self.assertIs(self.state("ha~lock.front_door", "locked"), True)
        rooms = until(lambda: self.ask("GET", "/hubpair/v1/rooms")[1]["rooms"])
        self.assertIn("ha~light.ceiling_lights", next(each["devices"] for each in rooms if each["name"] == "Kitchen"))

        # Orders, confirmed by what comes back.
        for thing, part, state in (
                ("ha~light.ceiling_lights", "brightness", 0.4), ("ha~light.ceiling_lights", "on", False),
                ("ha~lock.front_door", "locked", False), ("ha~lock.front_door", "locked", True),
                ("ha~cover.garage_door", "open", True), ("ha~switch.ac", "on", True),
                ("ha~cover.hall_window", "position", 0.5), ("ha~climate.heatpump", "target", 0.5),
                ("ha~fan.ceiling_fan", "on", True), ("ha~siren.siren", "on", False)):
            self.assertEqual(self.set(thing, part, state)[0], 204, (thing, part))
            until(lambda: self.state(thing, part) == state if isinstance(state, bool)
                  else abs((self.state(thing, part) or 0) - state) < 0.01)

        # What somebody does there is seen here.
        self.there({"type": "call_service", "domain": "switch", "service": "turn_off", "service_data": {},
                    "target": {"entity_id": "switch.ac"}})
        until(lambda: self.state("ha~switch.ac", "on") is False)

        # It ends, and comes again.
        self.server.terminate()
        self.server.wait()
        until(lambda: "ha~switch.ac" in self.things()[1])
        self.assertEqual(self.set("ha~switch.ac", "on", True)[0], 503)
        self.server = self.run_server()
        until(lambda: "ha~switch.ac" in self.things()[0] and "ha~switch.ac" not in self.things()[1], self.server)


if __name__ == "__main__":
    unittest.main()
