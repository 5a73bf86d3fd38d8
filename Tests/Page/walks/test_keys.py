"""The page by its keys alone: Tab leads to everything that can be pressed, in the order in which it stands there, to where a
person sees it; and each thing that the page can do is done once without a mouse."""
import unittest

from browser import Failed
from test_home import SampleTests

TAB, ENTER, ESCAPE, RIGHT, DOWN, SPACE = "\ue004", "\ue007", "\ue00c", "\ue014", "\ue015", " "  # WebDriver, section 17.4.2

# What a screen reader calls an element, nearly: names of files and pictures are not asked for here.
CALLED = """
const called = (each) => {
  const by = each.getAttribute("aria-labelledby")?.split(" ").map((id) => document.getElementById(id)?.textContent).join(" ");
  const text = each.getAttribute("aria-label") ?? by ?? each.labels?.[0]?.textContent ?? each.innerText;
  return text.replace(/[\\u2066-\\u2069\\u200e]/g, "").replace(/\\s+/g, " ").trim();
};"""
# What can be pressed now, of an open dialog alone, if there is one: how many, and whether they are the same as before.
REACHABLE = """
const before = window.reachable ?? [];
window.reachable = [...([...document.querySelectorAll("dialog[open]")].at(-1) ?? document)
  .querySelectorAll("a[href], button, input, select, summary, textarea, [tabindex='0']")]
  .filter((each) => !each.disabled && each.tabIndex >= 0 && each.checkVisibility({visibilityProperty: true}));
return [window.reachable.length, String(before.map((each) => window.reachable.indexOf(each))) === String([...window.reachable.keys()])];"""
# Its place in that, its name, and whether a person sees that it has the focus, and it.
FOCUSED = CALLED + """
const now = document.activeElement, style = (each, part) => getComputedStyle(each, part);
const outlined = (each, part) => style(each, part).outlineStyle !== "none" && parseFloat(style(each, part).outlineWidth) > 0;
const marked = outlined(now) || outlined(now, "::after") || [now.closest(".search"), now.closest(".drop")].some((each) => each && outlined(each));
const { left, top, width, height } = now.getBoundingClientRect();
const [x, y] = [left + width / 2, top + Math.min(height, 40) / 2];
const over = document.elementFromPoint(x, y);
const isSeen = y >= 0 && y <= innerHeight && over !== null && (!over.closest(".tabs") || over.contains(now) || now.contains(over));
return [window.reachable?.indexOf(now) ?? -1, called(now), marked, isSeen, now.tagName];"""


class Keys(SampleTests):
    def begin(self, width, person=None):
        browser = self.browser(person or self.owner, path=None)
        browser.resize(width, 800)
        browser.open(f"https://127.0.0.1:{self.hub.port}/hubpair/")
        browser.wait(lambda: len(browser.visible('//button[@class="open"]')) > 3, "the cards")
        return browser

    def tab(self, browser, words):
        """Presses Tab until this has the focus."""
        seen = []
        for _ in range(300):
            try:
                browser.key(TAB)
            except Failed:
                # A driver looks for what has the focus, and then writes to it: meanwhile it may have gone.
                continue
            _, name, marked, is_seen, tag = browser.run(FOCUSED)
            if name == words or tag == "SELECT" and name.startswith(words):
                self.assertTrue(marked and is_seen, f"{words}: marked {marked}, in sight {is_seen}")
                return
            seen.append(name)
        self.fail(f"Tab does not lead to {words}, but to {', '.join(dict.fromkeys(seen))}")

    def press(self, browser, *all_words, key=ENTER):
        for words in all_words:
            self.tab(browser, words)
            browser.key(key)

    def closed(self, browser, act=lambda: None):
        browser.wait(lambda: act() or browser.run("return document.querySelector('dialog[open]') === null"), "the dialog is closed")


