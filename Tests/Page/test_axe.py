"""What axe-core, the reference of accessibility checkers, holds against the page: nothing."""
import os
import pathlib
import unittest

import test_kinds
from house import IS_LONG, HouseTests, Used

# From PyPI's axe-playwright-python, see samples/prepare; it is kept out of the repository.
AXE = pathlib.Path(os.environ["HUBPAIR_AXE"])


class AxeTests(HouseTests):
    HESTIA = test_kinds.HOUSE_FILE

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
        return found["violations"]

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

    def look_by_night(self, browser):
        for scheme, is_dark in (("dark", True), ("light", False)):
            browser.develop("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            self.assertIs(browser.run("return matchMedia('(prefers-color-scheme: dark)').matches"), is_dark)
            if is_dark:
                self.assertEqual(self.violations(browser), [])

    def test_nor_does_what_strangers_see(self):
        with self.subTest("stranger"):
            self.assertEqual(self.violations(self.browser()), [])

    @unittest.skipUnless(IS_LONG, "long")
    def test_nor_does_the_page_without_scripts(self):
        browser = self.browser(self.device("Olga", "owner"), path="/hubpair/v1/access")
        self.assertEqual(self.violations(browser), [])


if __name__ == "__main__":
    unittest.main()
