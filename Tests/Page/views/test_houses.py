"""`hubpair open` on a computer that knows several hubs: a section for each, also for one that is away."""
import json
import os
import subprocess
import threading
import unittest
from http.server import ThreadingHTTPServer

import test_axe
import test_open
from house import HouseTests, Used
from hub import HUBPAIR, Hestia, Hub
from test_pictures import Camera


class HousesTests(HouseTests):
    setUp = test_open.OpenTests.setUp
    opened = test_open.OpenTests.opened
    page = test_open.OpenTests.page
    violations = test_axe.AxeTests.violations

    def pair(self, hub, role, name):
        code = hub.run("print", "--format", "text", "--address", f"127.0.0.1:{hub.port}", "--role", role)
        self.hubpair("pair", "-", input=code)
        self.hubpair("hubs", "rename", "Kitchen hub", name)

    def hubpair(self, *arguments, **options):
        return subprocess.run([HUBPAIR, *arguments, "--config", self.configuration], text=True, check=True, capture_output=True,
                              timeout=60, **options).stdout

    def two(self, count=3, role="member"):
        """The hub of all tests as Town, with a guest's role, and Garden, with a member's."""
        self.pair(self.hub, "guest", "Town")
        hestia = Hestia("--devices", str(count))
        self.addCleanup(hestia.stop)
        garden = Hub(hestia.url)
        self.addCleanup(garden.remove)
        garden.start()
        self.pair(garden, role, "<i>Garden</i>")
        return hestia, garden

    def default(self):
        return [each["hub"] for each in map(json.loads, self.hubpair("hubs", "--json").splitlines()) if each["default"]]

    def section(self, name):
        return f'//section[contains(@class, "house")][.//h2[.="{name}"]]'

    def states(self, name):
        return f'{self.section(name)}//p[contains(@class, "status")]'

    def test_each_house_is_shown_and_set_with_its_own_role(self):
        hestia, garden = self.two()
        opened = self.opened()
        browser = self.page(opened)
        for name, role, count in (("Town", "Guest", 4), ("<i>Garden</i>", "Member", 3)):
            browser.find(f'{self.section(name)}//p[contains(., "{role}")]')
            browser.find(f'{self.states(name)}[contains(., "Up to date")]')
            browser.wait(lambda: len(browser.visible(f'{self.section(name)}//li[contains(@class, "card")]')) == count, name)
        # The same id in both houses: the order goes to the one that is meant.
        switch = '//li[contains(@class, "card")][contains(., "Device 0")]//button[@role="switch"]'
        browser.click(self.section("<i>Garden</i>") + switch)
        browser.find(f'{self.section("<i>Garden</i>")}{switch}[@aria-checked="true"]')
        # Opened as a document, what one hub says could do nothing to the other.
        for each in map(json.loads, self.hubpair("hubs", "--json").splitlines()):
            policies = browser.run("""
                return fetch(arguments[0]).then((answer) => answer.headers.get("content-security-policy"));""",
                f"/hubpair/local/at/{each['hub']}/hubpair/v1/hub")
            self.assertRegex(policies, r"(^|[ ,;])sandbox($|[,;])")
        # Both are asked again.
        for name in ("Town", "<i>Garden</i>"):
            browser.find(f'{self.states(name)}[contains(., "Up to date")]')
        self.assertEqual(browser.attribute(self.section("Town") + switch, "aria-checked"), "false")
        # The sheet, and what it asks, are of that house.
        browser.click(f'{self.section("<i>Garden</i>")}//button[.="Device 0"]')
        browser.click('//dialog//button[.="History"]')
        browser.find('//dialog//td[.="On"]')
        browser.key("\ue00c")
        browser.key("\ue00c")
        if Used.name == "chromium":
            self.assertEqual(self.violations(browser), [])
            browser.resize(320, 700)
            self.assertIs(browser.run("return document.documentElement.scrollWidth <= innerWidth"), True)
        self.assertEqual(browser.complaints(), [])
        # On a wider page each card is there twice.
        browser.resize(1200, 900)
        # Its whole page, without a change of the default.
        before = self.default()
        browser.click('//button[@aria-label="The page of <i>Garden</i>"]')
        browser.find('//a[@href="#home"][@aria-current="page"]')
        browser.wait(lambda: len(browser.visible('//li[contains(@class, "card")]')) == 3, "the page of the garden")
        self.assertEqual(self.default(), before)

    def test_scenes_a_search_and_pictures(self):
        self.two(count=10, role="owner")
        browser = self.page(self.opened())
        garden = self.section("<i>Garden</i>")
        browser.find(f'{self.states("<i>Garden</i>")}[contains(., "Up to date")]')
        id = next(each["hub"] for each in map(json.loads, self.hubpair("hubs", "--json").splitlines()) if "Garden" in each["name"])
        at = f"/hubpair/local/at/{id}"
        lamp = browser.run(f"return fetch('{at}/devices/').then((answer) => answer.json())")[0]
        on = next(each for each in lamp["activators"] if each["type"] == "bool")
        camera = ThreadingHTTPServer(("10.77.0.1", 0), Camera)
        threading.Thread(target=camera.serve_forever, daemon=True).start()
        self.addCleanup(camera.server_close)
        self.addCleanup(camera.shutdown)
        for path, body in (
                ("scenes/Dusk", {"states": [{"device": lamp["deviceId"], "activator": on["activatorId"], "state": True}]}),
                (f"pictures/{lamp['deviceId']}", {"url": f"http://10.77.0.1:{camera.server_address[1]}/now.png"})):
            status = browser.run("""
                return fetch(arguments[0], {method: 'PUT', body: arguments[1], headers: {'Content-Type': 'application/json'}})
                  .then((answer) => answer.status)""", f"{at}/hubpair/v1/{path}", json.dumps(body))
            self.assertIn(status, (200, 201), path)
        # The scene of the one house, and not of the other.
        browser.click(f'{garden}//button[contains(@class, "scene")][contains(., "Dusk")]')
        card = f'{garden}//li[contains(@class, "card")][contains(., "{lamp["name"]}")]'
        browser.find(f'{card}//button[@role="switch"][@aria-checked="true"]')
        browser.find(f'{garden}//button[contains(@class, "scene")][@data-active]')
        self.assertEqual(browser.visible(f'{self.section("Town")}//button[contains(@class, "scene")]'), [])
        # A camera's picture, by way of this computer.
        browser.find(f'{card}//div[@class="picture"]//img')
        # Its favourites are first, and are this computer's at that hub.
        browser.click(f'{card}//button[@class="open"]')
        browser.click('//dialog//button[@aria-label="Favourite"]')
        browser.key("\ue00c")
        browser.find(f'{garden}//section[.//h2[contains(., "Favourites")]]//li[contains(., "{lamp["name"]}")]')
        self.assertEqual(browser.run(
            f"return fetch('{at}/hubpair/v1/preferences').then((answer) => answer.json())")["favourites"], [lamp["deviceId"]])
        # One search over all houses.
        browser.type('//input[@type="search"]', "device 9")
        browser.wait(lambda: len(browser.visible('//li[contains(@class, "card")]')) == 1, "only the one")
        browser.find(f'{self.section("Town")}//p[.="No appliance has this in its name."]')
        if Used.name == "chromium":
            self.assertEqual(self.violations(browser), [])
        self.assertEqual(browser.complaints(), [])

    def test_one_that_is_away_is_shown_as_it_was(self):
        hestia, garden = self.two()
        opened = self.opened()
        browser = self.page(opened)
        browser.find(f'{self.states("<i>Garden</i>")}[contains(., "Up to date")]')
        garden.kill()
        away = f'{self.states("<i>Garden</i>")}[contains(., "Hub away")][contains(., "old")]'
        browser.find(away)
        cards = f'{self.section("<i>Garden</i>")}//li[contains(@class, "card")]'
        self.assertEqual(len(browser.visible(cards)), 3)
        # The other one does not wait for it.
        browser.find(f'{self.states("Town")}[contains(., "Up to date")]')
        opened.end()
        # Another visit, for which this computer remembers it; it is the default one, even.
        self.hubpair("hubs", "use", "<i>Garden</i>")
        browser = self.page(self.opened())
        browser.find(away)
        browser.wait(lambda: len(browser.visible(cards)) == 3, "three as they were")
        self.assertEqual(browser.visible(f'{cards}//button[@role="switch"]'), [])
        browser.find(f'{self.states("Town")}[contains(., "Up to date")]')
        # It comes back.
        garden.start()
        browser.find(f'{self.states("<i>Garden</i>")}[contains(., "Up to date")]')
        browser.find(f'{cards}//button[@role="switch"]')

    def test_the_choice_is_remembered(self):
        self.two()
        opened = self.opened()
        browser = self.page(opened)
        browser.find(self.section("Town"))
        browser.click('//div[@role="group"]//button[@aria-pressed="true"][.="Town"]')
        browser.find('//button[@aria-pressed="false"][.="Town"]')
        self.assertEqual(browser.visible(self.section("Town")), [])
        browser.find(self.section("<i>Garden</i>"))
        opened.end()
        browser = self.page(self.opened())
        browser.find(self.section("<i>Garden</i>"))
        self.assertEqual(browser.visible(self.section("Town")), [])
        browser.click('//button[@aria-pressed="false"][.="Town"]')
        browser.find(self.section("Town"))

    def test_one_hub_alone(self):
        self.two()
        browser = self.page(self.opened("--hub", "Town"))
        browser.find('//li[contains(@class, "card")][contains(., "Device 3")]')
        browser.click('//a[@href="#hubs"]')
        browser.find(f'{self.row("Garden")}')
        self.assertEqual(browser.visible('//a[@href="#houses"]'), [])

    def test_nothing_else_is_reached(self):
        self.two()
        opened = self.opened()
        browser = self.page(opened)
        browser.find(self.section("Town"))
        asked = """
            window.answer = null;
            fetch(arguments[0], {method: arguments[1]}).then((answer) => { window.answer = answer.status; });"""
        for method, path, status in (
                ("GET", "0000-0000-0000-0000/devices/", 404), ("GET", "nothing/devices/", 404), ("GET", "", 404),
                ("GET", "../hubs/use", 404), ("POST", "0000-0000-0000-0000/devices/1/activators/1", 404)):
            browser.run(asked, f"/hubpair/local/at/{path}", method)
            self.assertEqual(browser.wait(lambda: browser.run("return window.answer"), "an answer"), status, path)


if __name__ == "__main__":
    unittest.main()
