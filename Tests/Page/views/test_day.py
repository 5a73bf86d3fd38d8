"""What a family does besides switching: favourites, timers, scenes, alarms, history; and what it has in its house."""
import unittest
import urllib.parse

from test_home import SampleTests
from test_kinds import card


class DayTests(SampleTests):
    def again(self, browser):
        browser.open("about:blank")
        browser.open(f"https://127.0.0.1:{self.hub.port}/hubpair/")

    def sheet(self, browser, name):
        browser.click(card(name, '//button[@class="open"]'))
        browser.find('//dialog[contains(@class, "sheet")]')

    def test_favourites_stand_first_and_the_hub_keeps_them(self):
        browser = self.browser(self.owner)
        self.sheet(browser, "Desk lamp")
        browser.click('//dialog//button[@aria-label="Favourite"]')
        browser.find('//dialog//button[@aria-label="Favourite"][@aria-pressed="true"]')
        browser.key("\ue00c")
        browser.find('//section[.//h2[contains(., "Favourites")]]//li[contains(@class, "card")][contains(., "Desk lamp")]')
        browser.run("localStorage.clear()")
        self.again(browser)
        browser.find('//section[.//h2[contains(., "Favourites")]]//li[contains(@class, "card")][contains(., "Desk lamp")]')
        # They are this device's.
        other = self.browser(self.device("Mia", "member"))
        other.find(card("Desk lamp"))
        self.assertEqual(other.visible('//h2[contains(., "Favourites")]'), [])
        self.ask("PUT", "preferences", {})

    def test_a_timer_survives_a_restart(self):
        self.set("Terrace light", False)
        browser = self.browser(self.owner)
        self.sheet(browser, "Terrace light")
        browser.find('//dialog//option[@value="for"][.="Switch on for"]')
        browser.click('//dialog//option[@value="30"]')
        browser.click('//dialog//button[.="Start"]')
        self.hub.wait_for(lambda: self.state("Terrace light") is True, "it is on")
        browser.find('//dialog//p[starts-with(., "Switch off in 30 minutes")]')
        timer, = self.ask("GET", "timers")["timers"]
        self.assertEqual((timer["state"], timer["name"]), (False, "Olga"))
        self.assertGreater(timer["left"], 1000)
        self.hub.stop()
        self.hub.start()
        self.assertEqual([each["due"] for each in self.ask("GET", "timers")["timers"]], [timer["due"]])
        self.again(browser)
        self.sheet(browser, "Terrace light")
        browser.click('//dialog//button[.="Stop the timer"]')
        self.hub.wait_for(lambda: self.ask("GET", "timers")["timers"] == [], "the timer is gone")
        # One that is over is carried out.
        device = self.all["Terrace light"]
        self.ask("PUT", f"timers/{device['deviceId']}/{device['activators'][0]['activatorId']}", {"state": False, "in": 1})
        self.hub.wait_for(lambda: self.state("Terrace light") is False, "it is off again")
        self.hub.wait_for(lambda: self.ask("GET", "timers")["timers"] == [], "and nothing waits")

    def test_watering_has_a_time_a_length_and_a_humidity(self):
        sensor, valve = self.all["Fridge"], self.all["Sprinkler"]
        self.ask("PUT", f"/devices/{sensor['deviceId']}", {"name": "Lawn moisture"})
        self.addCleanup(self.ask, "PUT", f"/devices/{sensor['deviceId']}", {"name": "Fridge"})
        self.set("Sprinkler", False)
        proviso = f"{sensor['deviceId']}/{sensor['activators'][0]['activatorId']} below "
        browser = self.browser(self.owner)
        browser.find(card("Lawn moisture"))
        self.sheet(browser, "Sprinkler")
        browser.click('//dialog//option[@value="at"][.="Open at"]')
        browser.run("""
            const time = document.evaluate(arguments[0], document, null, 9).singleNodeValue;
            time.value = "06:00";""", '//dialog//label[contains(., "When")]/input')
        browser.click('//dialog//label[contains(., "How long")]//option[@value="20"]')
        browser.click('//dialog//label[contains(., "From which humidity")]//option[contains(., "Lawn moisture")]')
        # It begins with what it is now.
        self.assertEqual(browser.run("return document.querySelector('.timer > input:not([hidden])').value"), "35")
        browser.click('//dialog//button[.="Start"]')
        browser.find('//dialog//p[contains(., "At 06:00")][contains(., "for 20 minutes")][contains(., "is below 35 %")]')
        browser.click('//dialog//button[@value="yes"]')
        browser.find('//dialog//p[starts-with(., "Open in")][contains(., "for 20 minutes")][contains(., "only below 35 %")]')
        timer, = self.ask("GET", "timers")["timers"]
        self.assertEqual((timer["state"], timer["lasts"], timer["and"]), (True, 1200, proviso + "0.35"))
        self.assertIs(self.state("Sprinkler"), False)
        place = f"timers/{valve['deviceId']}/{valve['activators'][0]['activatorId']}"
        # Too wet: it is left out, and that is said.
        self.ask("PUT", place, {"state": True, "in": 0, "lasts": 1, "and": proviso + "0.3"})
        self.hub.wait_for(lambda: any("what it waited for does not hold" in each["text"] for each in self.ask("GET", "messages")["messages"]), "said")
        self.assertEqual((self.ask("GET", "timers")["timers"], self.state("Sprinkler")), ([], False))
        # Dry: it opens, and is closed again.
        self.ask("PUT", place, {"state": True, "in": 0, "lasts": 600, "and": proviso + "0.4"})
        self.hub.wait_for(lambda: self.state("Sprinkler") is True, "it is open")
        self.hub.wait_for(lambda: [each["state"] for each in self.ask("GET", "timers")["timers"]] == [False], "it will be closed")
        self.ask("DELETE", place)
        self.set("Sprinkler", False)
        self.assertEqual(browser.complaints(), [])

    def test_a_rule_counts_in_the_unit_of_what_it_watches(self):
        browser = self.browser(self.owner)
        browser.click('//a[@href="#arrange"]')
        browser.click('//button[.="New rule"]')
        browser.type('//dialog//label[contains(., "Name")]/input', "Hot")
        browser.click('//dialog//label[contains(., "When")]//option[contains(., "Front door")]')
        self.assertEqual(browser.run("return [...document.querySelectorAll('dialog option[value=above]')].map((each) => each.hidden)"), [True])
        browser.click('//dialog//label[contains(., "When")]//option[contains(., "Thermometer")]')
        browser.click('//dialog//label[contains(., "Becomes")]//option[@value="above"]')
        self.assertEqual(browser.run("return document.querySelector('dialog input[type=number]').value"), "20.8")
        browser.find('//dialog//label[contains(., "Value (°C)")]')
        browser.run("document.querySelector('dialog input[type=number]').value = ''")
        browser.type('//dialog//label[contains(., "Value (°C)")]/input', "25")
        browser.type('//dialog//label[contains(., "Which says")]/input', "It is hot")
        browser.click('//dialog//button[.="Save"]')
        self.hub.wait_for(lambda: [each["when"] for each in self.ask("GET", "rules")["rules"]] == ["above 0.625"], "kept")
        # Opened again it says what was typed.
        browser.click('//button[@aria-label="Change Hot"]')
        browser.wait(lambda: browser.run("return document.querySelector('dialog input[type=number]')?.value") == "25", "in degrees")
        browser.click('//dialog//button[.="Save"]')
        browser.wait(lambda: not browser.visible("//dialog"), "it is kept again")
        self.assertEqual([each["when"] for each in self.ask("GET", "rules")["rules"]], ["above 0.625"])
        self.ask("DELETE", "rules/Hot")

    def test_a_scene_says_what_it_would_change_and_takes_values(self):
        self.set("Kitchen light", True)
        self.set("Front door", True)
        browser = self.browser(self.owner)
        browser.click('//a[@href="#arrange"]')
        browser.click('//button[.="New scene"]')
        browser.type('//dialog//label[contains(., "Name")]/input', "Supper")
        browser.click('//dialog//label[.="Kitchen light"]/input')
        browser.click('//dialog//div[@class="thing"][.//label[.="Kitchen light"]]//select')
        browser.click('//dialog//div[@class="thing"][.//label[.="Kitchen light"]]//option[@value="false"]')
        browser.run("""
            const input = document.evaluate(arguments[0], document, null, 9).singleNodeValue;
            input.value = 35;
            input.dispatchEvent(new Event('input', { bubbles: true }));""",
                    '//dialog//div[@class="thing"][.//label[.="Kitchen light"]]//input[@type="range"]')
        browser.click('//dialog//button[.="Save"]')
        self.hub.wait_for(lambda: self.ask("GET", "scenes")["scenes"], "the scene is kept")
        states = [each["state"] for each in self.ask("GET", "scenes")["scenes"][0]["states"]]
        self.assertEqual(states, [False, 0.35])
        browser.click('//a[@href="#home"]')
        browser.click('//button[@aria-label="What the scenes would change"]')
        browser.find('//dialog//li[contains(., "Kitchen light")][contains(., "On → Off")]')
        browser.click('//dialog//button[@aria-label="Run Supper"]')
        self.hub.wait_for(lambda: self.state("Kitchen light") is False and self.state("Kitchen light", 1) == 0.35, "it ran")
        self.ask("DELETE", "scenes/Supper")

    def test_an_alarm_stands_in_front(self):
        device = self.all["Smoke detector"]
        place = {"device": device["deviceId"], "activator": device["activators"][0]["activatorId"]}
        self.ask("PUT", "rooms/cellar", {"name": "Cellar", "devices": [device["deviceId"]]})
        self.ask("PUT", "rules/Smoke", {**place, "when": "on", "kind": "alarm", "text": "Smoke below"})
        browser = self.browser(self.owner)
        browser.find(card("Smoke detector"))
        browser.find('//p[@id="status"][contains(., "Up to date")]')
        self.house.stdin.write("Smoke detector on\n")
        self.house.stdin.flush()
        browser.find('//dialog[contains(., "Smoke below")][contains(., "Cellar")]')
        browser.click('//dialog//button[.="Look"]')
        details = browser.text_of(browser.find('//dialog//dl'))
        for words in ("Cellar", "Smoke detector", "Quiet", "by nobody yet"):
            self.assertIn(words, details)
        browser.click('//dialog//button[.="Acknowledge"]')
        self.hub.wait_for(lambda: self.ask("GET", "messages?open=1")["open"] == 0, "acknowledged")
        browser.click('//button[@data-filter="alarm"]')
        browser.find('//li[contains(., "Smoke below")][contains(., "acknowledged by")][contains(., "Olga")]')
        browser.click('//button[@data-filter="alert"]')
        browser.wait(lambda: not browser.visible('//li[contains(., "Smoke below")]'), "alarms are no alerts")
        self.assertEqual(browser.complaints(), [])
        self.ask("DELETE", "rules/Smoke")

    def test_an_alarm_is_sent_on(self):
        device = self.all["Smoke detector"]
        self.ask("PUT", "rules/Smoke", {
            "device": device["deviceId"], "activator": device["activators"][0]["activatorId"], "when": "on", "kind": "alarm",
            "text": "Smoke & fire"})
        self.addCleanup(self.ask, "DELETE", "rules/Smoke")
        self.addCleanup(self.ask, "POST", "messages/acknowledge", {"upTo": 1000})
        self.set("Smoke detector", False)
        self.addCleanup(self.set, "Smoke detector", False)
        browser = self.browser(self.owner)
        browser.find('//p[@id="status"][contains(., "Up to date")]')
        # The system's own sheet, where there is one, and a program for mail are not the browser's.
        browser.run("""
            window.shared = [];
            window.outcome = () => Promise.resolve();
            Object.defineProperty(navigator, "share", { configurable: true, value: (what) => {
              window.shared.push(what);
              return window.outcome();
            }});
            HTMLAnchorElement.prototype.click = function () { window.mailed = this.href; };""")
        self.house.stdin.write("Smoke detector on\n")
        self.house.stdin.flush()
        browser.find('//dialog[contains(., "Smoke & fire")]')
        browser.click('//dialog//button[.="Look"]')
        browser.click('//dialog//button[.="Send on"]')
        shared = browser.wait(lambda: browser.run("return window.shared[0]"), "it is shared")
        self.assertEqual(shared["title"], "Smoke & fire")
        for line in ("Smoke & fire", "Kind: Alarm", "Appliance: Smoke detector", "Rule: Smoke", "Acknowledged: by nobody yet"):
            self.assertIn(line, shared["text"].split("\n"))
        # Who thinks better of it is not sent to the mail; where the sheet fails, or is not there, mail it is.
        browser.run("window.outcome = () => Promise.reject(new DOMException('', 'AbortError'))")
        browser.click('//dialog//button[.="Send on"]')
        browser.wait(lambda: browser.run("return window.shared.length") == 2, "it is shared again")
        self.assertIsNone(browser.run("return window.mailed ?? null"))
        for change in ("window.outcome = () => Promise.reject(new DOMException('', 'NotAllowedError'))",
                       "Object.defineProperty(navigator, 'share', { value: undefined })"):
            browser.run(f"window.mailed = null; {change}")
            browser.click('//dialog//button[.="Send on"]')
            mailed = urllib.parse.urlsplit(browser.wait(lambda: browser.run("return window.mailed"), "a mail"))
            fields = urllib.parse.parse_qs(mailed.query)
            self.assertEqual((mailed.scheme, mailed.path, fields["subject"]), ("mailto", "", ["Smoke & fire"]))
            self.assertEqual(fields["body"], [shared["text"]])

    def test_what_is_told_while_a_dialog_is_open_can_be_read_and_closed(self):
        browser = self.browser(self.owner)
        tell = "import(document.querySelector('[rel=modulepreload]').href).then(({ toast }) => toast(arguments[0], 'fault'));"
        self.sheet(browser, "Fan")
        browser.run(tell, "It does not answer.")
        browser.find('//dialog//*[@role="status"]//p[.="It does not answer."]')
        browser.click('//dialog//button[@aria-label="Close the message"]')
        browser.wait(lambda: not browser.visible('//p[.="It does not answer."]'), "the message is closed")
        browser.key("\ue00c")
        browser.wait(lambda: not browser.visible("//dialog"), "the sheet is closed")
        browser.run(tell, "It answers.")
        browser.find('/html/body/*[@role="status"]//p[.="It answers."]')

    def test_history_as_a_chart_a_table_and_a_file(self):
        for state in (True, False, True):
            self.set("Fan", state)
            self.hub.wait_for(lambda: next(
                each["state"] for each in self.ask("GET", "states")["states"]
                if each["device"] == self.all["Fan"]["deviceId"]) is state, f"{state}")
        browser = self.browser(self.owner)
        self.sheet(browser, "Fan")
        browser.click('//dialog//button[.="History"]')
        browser.find('//dialog//*[local-name()="svg"][@role="img"]')
        browser.find('//dialog//table//td[.="On"]')
        browser.run("""
            window.saved = null;
            const real = URL.createObjectURL;
            URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; }); return real.call(URL, blob); };""")
        browser.click('//dialog//button[.="Save as CSV"]')
        lines = browser.wait(lambda: browser.run("return window.saved"), "a file").split("\r\n")
        self.assertEqual(lines[0], "time,appliance,activator,state,meaning")
        self.assertIn(",Fan,On/Off,false,Off", lines[-3] + lines[-2] + lines[1] + lines[2])
        self.assertEqual(browser.complaints(), [])

    def test_an_appliance_comes_gets_another_name_and_goes(self):
        browser = self.browser(self.owner)
        browser.click('//a[@href="#arrange"]')
        browser.click('//button[.="Add an appliance"]')
        browser.click('//dialog//option[@value="mock"]')
        browser.click('//dialog//button[.="Next"]')
        browser.click('//dialog//option[@value="light"]')
        browser.click('//dialog//button[.="Next"]')
        # The house's own words explain a field; a port is a number.
        browser.find('//dialog//label[contains(., "An mock variable for an port")]/input[@type="number"]')
        browser.type('//dialog//label[contains(., "IP address")]/input', "10.0.0.9")
        browser.type('//dialog//label[contains(., "an port")]/input', "80")
        browser.type('//dialog//label[contains(., "represent the device")]/input', "fan\ue007")
        browser.find('//dialog//p[@role="alert"][contains(., "An appliance is called")]')
        browser.type('//dialog//label[contains(., "represent the device")]/input', "tasy\ue007")
        self.hub.wait_for(lambda: any(each["name"] == "fantasy" for each in self.ask("GET", "/devices/")), "added")
        browser.click('//a[@href="#home"]')
        self.sheet(browser, "fantasy")
        browser.click('//dialog//button[.="Rename"]')
        browser.type('//dialog//label[contains(., "Name")]/input', " light\ue007")
        self.hub.wait_for(lambda: any(each["name"] == "fantasy light" for each in self.ask("GET", "/devices/"))
                          or any(each["name"].strip() == "light" for each in self.ask("GET", "/devices/")), "renamed")
        browser.find('//dialog[contains(@class, "sheet")]//h2[contains(., "light")]')
        browser.click('//dialog//button[.="Remove"]')
        browser.click('//dialog//button[.="Remove" and @value="yes"]')
        self.hub.wait_for(lambda: not any("light" == each["name"].split()[-1] and "fan" in each["name"] for each in self.ask("GET", "/devices/")), "gone")
        self.assertEqual(browser.complaints(), [])

    def test_the_first_visit_says_where_one_is(self):
        browser = self.browser(self.device("Gast", "guest"))
        browser.find('//ul[@class="notices"]/li[contains(., "Welcome to")][contains(., "Gast")][contains(., "Guest")]')
        browser.click('//button[.="What I may do"]')
        browser.find('//dialog//p[starts-with(., "You may:")][contains(., "switch lights")]')
        browser.find('//dialog//p[starts-with(., "Others may:")][contains(., "unlock")]')
        browser.click('//dialog//button[.="Begin"]')
        browser.wait(lambda: not browser.visible('//ul[@class="notices"]/li[contains(., "Welcome")]'), "said once")
        self.again(browser)
        browser.find(card("Fan"))
        self.assertEqual(browser.visible('//ul[@class="notices"]/li[contains(., "Welcome")]'), [])
        browser.click('//button[@id="about"]')
        browser.find('//dialog//dd[.="Kitchen hub"]')


if __name__ == "__main__":
    unittest.main()
