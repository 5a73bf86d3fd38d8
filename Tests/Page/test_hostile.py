"""A hostile page in a browser that the hub lets in as an owner. The browser shows its certificate to all that ask, for any
page: what the page gets out of it, and what it changes, must be nothing.

Oracles: what the server behind the hub got, the hub's devices, codes and journal, and what the page itself read. That
the attacks do arrive with the certificate is shown by a server of this test's own, which is asked the same."""
import http.server
import json
import os
import pathlib
import re
import ssl
import subprocess
import threading
import time
import unittest

from browser import DEADLINE
from house import HouseTests, Used
from hub import Hub, free_port
from second_implementation import Connection

# Tries all ways in which a page can make a browser ask another server; returns what it could read.
ATTACKS = r"""
async function attack(target, device, activator) {
  const read = [];
  const paths = ["/devices/", "/hubpair/v1/devices", "/hubpair/v1/journal", "/hubpair/v1/access", "/hubpair/",
    "/hubpair/v1/messages/stream", "/hubpair/v1/states/stream", "/hubpair/page/owner.js"];
  const order = `/devices/${device}/activators/${activator}`;
  const orders = [["POST", order, '{"state": true}'], ["PUT", "/hubpair/v1/rooms/evil", '{"name": "evil", "devices": []}'],
    ["POST", "/hubpair/v1/codes", '{"kind": "once", "role": "owner"}'], ["DELETE", `/devices/${device}`, undefined],
    ["POST", `/hubpair/v1/devices/ASKING/approve`, '{"role": "owner"}'],
    ["POST", "/hubpair/v1/access", "do=approve&device=ASKING&role=owner"]];
  const patient = (work) => Promise.race([work, new Promise((done) => setTimeout(done, 3000))]);
  const got = (way, path, text) => read.push(`${way} ${path}: ${String(text).slice(0, 80)}`);
  const jobs = [];
  const ask = async (way, path, wish) => {
    try {
      const answer = await fetch(target + path, { signal: AbortSignal.timeout(3000), ...wish });
      // An opaque answer has the status 0 and no text.
      const text = answer.type === "opaque" ? "" : await answer.text();
      if (answer.type !== "opaque") got(way, path, `${answer.status} ${text}`);
    } catch { /* the browser does not let it be read */ }
  };
  for (const path of paths) {
    for (const mode of ["cors", "no-cors"]) for (const credentials of ["include", "omit"]) {
      jobs.push(ask(`fetch ${mode} ${credentials}`, path, { mode, credentials }));
    }
  }
  for (const [method, path, body] of orders) {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json"]) {
      const headers = { "Content-Type": type };
      jobs.push(ask(`fetch ${method} ${type}`, path, { method, body, headers, mode: "cors", credentials: "include" }));
      if (method === "POST") jobs.push(ask(`fetch ${method} no-cors`, path, { method, body, mode: "no-cors", credentials: "include", keepalive: true }));
    }
    if (method === "POST") navigator.sendBeacon(target + path, body);
  }
  await patient(Promise.all(jobs));
  const element = (tag, attributes, way, path) => patient(new Promise((done) => {
    const made = document.createElement(tag);
    made.onload = () => { done(); if (tag !== "iframe" && tag !== "embed" && tag !== "object") got(way, path, "loaded"); };
    made.onerror = done;
    Object.assign(made, attributes);
    document.body.append(made);
  }));
  const tags = [];
  for (const path of paths) {
    tags.push(element("img", { src: target + path }, "img", path), element("script", { src: target + path }, "script", path),
      element("link", { rel: "stylesheet", href: target + path }, "link", path),
      element("iframe", { src: target + path }, "iframe", path), element("embed", { src: target + path }, "embed", path),
      element("object", { data: target + path }, "object", path), element("video", { src: target + path }, "video", path),
      element("script", { type: "module", src: target + path, crossOrigin: "use-credentials" }, "module", path));
  }
  await patient(Promise.all(tags));
  for (const frame of document.querySelectorAll("iframe")) {
    try { if (frame.contentDocument?.body?.textContent) got("frame", frame.src, frame.contentDocument.body.textContent); } catch { /* good */ }
    try { if (frame.contentWindow.length) got("frame", frame.src, "frames"); } catch { /* good */ }
  }
  const streams = [];
  for (const path of ["/hubpair/v1/messages/stream", "/hubpair/v1/states/stream", "/devices/"]) for (const withCredentials of [true, false]) {
    streams.push(new Promise((done) => {
      const source = new EventSource(target + path, { withCredentials });
      source.onopen = () => { got("EventSource", path, "open"); source.close(); done(); };
      source.onerror = () => { source.close(); done(); };
    }));
  }
  for (const path of ["/test/socket", "/hubpair/v1/states/stream", "/devices/"]) {
    streams.push(new Promise((done) => {
      const socket = new WebSocket(target.replace("https", "wss") + path);
      socket.onopen = () => { got("WebSocket", path, "open"); socket.close(); done(); };
      socket.onerror = done;
    }));
  }
  for (const path of paths.slice(0, 3)) {
    streams.push(new Promise((done) => {
      const worker = new Worker(URL.createObjectURL(new Blob([
        `try { importScripts(${JSON.stringify(target + path)}); postMessage("loaded"); } catch { postMessage(null); }`])));
      worker.onmessage = (event) => { if (event.data) got("worker", path, event.data); done(); };
    }));
  }
  await patient(Promise.all(streams));
  // Forms last: they go into frames, as people do not see them go.
  const sent = [];
  for (const [method, path, body] of orders) for (const enctype of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
    const name = `f${sent.length}`, frame = document.createElement("iframe"), form = document.createElement("form");
    frame.name = name;
    Object.assign(form, { method: "POST", action: target + path, enctype, target: name });
    const [key, ...rest] = (body ?? "x=1").split(/[=:]/);
    for (const pair of enctype.includes("url") && body?.includes("=") ? body.split("&") : [`${key}=${rest.join(":")}`]) {
      const field = document.createElement("input");
      [field.name, field.value] = [pair.split("=")[0], pair.split("=").slice(1).join("=")];
      form.append(field);
    }
    document.body.append(frame, form);
    sent.push(patient(new Promise((done) => { frame.onload = done; form.submit(); })));
    const link = document.createElement("a");
    Object.assign(link, { href: "#", ping: target + path });
    document.body.append(link);
    link.click();
  }
  await Promise.all(sent);
  return read;
}
"""
PAGE = f"<!DOCTYPE html><meta charset=utf-8><title>Win a prize</title><body><script>{ATTACKS}</script>".encode()


