"""What appliances are on the page: the same table as the hub's, cards that say what a state means, and what asks first."""
import json
import os
import pathlib
import tempfile

from browser import ELEMENT
from house import HouseTests
from second_implementation import Connection

VECTORS = pathlib.Path(__file__).resolve().parent / "kinds.txt"


def activator(id, name, state, rank=0):
    return {"activatorId": id, "rank": rank, "name": name, "type": "bool" if isinstance(state, bool) else "float", "state": state}


def appliance(id, name, kind, *activators):
    return {"deviceId": id, "name": name, "type": kind, "activators": [
        activator(f"{id}{rank}", each, state, rank) for rank, (each, state) in enumerate(activators)]}


HOUSE = [
    appliance("c", "Garage door", "Blind", ("Position", 0.0)), appliance("d", "Front door", "Lock", ("Locked", True), ("Battery", 0.8)),
    appliance("s", "Smoke detector", "Alarm", ("Alarm", True)), appliance("t", "Thermometer", "Sensor", ("Temperature", 0.5)),
    appliance("w", "Window contact", "Sensor", ("Open", True), ("Battery", 0.9)),
    appliance("h", "House alarm", "Alarm", ("Armed", False)),
    appliance("f", "Carport", "Switch", ("On/Off", False)), appliance("a", "Lamp", "Light", ("On/Off", True), ("Brightness", 0.4))]

# Written down where a server can be told of it.
FOLDER = tempfile.TemporaryDirectory()
HOUSE_FILE = ("--house", os.path.join(FOLDER.name, "house.json"))
pathlib.Path(HOUSE_FILE[1]).write_text(json.dumps(HOUSE))


# What stands on a card beside the name.
CONTROL = '//*[self::button or self::input][not(@class="open")]'


def card(name, rest=""):
    return f'//li[contains(@class, "card")][.//p[@class="name"][.="{name}"]]{rest}'


