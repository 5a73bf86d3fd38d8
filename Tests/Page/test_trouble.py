"""What the page shows when something is wrong: access that ends, answers that cannot be read."""
import json
import os
import random
import signal
import time
import unittest

import test_axe
from hub import Hub
from house import HouseTests, Used
from odd_house import HOUSE, OddHouse, appliance
from second_implementation import Connection

SEED = os.environ.get("HUBPAIR_SEED") or str(int(time.time()))


class EndTests(HouseTests):
    def test_a_revoked_browser_loses_its_stream_at_once(self):
        member = self.device("Mia", "member")
        page = self.browser(member)
        page.find('//p[@id="status"][contains(., "Up to date")]')
        # A stream of the test's own beside the page's, with what it is told and when, by this computer's clock.
        page.run("""
            [window.ended, window.told] = [null, []];
            fetch('/hubpair/v1/messages/stream').then(async (answer) => {
              const reader = answer.body.getReader();
              window.begun = answer.status;
              try { while (!(await reader.read()).done) window.told.push(Date.now()); } catch {}
              window.ended = Date.now();
            });""")
        page.wait(lambda: page.run("return window.begun") == 200, "the stream is open")
        owner = self.browser(self.device("Anna", "owner"))
        owner.click('//a[@href="#access"]')
        owner.run("""
            const real = window.fetch;
            window.fetch = (path, ...more) => {
              const answer = real(path, ...more);
              if (/revoke$/.test(path)) answer.then(() => { window.revoked = Date.now(); });
              return answer;
            };""")
        owner.click(f'{self.row("Mia")}//button[.="Revoke"]')
        owner.click('//dialog//button[.="Revoke"]')
        page.find('//h1[.="This browser is not let in"]')
        self.assertIn("The owner has revoked this device; only a new code lets it in again.", page.text)
        # What was shown is gone from the page, and it asks for nothing that it may not have.
        self.assertEqual(page.visible('//li[contains(@class, "card")]'), [])
        ended = page.wait(lambda: page.run("return window.ended"), "the stream ends")
        revoked = owner.wait(lambda: owner.run("return window.revoked"), "it is revoked")
        print(f"a revoked browser's stream ended {ended - revoked} ms after the owner was told that it does", flush=True)
        # At once, and not with a look every now and then: at most what was on its way was told, and no heartbeat more.
        self.assertLessEqual(len([each for each in page.run("return window.told") if each > revoked]), 1)
        with Connection(self.hub.port, member) as connection:
            self.assertEqual(connection.request("GET", "/devices/")[0], 403)

    def test_an_owner_by_keyboard_alone(self):
        """From the address bar to a device that is let in and out again, without a mouse."""
        self.asking("Zoe")
        browser = self.browser(self.device("Kim", "owner"))
        browser.find('//li[contains(@class, "card")]')

        def tab_to(words):
            for _ in range(80):
                browser.key("\ue004")  # Tab; WebDriver, section 17.4.2
                said = browser.run("""
                    const now = document.activeElement;
                    return [now.getAttribute('aria-label') ?? now.textContent, now.matches(':focus-visible'), getComputedStyle(now).outlineStyle];""")
                if words in said[0]:
                    # A person at the keyboard sees where they are.
                    self.assertEqual(said[1:], [True, "solid"])
                    return
            self.fail(f"Tab does not lead to {words}")
        tab_to("Skip to the content")
        browser.key("\ue007")  # Enter
        browser.wait(lambda: browser.run("return document.activeElement.id") == "main", "the content has the focus")
        browser.open(f"https://127.0.0.1:{self.hub.port}/hubpair/")
        browser.find('//li[contains(@class, "card")]')
        tab_to("Access")
        browser.key("\ue007")
        browser.find('//h1[.="Access"]')
        # The heading has the focus: what a screen reader says next is the part that was chosen.
        self.assertEqual(browser.run("return document.activeElement.textContent"), "Access")
        tab_to("Role for Zoe")
        browser.key("g")
        tab_to("Approve")
        browser.key(" ")
        self.hub.wait_for(lambda: any(each["name"] == "Zoe" and each["status"] == "approved" for each in self.hub.devices()), "approved")
        self.assertEqual(next(each["role"] for each in self.hub.devices() if each["name"] == "Zoe"), "guest")
        browser.find('//button[@aria-label="Revoke Zoe"]')
        tab_to("Revoke Zoe")
        browser.key("\ue007")
        browser.find('//dialog')
        # Escape takes it back, and the focus returns to where it was.
        browser.key("\ue00c")
        browser.wait(lambda: not browser.visible("//dialog"), "the question is gone")
        self.assertEqual(browser.run("return document.activeElement.getAttribute('aria-label')"), "Revoke Zoe")
        browser.key("\ue007")
        browser.find('//dialog')
        tab_to("Revoke")
        browser.key("\ue007")
        self.hub.wait_for(lambda: any(each["name"] == "Zoe" and each["status"] == "revoked" for each in self.hub.devices()), "revoked")

    def test_many_windows_of_one_browser(self):
        """A browser has six connections to a hub. However many windows stand side by side, each keeps up and can switch;
        those that hold streams leave them to others when they are closed."""
        browser = self.browser(self.device("Eve", "member"))
        watcher = self.device("watcher", "guest")
        windows = [None]
        address = f"https://127.0.0.1:{self.hub.port}/hubpair/"
        for _ in range(4):
            windows.append(browser.another_window())
            browser.open(address)
        switch = '//li[contains(@class, "card")][contains(., "Device 0")]//div[@class="head"]//button[@role="switch"]'
        for window in windows[1:]:
            browser.turn_to(window)
            browser.find('//p[@id="status"][contains(., "Up to date")]')
            self.assertEqual(browser.run("return document.visibilityState"), "visible")
            before = browser.attribute(switch, "aria-checked")
            browser.click(switch)
            browser.wait(lambda: browser.attribute(switch, "aria-checked") != before, "it is switched")
            # Not only drawn: the hub has carried it out.
            wanted = browser.attribute(switch, "aria-checked") == "true"
            with Connection(self.hub.port, watcher) as connection:
                self.hub.wait_for(
                    lambda: json.loads(connection.request("GET", "/devices/")[2])[0]["activators"][0]["state"] is wanted, "the order arrives")
            for other in windows[1:]:
                browser.turn_to(other)
                browser.wait(lambda: browser.attribute(switch, "aria-checked") == str(wanted).lower(), "the others see it")

        def places():
            return browser.run("""
                window.held ??= null;
                navigator.locks.query().then(({held}) => { window.held = held.map((each) => each.name).sort(); });
                return window.held;""")
        browser.wait(lambda: places() == ["streams 1", "streams 2"], "two hold streams")
        for window in windows[1:3]:
            browser.turn_to(window)
            browser.close_window()
        browser.turn_to(windows[4])
        browser.wait(lambda: places() == ["streams 1", "streams 2"], "two others hold streams")

    def test_two_people_arrange_at_once(self):
        """Nobody's change is lost: what has changed since it was read is not overwritten, and the page says so."""
        browser = self.browser(self.device("Tom", "member"))
        browser.find('//li[contains(@class, "card")]')
        with Connection(self.hub.port, self.device("other", "member")) as connection:
            def put(path, value):
                self.assertIn(connection.request("PUT", f"/hubpair/v1/{path}", json.dumps(value))[0], (200, 201, 204))

            def read(kind):
                return json.loads(connection.request("GET", f"/hubpair/v1/{kind}")[2])[kind]
            lamp = json.loads(connection.request("GET", "/devices/")[2])[0]
            states = [{"device": lamp["deviceId"], "activator": lamp["activators"][0]["activatorId"], "state": True}]
            put("rooms/hall", {"name": "Hall", "devices": []})
            put("scenes/Film", {"name": "Film", "states": states})
            browser.click('//a[@href="#arrange"]')
            name = '//dialog//label[contains(., "Name")]/input'
            browser.click('//button[@aria-label="Change Hall"]')
            browser.type(name, " A")
            put("rooms/hall", {"name": "Hall B", "area": "Cellar", "devices": [lamp["deviceId"]]})
            browser.click('//dialog//button[.="Save"]')
            browser.find('//dialog//p[@role="alert"][contains(., "Somebody else has changed or deleted it meanwhile")]')
            self.assertEqual([each["name"] for each in read("rooms")], ["Hall B"])
            browser.click('//dialog//button[.="Cancel"]')
            # Behind the form stands what the other one has made of it; the next change is of that.
            browser.click('//button[@aria-label="Change Hall B"]')
            browser.type(name, " A")
            browser.click('//dialog//button[.="Save"]')
            self.hub.wait_for(lambda: [each["name"] for each in read("rooms")] == ["Hall B A"], "the room is changed")
            self.assertEqual((read("rooms")[0]["area"], read("rooms")[0]["devices"]), ("Cellar", [lamp["deviceId"]]))
            # A deletion, and a new name that somebody else has just given.
            browser.click('//button[@aria-label="Change Film"]')
            put("scenes/Film", {"name": "Film", "states": [{**states[0], "state": False}]})
            browser.click('//dialog//button[.="Delete"]')
            browser.click('//dialog//button[.="Delete" and @value="yes"]')
            browser.find('//dialog//p[@role="alert"][contains(., "Somebody else has changed or deleted it")]')
            put("scenes/Night", {"name": "Night", "states": states})
            browser.run("document.querySelector('dialog.edit input').value = 'Night'")
            browser.click('//dialog//button[.="Save"]')
            browser.find('//dialog//p[@role="alert"][contains(., "There is one of this name already")]')
            self.assertEqual([(each["name"], each["states"][0]["state"]) for each in sorted(read("scenes"), key=lambda each: each["name"])],
                             [("Film", False), ("Night", True)])

    @unittest.skipUnless(Used.name == "chromium", "Chromium alone can be told to drop a request")
    def test_a_file_that_did_not_come_is_asked_for_again(self):
        browser = self.browser(self.device("Ida", "member"), path=None)
        browser.develop("Network.enable")
        browser.develop("Network.setBlockedURLs", urls=["*/page.js"])
        browser.open(f"https://127.0.0.1:{self.hub.port}/hubpair/")
        browser.wait(lambda: browser.run("return performance.getEntriesByType('navigation')[0].type") == "reload", "it asks again")
        self.assertEqual(browser.visible('//li[contains(@class, "card")]'), [])
        browser.develop("Network.setBlockedURLs", urls=[])
        browser.find('//li[contains(@class, "card")]')

    def test_reduced_motion(self):
        browser = self.browser(self.device("Kim", "owner"))
        browser.click('//li[contains(@class, "card")]//button[@role="switch"]')
        self.assertTrue(browser.run("return matchMedia('(prefers-reduced-motion: reduce)').matches"))
        browser.click('//a[@href="#access"]')
        browser.click('//button[.="Show a code"]')
        browser.find('//dialog//img[@class="code"]')
        moving = browser.run("""
            const all = [...document.querySelectorAll('*')].flatMap((each) => [null, '::before', '::after'].map((part) => getComputedStyle(each, part)));
            return [document.getAnimations().length, all.filter((style) => style.animationName !== 'none').length,
              all.filter((style) => style.transitionProperty !== 'none' && style.transitionDuration !== '0s').length];""")
        self.assertEqual(moving, [0, 0, 0])


