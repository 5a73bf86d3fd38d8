"""What axe-core, the reference of accessibility checkers, holds against the page: nothing. And what Chromium tells a screen
reader of it: names, headings, and where news are read out."""
import os
import pathlib
import unittest

import test_kinds
from house import IS_LONG, HouseTests, Used
from test_home import SampleTests

# From PyPI's axe-playwright-python, see samples/prepare; it is kept out of the repository.
AXE = pathlib.Path(os.environ["HUBPAIR_AXE"])


CONTROLS = {
    "button", "checkbox", "combobox", "link", "listbox", "menuitem", "radio", "searchbox", "slider", "spinbutton", "switch", "tab",
    "textbox", "DisclosureTriangle"}


def tree_faults(nodes):
    """What a screen reader would stumble over in the tree that a browser has computed."""
    by_id = {node["nodeId"]: node for node in nodes}
    value = lambda node, key: node.get(key, {}).get("value") or ""
    level, live = 0, 0
    for node in nodes:
        properties = {each["name"]: each["value"].get("value") for each in node.get("properties", ())}
        live += properties.get("live") in ("polite", "assertive")
        if node.get("ignored"):
            continue
        role, name = value(node, "role"), value(node, "name").strip()
        if role in CONTROLS and not name:
            yield f"a {role} without a name"
        if role == "heading":
            # A dialog's own heading is of the second level.
            if properties["level"] > max(level + 1, 2):
                yield f"“{name}” is a heading of level {properties['level']} after one of {level}"
            if not name:
                yield "an empty heading"
            level = properties["level"]
        above = by_id.get(node.get("parentId"))
        while role in CONTROLS and above:
            if not above.get("ignored") and value(above, "role") in CONTROLS - {"listbox", "combobox"}:
                yield f"{role} “{name}” stands in {value(above, 'role')} “{value(above, 'name')}”"
            above = by_id.get(above.get("parentId"))
    if level == 0:
        yield "no heading"
    if live == 0:
        yield "nothing is read out when it comes"


class TreeTests(unittest.TestCase):
    def test_faults_are_found(self):
        node = lambda number, role, name="", parent=None, **more: {
            "nodeId": number, "role": {"value": role}, "name": {"value": name}, "parentId": parent,
            "properties": [{"name": key, "value": {"value": each}} for key, each in more.items()]}
        good = [node(1, "RootWebArea"), node(2, "heading", "House", 1, level=1), node(3, "button", "On", 1), node(4, "status", "", 1, live="polite")]
        self.assertEqual(list(tree_faults(good)), [])
        self.assertEqual(list(tree_faults(good[:3])), ["nothing is read out when it comes"])
        self.assertEqual(list(tree_faults(good[2:])), ["no heading"])
        self.assertEqual(list(tree_faults([*good, node(5, "slider", " ", 1)])), ["a slider without a name"])
        self.assertEqual(list(tree_faults([*good, node(5, "heading", "Lamp", 1, level=3)])), ["“Lamp” is a heading of level 3 after one of 1"])
        self.assertEqual(list(tree_faults([*good, node(5, "generic", "", 3), node(6, "link", "More", 5)])), ["link “More” stands in button “On”"])


