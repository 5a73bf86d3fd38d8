"""A stock browser on the hub's public name, with a certificate that an ACME authority has signed (Debian's pebble): no
warning from the code to the lamp, and the page is an app."""
import json
import os
import subprocess
import time
import unittest
import urllib.request

from house import HouseTests
from hub import HUBPAIR, free_port

NAME = "kitchen.example"
FETCH = os.path.join(os.path.dirname(__file__), "../../../samples/acme/fetch")


class PublicTests(HouseTests):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = cls.folder.name
        ports = [free_port() for _ in range(4)]
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "api.key",
             "-out", "api.pem", "-days", "9", "-subj", "/CN=pebble", "-addext", "subjectAltName=IP:127.0.0.1"],
            cwd=folder, check=True, capture_output=True)
        with open(os.path.join(folder, "pebble.json"), "w") as file:
            json.dump({"pebble": {
                "listenAddress": f"127.0.0.1:{ports[0]}", "managementListenAddress": f"127.0.0.1:{ports[1]}",
                "certificate": "api.pem", "privateKey": "api.key", "httpPort": ports[2], "tlsPort": ports[3],
                "ocspResponderURL": "", "externalAccountBindingRequired": False}}, file)
        # It believes every answer: how a name is proved is tried in Tests/CLI/hub/certificate.txt.
        pebble = subprocess.Popen(
            ["pebble", "-config", "pebble.json"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "PEBBLE_VA_NOSLEEP": "1", "PEBBLE_VA_ALWAYS_VALID": "1"})
        cls.addClassCleanup(pebble.wait)
        cls.addClassCleanup(pebble.terminate)
        cls.root = os.path.join(folder, "root.pem")
        fetched = subprocess.run(
            [FETCH, NAME], capture_output=True, text=True, env={
                **os.environ, "PATH": f"{os.path.dirname(HUBPAIR)}:{os.environ['PATH']}", "HUBPAIR_STATE": cls.hub.state,
                "LEGO_CA_CERTIFICATES": os.path.join(folder, "api.pem"), "ACME_EMAIL": "me@example.org",
                "ACME_SERVER": cls.answering(f"https://127.0.0.1:{ports[0]}/dir"), "ACME_TLS": f"127.0.0.1:{ports[3]}",
                "ACME_FOLDER": os.path.join(folder, "acme")})
        assert fetched.returncode == 0, fetched.stderr
        with open(cls.root, "wb") as file:
            file.write(cls.answer(f"https://127.0.0.1:{ports[1]}/roots/0"))

    @classmethod
    def answering(cls, address):
        for _ in range(1200):
            try:
                cls.answer(address)
                return address
            except OSError:
                time.sleep(0.1)
        raise AssertionError("pebble does not answer")

    @staticmethod
    def answer(address):
        import ssl
        with urllib.request.urlopen(address, context=ssl._create_unverified_context(), timeout=10) as answer:
            return answer.read()

    def test_no_warning_from_the_code_to_the_lamp(self):
        code = self.hub.run("print", "--format", "text", "--role", "owner").strip()
        self.assertTrue(code.startswith(f"HTTPS://{NAME.upper()}:{self.hub.port}/#"), code[:40])
        browser = self.browser(path=None, authority=self.root, preferences=(
            {"network.dns.localDomains": NAME} if self.is_firefox() else None))
        browser.resize(390, 844)
        browser.open(code)
        browser.click('//main//button[text()="Let this browser in"]')
        browser.click('//button[@role="switch"][1]')
        browser.wait(lambda: "POST" in self.logged(), "no order has come")
        browser.wait(lambda: browser.run(
            "return navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 1, "no worker")
        self.assertEqual(browser.complaints(), [])

    @staticmethod
    def is_firefox():
        return os.environ.get("HUBPAIR_BROWSER") == "firefox"

    def logged(self):
        with open(self.log) as file:
            return file.read()


if __name__ == "__main__":
    unittest.main()
