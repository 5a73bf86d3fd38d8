"""The first view as a family uses it, on the made-up house of `samples/house`, whose blinds take their time."""
import json
import os
import subprocess
import tempfile
import threading
import unittest

from house import HouseTests
from hub import Hub
from second_implementation import Connection
from test_kinds import card

SAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../samples/house")


class SampleTests(HouseTests):
    """Behind the hub is the sample house, with rooms, and with units of what is warm."""
    OPTIONS = ()

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.house = subprocess.Popen(
            ["/usr/bin/python3", SAMPLE, "--port", "0", *cls.OPTIONS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        cls.addClassCleanup(cls.end)
        port = int(cls.house.stdout.readline())
        threading.Thread(target=lambda: [None for _ in cls.house.stdout], daemon=True).start()
        cls.hub = Hub(f"https://127.0.0.1:{port}")
        cls.addClassCleanup(cls.hub.remove)
        cls.hub.start()

    @classmethod
    def end(cls):
        cls.house.kill()
        cls.house.wait()

    def setUp(self):
        self.owner = self.device("Olga", "owner")
        self.all = {each["name"]: each for each in self.ask("GET", "/devices/")}
        rooms = {"Kitchen": ["Kitchen light", "Counter lamp", "Coffee machine", "Kitchen blind"], "Hall": ["Hall light", "Front door"]}
        for name, devices in rooms.items():
            self.ask("PUT", f"rooms/{name.lower()}", {"name": name, "devices": [self.all[each]["deviceId"] for each in devices]})
        self.unit("Living room heating", "°C", 5, 30)
        self.unit("Thermometer", "°C", 0, 40)

    def unit(self, name, symbol, low, high):
        device = self.all[name]
        self.ask("PUT", f"units/{device['deviceId']}/{device['activators'][0]['activatorId']}", {"unit": symbol, "from": low, "to": high})

    def ask(self, method, path, body=None):
        path = path if path.startswith("/") else f"/hubpair/v1/{path}"
        with Connection(self.hub.port, self.owner) as connection:
            status, _, answer = connection.request(method, path, None if body is None else json.dumps(body))
        self.assertIn(status, (200, 201, 204), answer)
        return json.loads(answer) if answer else None

    def state(self, name, activator=0):
        return next(each for each in self.ask("GET", "/devices/") if each["name"] == name)["activators"][activator]["state"]

    def set(self, name, state, activator=0):
        device = self.all[name]
        self.ask("POST", f"/devices/{device['deviceId']}/activators/{device['activators'][activator]['activatorId']}", {"state": state})

    def words(self, browser, name):
        return browser.text_of(browser.find(card(name, '//p[@class="words"]')))

class ApplianceTests(SampleTests):
    OPTIONS = ("--moving", "4")

    def test_heating_counts_degrees_by_steps(self):
        self.set("Living room heating", 0.64)
        browser = self.browser(self.owner)
        browser.wait(lambda: self.words(browser, "Living room heating") == "21 °C", "the unit")
        self.assertEqual(self.words(browser, "Thermometer"), "20.8 °C")
        browser.click(card("Living room heating", '//button[@aria-label="More: Living room heating"]'))
        self.hub.wait_for(lambda: abs(self.state("Living room heating") - 0.66) < 0.001, "21.5 °C")
        browser.wait(lambda: self.words(browser, "Living room heating") == "21.5 °C", "a step")
        # Its sheet has a slider in degrees.
        browser.click(card("Living room heating", '//button[@class="open"]'))
        self.assertEqual(browser.attribute("//dialog//input", "max"), "30")
        self.assertEqual(browser.attribute("//dialog//input", "aria-valuetext"), "21.5 °C")
        # Who thinks in Fahrenheit reads it.
        browser.run("localStorage.setItem('degrees', 'F')")
        browser.open(f"https://127.0.0.1:{self.hub.port}/hubpair/?again")
        browser.wait(lambda: self.words(browser, "Living room heating") == "70.7 °F", "Fahrenheit")
        browser.click(card("Living room heating", '//button[@aria-label="Less: Living room heating"]'))
        self.hub.wait_for(lambda: abs(self.state("Living room heating") - (70 - 41) / 45) < 0.001, "70 °F")

    def test_a_blind_is_seen_to_move(self):
        browser = self.browser(self.owner)
        self.set("Bedroom blinds", 0.0)
        browser.click(card("Bedroom blinds", '//button[@aria-label="Up: Bedroom blinds"]'))
        browser.find(card("Bedroom blinds", '//p[@class="words"][starts-with(., "Opening … ")]'))
        browser.wait(lambda: self.words(browser, "Bedroom blinds") == "Open", "it is up")
        self.assertEqual(self.state("Bedroom blinds"), 1.0)

    def test_a_light_has_colours_with_names(self):
        browser = self.browser(self.owner)
        browser.click(card("Hue go", '//button[@class="open"]'))
        browser.click('//dialog//button[@aria-label="Turquoise"]')
        self.hub.wait_for(lambda: abs(self.state("Hue go", 2) - 172 / 360) < 0.001, "turquoise")
        browser.find('//dialog//div[contains(@class, "level")][contains(., "Turquoise")]')
        self.assertEqual(browser.attribute('//dialog//input[@data-strip="hue"]', "aria-valuetext"), "Turquoise")
        # It closes by a key, and the focus is where it was.
        browser.key("\ue00c")
        browser.wait(lambda: not browser.visible("//dialog"), "the sheet is gone")
        self.assertEqual(browser.run("return document.activeElement.textContent"), "Hue go")
        self.assertEqual(browser.complaints(), [])

    def test_targets_are_as_large_as_a_finger(self):
        browser = self.browser(self.owner)
        browser.resize(320, 640)
        browser.find(card("Desk lamp"))
        small = browser.run("""
            // What is out of sight has no size.
            for (const each of document.querySelectorAll('.cards, .group')) each.style.contentVisibility = 'visible';
            return [...document.querySelectorAll('main button:not(.open)')].filter((each) => each.checkVisibility())
              .map((each) => [each.textContent || each.ariaLabel, each.getBoundingClientRect()])
              .filter(([, { width, height }]) => width < 44 || height < 44).map(([name]) => name);""")
        self.assertEqual(small, [])
        # With more scenes than there is room for, too, nothing is beside the edge.
        for name in ("Breakfast", "Movie night", "Everybody is away", "Holidays"):
            self.ask("PUT", f"scenes/{name.replace(' ', '%20')}", {"states": [{
                "device": self.all["Fan"]["deviceId"], "activator": self.all["Fan"]["activators"][0]["activatorId"], "state": False}]})
        browser.find('//button[contains(@class, "scene")][contains(., "Holidays")]')
        self.assertIs(browser.run("return document.documentElement.scrollWidth <= innerWidth"), True)


class ManyTests(SampleTests):
    OPTIONS = ()

    def many(self, browser, section):
        browser.click(f'//button[@aria-label="All at once: {section}"]')
        browser.find("//dialog")

    def test_a_room_is_switched_off_and_a_guard_is_left_alone(self):
        for name, state in (("Hall light", True), ("Front door", True), ("Kitchen light", True), ("Coffee machine", True)):
            self.set(name, state)
        self.set("Counter lamp", True, 1)
        browser = self.browser(self.owner)
        browser.find(card("Kitchen light", '[@data-on]'))
        self.many(browser, "Kitchen")
        browser.click('//dialog//button[contains(., "Switch off (3)")]')
        for name, activator in (("Kitchen light", 0), ("Counter lamp", 1), ("Coffee machine", 0)):
            self.hub.wait_for(lambda: self.state(name, activator) is False, name)
        browser.find('//div[contains(@class, "toast")][contains(., "Kitchen: Switch off · 3 appliances")]')
        self.assertIs(self.state("Hall light"), True)
        # Locks are locked together, and never unlocked so.
        self.many(browser, "Hall")
        self.assertEqual(browser.visible('//dialog//button[contains(., "nlock")]'), [])
        browser.click('//dialog//button[.="Cancel"]')
        self.set("Front door", False)
        browser.find(card("Front door", '//p[@class="words"][.="Unlocked"]'))
        self.many(browser, "Hall")
        browser.click('//dialog//button[contains(., "Lock all (1)")]')
        self.hub.wait_for(lambda: self.state("Front door") is True, "locked")

    def test_by_kind_and_what_opens_is_asked_about(self):
        self.set("Sprinkler", False)
        browser = self.browser(self.owner)
        browser.resize(1000, 800)
        browser.find(card("Kitchen light"))
        browser.click('//button[.="By kind"]')
        browser.find('//h2[contains(., "Doors and locks")]')
        self.assertEqual(browser.visible('//h2[contains(., "Kitchen")]'), [])
        browser.open(f"https://127.0.0.1:{self.hub.port}/hubpair/?again")
        browser.find('//h2[contains(., "Lights")]')
        # On a wide window both stand beside one another.
        browser.resize(1300, 900)
        browser.find('//h2[contains(., "Kitchen")]')
        self.assertTrue(browser.visible('//h2[contains(., "Lights")]'))
        left, right = (browser.place_of(browser.find(f'//h2[contains(., "{name}")]'))["x"] for name in ("Kitchen", "Lights"))
        self.assertLess(left + 300, right)

    def test_what_did_not_follow_is_named(self):
        self.set("Kitchen light", True)
        self.set("Coffee machine", True)
        browser = self.browser(self.owner)
        browser.find(card("Kitchen light", '[@data-on]'))
        browser.find(card("Coffee machine", '[@data-on]'))
        self.many(browser, "Kitchen")
        browser.find('//dialog//button[contains(., "Switch off")]')
        # From now on the coffee machine has no power.
        self.house.stdin.write("Coffee machine dead\n")
        self.house.stdin.flush()
        try:
            browser.click('//dialog//button[contains(., "Switch off")]')
            browser.find('//dialog//h2[contains(., "did not follow")]')
            browser.find('//dialog//li[contains(., "Coffee machine")]')
        finally:
            self.house.stdin.write("Coffee machine alive\n")
            self.house.stdin.flush()


if __name__ == "__main__":
    unittest.main()
