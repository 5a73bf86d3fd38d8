"""The hub's page for browsers: what it is made of, who gets it, and what all others see. A real browser uses it in
Tests/Page."""
import html.parser
import http.client
import gzip
import json
import os
import random
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from hub import HUBPAIR, Hestia, Hub
from second_implementation import Attempt, Connection, Device

PAGE = "/hubpair/"
HTML = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}
# What a page of this hub may do: nothing that is not from the hub itself, nothing that stands in the page.
MAY = {"'self'", "'none'", "data:", "'script'", "worker"}


class Tags(html.parser.HTMLParser):
    """The tags of a page, with their attributes, and the texts in scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.inside, self.inline, self.text = [], None, "", ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.inside = tag if tag in ("script", "style") else None

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside:
            self.inline += data.strip()
        self.text += data


class PageTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hestia = Hestia()
        cls.addClassCleanup(cls.hestia.stop)
        cls.hub = Hub(cls.hestia.url)
        cls.addClassCleanup(cls.hub.remove)
        cls.hub.start()
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.devices = {}
        for role in ("owner", "member", "guest"):
            cls.devices[role] = cls.device(role)
            Attempt(cls.hub.code("--role", role), cls.devices[role]).send(cls.hub.port)
        cls.stranger = cls.device("stranger")

    @classmethod
    def device(cls, name):
        return Device(os.path.join(cls.folder.name, name), name)

    def ask(self, device, method="GET", path=PAGE, body=None, headers=None):
        with Connection(self.hub.port, device) as connection:
            status, fields, answer = connection.request(method, path, body, headers)
            # Each byte of a picture is one character.
            return status, fields, answer.decode("latin-1" if fields.get_content_type() == "image/png" else "utf-8")

    def files(self):
        """The page, and everything that it and its scripts name, as (fields, text) by path."""
        found, wanted = {}, [PAGE]
        while wanted:
            path = wanted.pop()
            if path in found or not path.startswith(PAGE) or path.startswith("/hubpair/v1/"):
                continue
            status, fields, text = self.ask(self.devices["guest"], path=path)
            self.assertEqual(status, 200, path)
            found[path] = (fields, text)
            if path == PAGE:
                wanted += [value for _, attributes in Tags(text).tags
                           for name, value in attributes.items() if name in ("href", "src") and value[0] == "/"]
            elif path.endswith(".js"):
                folder = path.rpartition("/")[0]
                wanted += [f"{folder}/{name}" for name in re.findall(r'(?:from|import\()\s*"\./([a-z.]+)"', text)]
        return found

    def test_the_page_is_small_and_whole(self):
        files = self.files()
        self.assertGreater(len(files), 8)
        # As browsers get it.
        packed = 0
        for path, (_, text) in files.items():
            with Connection(self.hub.port, self.devices["guest"]) as connection:
                _, fields, body = connection.request("GET", path, headers={"Accept-Encoding": "br, gzip"})
            if fields["Content-Encoding"] == "gzip":
                body, plain = gzip.decompress(body), body
                packed += len(plain) - len(body)
            self.assertEqual(body.decode("latin-1" if path.endswith(".png") else "utf-8"), text, path)
            packed += len(body)
        self.assertLess(packed, 150_000)
        kinds = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", PAGE: "text/html",
                 "png": "image/png", "webmanifest": "application/manifest+json"}
        for path, (fields, _) in files.items():
            self.assertEqual(fields.get_content_type(), kinds[path.split(".")[-1]], path)

    def test_nothing_stands_in_it_or_comes_from_elsewhere(self):
        for path, (fields, text) in self.files().items():
            with self.subTest(path):
                self.assertEqual(fields["X-Content-Type-Options"], "nosniff")
                self.assertEqual(fields["Referrer-Policy"], "no-referrer")
                self.assertEqual(fields["X-Frame-Options"], "DENY")
                # What has the version in its name is never another.
                lasts = re.match(r"/hubpair/page/[0-9a-f]{16}/", path)
                self.assertEqual(fields["Cache-Control"], "private, max-age=31536000, immutable" if lasts else "no-cache")
                policy = dict(part.split(None, 1) for part in fields["Content-Security-Policy"].split(";"))
                self.assertEqual(policy["default-src"], "'none'")
                self.assertEqual(policy["frame-ancestors"], "'none'")
                self.assertEqual(policy["base-uri"], "'none'")
                self.assertEqual(policy["script-src"], "'self'")
                self.assertLessEqual({word for value in policy.values() for word in value.split()}, MAY)
                # The only addresses are names of XML namespaces.
                self.assertEqual(set(re.findall(r"https?://[^\"' ]+", text)) - {"http://www.w3.org/2000/svg"}, set())
                for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("):
                    self.assertNotIn(forbidden, text)
        page = Tags(self.files()[PAGE][1])
        self.assertEqual(page.inline, "")
        for tag, attributes in page.tags:
            self.assertFalse([name for name in attributes if name.startswith("on") or name == "style"], tag)

    def test_the_app_is_called_as_the_hub(self):
        _, _, text = self.ask(self.devices["guest"], path="/hubpair/app.webmanifest")
        manifest = json.loads(text)
        self.assertEqual((manifest["name"], manifest["start_url"], manifest["scope"]), ("Kitchen hub", PAGE, PAGE))
        for each in manifest["icons"]:
            status, fields, _ = self.ask(None, path=each["src"])
            self.assertEqual((status, fields.get_content_type()), (200, each["type"]))
        self.assertEqual(self.ask(None, path="/hubpair/app.webmanifest")[0], 401)

    def test_only_the_page_s_own_worker_is_installed(self):
        asks = {"Service-Worker": "script", "Sec-Fetch-Site": "same-origin", "Host": f"127.0.0.1:{self.hub.port}"}
        for device in (None, self.stranger, self.devices["guest"]):
            status, fields, text = self.ask(device, path="/hubpair/worker.js", headers=asks)
            self.assertEqual((status, fields.get_content_type(), fields["Cache-Control"]), (200, "text/javascript", "no-cache"))
            # It names every file of this version, and says nothing of this hub.
            self.assertEqual(len(set(re.findall(r"/hubpair/page/([0-9a-f]{16})/", text))), 1)
            self.assertNotIn("Kitchen", text)
            for path in ("/worker.js", "/hubpair/page/page.js", "/hubpair/page/worker.js"):
                self.assertEqual(self.ask(device, path=path, headers=asks)[0], 403, path)

    def test_files_of_another_version_are_gone(self):
        status, _, _ = self.ask(self.devices["guest"], path=f"{PAGE}page/0123456789abcdef/page.js")
        self.assertEqual(status, 404)

    def test_what_a_browser_has_is_not_sent_again(self):
        member = self.devices["member"]
        for path, (fields, text) in self.files().items():
            tag = fields["ETag"]
            for sent in (tag, f'"x", W/{tag}', "*"):
                status, again, body = self.ask(member, path=path, headers={"If-None-Match": sent})
                self.assertEqual((status, again["ETag"], body, again["Content-Length"]), (304, tag, "", None))
            self.assertEqual(self.ask(member, path=path, headers={"If-None-Match": '"x"'})[2], text)
            status, head, body = self.ask(member, "HEAD", path)
            self.assertEqual((status, body, head["Content-Length"]), (200, "", str(len(text.encode("latin-1" if path.endswith(".png") else "utf-8")))))
            status, fields, _ = self.ask(member, "POST", path, b"x")
            self.assertEqual((status, fields["Allow"]), (405, "GET, HEAD"))

    def test_strangers_are_told_how_to_get_in(self):
        cases = [(None, 401, "not let in yet"), (self.stranger, 403, "does not know")]
        for device, status, words in cases:
            for path in (PAGE, "/devices/", "/hubpair/page/page.js", "/hubpair/v1/rooms"):
                got, fields, text = self.ask(device, path=path, headers=HTML)
                self.assertEqual((got, fields.get_content_type()), (status, "text/html"), path)
                page = Tags(text)
                self.assertIn("Kitchen hub", page.text)
                self.assertIn(words, page.text)
                self.assertIn("hubpair pair", page.text)
                # A key of the browser's own is for one without a certificate.
                scripts = [attributes["src"] for tag, attributes in page.tags if tag == "script"]
                self.assertEqual(scripts, [] if device else ["/hubpair/page/enter.js"])
                self.assertEqual(page.inline, "")
                self.assertLess(len(text), 3_000)
                self.assertIn("default-src 'none'", fields["Content-Security-Policy"])
                self.assertEqual("script-src 'self'" in fields["Content-Security-Policy"], not device)
                self.assertEqual(fields["Cache-Control"], "no-store")
                for tag, attributes in page.tags:
                    for name in ("href", "src"):
                        if name in attributes:
                            self.assertEqual(self.ask(device, path=attributes[name])[0], 200, attributes[name])

    def test_programs_are_refused_in_json(self):
        for accept in (None, "*/*", "application/json", "text/htmlx", "text/plain"):
            headers = {"Accept": accept} if accept else {}
            for path in (PAGE, "/devices/", "/hubpair/page/page.js"):
                status, fields, text = self.ask(None, path=path, headers=headers)
                self.assertEqual((status, fields.get_content_type()), (401, "application/json"))
                self.assertEqual(json.loads(text)["error"], "no_certificate")

    def test_what_became_of_a_device_is_said(self):
        device = self.device("asking")
        Attempt(self.hub.code("--label"), device).send(self.hub.port)
        text = Tags(self.ask(device, headers=HTML)[2]).text
        self.assertIn("has not approved", text)
        self.assertNotIn("How to get in", text)
        subprocess.run(
            [HUBPAIR, "devices", "approve", device.fingerprint, "--state", self.hub.state], check=True, capture_output=True)
        self.hub.wait_for(lambda: self.ask(device)[0] == 200, "the page after the approval")
        subprocess.run(
            [HUBPAIR, "devices", "revoke", device.fingerprint, "--state", self.hub.state], check=True, capture_output=True)
        self.hub.wait_for(lambda: self.ask(device)[0] == 403, "no page after the revocation")
        self.assertIn("taken back", Tags(self.ask(device, headers=HTML)[2]).text)

    # Without JavaScript.

    FORMS = "/hubpair/v1/access"
    FORM = {"Content-Type": "application/x-www-form-urlencoded"}

    def post(self, device, form):
        return self.ask(device, "POST", self.FORMS, form.encode(), self.FORM)

    def test_an_owner_lets_devices_in_by_forms(self):
        owner = self.devices["owner"]
        name = '<b>"Eve" & \'co'
        device = Device(os.path.join(self.folder.name, "eve"), name)
        Attempt(self.hub.code("--label"), device, name=name).send(self.hub.port)
        status, fields, text = self.ask(owner, path=self.FORMS)
        self.assertEqual((status, fields.get_content_type()), (200, "text/html"))
        self.assertIn("form-action 'self'", fields["Content-Security-Policy"])
        page = Tags(text)
        self.assertIn(name, page.text)
        self.assertNotIn("b", [tag for tag, _ in page.tags])
        self.assertNotIn("script", [tag for tag, _ in page.tags])
        self.assertIn(device.fingerprint, [attributes.get("value") for _, attributes in page.tags])
        state = lambda: {each["device"]: (each["status"], each["role"]) for each in self.hub.devices()}[device.fingerprint]
        for form, becomes in [
                (f"do=approve&device={device.fingerprint}&role=guest", ("approved", "guest")),
                (f"do=role&device={device.fingerprint}&role=member", ("approved", "member")),
                (f"do=revoke&device={device.fingerprint}&role=member", ("revoked", "member"))]:
            status, fields, _ = self.post(owner, form)
            self.assertEqual((status, fields["Location"]), (303, self.FORMS), form)
            self.assertEqual(state(), becomes)
        status, _, text = self.post(owner, f"do=approve&device={device.fingerprint}&role=owner")
        self.assertEqual(status, 409)
        self.assertIn("revoked", Tags(text).text)
        self.assertEqual(state()[0], "revoked")

    def test_other_forms_change_nothing(self):
        owner, before = self.devices["owner"], self.hub.devices()
        guest = self.devices["guest"].fingerprint
        for form in ("", "do=revoke", f"do=x&device={guest}", f"do=revoke&device={guest}&x=1", f"device={guest}",
                     f"do=revoke&device={guest}&do=approve", "do=revoke&device=guest", "do=revoke&device=%ff",
                     f"do=role&device={guest}&role=king", "x" * 60_000):
            status, fields, _ = self.post(owner, form)
            self.assertEqual((status, fields.get_content_type()), (400, "text/html"), form[:80])
        for role in ("member", "guest"):
            self.assertEqual(self.ask(self.devices[role], path=self.FORMS)[0], 403)
            self.assertEqual(self.post(self.devices[role], f"do=revoke&device={guest}")[0], 403)
        seen = ("last_seen", "last_address")
        bare = lambda all: [{key: value for key, value in each.items() if key not in seen} for each in all]
        self.assertEqual(bare(self.hub.devices()), bare(before))


class OpenTests(unittest.TestCase):
    """`hubpair open`: the page on 127.0.0.1 for one browser."""

    @classmethod
    def setUpClass(cls):
        cls.hestia = Hestia()
        cls.addClassCleanup(cls.hestia.stop)
        cls.hub = Hub(cls.hestia.url)
        cls.addClassCleanup(cls.hub.remove)
        cls.hub.start()
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.configuration = os.path.join(cls.folder.name, "config")
        code = cls.hub.run("print", "--format", "text", "--address", f"127.0.0.1:{cls.hub.port}", "--role", "guest")
        subprocess.run(
            [HUBPAIR, "pair", "-", "--config", cls.configuration, "--name", "Laptop"], input=code, text=True,
            check=True, capture_output=True, timeout=60)

    def setUp(self):
        self.program = subprocess.Popen(
            [HUBPAIR, "open", "--config", self.configuration], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env={**os.environ, "DISPLAY": "", "WAYLAND_DISPLAY": ""})
        self.addCleanup(self.end)
        self.address = self.program.stdout.readline().strip()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/\?token=[0-9a-f]{32})", self.address)
        self.assertTrue(match, self.address)
        self.port, self.entrance = int(match[1]), match[2]

    def end(self):
        self.program.kill()
        self.program.communicate()

    def ask(self, path, method="GET", body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            headers = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def enter(self):
        status, fields, _ = self.ask(self.entrance)
        self.assertEqual((status, fields["Location"]), (303, PAGE))
        value, *flags = fields["Set-Cookie"].split("; ")
        self.assertEqual(sorted(flags), ["HttpOnly", "Path=/", "SameSite=Strict"])
        return value

    def test_one_browser_gets_the_page_and_the_house(self):
        cookie = self.enter()
        status, fields, page = self.ask(PAGE, Cookie=cookie)
        self.assertEqual((status, fields.get_content_type()), (200, "text/html"))
        self.assertIn("default-src 'none'", fields["Content-Security-Policy"])
        self.assertRegex(page, rb"/hubpair/page/[0-9a-f]{16}/page.js")
        self.assertEqual(self.ask(PAGE, Cookie=cookie, If_None_Match=fields["ETag"])[0], 304)
        own = f"http://127.0.0.1:{self.port}"
        device = json.loads(self.ask("/devices/", Cookie=cookie)[2])[0]
        path = f"/devices/{device['deviceId']}/activators/{device['activators'][0]['activatorId']}"
        status = self.ask(
            path, "POST", '{"state": true}', Cookie=cookie, Origin=own, Sec_Fetch_Site="same-origin",
            Content_Type="application/json")[0]
        self.assertEqual(status, 201)
        # With this computer's role.
        self.assertEqual(json.loads(self.ask("/hubpair/v1/device", Cookie=cookie)[2])["role"], "guest")
        self.assertEqual(self.ask("/hubpair/v1/devices", Cookie=cookie)[0], 403)
        # What is this computer's stays here.
        sent = json.loads(self.ask("/test/echo", Cookie=cookie, Origin=own, X_Secret="x")[2])["headers"]
        self.assertFalse({name.lower() for name, _ in sent} & {"cookie", "origin", "x-secret"})

    def test_nobody_else_gets_in(self):
        self.assertEqual(self.ask(PAGE)[0], 403)
        self.assertEqual(self.ask("/?token=" + 32 * "0")[0], 403)
        # Another user of this computer, with the right address.
        asked = subprocess.run(
            ["setpriv", "--reuid", "65534", "--clear-groups", "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}",
             self.address], capture_output=True, text=True, timeout=30)
        self.assertEqual(asked.stdout, "000")
        cookie = self.enter()
        self.assertEqual(self.ask(self.entrance)[0], 403)
        for more in ({"Host": f"evil.example:{self.port}"}, {"Origin": "null"}, {"Sec_Fetch_Site": "same-site"},
                     {"Origin": f"https://127.0.0.1:{self.port}"}):
            self.assertEqual(self.ask(PAGE, Cookie=cookie, **more)[0], 403, more)
        self.assertEqual(self.ask(PAGE, Cookie=cookie[:-1] + ("0" if cookie[-1] != "0" else "1"))[0], 403)
        self.assertEqual(self.ask(PAGE, "HEAD", Cookie=cookie)[0], 405)
        self.assertEqual(self.ask(PAGE, "POST", b"x" * 70_000, Cookie=cookie)[0], 413)
        self.assertEqual(self.ask(PAGE, Cookie=cookie)[0], 200)

    def test_its_own_paths_with_nonsense(self):
        """What the page asks of this computer: anything else is refused in words, and changes nothing."""
        seed = os.environ.get("HUBPAIR_SEED") or str(int(time.time()))
        print(f"HUBPAIR_SEED={seed}", flush=True)
        generator = random.Random(seed)
        known = lambda: subprocess.run(
            [HUBPAIR, "hubs", "--json", "--config", self.configuration], capture_output=True, text=True, timeout=30).stdout
        before = known()
        cookie = self.enter()
        own = {"Cookie": cookie, "Origin": f"http://127.0.0.1:{self.port}"}
        self.assertEqual(json.loads(self.ask("/hubpair/local/hubs", **own)[2])["hubs"][0]["shown"], True)
        words = ["", "x", "\u202e", "../../hub", "Kitchen", "HUBPAIR:1", "A" * 5000, "7MRM-FEPH-QNYK-029X", None, 1, [], {}, True, "\0"]
        paths = ["hubs/use", "hubs/forget", "hubs/ask", "pair", "pictures", "pictures?quick", "hubs", "", "..", "hubs/", "%68ubs"]
        for _ in range(150):
            path = generator.choice(paths)
            value = {generator.choice(["hub", "code", "at", "x"]): generator.choice(words) for _ in range(3)}
            # A code that is whole would be looked for; this is about those that are not.
            body = json.dumps(value if generator.random() < 0.8 else generator.choice(words)).encode()
            if generator.random() < 0.4:
                body = body[:generator.randrange(len(body) + 1)] + generator.choice([b"", b"\xff", b"\x89PNG\r\n\x1a\n", b"[" * 3000])
            status, fields, answer = self.ask(f"/hubpair/local/{path}", "POST", body, **own)
            what = f"HUBPAIR_SEED={seed} {path} {body[:200]}: {status} {answer[:200]}"
            # The beginning of the hub's name is no nonsense: it names the hub, and forget wants the whole of it.
            if status == 200:
                self.assertIn(path, ("hubs/use", "hubs/ask"), what)
                self.assertEqual(json.loads(body)["hub"], "Kitchen", what)
                continue
            self.assertIn(status, (404, 422), what)
            self.assertTrue(json.loads(answer)["message"], what)
        self.assertEqual(self.ask("/hubpair/local/hubs/forget", "POST", b"x" * 70_000, **own)[0], 413)
        self.assertEqual(self.ask("/hubpair/local/pictures", "POST", b"x" * (17 << 20), **own)[0], 413)
        # Only the browser that was opened, and no other site's page.
        for refused in ({}, {**own, "Origin": "https://evil.example"}, {**own, "Sec_Fetch_Site": "cross-site"}):
            self.assertEqual(self.ask("/hubpair/local/hubs/forget", "POST", b'{"hub": "Kitchen hub"}', **refused)[0], 403)
        self.assertEqual(known(), before)
        self.assertEqual(self.ask(PAGE, Cookie=cookie)[0], 200)

    def test_no_script_of_the_hub_runs_here(self):
        """The page may pair and forget on this computer: it is this program's own, whatever a hub answers."""
        cookie = self.enter()
        for path in ("/devices/", "/hubpair/v1/hub", "/hubpair/page/none.js", "/x"):
            fields = self.ask(path, Cookie=cookie)[1]
            policies = fields.get_all("Content-Security-Policy")
            self.assertTrue(any("default-src 'none'" in each and "script-src" not in each for each in policies), (path, policies))
            self.assertIn("nosniff", fields.get_all("X-Content-Type-Options"))

    def test_it_ends_with_the_command(self):
        self.enter()
        self.program.send_signal(signal.SIGINT)
        self.assertEqual(self.program.wait(timeout=200), 0)

    def test_it_ends_while_browsers_connect_again(self):
        """A browser that loses its stream connects again at once: the program may be ending in that moment."""
        for turn in range(12):
            if turn:
                self.end()
                self.setUp()
            is_over = threading.Event()
            crowd = [threading.Thread(target=self.connect_again, args=(is_over,)) for _ in range(6)]
            for each in crowd:
                each.start()
            try:
                time.sleep(0.05)
                self.program.send_signal(signal.SIGINT)
                self.assertEqual(self.program.wait(timeout=200), 0, f"turn {turn}: {self.program.stderr.read()[-2000:]}")
            finally:
                is_over.set()
                for each in crowd:
                    each.join()

    def connect_again(self, is_over):
        while not is_over.is_set():
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                    connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            except OSError:
                time.sleep(0.001)
        self.assertRaises(ConnectionRefusedError, self.ask, PAGE)

    def test_a_hub_that_is_away_is_named(self):
        cookie = self.enter()
        self.hub.kill()
        try:
            status, _, body = self.ask("/devices/", Cookie=cookie)
            self.assertEqual((status, json.loads(body)["error"]), (502, "hub_away"))
        finally:
            self.hub.start()


if __name__ == "__main__":
    unittest.main()