class ReachTests(Keys):
    def walked(self, browser, what):
        """Once around with Tab; again if the page has put its cards elsewhere meanwhile, as when the rooms come in."""
        for _ in range(5):
            count, _ = browser.run(REACHABLE)
            found, faults = self.walk(browser, count)
            if browser.run(REACHABLE)[1]:
                break
        else:
            self.fail(f"{what} is never at rest")
        self.assertGreater(count, 1, what)
        self.assertEqual(faults, [], what)
        self.assertEqual(len(found), count, f"{what}: Tab misses some")
        # From wherever it began.
        start = found.index(min(found))
        self.assertEqual(found[start:] + found[:start], sorted(found), f"{what}: another order")

    def walk(self, browser, count):
        found, faults = [], []
        for _ in range(3 * count + 10):
            browser.key(TAB)
            place, name, marked, is_seen, _ = browser.run(FOCUSED)
            # What is outside is the browser's own.
            if place < 0:
                continue
            if place in found:
                break
            found.append(place)
            if name == "" or not marked or not is_seen:
                faults.append((name, f"marked {marked}", f"in sight {is_seen}"))
        return found, faults

    def test_tab_leads_to_everything(self):
        self.ask("PUT", "scenes/Night", {"states": [{
            "device": self.all["Kitchen light"]["deviceId"],
            "activator": self.all["Kitchen light"]["activators"][1]["activatorId"], "state": 0.2}]})
        self.addCleanup(self.ask, "DELETE", "scenes/Night")
        self.asking("Eve")
        name = lambda each: f'//button[@class="open"][.="{each}"]'
        for width in (320, 1280):
            browser = self.begin(width)
            for part in ("home", "messages", "arrange", "access", "health"):
                browser.open(f"https://127.0.0.1:{self.hub.port}/hubpair/#{part}")
                browser.find(f'//nav//a[@aria-current="page"][@href="#{part}"]')
                browser.wait(lambda: len(browser.visible("//main//li")) > 0 or part == "messages", f"what is in {part}")
                with self.subTest(part, width=width):
                    self.walked(browser, part)
            browser.open(f"https://127.0.0.1:{self.hub.port}/hubpair/#home")
            for part, *presses in (
                    ("home", name("Hue go")), ("home", name("Living room heating")), ("home", name("Sprinkler")),
                    ("home", name("Hue go"), '//dialog//button[.="History"]'), ("home", name("Hue go"), '//dialog//button[.="Rename"]'),
                    ("home", '//button[.="All at once"]'), ("home", '//button[@aria-label="What the scenes would change"]'),
                    ("home", '//button[@id="about"]'), ("arrange", '//button[.="New room"]'), ("arrange", '//button[.="New scene"]'),
                    ("arrange", '//button[.="New rule"]'), ("arrange", '//button[.="Add an appliance"]'),
                    ("arrange", '//button[.="History of the house"]'), ("access", '//button[.="Show a code"]')):
                browser.click(f'//a[@href="#{part}"]')
                for xpath in presses:
                    browser.click(xpath)
                browser.find("//dialog")
                with self.subTest(presses[-1], width=width):
                    self.walked(browser, presses[-1])
                self.closed(browser, lambda: browser.key(ESCAPE))
            browser.close()