class Site(http.server.ThreadingHTTPServer):
    """A server over TLS with a certificate of its own: of a hostile page, or one that asks for certificates and counts who
    shows one. Of other requests it says what it knows: anybody may read it."""
    daemon_threads = True
    allow_reuse_address = True

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"  # no connection outlives it

        def log_message(self, *_):
            pass

        def do(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if self.connection.getpeercert(binary_form=True):
                what = self.headers.get("Sec-Fetch-Dest") or self.headers.get("Upgrade")
                self.server.shown.add((self.command, what, self.headers.get("Sec-Fetch-Mode"), self.headers.get("Content-Type", "")[:19]))
            self.send_response(200 if self.path == "/" else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(PAGE)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(PAGE)

        do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_OPTIONS = do

    def __init__(self, folder, port, asks=False):
        self.shown = set()
        key, certificate = (os.path.join(folder, f"site-{port}.{end}") for end in ("key", "pem"))
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out",
             certificate, "-subj", "/CN=evil.example", "-addext", "subjectAltName=DNS:evil.example,IP:127.0.0.1", "-days", "9"],
            check=True, capture_output=True)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(certificate, key)
        # 1.2: in 1.3 Python asks for none at a resumption.
        self.tls.num_tickets = 0
        if asks:
            self.tls.verify_mode = ssl.CERT_OPTIONAL
            self.tls.load_verify_locations(asks)
        super().__init__(("127.0.0.1", port), self.Handler)
        self.socket = self.tls.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def handle_error(self, *_):
        pass  # a browser that does not like the certificate, or goes

    def stop(self):
        self.shutdown()
        self.server_close()