class FreshTests(HouseTests):
    """How old what the page shows is: the hub, the network or the house is gone without a word."""
    LIVE = '//p[@id="status"][contains(., "Up to date")]'
    CARD = '//li[contains(@class, "card")][contains(., "Device 0")]'
    SWITCH = CARD + '//div[@class="head"]//button[@role="switch"]'

    def stopped(self, process):
        """The process, stopped until the test is over or says otherwise."""
        process.send_signal(signal.SIGSTOP)
        self.addCleanup(process.send_signal, signal.SIGCONT)
        return process

    def event_driven(self, browser):
        """Nothing is asked for by the clock any more: what is shown from now on was told."""
        browser.run("""
            const real = window.setTimeout;
            for (let each = real(() => {}, 0); each > 0; each -= 1) clearTimeout(each);
            window.setTimeout = (act, time, ...more) => (time >= 2500 ? 0 : real(act, time, ...more));""")

    def test_two_heartbeats_that_are_missed(self):
        """With a clock of the test's own: a silent stream is told after two beats, and opened again where it was; that
        of a hub without heartbeats may be silent."""
        browser = self.browser(self.device("Ute", "member"))
        browser.find(self.LIVE)
        # All in one turn of the page, which has streams and timers of its own.
        told = browser.run("""
            return import(document.querySelector('[rel=modulepreload]').href).then(({Stream}) => {
              const [waiting, opened, told] = [[], [], []];
              let now = 0;
              const real = [window.setTimeout, window.clearTimeout, window.EventSource];
              window.setTimeout = (act, time) => waiting.push({act, at: now + time});
              window.clearTimeout = (key) => { if (key) delete waiting[key - 1]; };
              window.EventSource = class extends EventTarget {
                constructor(path) { super(); this.path = path; this.readyState = 0; opened.push(this); }
                close() { this.readyState = 2; }
              };
              const pass = (time) => {
                for (const end = now + time; now < end;) {
                  now += 100;
                  waiting.forEach((each, key) => { if (each.at <= now) { delete waiting[key]; each.act(); } });
                }
              };
              const say = (type, lastEventId = '') => opened.at(-1).dispatchEvent(new MessageEvent(type, {data: '{}', lastEventId}));
              try {
                const stream = new Stream('/stream', () => {}, (...what) => told.push([now, ...what]));
                stream.open(); opened.at(-1).onopen();
                pass(60000);
                say('state', 'a-1'); pass(60000);
                const old = told.length;
                say('alive', 'a-1');
                for (let beat = 0; beat < 10; beat += 1) { pass(2000); say('alive', 'a-1'); }
                const kept = told.length;
                const last = now;
                pass(4900); const early = told.length;
                pass(100);
                const [late, ...how] = told.at(-1);
                return [old, kept, early, late - last, how, opened.at(-1).path, opened.length];
              } finally { [window.setTimeout, window.clearTimeout, window.EventSource] = real; }
            });""")
        self.assertEqual(told, [1, 1, 1, 5000, [False, True], "/stream?after=a-1", 2])

    def test_a_hub_that_hangs(self):
        browser = self.browser(self.device("Ida", "member"))
        browser.find(self.LIVE)
        process = self.stopped(self.hub.process)
        browser.find('//p[@id="status"][contains(., "Hub away")][contains(., " old")]')
        # What was known is shown, and looks old.
        browser.find(self.CARD)
        self.assertTrue(browser.visible("//main[@data-old]"))
        process.send_signal(signal.SIGCONT)
        browser.find(self.LIVE)

    @unittest.skipUnless(Used.name == "chromium", "Chromium alone can be told to be offline")
    def test_a_network_that_is_gone(self):
        """The browser says so: in a network of loopback alone it never thinks that it is online, so the test says it."""
        browser = self.browser(self.device("Pia", "member"))
        browser.find(self.LIVE)

        def cut(is_cut):
            browser.post("chromium/network_conditions", network_conditions={"offline": is_cut, "latency": 0, "throughput": -1})
        self.event_driven(browser)
        # What is heard on a stream that is open already would show that there is a network.
        process = self.stopped(self.hub.process)
        cut(True)
        browser.run("dispatchEvent(new Event('offline'))")
        browser.find('//p[@id="status"][contains(., "No network")]')
        browser.find(self.CARD)
        cut(False)
        process.send_signal(signal.SIGCONT)
        browser.run("dispatchEvent(new Event('online'))")
        browser.find(self.LIVE)

    def test_a_house_that_hangs(self):
        """The page says since when, by what the hub knows, and an order that nobody confirmed never looks done."""
        browser = self.browser(self.device("Ben", "member"))
        browser.find(self.LIVE)
        browser.find(self.SWITCH)
        before = browser.attribute(self.SWITCH, "aria-checked")
        process = self.stopped(self.hestia.process)
        browser.click(self.SWITCH)
        browser.find(self.CARD + '[contains(., "Waiting for the house")]')
        browser.wait(lambda: browser.visible('//p[@id="status"][contains(., "House away since")][contains(., " old")]'),
                     "the house is away")
        browser.find(self.CARD + '[contains(., "Not confirmed")]')
        self.assertEqual(browser.attribute(self.SWITCH, "aria-checked"), before)
        self.assertEqual(browser.visible(self.LIVE), [])
        process.send_signal(signal.SIGCONT)
        browser.wait(lambda: browser.visible(self.LIVE), "the house is back")
        browser.wait(lambda: not browser.visible(self.CARD + '[contains(., "Not confirmed")]'), "the house says how it is")

    def test_who_asks_is_shown_at_once(self):
        """The hub tells: nothing is waited for."""
        browser = self.browser(self.device("Kim", "owner"))
        browser.find(self.LIVE)
        browser.wait(lambda: browser.run("return performance.getEntriesByType('resource').some((each) => /devices$/.test(each.name))"),
                     "the devices were asked for")
        self.event_driven(browser)
        self.asking("Zoe")
        browser.find('//ul[@class="notices"]//li[contains(., "Zoe")]')