class ActionTests(Keys):
    """At 320 pixels; all that can be pressed stands in the same order in a wide window."""

    def test_appliances(self):
        for name, state in (("Coffee machine", False), ("Front door", True), ("Bedroom blinds", 0.0), ("Living room heating", 0.64)):
            self.set(name, state)
        browser = self.begin(320)
        self.press(browser, "Coffee machine", key=SPACE)
        # The name comes before its switch: Space there opens the sheet.
        browser.find('//dialog//h2[.="Coffee machine"]')
        browser.key(ESCAPE)
        self.closed(browser)
        self.assertEqual(browser.run("return document.activeElement.textContent"), "Coffee machine")
        browser.key(TAB)
        browser.key(SPACE)
        self.hub.wait_for(lambda: self.state("Coffee machine") is True, "switched on")
        self.press(browser, "Unlock: Front door")
        browser.find("//dialog")
        self.press(browser, "Unlock")
        self.hub.wait_for(lambda: self.state("Front door") is False, "unlocked")
        self.press(browser, "Up: Bedroom blinds")
        self.hub.wait_for(lambda: self.state("Bedroom blinds") == 1.0, "up")
        self.press(browser, "More: Living room heating")
        self.hub.wait_for(lambda: abs(self.state("Living room heating") - 0.66) < 0.001, "warmer")
        self.set("Front door", True)

    def test_a_sheet(self):
        self.set("Hue go", False)
        self.set("Hue go", 0.5, 1)
        browser = self.begin(320)
        self.press(browser, "Hue go")
        browser.find("//dialog")
        self.press(browser, "On/Off", key=SPACE)
        self.hub.wait_for(lambda: self.state("Hue go") is True, "on")
        self.press(browser, "Brightness", key=RIGHT)
        self.hub.wait_for(lambda: abs(self.state("Hue go", 1) - 0.51) < 0.001, "a step of the slider")
        self.press(browser, "More: Brightness")
        self.hub.wait_for(lambda: abs(self.state("Hue go", 1) - 0.6) < 0.001, "the next ten")
        self.press(browser, "Turquoise")
        self.hub.wait_for(lambda: abs(self.state("Hue go", 2) - 172 / 360) < 0.001, "turquoise")
        self.tab(browser, "How long")
        browser.key(DOWN)
        self.press(browser, "Start")
        self.hub.wait_for(lambda: len(self.ask("GET", "timers")["timers"]) == 1, "a timer")
        browser.find('//dialog//button[.="Stop the timer"]')
        self.press(browser, "Stop the timer")
        self.hub.wait_for(lambda: self.ask("GET", "timers")["timers"] == [], "no timer")
        browser.find('//dialog//button[.="Start"]')
        self.press(browser, "Favourite")
        self.hub.wait_for(lambda: self.ask("GET", "preferences").get("favourites"), "a favourite")
        self.ask("PUT", "preferences", {})
        self.press(browser, "History", "Save as CSV", "Close")
        self.press(browser, "Rename")
        browser.find('//dialog//label[contains(., "Name")]/input')
        browser.key("Hue come\ue007")
        self.hub.wait_for(lambda: any(each["name"] == "Hue come" for each in self.ask("GET", "/devices/")), "renamed")
        self.ask("PUT", f"/devices/{self.all['Hue go']['deviceId']}", {"name": "Hue go"})
        self.press(browser, "Camera …")
        browser.find('//dialog//label[contains(., "Address of the picture")]/input')
        browser.key(ESCAPE)
        self.press(browser, "Remove")
        browser.find('//dialog//button[@value="yes"]')
        self.press(browser, "Cancel")
        self.press(browser, "Close")
        self.closed(browser)

    def test_many_and_what_is_shown(self):
        self.set("Coffee machine", True)
        browser = self.begin(320)
        self.press(browser, "By kind")
        browser.find('//h2[contains(., "Lights")]')
        self.press(browser, "By room")
        self.tab(browser, "Find an appliance")
        browser.key("coffee")
        browser.wait(lambda: len(browser.visible('//button[@class="open"]')) == 1, "one is found")
        for _ in range(6):
            browser.key("\ue003")  # Backspace
        browser.wait(lambda: len(browser.visible('//button[@class="open"]')) > 3, "all are there")
        self.press(browser, "All at once: Kitchen")
        browser.find("//dialog")
        off = next(each for each in browser.run(CALLED + "return [...document.querySelectorAll('dialog .choice')].map(called)")
                   if each.startswith("Switch off"))
        self.press(browser, off)
        self.hub.wait_for(lambda: self.state("Coffee machine") is False, "the kitchen is off")
        self.ask("PUT", "scenes/Coffee", {"states": [{
            "device": self.all["Coffee machine"]["deviceId"],
            "activator": self.all["Coffee machine"]["activators"][0]["activatorId"], "state": True}]})
        self.addCleanup(self.ask, "DELETE", "scenes/Coffee")
        browser.find('//button[contains(@class, "scene")]')
        self.press(browser, "Coffee")
        self.hub.wait_for(lambda: self.state("Coffee machine") is True, "the scene ran")
        self.set("Coffee machine", False)
        self.press(browser, "What the scenes would change")
        self.press(browser, "Run Coffee")
        self.hub.wait_for(lambda: self.state("Coffee machine") is True, "it ran again")

    def test_an_alarm(self):
        device = self.all["Smoke detector"]
        self.ask("PUT", "rules/Smoke", {
            "device": device["deviceId"], "activator": device["activators"][0]["activatorId"], "when": "on", "kind": "alarm",
            "text": "Smoke below"})
        self.addCleanup(self.ask, "POST", "messages/acknowledge", {"upTo": 1000})
        self.addCleanup(self.ask, "DELETE", "rules/Smoke")
        self.set("Smoke detector", False)
        browser = self.begin(320)
        browser.find('//p[@id="status"][contains(., "Up to date")]')
        self.house.stdin.write("Smoke detector on\n")
        self.house.stdin.flush()
        browser.find('//dialog[contains(., "Smoke below")]')
        self.press(browser, "Look")
        browser.find("//dialog//dl")
        self.press(browser, "History", "Close")
        self.tab(browser, "Send on")
        self.press(browser, "Acknowledge")
        self.hub.wait_for(lambda: self.ask("GET", "messages?open=1")["open"] == 0, "acknowledged")
        self.closed(browser)
        self.press(browser, "Alarms")
        browser.find('//button[@data-filter="alarm"][@aria-pressed="true"]')
        self.press(browser, "Sound at an alarm Browsers let a page sound once you have touched it.", key=SPACE)
        self.assertEqual(browser.run("return localStorage.getItem('sound')"), "1")

    def test_alarms_all_at_once(self):
        for name in ("Smoke detector", "Fan"):
            device = self.all[name]
            self.set(name, False)
            self.ask("PUT", f"rules/{name}".replace(" ", "%20"), {
                "device": device["deviceId"], "activator": device["activators"][0]["activatorId"], "when": "on", "kind": "alarm",
                "text": f"{name}!"})
            self.addCleanup(self.ask, "DELETE", f"rules/{name}".replace(" ", "%20"))
        self.addCleanup(self.ask, "POST", "messages/acknowledge", {"upTo": 1000})
        browser = self.begin(320)
        browser.find('//p[@id="status"][contains(., "Up to date")]')
        self.house.stdin.write("Smoke detector on\nFan on\n")
        self.house.stdin.flush()
        browser.find('//dialog[contains(., "Smoke detector!")]')
        self.hub.wait_for(lambda: self.ask("GET", "messages?open=1")["open"] == 2, "two alarms")
        browser.key(ESCAPE)
        self.closed(browser, lambda: browser.visible("//dialog") and browser.key(ESCAPE))
        # It counts what else has been told.
        self.press(browser, browser.attribute('//nav//a[@href="#messages"]', "aria-label"))
        browser.find('//button[.="Acknowledge all"]')
        self.press(browser, "Acknowledge all")
        browser.find('//dialog[contains(., "Acknowledge 2 alarms?")]')
        self.press(browser, "Acknowledge")
        self.hub.wait_for(lambda: self.ask("GET", "messages?open=1")["open"] == 0, "acknowledged")

    def test_arming_and_disarming(self):
        door = self.all["Front door"]
        place = {"device": door["deviceId"], "activator": door["activators"][0]["activatorId"]}
        self.ask("PUT", "scenes/Away", {"states": [{**place, "state": True}]})
        self.addCleanup(self.ask, "DELETE", "scenes/Away")
        self.ask("PUT", "rules/Door", {**place, "when": "off", "kind": "notification", "text": "Somebody has come in", "in": ["Away"]})
        self.addCleanup(self.ask, "DELETE", "rules/Door")
        browser = self.begin(320)
        browser.find('//ul[@class="notices"]//button[.="Arm"]')
        self.press(browser, "Arm")
        browser.find('//dialog[contains(., "Arm the house?")]')
        self.press(browser, "Arm")
        self.hub.wait_for(lambda: self.ask("GET", "armed")["scene"] == "Away", "armed")
        browser.find('//ul[@class="notices"]//button[.="Disarm"]')
        self.press(browser, "Disarm")
        browser.find('//dialog[contains(., "Disarm the house?")]')
        self.press(browser, "Disarm")
        self.hub.wait_for(lambda: self.ask("GET", "armed")["scene"] is None, "disarmed")

    def test_leaving(self):
        person = self.device("Gina", "member")
        browser = self.begin(320, person)
        self.press(browser, "About this house")
        browser.find("//dialog")
        self.press(browser, "Leave this house")
        browser.find('//dialog//button[@value="yes"]')
        self.press(browser, "Cancel")
        self.assertEqual(self.status(person)["status"], "approved")
        self.press(browser, "Leave this house")
        browser.find('//dialog//button[@value="yes"]')
        self.press(browser, "Leave")
        self.hub.wait_for(lambda: not any(
            each["device"] == person.fingerprint and each["status"] == "approved" for each in self.hub.devices()), "let in no more")

    def test_arranging(self):
        browser = self.begin(320)
        self.press(browser, "Arrange")
        browser.find('//h1[.="Arrange"]')
        self.press(browser, "New room")
        browser.find("//dialog")
        # The first field has the focus.
        browser.key("Study")
        self.press(browser, "Desk lamp", key=SPACE)
        browser.key(ENTER)
        self.hub.wait_for(lambda: any(each["name"] == "Study" for each in self.ask("GET", "rooms")["rooms"]), "a room")
        self.closed(browser)
        self.press(browser, "New scene")
        browser.find("//dialog")
        browser.key("Reading")
        self.press(browser, "Desk lamp", key=SPACE)
        self.press(browser, "Save")
        self.hub.wait_for(lambda: any(each["name"] == "Reading" for each in self.ask("GET", "scenes")["scenes"]), "a scene")
        self.closed(browser)
        self.press(browser, "New rule")
        browser.find("//dialog")
        browser.key("Lamp")
        self.tab(browser, "When")
        browser.key("Desk lamp")
        self.tab(browser, "Which says")
        browser.key("The lamp is on\ue007")
        self.hub.wait_for(lambda: any(each["name"] == "Lamp" for each in self.ask("GET", "rules")["rules"]), "a rule")
        self.closed(browser)
        for each in ("Lamp", "Reading", "Study"):
            browser.find(f'//button[@aria-label="Change {each}"]')
            self.press(browser, f"Change {each}")
            browser.find("//dialog")
            self.press(browser, "Delete")
            browser.find('//dialog//button[@value="yes"]')
            self.press(browser, "Delete")
            browser.wait(lambda: not browser.visible(f'//button[@aria-label="Change {each}"]'), f"{each} is gone")
            self.closed(browser)

    def test_an_appliance_is_added(self):
        browser = self.begin(320)
        self.press(browser, "Arrange", "Add an appliance")
        browser.find('//dialog//option[@value="mock"]')
        browser.key("mock")
        self.press(browser, "Next")
        browser.find('//dialog//option[@value="light"]')
        browser.key("light")
        self.press(browser, "Next")
        browser.find('//dialog//label[contains(., "represent the device")]/input')
        browser.key("Lantern")
        for _ in range(2):
            browser.key(TAB)
            browser.key("80" if browser.run("return document.activeElement.type") == "number" else "10.0.0.9")
        browser.key(ENTER)
        self.hub.wait_for(lambda: any(each["name"] == "Lantern" for each in self.ask("GET", "/devices/")), "added")
        self.closed(browser)
        self.press(browser, "Home")
        browser.find('//button[@class="open"][.="Lantern"]')
        self.press(browser, "Lantern", "Remove")
        browser.find('//dialog//button[@value="yes"]')
        self.press(browser, "Remove")
        self.hub.wait_for(lambda: not any(each["name"] == "Lantern" for each in self.ask("GET", "/devices/")), "removed")

    def test_access_and_this_browser(self):
        self.device("Ben", "member")
        browser = self.begin(320)
        self.press(browser, "Access")
        browser.find('//button[@aria-label="Revoke Ben"]')
        self.press(browser, "Show a code")
        browser.find('//dialog//img[@class="code"]')
        self.press(browser, "Done")
        self.closed(browser)
        self.tab(browser, "Role of Ben")
        browser.key("g")
        self.hub.wait_for(lambda: any(each["name"] == "Ben" and each["role"] == "guest" for each in self.hub.devices()), "a guest")
        self.tab(browser, "Another name of the hub")
        browser.key("kitchen.example\ue007")
        browser.find('//button[@aria-label="Remove kitchen.example"]')
        self.press(browser, "Remove kitchen.example")
        browser.find('//dialog//button[@value="yes"]')
        self.press(browser, "Remove")
        browser.wait(lambda: not browser.visible('//button[@aria-label="Remove kitchen.example"]'), "the name is gone")
        self.press(browser, "About this house")
        browser.find("//dialog")
        self.tab(browser, "Temperatures")
        browser.key("F")
        browser.wait(lambda: browser.run("return localStorage.getItem('degrees')") == "F", "Fahrenheit")


if __name__ == "__main__":
    unittest.main()