class Axe:
    def violations(self, browser):
        browser.run(AXE.read_text())
        browser.run("""
            window.found = null;
            axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})
              .then((result) => { window.found = {
                passes: result.passes.length,
                violations: result.violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.html.slice(0, 200)).join(' ')}`),
              }; }, (error) => { window.found = {passes: 0, violations: [String(error)]}; });""")
        found = browser.wait(lambda: browser.run("return window.found"), "axe ends")
        self.assertGreater(found["passes"], 10)
        if Used.name != "chromium":
            return found["violations"]
        browser.develop("Accessibility.enable")
        nodes = browser.develop("Accessibility.getFullAXTree")["nodes"]
        browser.develop("Accessibility.disable")
        self.assertGreater(len(nodes), 20)
        return found["violations"] + list(tree_faults(nodes))

    def look_by_night(self, browser):
        for scheme, is_dark in (("dark", True), ("light", False)):
            browser.develop("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            self.assertIs(browser.run("return matchMedia('(prefers-color-scheme: dark)').matches"), is_dark)
            if is_dark:
                self.assertEqual(self.violations(browser), [])


class AxeTests(Axe, HouseTests):
    HESTIA = test_kinds.HOUSE_FILE

    def test_no_part_of_the_page_violates_a_rule(self):
        self.asking("Eve")
        owner = self.browser(self.device("Anna", "owner"))
        owner.find('//li[contains(@class, "card")]')
        for part in ("home", "messages", "arrange", "access", "health"):
            owner.open(f"https://127.0.0.1:{self.hub.port}/hubpair/#{part}")
            owner.find(f'//nav//a[@aria-current="page"][@href="#{part}"]')
            with self.subTest(part):
                self.assertEqual(self.violations(owner), [])
                if Used.name == "chromium":
                    self.look_by_night(owner)
                    # A small telephone has nothing beside its edge.
                    owner.resize(320, 640)
                    self.assertEqual(owner.run("return document.documentElement.scrollWidth <= innerWidth"), True)
                    owner.resize(1200, 900)
        owner.open(f"https://127.0.0.1:{self.hub.port}/hubpair/#access")
        owner.click('//button[.="Show a code"]')
        owner.find('//dialog//img[@class="code"]')
        with self.subTest("a code"):
            self.assertEqual(self.violations(owner), [])

    def test_nor_does_what_strangers_see(self):
        with self.subTest("stranger"):
            self.assertEqual(self.violations(self.browser()), [])

    @unittest.skipUnless(IS_LONG, "long")
    def test_nor_does_the_page_without_scripts(self):
        browser = self.browser(self.device("Olga", "owner"), path="/hubpair/v1/access")
        self.assertEqual(self.violations(browser), [])


class DialogTests(Axe, SampleTests):
    def opened(self, browser, what, *presses):
        """What these presses open, by day and by night, on a small telephone."""
        for xpath in presses:
            browser.click(xpath)
        browser.find("//dialog")
        with self.subTest(what):
            self.assertEqual(self.violations(browser), [])
            if Used.name == "chromium":
                self.look_by_night(browser)
                self.assertEqual(browser.run(
                    "return [...document.querySelectorAll('dialog')].every((each) => each.scrollWidth <= each.clientWidth)"), True)
        browser.wait(lambda: browser.key("\ue00c") or browser.run("return document.querySelector('dialog') === null"), "it is closed")

    def test_no_dialog_violates_a_rule(self):
        self.ask("PUT", "scenes/Night", {"states": [{
            "device": self.all["Kitchen light"]["deviceId"],
            "activator": self.all["Kitchen light"]["activators"][1]["activatorId"], "state": 0.2}]})
        self.addCleanup(self.ask, "DELETE", "scenes/Night")
        browser = self.browser(self.owner)
        browser.resize(320, 640)
        name = lambda each: f'//button[@class="open"][.="{each}"]'
        for each in ("Hue go", "Living room heating", "Bedroom blinds", "Sprinkler", "Thermometer"):
            self.opened(browser, each, name(each))
        self.opened(browser, "history", name("Hue go"), '//dialog//button[.="History"]')
        self.opened(browser, "another name", name("Hue go"), '//dialog//button[.="Rename"]')
        self.opened(browser, "its end", name("Hue go"), '//dialog//button[.="Remove"]')
        self.opened(browser, "a camera", name("Hue go"), '//dialog//button[.="Camera …"]')
        self.opened(browser, "all at once", '//button[.="All at once"]')
        self.opened(browser, "what scenes change", '//button[@aria-label="What the scenes would change"]')
        self.opened(browser, "about", '//button[@id="about"]')
        browser.click('//a[@href="#arrange"]')
        for each in ("New room", "New scene", "New rule", "Add an appliance", "History of the house"):
            self.opened(browser, each, f'//button[.="{each}"]')
        self.opened(browser, "a scene", '//button[@aria-label="Change Night"]')


if __name__ == "__main__":
    unittest.main()