class DeadHouseTests(HouseTests):
    def test_a_house_that_is_gone(self):
        """Said in plain words, with how old the states are; and again to who opens the page then."""
        browser = self.browser(self.device("Eva", "member"))
        card = '//li[contains(@class, "card")][contains(., "Device 0")]'
        switch = card + '//div[@class="head"]//button[@role="switch"]'
        browser.find('//p[@id="status"][contains(., "Up to date")]')
        before = browser.attribute(switch, "aria-checked")
        self.hestia.stop()
        for is_new in (False, True):
            if is_new:
                browser.open("about:blank")
                browser.open(f"https://127.0.0.1:{self.hub.port}/hubpair/")
            browser.find('//p[@id="status"][contains(., "House away since")][contains(., " old")]')
            words = browser.text_of(browser.find('//ul[@class="notices"]/li[contains(., "The house does not answer")]'))
            self.assertRegex(words, "connection refused|has not answered since|before it had answered")
            self.assertNotRegex(words, "errno|error set")
            browser.click(switch)
            toast = browser.text_of(browser.find('//div[contains(@class, "toast")][contains(., "Not confirmed.")]'))
            self.assertIn("Not confirmed. The server", toast)
            browser.find(card + '[contains(., "Not confirmed")]')
            self.assertEqual(browser.attribute(switch, "aria-checked"), before)
            if Used.name == "chromium":
                browser.resize(320, 640)
                self.assertTrue(browser.run("""
                    const name = document.getElementById('hub');
                    return document.documentElement.scrollWidth <= innerWidth && name.scrollWidth <= name.clientWidth;"""))
            self.assertEqual(test_axe.AxeTests.violations(self, browser), [])


