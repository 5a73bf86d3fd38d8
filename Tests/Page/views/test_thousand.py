"""A house of a thousand appliances: what is out of sight costs nothing, and is there all the same."""
import unittest

import house
import test_axe
from house import HouseTests, Used

# The lists of cards that are laid out, and the cards in them.
SEEN = """
const cards = [...document.querySelectorAll('.view:not([hidden]) .cards .card')];
return [cards.length, cards.filter((each) => each.checkVisibility({contentVisibilityAuto: true})).length];"""


class ThousandTests(HouseTests):
    HESTIA = ("--devices", "1000")

    def house(self, width, columns):
        browser = self.browser(self.device("Anna", "owner"), path=None)
        browser.resize(width, 900)
        browser.open(f"https://127.0.0.1:{self.hub.port}/hubpair/")
        browser.wait(lambda: browser.run(SEEN)[0] == 1000 * columns, "all are there")
        return browser

    def drawn(self, width=390, columns=1):
        browser = self.house(width, columns)
        browser.wait(lambda: browser.run("return [...document.querySelectorAll('.card .open')].every((each) => each.textContent)"),
                     "all are drawn")
        return browser

    def scroll(self, browser, to):
        # Two frames: in the first one the browser sees what has come into sight.
        browser.run("""
            window.isDone = false;
            scrollTo({top: arguments[0] * document.documentElement.scrollHeight, behavior: 'instant'});
            requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => { window.isDone = true; })));""", to)
        browser.wait(lambda: browser.run("return window.isDone"), "two frames")

    def test_a_frame_draws_few(self):
        """As fast as a hand scrolls, 7,200 pixels in a second: the work of a frame is counted, not timed."""
        for width, columns, most in ((390, 1, 4), (1280, 2, 8)):
            with self.subTest(width):
                browser = self.house(width, columns)
                browser.run("""
                    window.drawn = [];
                    let count = 0;
                    const cards = (list) => list.children.length;
                    document.addEventListener("contentvisibilityautostatechange", (event) => {
                      if (!event.skipped && event.target.matches(".cards")) count += cards(event.target);
                    }, true);
                    scrollTo({top: 0, behavior: "instant"});
                    (async () => {
                      const frame = () => new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
                      // What is near at the top has been told of.
                      for (let each = 0; each < 10; each += 1) await frame();
                      for (let each = 0; each < 200; each += 1) {
                        count = 0;
                        scrollBy({top: 120, behavior: "instant"});
                        await frame();
                        await frame();
                        window.drawn.push(count);
                      }
                      window.isDone = true;
                    })();""")
                browser.wait(lambda: browser.run("return window.isDone"), "it has been scrolled")
                drawn = browser.run("return window.drawn")
                # All that has gone by was drawn, and never many at a time. Cards are drawn by four: what Firefox sees as near
                # ends elsewhere, and it may tell of four with those of the next frame.
                spare = 4 if Used.name == "firefox" else 0
                self.assertGreater(sum(drawn), 200 * 120 / 80 * columns - spare)
                self.assertLessEqual(max(drawn), most + spare, drawn)

    @unittest.skipUnless(Used.name == "chromium", "only Chromium's trace tells how many elements get their style")
    def test_what_comes_into_sight_has_been_laid_out(self):
        """A frame has only to paint it: of the elements that go by, few get their style then."""
        from traced import Traced
        self.addCleanup(setattr, house, "Used", house.Used)
        house.Used = Traced
        browser = self.drawn(1280, 2)
        entries = browser.traced(lambda: [self.scroll(browser, place / 100) for place in range(1, 30)], "devtools.timeline")
        styled = sum(each["args"].get("elementCount", 0) for each in entries if each["name"] == "UpdateLayoutTree")
        # Some 600 cards go by, of more than ten elements each.
        self.assertLess(styled, 2000)

    def test_only_what_is_near_is_laid_out(self):
        # By room and by kind are beside one another where the window is wide.
        for width, columns, most in ((390, 1, 150), (1280, 2, 400)):
            with self.subTest(width):
                browser = self.house(width, columns)
                height = browser.run("return document.documentElement.scrollHeight")
                for place in (0, 0.1, 0.35, 0.6, 0.99, 0.5, 0):
                    self.scroll(browser, place)
                    # A browser with much to do sees it some frames later.
                    seen = browser.wait(lambda: browser.run(SEEN)[1], f"what is at {place}")
                    self.assertLessEqual(seen, most, place)
                # What was estimated before it was seen is as high as it is.
                self.assertLess(abs(browser.run("return document.documentElement.scrollHeight") - height), height / 20)

    def test_what_is_out_of_sight_is_found(self):
        browser = self.drawn()
        card = "[...document.querySelectorAll('.card')].find((each) => each.querySelector('.open').textContent === 'Device 900')"
        self.assertIs(browser.run(f"return {card}.checkVisibility({{contentVisibilityAuto: true}})"), False)
        # By the browser's own search.
        self.assertIs(browser.run("return window.find('Device 900')"), True)
        browser.wait(lambda: browser.run(f"const box = {card}.getBoundingClientRect(); return box.top > 0 && box.bottom < innerHeight;"),
                     "it is in sight")
        # By the keyboard, and at a thing's own place in the order.
        browser.run(f"scrollTo(0, 0); {card}.querySelector('.switch').focus()")
        browser.key("\ue004")
        following = browser.run("return document.activeElement.textContent")
        order = browser.run("return [...document.querySelectorAll('.card .open')].map((each) => each.textContent)")
        self.assertEqual(following, order[order.index("Device 900") + 1])
        browser.key(" ")
        browser.find(f'//dialog//h2[.="{following}"]')

    def test_axe(self):
        browser = self.drawn()
        self.assertEqual(test_axe.AxeTests.violations(self, browser), [])
