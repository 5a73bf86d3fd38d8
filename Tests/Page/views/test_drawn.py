"""Every view as it is drawn: on a small and a large telephone and a wide screen, light and dark, in English and German,
beside the pictures in `drawn`, which a person has looked at.

    HUBPAIR_DRAW=1 Tests/Page/run test_drawn      draws the pictures anew; look at them before you commit them

What differs from run to run (times, fingerprints, ports) is not drawn. Pictures are kept at half the size, with few colours.
They are compared by means over 8 by 8 pixels: another rasteriser moves edges of letters by a part of one."""
import io
import json
import os
import pathlib
import unittest

from PIL import Image, ImageChops

from house import HouseTests, NAME
from second_implementation import Connection
from test_kinds import HOUSE_FILE

KEPT = pathlib.Path(__file__).resolve().parent.parent / "drawn"
IS_DRAWING = os.environ.get("HUBPAIR_DRAW") == "1"
SIZES = {320: 640, 390: 844, 1280: 900}
SHEET = sum(width // 2 for width in SIZES), 4 * max(SIZES.values()) // 2
COLOURS = 64
BAR = 8
# Of 255: by so much the mean of one cell may differ; of all cells so many may differ by more.
CELL_LIMIT, SHARE_LIMIT = 24, 0.004

# What is another one at each run is left out; another length would move the rest.
STILL = r"""
const still = new CSSStyleSheet();
still.replaceSync(".other-each-time { display: none !important } * { caret-color: transparent !important }");
document.adoptedStyleSheets = [still];
const volatile = /([0-9A-Z]{4}-){3}|\d\d?:\d\d|\b\d+ (s|min|h|Min\.|Std\.|MiB|GiB)|:\d{4,5}\b|\d\.\d+\.\d|just now|gerade eben|[0-9A-F]{2}(:[0-9A-F]{2}){4}/;
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const { data, parentElement } = texts.currentNode;
  if (volatile.test(data)) parentElement.classList.add("other-each-time");
}
for (const each of document.querySelectorAll(".toast")) each.remove();
scrollTo(0, 0);
return document.fonts.ready.then(() => true);"""

# The doctor's findings are of this machine: the first three rows stand for all of them.
FINDINGS = """
[...document.querySelectorAll(".view:not([hidden]) li.item")].forEach((each, index) => {
  if (index > 2) each.remove();
  else for (const one of each.querySelectorAll("p, .verdict")) one.classList.add("other-each-time");
});"""


def shares(one, other):
    """How many cells of two pictures differ, of all."""
    size = [max(1, round(side / 4)) for side in one.size]
    difference = ImageChops.difference(*(each.convert("RGB").resize(size, Image.BOX) for each in (one, other)))
    channels = [list(each.getdata()) for each in difference.split()]
    return sum(max(each) > CELL_LIMIT for each in zip(*channels)) / (size[0] * size[1])


@unittest.skipIf(NAME != "chromium", "a browser draws like itself alone")
class DrawnTests(HouseTests):
    HESTIA = HOUSE_FILE

    def ask(self, method, path, body=None):
        with Connection(self.hub.port, self.owner) as connection:
            status = connection.request(method, path, json.dumps(body).encode() if body is not None else None)[0]
            self.assertLess(status, 300, path)

    def furnish(self):
        self.owner = self.device("Olga", "owner")
        for id, name, area, devices in (("hall", "Hall", "Ground floor", ["d", "w", "t"]), ("yard", "Yard", "Garden", ["c", "f"])):
            self.ask("PUT", f"/hubpair/v1/rooms/{id}", {"name": name, "area": area, "devices": devices})
        self.ask("PUT", "/hubpair/v1/scenes/Evening", {"states": [{"device": "a", "activator": "a1", "state": 0.2}], "at": "19:30"})
        self.ask("PUT", "/hubpair/v1/scenes/Night", {"states": [{"device": "a", "activator": "a0", "state": False}]})
        self.ask("PUT", "/hubpair/v1/rules/Lamp", {
            "device": "a", "activator": "a0", "when": "off", "kind": "alarm", "text": "The lamp has gone out"})
        self.ask("PUT", "/hubpair/v1/preferences", {"favourites": ["a", "d"]})
        self.asking("Ben’s phone")

    def drawn(self, browser):
        browser.run(STILL)
        return self.taken(browser)

    @staticmethod
    def taken(browser):
        picture = Image.open(io.BytesIO(browser.picture())).convert("RGB")
        return picture.resize([side // 2 for side in picture.size], Image.BOX)

    def compare(self, browser, view, language, prepare=None):
        for scheme in ("light", "dark"):
            browser.develop("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}])
            for width, height in SIZES.items():
                browser.resize(width, height)
                if prepare:
                    prepare()
                now = self.drawn(browser)
                if IS_DRAWING:
                    sheet = self.sheets.setdefault(view, Image.new("RGB", SHEET, "white"))
                    sheet.paste(now, self.place(language, scheme, width))
                else:
                    with self.subTest(view, language=language, scheme=scheme, width=width):
                        self.check(now, view, self.place(language, scheme, width))

    @staticmethod
    def place(language, scheme, width):
        """A view's picture has a row for each language in light and dark, and a column for each width."""
        row = ["en", "de"].index(language) * 2 + ["light", "dark"].index(scheme)
        return sum(each // 2 for each in SIZES if each < width), row * max(SIZES.values()) // 2

    def check(self, now, view, place):
        sheet = Image.open(KEPT / f"{view}.png")
        # In the colours of the kept one: few of its own would be others after the least change.
        now = now.quantize(palette=sheet, dither=Image.Dither.NONE)
        kept = sheet.crop((*place, place[0] + now.width, place[1] + now.height))
        # Without the scroll bar: its thumb grows as what is out of sight is laid out.
        inner = (0, 0, now.width - BAR, now.height)
        share = shares(now.crop(inner), kept.crop(inner))
        if share > SHARE_LIMIT:
            now.save(f"/tmp/hubpair-drawn-{view}.png")
        self.assertLessEqual(share, SHARE_LIMIT, f"drawn otherwise than in {view}.png: see /tmp/hubpair-drawn-{view}.png")

    def test_every_view(self):
        self.furnish()
        self.sheets = {}
        for language in ("en", "de"):
            chosen = {"preferences": {"intl.accept_languages": language}, "options": [f"--lang={language}"]}
            stranger = self.browser(**chosen)
            stranger.find("//main//input")
            self.compare(stranger, "stranger", language)
            stranger.open(f"https://127.0.0.1:{self.hub.port}/hubpair/trust")
            self.compare(stranger, "trust", language)
            stranger.close()
            browser = self.browser(self.owner, **chosen)
            browser.wait(lambda: len(browser.visible('//li[contains(@class, "card")]')) >= 10, "the cards")
            for view in ("home", "messages", "arrange", "access", "health"):
                browser.click(f'//a[@href="#{view}"]')
                browser.wait(lambda: browser.run(
                    "return document.querySelector(`a[href='${location.hash}']`)?.getAttribute('aria-current') === 'page'"), view)
                browser.wait(lambda: len(browser.visible("//main//li")) > 0, f"what is in {view}")
                self.compare(browser, view, language, (lambda: browser.run(FINDINGS)) if view == "health" else None)
            browser.click('//a[@href="#home"]')
            browser.click('//button[@class="open"][.="Lamp"]')
            browser.find("//dialog")
            self.compare(browser, "sheet", language)
            browser.key("\ue00c")
            browser.click('//button[@id="about"]')
            browser.find("//dialog")
            self.compare(browser, "about", language)
            browser.key("\ue00c")
            self.ask("POST", "/devices/a/activators/a0", {"state": False})
            browser.find('//*[contains(., "The lamp has gone out")]')
            browser.wait(lambda: browser.visible("//dialog"), "the alarm in front")
            self.compare(browser, "alarm", language)
            browser.close()
            self.ask("POST", "/devices/a/activators/a0", {"state": True})
            with Connection(self.hub.port, self.owner) as connection:
                for each in json.loads(connection.request("GET", "/hubpair/v1/messages?open=1")[2])["messages"]:
                    connection.request("POST", f"/hubpair/v1/messages/{each['id']}/acknowledge", b"{}")

        for view, sheet in self.sheets.items():
            sheet.quantize(COLOURS, dither=Image.Dither.NONE).save(KEPT / f"{view}.png", optimize=True)

    @unittest.skipIf(IS_DRAWING, "draws")
    def test_what_is_missing_is_seen(self):
        """One control less in a whole picture is more than the tolerance."""
        browser = self.browser(self.device("Rosa", "owner"))
        browser.resize(390, 844)
        browser.find('//button[@role="switch"]')
        before = self.drawn(browser)
        browser.run("""
            const gone = new CSSStyleSheet();
            gone.replaceSync(".card:nth-child(2) .head > :last-child { visibility: hidden !important }");
            document.adoptedStyleSheets.push(gone);""")
        self.assertGreater(shares(before, self.taken(browser)), SHARE_LIMIT)


if __name__ == "__main__":
    unittest.main()