class KindTests(HouseTests):
    HESTIA = HOUSE_FILE

    def state(self, id, activator):
        with Connection(self.hub.port, self.owner) as connection:
            return json.loads(connection.request("GET", f"/devices/{id}/activators/{activator}")[2])["state"]

    def setUp(self):
        self.owner = self.device("Anna", "owner")

    def test_the_pages_table_is_the_hubs(self):
        cases, expected = [], []
        for line in VECTORS.read_text().splitlines():
            if line.startswith("#"):
                continue
            given, outcome = line.split(" => ")
            kind, name, states = given.split(" | ")
            pairs = [each.split("=") for each in states.split(", ")]
            cases.append(appliance("x", name, kind, *((name, {"true": True, "false": False}.get(state, state)) for name, state in pairs)))
            for each in cases[-1]["activators"]:
                if isinstance(each["state"], str):
                    each["state"], each["type"] = float(each["state"]), "float"
            # The page has one heading for what is open and what is unlocked.
            kind, word, heading, asks = outcome.split(" | ")
            expected.append([kind, word, "open" if heading == "unlocked" else heading, asks])
        browser = self.browser(self.owner)
        browser.find(card("Lamp"))
        found = browser.run("""
            return import(document.querySelector('[rel=modulepreload]').href).then(({ Appliance }) => arguments[0].map((value) => {
              const appliance = new Appliance(value);
              const main = appliance.activators[0];
              const states = main.type === 'bool' ? [false, true] : [0, 1];
              const asks = states.map((state, index) => appliance.asksFirst(main, state) ? ['off', 'on'][index] : '')
                .filter((word) => word !== '').join(' ') || '-';
              const heading = appliance.isSounding ? 'sounding' : appliance.isOpen ? 'open' : appliance.isOn ? 'on' : '-';
              const word = appliance.word(main).toLowerCase().replace(' %', '%');
              return [appliance.kind, word, heading, appliance.onlyTells ? 'tells' : asks];
            }));""", cases)
        for case, is_now, wanted in zip(cases, found, expected):
            self.assertEqual(is_now, wanted, case)
        self.assertGreater(len(found), 40)

    def test_the_pages_colours_are_the_hubs(self):
        wanted = [line.split(" | ") for line in (VECTORS.parent / "colours.txt").read_text().splitlines()[1:]]
        browser = self.browser(self.owner)
        browser.find(card("Lamp"))
        found = browser.run("""
            return Promise.all([import(document.querySelector('[rel=modulepreload]').href), import('/hubpair/page/words.js')])
              .then(([{ hues, whites }, words]) => [['hue', hues], ['white', whites]].flatMap(([strip, table]) => table.map(
                ([word, level]) => [word.toLowerCase(), words.default.de[word].toLowerCase(), strip, String(level)])))""")
        self.assertEqual(found, wanted)

    def test_cards_say_what_is_meant_and_ask_before_they_open(self):
        browser = self.browser(self.owner)
        # A wide window shows each card twice.
        browser.resize(1000, 900)
        self.assertEqual(browser.text_of(browser.find(card("Front door", '//p[@class="words"]'))), "Locked")
        self.assertEqual(browser.text_of(browser.find(card("Garage door", '//p[@class="words"]'))), "Closed")
        self.assertEqual(browser.text_of(browser.find(card("Window contact", '//p[@class="words"]'))), "Open")
        # A lock's button says what it does, and a switch what its state means; the slider of its battery what it is.
        self.assertEqual(browser.text_of(browser.find(card("Front door", CONTROL))), "Unlock")
        self.assertEqual(browser.attribute(card("Front door", CONTROL), "aria-label"), "Unlock: Front door")
        switch = browser.attribute(card("Lamp", '//button[@role="switch"]'), "aria-describedby")
        self.assertEqual(browser.run("return document.getElementById(arguments[0]).textContent", switch), "On · 40 %")
        browser.click(card("Front door", '//button[@class="open"]'))
        browser.find('//dialog//div[contains(@class, "level")]/span[contains(@class, "label")][.="Battery"]')
        browser.click('//dialog//button[@aria-label="Close"]')
        # An alarm that is quiet is as calm as a lamp.
        colours = [browser.run("return getComputedStyle(arguments[0]).color", {ELEMENT: browser.find(card(name, '//p[@class="name"]'))})
                   for name in ("House alarm", "Lamp", "Smoke detector")]
        self.assertEqual(colours[0], colours[1])
        # What sounds has a heading of its own; what only tells has no switch and no slider.
        browser.find('//button[@data-filter="sounding"][contains(., "1") and contains(., "alarm")]')
        for name in ("Smoke detector", "Thermometer", "Window contact"):
            self.assertEqual(browser.visible(card(name, CONTROL)), [], name)
            browser.click(card(name, '//button[@class="open"]'))
            browser.find('//dialog//div[@class="row"]')
            self.assertEqual(browser.visible('//dialog//div[@class="rows"]//*[self::button or self::input]'), [], name)
            browser.click('//dialog//button[@aria-label="Close"]')
        self.assertEqual(len(browser.visible(card("Lamp", CONTROL))), 1)
        # A lock is asked about; a no leaves it.
        browser.click(card("Front door", CONTROL))
        browser.find('//dialog[contains(., "Unlock: ") and contains(., "Front door")]')
        browser.click('//dialog//button[.="Cancel"]')
        self.assertIs(self.state("d", "d0"), True)
        # A garage door of the type Blind opens by its slider, once that is let go and a yes is said.
        slide = """
            const input = document.evaluate(arguments[0], document, null, 9).singleNodeValue;
            input.value = arguments[1];
            for (const name of ['input', 'change']) input.dispatchEvent(new Event(name, { bubbles: true }));"""
        browser.click(card("Garage door", '//button[@class="open"]'))
        browser.find("//dialog//input")
        browser.run(slide, "//dialog//input", 60)
        browser.find('//dialog[contains(., "Open: ") and contains(., "Garage door")]')
        browser.click('//dialog//button[.="Cancel"]')
        browser.wait(lambda: browser.run(
            "return document.evaluate(arguments[0], document, null, 9).singleNodeValue.value", "//dialog//input") == "0",
            "the slider is back")
        self.assertEqual(self.state("c", "c0"), 0)
        browser.run(slide, "//dialog//input", 60)
        browser.click('//dialog//button[.="Open"]')
        browser.wait(lambda: self.state("c", "c0") == 0.6, "it is open")

    def test_a_scene_that_opens_asks_first(self):
        with Connection(self.hub.port, self.owner) as connection:
            for name, states in (("Leave", [("d", "d0", True), ("a", "a0", True)]), ("Come", [("d", "d0", False), ("c", "c0", 0.7)])):
                body = {"states": [dict(zip(("device", "activator", "state"), each)) for each in states]}
                self.assertEqual(connection.request("PUT", f"/hubpair/v1/scenes/{name}", json.dumps(body).encode())[0], 201)
        browser = self.browser(self.owner)
        scene = '//button[contains(@class, "scene")][contains(., "{}")]'.format
        browser.find(card("Lamp"))
        browser.click(scene("Come"))
        question = browser.text_of(browser.find("//dialog"))
        for words in ("Come", "Unlock: \u2068Front door\u2069", "Open: \u2068Garage door\u2069"):
            self.assertIn(words, question)
        browser.click('//dialog//button[.="Cancel"]')
        browser.wait(lambda: not browser.visible("//dialog"), "the question is gone")
        self.assertIs(self.state("d", "d0"), True)
        # What changes nothing that is guarded is not asked about.
        browser.click(scene("Leave"))
        browser.find('//div[contains(@class, "toast")][contains(., "done")]')
        browser.click(scene("Come"))
        browser.click('//dialog//button[.="Run"]')
        browser.wait(lambda: self.state("d", "d0") is False, "it is unlocked")
        with Connection(self.hub.port, self.owner) as connection:
            for path, state in (("d/activators/d0", b"true"), ("c/activators/c0", b"0.0")):
                self.assertEqual(connection.request("POST", f"/devices/{path}", b'{"state": %s}' % state)[0], 201)
            for name in ("Leave", "Come"):
                self.assertEqual(connection.request("DELETE", f"/hubpair/v1/scenes/{name}")[0], 204)

    def test_a_guest_has_no_switch_for_a_door_unless_it_is_allowed(self):
        guest = self.browser(self.device("Gus", "guest"))
        guest.find(card("Lamp", '//button[@role="switch"]'))
        guest.find(card("Carport", '//button[@role="switch"]'))
        for name in ("Front door", "Garage door"):
            self.assertEqual(guest.visible(card(name, CONTROL)), [], name)
        with Connection(self.hub.port, self.owner) as connection:
            for id, body in (("f", {"kind": "gate"}), ("d", {"kind": "lock", "guests": True})):
                self.assertEqual(connection.request("PUT", f"/hubpair/v1/kinds/{id}", json.dumps(body).encode())[0], 201)
        guest.open(f"https://127.0.0.1:{self.hub.port}/hubpair/")
        guest.find(card("Front door", CONTROL))
        guest.wait(lambda: not guest.visible(card("Carport", CONTROL)), "the gate has no switch")
        with Connection(self.hub.port, self.owner) as connection:
            for id in "fd":
                self.assertEqual(connection.request("DELETE", f"/hubpair/v1/kinds/{id}")[0], 204)
