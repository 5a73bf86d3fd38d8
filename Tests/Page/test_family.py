"""What a family does with the page all day, and what the hub does with nonsense that browsers send."""
import json
import os
import random
import subprocess
import time
import unittest

from house import IS_LONG, HouseTests
from second_implementation import Attempt, Connection, TypedCode

SEED = os.environ.get("HUBPAIR_SEED") or str(int(time.time()))


class FamilyTests(HouseTests):
    def house(self, connection):
        return json.loads(connection.request("GET", "/devices/")[2])

    def state(self, connection, device, activator):
        found = next(each for each in self.house(connection) if each["name"] == device)
        return next(each["state"] for each in found["activators"] if each["name"] == activator)

    def card(self, name):
        return f'//li[contains(@class, "card")][.//p[.="{name}"]]'

    def test_a_member_makes_a_room_and_a_scene_and_runs_it(self):
        browser = self.browser(self.device("Mia", "member"))
        browser.find(self.card("Device 0"))
        with Connection(self.hub.port, self.device("reader", "owner")) as connection:
            own = lambda path: json.loads(connection.request("GET", f"/hubpair/v1/{path}")[2])[path]
            # Dim a lamp with the keyboard: a slider's step is a percent.
            browser.click(f'{self.card("Device 0")}//button[@class="open"]')
            slider = '//dialog//input[@type="range"]'
            before = self.state(connection, "Device 0", "Dimmer")
            browser.type(slider, "\ue014" * 3)  # arrow right; WebDriver, section 17.4.2
            self.hub.wait_for(lambda: abs(self.state(connection, "Device 0", "Dimmer") - before - 0.03) < 0.001, "dimmed")
            browser.click('//dialog//button[@aria-label="Close"]')
            browser.click(f'{self.card("Device 0")}//button[@role="switch"]')
            self.hub.wait_for(lambda: self.state(connection, "Device 0", "On/Off"), "switched")
            browser.click('//a[@href="#arrange"]')
            name = "Küche 🍳 <b>غرفة</b>"
            browser.click('//button[.="New room"]')
            browser.type('//dialog//label[contains(., "Name")]/input', "x")
            browser.run("document.querySelector('dialog input').value = arguments[0]", name)
            browser.click('//dialog//label[.="Device 0"]/input')
            browser.click('//dialog//button[.="Save"]')
            self.hub.wait_for(lambda: own("rooms"), "the room is kept")
            room = own("rooms")[0]
            lamp = next(each for each in self.house(connection) if each["name"] == "Device 0")
            self.assertEqual((room["name"], room["devices"]), (name, [lamp["deviceId"]]))
            browser.click('//button[.="New scene"]')
            browser.type('//dialog//label[contains(., "Name")]/input', "Film")
            browser.click('//dialog//label[.="Device 0"]/input')
            browser.click('//dialog//button[.="Save"]')
            self.hub.wait_for(lambda: own("scenes"), "the scene is kept")
            self.assertIn(True, [each["state"] for each in own("scenes")[0]["states"]])
            # Members have no rules.
            self.assertEqual(browser.visible('//button[.="New rule"]'), [])
            path = f'/devices/{lamp["deviceId"]}/activators/{lamp["activators"][0]["activatorId"]}'
            connection.request("POST", path, b'{"state": false}')
            browser.click('//a[@href="#home"]')
            browser.find('//h2[contains(., "Küche")]')
            self.assertIn(name, browser.text)
            browser.click('//button[contains(@class, "scene")][contains(., "Film")]')
            self.hub.wait_for(lambda: self.state(connection, "Device 0", "On/Off"), "the scene has run")
            browser.find(f'{self.card("Device 0")}//button[@role="switch"][@aria-checked="true"]')
        self.assertEqual(browser.complaints(), [])

    def test_the_code_on_the_screen_lets_a_device_in(self):
        browser = self.browser(self.device("Anna", "owner"))
        browser.resize(1200, 900)
        browser.click('//a[@href="#access"]')
        browser.click('//option[@value="guest"][contains(., "Guest")][ancestor::div[contains(@class, "maker")]]')
        browser.click('//button[.="Show a code"]')
        browser.find('//dialog//img[@class="code"]')
        picture = os.path.join(self.folder.name, "screen.png")
        browser.save(picture)
        done = subprocess.run([os.environ["HUBPAIR"], "scan", picture, "--json"], capture_output=True, text=True, timeout=60)
        self.assertEqual([json.loads(line)["kind"] for line in done.stdout.splitlines()], ["once"], done.stderr)
        typed = browser.text_of(browser.find('//p[@class="typed"]'))
        device = self.device("New phone")
        answer = Attempt(TypedCode(typed), device, name="New phone").send(self.hub.port)
        self.assertEqual(answer["status"], "approved")
        self.assertEqual(self.status(device)["role"], "guest")
        browser.find('//dialog//p[@class="done"][contains(., "New phone")][contains(., " is let in")]')

    def test_a_hub_that_goes_and_comes_back(self):
        browser = self.browser(self.device("Kim", "member"))
        browser.find(self.card("Device 2"))
        browser.find('//p[@id="status"][contains(., "Up to date")]')
        self.hub.kill()
        try:
            browser.find('//p[@id="status"][contains(., "Hub away")]')
            # What was there is still shown, and how old it is.
            browser.find(self.card("Device 2"))
            browser.find('//p[@id="status"][contains(., "old")]')
        finally:
            self.hub.start()
        browser.find('//p[@id="status"][contains(., "Up to date")]')


