"""Pictures of everything that the page shows, for a person who looks: a sheet for each view and dialog, in English and German,
light and dark, 320 and 1280 pixels wide. Nothing is compared; test_drawn does that for the views.

    Tests/Page/run walk                 draws them to $TMPDIR/hubpair-walk; HUBPAIR_TREE=1 prints what a screen reader is told"""
import io
import os
import pathlib
import tempfile
import unittest

from PIL import Image

from test_home import SampleTests

FOLDER = pathlib.Path(tempfile.gettempdir()) / "hubpair-walk"
SIZES = {320: 700, 1280: 800}
NAMED = lambda each: f'//button[@class="open"][.="{each}"]'


class Walk(SampleTests):
    OPTIONS = ("--moving", "4")

    def furnish(self):
        def state(name, activator, value):
            device = self.all[name]
            return {"device": device["deviceId"], "activator": device["activators"][activator]["activatorId"], "state": value}
        self.ask("PUT", "scenes/Night", {"states": [state("Kitchen light", 0, False), state("Front door", 0, True), state("Hall light", 0, False)]})
        self.ask("PUT", "scenes/Away", {"states": [state("Coffee machine", 0, False)]})
        smoke = state("Smoke detector", 0, None)
        self.ask("PUT", "rules/Smoke", {"device": smoke["device"], "activator": smoke["activator"], "when": "on", "kind": "alarm", "text": "Smoke in the hall"})
        door = state("Front door", 0, None)
        self.ask("PUT", "rules/Door", {"device": door["device"], "activator": door["activator"], "when": "off", "kind": "notification",
                                       "text": "Somebody has come in", "in": ["Away"]})
        fan = state("Fan", 0, None)
        for value in (True, False, True):
            self.set("Fan", value)
            self.hub.wait_for(lambda: next(each["state"] for each in self.ask("GET", "states")["states"] if each["device"] == fan["device"]) is value, "told")
        self.ask("PUT", f"timers/{fan['device']}/{fan['activator']}", {"state": False, "in": 3000})
        self.ask("PUT", "preferences", {"favourites": [self.all["Desk lamp"]["deviceId"], door["device"]]})
        self.set("Garage door", True)
        self.asking("Eve’s phone")

    def shot(self, browser, what):
        sheet = Image.new("RGB", (2 * 330 + 2 * 650, 2 * 710), "#888")
        for row, scheme in enumerate(("light", "dark")):
            browser.develop("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            for width, height in SIZES.items():
                browser.resize(width, height)
                browser.run("return new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(go, 150))))")
                picture = Image.open(io.BytesIO(browser.picture())).convert("RGB")
                if width > 400:
                    picture = picture.resize((650, round(650 * height / width)), Image.LANCZOS)
                column = 0 if width < 400 else 330
                sheet.paste(picture, (self.offset + column, row * 710))
        self.sheets.setdefault(what, sheet)
        if self.offset:
            self.sheets[what].paste(sheet.crop((990, 0, sheet.width, sheet.height)), (990, 0))
        self.sheets[what].save(FOLDER / f"{what}.png")
        browser.resize(1280, 800)
        if os.environ.get("HUBPAIR_TREE"):
            print(f"== {what}, {self.language}", *self.tree(browser), sep="\n", flush=True)

    @staticmethod
    def tree(browser):
        browser.develop("Accessibility.enable")
        for node in browser.develop("Accessibility.getFullAXTree")["nodes"]:
            role, name = node.get("role", {}).get("value"), node.get("name", {}).get("value", "")
            if node.get("ignored") or role in ("none", "generic", "StaticText", "InlineTextBox", "paragraph", "RootWebArea", "ListMarker"):
                continue
            more = [node.get("value", {}).get("value", "")] + [
                f"{each['name']}={each['value'].get('value')}" for each in node.get("properties", ())
                if each["name"] in ("checked", "pressed", "expanded", "disabled", "level", "valuetext", "invalid") and each["value"].get("value") not in (False, "false")]
            text = node.get("description", {}).get("value", "")
            yield f"{role}: {name!r} {' '.join(str(each) for each in more if each != '')} {text and f'({text})'}".rstrip()

    def dialog(self, browser, what, *presses):
        for xpath in presses:
            browser.click(xpath)
        browser.find("//dialog")
        self.shot(browser, what)
        browser.wait(lambda: browser.key("\ue00c") or not browser.visible("//dialog"), "it is closed")

    def test_walk(self):
        FOLDER.mkdir(exist_ok=True)
        self.furnish()
        self.sheets = {}
        for self.language, self.offset in (("en", 0), ("de", 990)):
            say = lambda english, german: english if self.language == "en" else german
            person = self.device(f"Mia {self.language}", "guest")
            browser = self.browser(person, preferences={"intl.accept_languages": self.language}, options=[f"--lang={self.language}"])
            browser.find(NAMED("Fan"))
            self.shot(browser, "10-first")
            self.dialog(browser, "10-what-a-guest-may", '//ul[@class="notices"]//button[contains(., "may") or contains(., "darf")]')
            browser.close()
            browser = self.browser(self.owner, preferences={"intl.accept_languages": self.language}, options=[f"--lang={self.language}"])
            browser.find(NAMED("Fan"))
            if browser.visible('//ul[@class="notices"]//button[contains(., "What I may") or contains(., "Was ich darf")]'):
                self.dialog(browser, "10-owner", '//ul[@class="notices"]//button[contains(., "What I may") or contains(., "Was ich darf")]')
            self.shot(browser, "03-home")
            browser.run("scrollTo(0, 900)")
            self.shot(browser, "03-home-below")
            browser.run("scrollTo(0, 0)")
            for number, each in ((1, "Hue go"), (1, "Living room heating"), (1, "Bedroom blinds"), (1, "Front door"), (1, "Thermometer"),
                                 (7, "Sprinkler"), (7, "Fan"), (1, "Smoke detector")):
                self.dialog(browser, f"{number:02}-{each.lower().replace(' ', '-')}", NAMED(each))
            self.dialog(browser, "01-unlock", '//li[contains(@class, "card")][.//button[.="Front door"]]//button[contains(@class, "verb")]')
            self.dialog(browser, "02-house", '//button[contains(@class, "whole")]')
            self.dialog(browser, "02-room", f'//button[@aria-label="{say("All at once: Hall", "Alles auf einmal: Hall")}"]')
            self.dialog(browser, "04-scenes", f'//button[@aria-label="{say("What the scenes would change", "Was die Szenen ändern würden")}"]')
            self.dialog(browser, "04-arm", f'//ul[@class="notices"]//button[.="{say("Arm", "Scharf stellen")}"]')
            self.dialog(browser, "06-history", NAMED("Fan"), f'//dialog//button[.="{say("History", "Verlauf")}"]')
            self.dialog(browser, "08-rename", NAMED("Fan"), f'//dialog//button[.="{say("Rename", "Umbenennen")}"]')
            self.dialog(browser, "08-remove", NAMED("Fan"), f'//dialog//button[.="{say("Remove", "Entfernen")}"]')
            self.dialog(browser, "09-camera", NAMED("Fan"), f'//dialog//button[.="{say("Camera …", "Kamera …")}"]')
            self.dialog(browser, "10-about", '//button[@id="about"]')
            self.set("Smoke detector", True)
            browser.find('//dialog[contains(., "Smoke in the hall")]')
            self.dialog(browser, "05-alarm")
            browser.click('//a[@href="#messages"]')
            browser.find('//li[contains(., "Smoke in the hall")]')
            self.shot(browser, "05-messages")
            self.dialog(browser, "05-details", '//li[contains(., "Smoke in the hall")]//button[@aria-haspopup="dialog"]')
            for each in self.ask("GET", "messages?open=1")["messages"]:
                self.ask("POST", f"messages/{each['id']}/acknowledge")
            self.set("Smoke detector", False)
            browser.click('//a[@href="#arrange"]')
            browser.find('//section[not(@hidden)]//h1')
            self.shot(browser, "08-arrange")
            for what, english, german in (("04-new-scene", "New scene", "Neue Szene"), ("07-new-rule", "New rule", "Neue Regel"),
                                          ("03-new-room", "New room", "Neuer Raum"), ("08-add", "Add an appliance", "Gerät hinzufügen"),
                                          ("06-house-history", "History of the house", "Verlauf des Hauses")):
                self.dialog(browser, what, f'//button[.="{say(english, german)}"]')
            for part in ("access", "health"):
                browser.click(f'//a[@href="#{part}"]')
                browser.wait(lambda: len(browser.visible("//main//li")) > 1, part)
                self.shot(browser, f"11-{part}")
            browser.close()


if __name__ == "__main__":
    unittest.main()
