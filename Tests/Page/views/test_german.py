"""The page in German: what the hub itself says in messages, and what the doctor's findings are called, too."""
import unittest

from house import NAME, HouseTests


@unittest.skipIf(NAME != "chromium", "the languages of a profile")
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
        text = browser.text
        for english in ("problem\n", "warning\n", "skipped\n", "Health"):
            self.assertNotIn(english, text)
        self.assertEqual(browser.complaints(), [])