class NonsenseTests(HouseTests):
    def test_nonsense_changes_nothing(self):
        """Bodies where none belongs, names with markup, broken and huge JSON: all of it is answered, nothing is let in."""
        print(f"HUBPAIR_SEED={SEED}", flush=True)
        generator = random.Random(SEED)
        owner = self.device("Olga", "owner")
        before = self.hub.approved()
        evil = ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "\u202eevil", "x" * 64, "\x00", "a\nb", "", "'; DROP TABLE"]
        with Connection(self.hub.port, owner) as connection:
            for _ in range(1000 if IS_LONG else 200):
                path = generator.choice([
                    "rooms", "rooms/x", "scenes/x", "scenes/x/run", "rules/x", "messages/1/read", "messages/1/acknowledge", "devices",
                    "devices/x", f"devices/{owner.fingerprint}", "devices/x/approve", "devices/x/refuse", "codes/x", "access", "journal"])
                value = generator.choice([
                    *evil, {"name": generator.choice(evil)}, {"role": generator.choice(["king", 1, None, ["owner"]])}, {"states": [[]]},
                    [[[]]] * 9, {"name": "x", "devices": ["a"] * 2000}, None, 1e308, {"x": "y" * 60_000}])
                body = json.dumps(value).encode()
                if generator.random() < 0.4:
                    body = body[:generator.randrange(len(body) + 1)] + generator.choice([b"", b"\xff", b"}", b"\0", b"[" * 3000])
                method = generator.choice(["GET", "POST", "POST", "PUT", "PUT", "DELETE"])
                status, fields, answer = connection.request(method, f"/hubpair/v1/{path}", body)
                what = f"HUBPAIR_SEED={SEED} {method} {path} {body[:100]}: {status} {answer[:100]}"
                self.assertLess(status, 500, what)
                if status >= 400 and fields.get_content_type() == "application/json":
                    self.assertTrue(json.loads(answer)["message"], what)
                if fields.get("Connection", "").lower() == "close":
                    connection.close()
                    connection.__init__(self.hub.port, owner)
        self.assertEqual(self.hub.approved(), before)

    def test_a_thousand_codes_are_not_made(self):
        owner = self.device("Olga", "owner")
        with Connection(self.hub.port, owner) as connection:
            statuses = []
            for _ in range(1000 if IS_LONG else 300):
                statuses.append(connection.request("POST", "/hubpair/v1/codes", b'{"kind": "once", "role": "guest"}')[0])
                if statuses[-1] != 201:
                    break
            self.assertIn(statuses[-1], (409, 429), statuses)
            # And the owner is still let in.
            self.assertEqual(connection.request("GET", "/hubpair/v1/devices")[0], 200)


if __name__ == "__main__":
    unittest.main()
