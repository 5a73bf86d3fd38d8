"""The page in German: what the hub itself says in messages, and what the doctor's findings are called, too."""
import unittest

from house import HouseTests

# They are in no German sentence of these pages.
ENGLISH = r"(?i)\b(the|this|browser is|which|with|your|load|settings|choose|waiting|refuse|approve|revoke|role of|owner|let in)\b"


class GermanTests(HouseTests):
    def test_what_the_hub_says_of_itself(self):
        owner = self.device("Anna", "owner")
        self.asking("Eve")
        browser = self.browser(owner, preferences={"intl.accept_languages": "de"})
        browser.click('//a[@href="#messages"]')
        browser.find('//*[contains(text(), "bittet um Zugang")][contains(text(), "Eve")]')
        browser.find('//*[contains(text(), "Anna")][contains(text(), "wurde gekoppelt")]')
        browser.click('//a[@href="#access"]')
        browser.find('//*[contains(text(), " als Eigentümer")]')
        browser.click('//a[@href="#health"]')
        browser.find('//*[contains(@class, "verdict")][.="Warnung" or .="Fehler"]')
        browser.find('//*[contains(@class, "item")]//p[starts-with(., "nach einer aktiven Netzschnittstelle gesucht")]')
        text = browser.text
        for english in ("problem\n", "warning\n", "skipped\n", "Health"):
            self.assertNotIn(english, text)
        self.assertEqual(browser.complaints(), [])

    def test_pages_without_scripts(self):
        german = {"preferences": {"intl.accept_languages": "de-AT,en"}}
        self.asking("Eva")
        known = self.device("Otto", "owner")
        stranger = self.browser(scripts=False, **german)
        owner = self.browser(known, scripts=False, path=None, **german)
        for browser, path, words in (
                (stranger, "/hubpair/", "lässt nur Geräte ein"), (stranger, "/hubpair/trust", "Erst vergleichen"),
                (owner, "/hubpair/v1/access", "Warten auf Zugang")):
            with self.subTest(path):
                browser.open(f"https://127.0.0.1:{self.hub.port}{path}")
                self.assertIn(words, browser.text)
                self.assertNotRegex(browser.text, ENGLISH)
                self.assertEqual(browser.attribute("//html", "lang"), "de")
        # It works in this language, too.
        owner.click('//button[.="Zulassen"]')
        self.hub.wait_for(lambda: any(each["name"] == "Eva" and each["status"] == "approved" for each in self.hub.devices()), "approved")
        # A name that nobody knows.
        stranger.open(f"https://evil.example:{self.hub.port}/hubpair/")
        self.assertIn("Ein Name, den die Zentrale nicht kennt", stranger.text)
        self.assertNotRegex(stranger.text, ENGLISH)