class OddHouseTests(unittest.TestCase):
    """The server behind the hub answers with what is no list of appliances."""
    browser, device, asking, status = HouseTests.browser, HouseTests.device, HouseTests.asking, HouseTests.status

    @classmethod
    def setUpClass(cls):
        import tempfile
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.house = OddHouse()
        cls.addClassCleanup(cls.house.stop)
        cls.hub = Hub(cls.house.url)
        cls.addClassCleanup(cls.hub.remove)
        cls.hub.start()

    def setUp(self):
        self.house.good()

    def test_answers_that_cannot_be_read(self):
        browser = self.browser(self.device("Kim", "member"))
        browser.find('//li[contains(@class, "card")][contains(., "Lamp 0")]')
        whole = json.dumps(HOUSE).encode()
        for what, body, kind, words in (
                ("cut off", whole[:-9], "application/json", "cannot be read"),
                ("HTML", b"<script>document.title = 'evil'</script>", "text/html", "cannot be read"),
                ("an object", b'{"error": 1}', "application/json", "cannot be read"),
                ("deep", b"[" * 200_000, "application/json", "cannot be read"),
                ("bytes", bytes(range(256)) * 64, "application/json", "cannot be read"),
                ("huge", b"[" + b'"' + b"x" * (17 << 20) + b'"]', "application/json", "more than")):
            with self.subTest(what):
                self.house.send(body, kind)
                browser.run("dispatchEvent(new Event('online'))")
                notice = f'//ul[@class="notices"]//li[contains(., "does not answer")][contains(., "{words}")]'
                browser.find(notice)
                # What was known is still shown.
                browser.find('//li[contains(@class, "card")][contains(., "Lamp 0")]')
                browser.click(f'{notice}//button[.="Try again"]')
                browser.find(notice)
                # The hub notices by itself, and tells.
                self.house.good()
                browser.find('//p[@id="status"][contains(., "Up to date")]')
                browser.wait(lambda: not browser.visible(notice), "the notice stays")
        self.assertNotEqual(browser.run("return document.title"), "evil")
        self.assertEqual(browser.complaints(), [])

    def test_appliances_of_generated_nonsense(self):
        """Lists whose entries are anything: the page shows what it can, and goes on."""
        print(f"HUBPAIR_SEED={SEED}", flush=True)
        generator = random.Random(SEED)
        browser = self.browser(self.device("Noa", "member"))
        browser.find('//li[contains(@class, "card")]')
        values = [None, True, -1, 1e308, "", "x" * 5000, "<img src=x onerror=alert(1)>", "\u202e\0", [], {}, [[]], {"__proto__": 1}]

        def spoilt(value, depth=0):
            if generator.random() < 0.12:
                return generator.choice(values)
            if isinstance(value, dict):
                return {key: spoilt(each, depth + 1) for key, each in value.items() if generator.random() < 0.93}
            if isinstance(value, list):
                return [spoilt(each, depth + 1) for each in value] * generator.choice([1, 1, 1, 2])
            return value
        for round in range(25):
            # One that is whole stands at the end: it must be shown whatever is before it.
            body = json.dumps([spoilt(appliance(number)) for number in range(30)] + [appliance(900 + round, "Whole")])
            self.house.send(body.encode())
            browser.run("dispatchEvent(new Event('online'))")
            try:
                browser.find(f'//li[contains(@class, "card")][contains(., "Whole {900 + round}")]')
            except AssertionError as error:
                raise AssertionError(f"HUBPAIR_SEED={SEED}, round {round}: {body[:2000]}\n{error}") from None
        self.assertEqual(browser.complaints(), [])


if __name__ == "__main__":
    unittest.main()