class HostileTests(HouseTests):
    def bundle(self, name):
        """A file of `hubpair devices add`, with which a browser is an owner, and its passphrase."""
        path = os.path.join(self.folder.name, f"{name}.p12")
        done = subprocess.run(
            [os.environ["HUBPAIR"], "devices", "add", name, "--role", "owner", "-o", path, "--state", self.hub.state],
            capture_output=True, text=True, check=True, timeout=60)
        passphrase = re.search(r"\b[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}\b", done.stdout + done.stderr)[0]
        certificate = os.path.join(self.folder.name, f"{name}.pem")
        subprocess.run(["openssl", "pkcs12", "-in", path, "-passin", f"pass:{passphrase}", "-nokeys", "-clcerts", "-out", certificate],
                       check=True, capture_output=True)
        return (path, passphrase), certificate

    def state(self):
        """Everything of the hub that an attack could change."""
        with Connection(self.hub.port, self.owner) as connection:
            own = {path: json.loads(connection.request("GET", f"/hubpair/v1/{path}")[2])
                   for path in ("codes", "rooms", "scenes", "rules", "journal?limit=500")}
            house = json.loads(connection.request("GET", "/devices/")[2])
        devices = [{key: value for key, value in each.items() if not key.startswith("last_")} for each in self.hub.devices()]
        for each in own.values():
            each.pop("time", None)
        return own, house, devices

    def upstream(self):
        """What the server behind the hub got: from devices, and from the hub itself for those who watch states."""
        passed, own = [], []
        for line in pathlib.Path(self.log).read_text().splitlines():
            request = json.loads(line)
            is_passed = any(name.lower() == "user-agent" and "Mozilla" in value for name, value in request["fields"])
            (passed if is_passed else own).append(tuple(request["start"][:2]))
        return passed, own

    def prepare(self):
        self.owner = self.device("owner", "owner")
        self.pending = self.asking("Eve")
        house = self.state()[1]
        return house[0]["deviceId"], house[0]["activators"][0]["activatorId"]

    def attack(self, browser, target, ids):
        # The page itself runs it: a script of the driver would be the driver's.
        browser.run("""
            const [target, device, activator] = arguments;
            window.found = null;
            attack(target, device, activator).then((read) => { window.found = read; }, (error) => { window.found = [String(error)]; });
            """, target, *ids)
        return browser.wait(lambda: browser.run("return window.found && {read: window.found}"), "the attack ends")["read"]

    def quiet(self):
        """What the server behind the hub got until now, once the hub has noticed that nobody watches: it has not asked
        for three times as long as it leaves between two questions while somebody does."""
        end = time.monotonic() + DEADLINE
        last, since = self.upstream(), time.monotonic()
        while time.monotonic() - since < 3:
            time.sleep(0.1)
            before, last = last, self.upstream()
            if last != before:
                since = time.monotonic()
            self.assertLess(time.monotonic(), end, "the hub goes on asking")
        return last

    def nothing_came_of_it(self, ids, attack):
        before, (passed, own) = self.state(), self.quiet()
        read = attack()
        # Its page is still open: a watcher of it would keep the hub asking.
        passed_now, own_now = self.quiet()
        after = self.state()
        self.assertEqual(passed_now[len(passed):], [])
        self.assertLessEqual(len(own_now) - len(own), 1, "somebody watches")
        self.assertEqual(after, before)
        self.assertEqual(read, [])

    def test_another_site_reads_and_changes_nothing(self):
        ids = self.prepare()
        bundle, certificate = self.bundle("Laptop")
        evil = Site(self.folder.name, free_port())
        self.addCleanup(evil.stop)
        control = Site(self.folder.name, free_port(), asks=certificate)
        self.addCleanup(control.stop)
        browser = self.browser(bundle=bundle, path="/hubpair/")
        browser.find('//li[contains(@class, "card")]')
        # The page is closed, and with it its own requests: what comes now is the attack's.
        for host in ("evil.example", "127.0.0.1"):  # another site; another port of the same
            with self.subTest(host):
                browser.open(f"https://{host}:{evil.server_port}/")
                self.nothing_came_of_it(ids, lambda: self.attack(browser, f"https://127.0.0.1:{self.hub.port}", ids))
        # The same attacks do come with the certificate, where somebody takes it.
        browser.open(f"https://evil.example:{evil.server_port}/")
        self.attack(browser, f"https://127.0.0.1:{control.server_port}", ids)
        ways = {(method, what) for method, what, _, _ in control.shown}
        print(f"{Used.name}: with the certificate came {sorted(map(str, ways))}", flush=True)
        self.assertGreater(len(ways), 5)
        self.assertTrue({method for method, _ in ways} >= {"GET", "POST"}, ways)
        # And the browser is still let in, by its own page.
        browser.open(f"https://127.0.0.1:{self.hub.port}/hubpair/")
        browser.find('//li[contains(@class, "card")]')

    def test_a_name_that_comes_to_lead_to_the_hub_is_refused(self):
        """DNS rebinding: the page's own name and port are the hub's, all at once."""
        ids = self.prepare()
        bundle, _ = self.bundle("Phone")
        self.hub.kill()
        evil = Site(self.folder.name, self.hub.port)
        browser = self.browser(bundle=bundle, path=None)
        browser.open(f"https://evil.example:{self.hub.port}/")
        evil.stop()
        self.hub.start()
        self.nothing_came_of_it(ids, lambda: self.refused(self.attack(browser, f"https://evil.example:{self.hub.port}", ids)))

    def refused(self, read):
        """Its own origin's answers can be read: all of them have to be refusals."""
        self.assertTrue(any("unknown_host" in each for each in read), read)
        return [each for each in read if not re.search(r': (421 .*(unknown_host|does not know)|loaded$)', each, re.S)]


if __name__ == "__main__":
    unittest.main()
