"""Who did it: what is generated here is held against the journal, against the marks of what the household keeps, and
against what the server behind the hub is told of the sender. The model is written from the documentation alone.

HUBPAIR_SEED repeats a run, HUBPAIR_AUTHORS is the number of deeds (default 150)."""
import collections
import datetime
import http.server
import json
import os
import random
import re
import tempfile
import threading
import time
import unittest
import urllib.parse

from hub import Hub
from second_implementation import Attempt, Connection, Device

DEEDS = int(os.environ.get("HUBPAIR_AUTHORS", "150"))
SEED = os.environ.get("HUBPAIR_SEED") or str(int(time.time()))
DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
ROLES = ["owner", "member", "guest"]
LAMPS = {"6b01": "7c01", "6b02": "7c02", "6b03": "7c03"}


class Upstream:
    """A server that remembers what it was asked, and by whom. Every connection carries one request."""

    def __init__(self):
        self.requests = []  # method, raw target, fingerprint, role
        self.states = dict.fromkeys(LAMPS, False)
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                outer.requests.append(
                    (self.command, self.path, self.headers["X-Hubpair-Device"], self.headers["X-Hubpair-Role"]))
                lamp = (re.fullmatch(r"/devices/([^/?]+)(?:/activators/([^/?]+))?(?:[?].*)?", self.path) or [0, None])[1]
                status, answer = 200, None
                if self.path == "/devices/" and self.command == "GET":
                    answer = [outer.device(each) for each in LAMPS]
                elif lamp not in LAMPS:
                    status, answer = 404, {"error": 404, "message": "Not Found"}
                elif self.command == "POST":
                    outer.states[lamp] = json.loads(body)["state"]
                    status = 201
                else:
                    answer = outer.device(lamp)["activators"][0] if "activators" in self.path else outer.device(lamp)
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PUT = do_DELETE = do

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def device(self, lamp):
        return {"deviceId": lamp, "name": f"Lamp {lamp}", "type": "Light", "activators": [{
            "activatorId": LAMPS[lamp], "name": "On/Off", "rank": 0, "type": "bool", "state": self.states[lamp]}]}

    def orders(self):
        return [each for each in self.requests if each[0] == "POST"]

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class AuthorTests(unittest.TestCase):
    def setUp(self):
        print(f"HUBPAIR_SEED={SEED}", flush=True)
        self.dice = random.Random(SEED)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.upstream = Upstream()
        self.addCleanup(self.upstream.stop)
        self.hub = Hub(self.upstream.url)
        self.addCleanup(self.hub.remove)
        self.hub.start()
        self.devices = {}
        for number, role in enumerate(ROLES + ["member"]):
            name = f"{role} {number}"
            device = Device(os.path.join(self.folder.name, name), name)
            Attempt(self.hub.code("--role", role), device).send(self.hub.port)
            self.devices[name] = role, device

    def ask(self, name, method, path, body=None, door="gate"):
        fields = {"Sec-Fetch-Site": "same-origin"} if door == "page" else {}
        if door == "page":
            fields["Host"] = f"127.0.0.1:{self.hub.port}"
        with Connection(self.hub.port, self.devices[name][1], timeout=60) as connection:
            data = None if body is None else json.dumps(body).encode()
            status, _, answer = connection.request(method, path, data, fields)
        return status, json.loads(answer) if answer else None

    def own(self, name, method, path, body=None, door="gate"):
        return self.ask(name, method, "/hubpair/v1/" + path, body, door)

    def journal(self, matter):
        lines = self.hub.run("hub", "journal", "--json", "--limit", "1000", "--list", matter).splitlines()
        return [json.loads(line) for line in lines]

    def test_everybody_is_told_of_under_their_own_name(self):
        house, orders, marks = [], collections.Counter(), {}
        kinds = {"rooms": "room", "scenes": "scene", "rules": "rule"}
        some = self.dice.choice
        for number in range(DEEDS):
            name = some(list(self.devices))
            role, device = self.devices[name]
            door = some(["gate", "page"])
            who = device.fingerprint, name, role, door
            deed = some(["order", "order", "request", "put", "put", "put", "delete", "run"])
            lamp = some(list(LAMPS))
            if deed == "order":
                # One of those is refused by the server, which did nothing then.
                wrong = self.dice.random() < 0.2
                status, _ = self.ask(
                    name, "POST", f"/devices/{lamp}/activators/{LAMPS[lamp]}" if not wrong else f"/devices/ff/activators/ff",
                    {"state": some([True, False])}, door)
                self.assertEqual(status, 404 if wrong else 201)
                if not wrong:
                    orders[who, "order", lamp] += 1
            elif deed == "request":
                status, _ = self.ask(name, "PUT", f"/devices/{lamp}?secret=1", {"name": "x"}, door)
                self.assertEqual(status, 403 if role == "guest" else 200)
                if role != "guest":
                    orders[who, "request", f"PUT /devices/{lamp}"] += 1
            else:
                plural = "scenes" if deed == "run" else some(list(kinds))
                key = some(["one", "two"])
                body = {
                    # Each time another: what is saved as it is, within a second, is no change.
                    "rooms": {"name": f"Room {key}", "area": f"Area {number}", "devices": [some(list(LAMPS))]},
                    "scenes": {"states": [{"device": lamp, "activator": LAMPS[lamp], "state": number / 1000}]},
                    "rules": {"device": lamp, "activator": LAMPS[lamp], "when": "above 7", "kind": "alarm", "text": f"x{number}"}}[plural]
                is_there = (plural, key) in marks
                may = role == "owner" or role == "member" and plural != "rules"
                if deed == "run":
                    before = len(self.upstream.orders())
                    status, _ = self.own(name, "POST", f"scenes/{key}/run", door=door)
                    self.assertEqual(status, 200 if is_there else 404)
                    if is_there:
                        orders[who, "scene_run", key] += 1
                        told = {each[2:] for each in self.upstream.orders()[before:]}
                        self.assertEqual(told, {(device.fingerprint, role)}, f"HUBPAIR_SEED={SEED}")
                    continue
                method = "PUT" if deed == "put" else "DELETE"
                status, _ = self.own(name, method, f"{plural}/{key}", body if deed == "put" else None, door)
                self.assertEqual(
                    status, 403 if not may else 204 if deed == "delete" and is_there else 404 if deed == "delete"
                    else 200 if is_there else 201)
                if not may or deed == "delete" and not is_there:
                    continue
                event = "removed" if deed == "delete" else "changed" if is_there else "made"
                title = f"Room {key}" if plural == "rooms" and deed == "put" else key
                house.append((event, kinds[plural], title, who))
                if deed == "delete":
                    del marks[plural, key]
                else:
                    mark = marks.setdefault((plural, key), {})
                    mark["changed" if is_there else "made"] = device.fingerprint, name
        # The marks are in the answers, and outlive a restart, other names and a revocation.
        self.check_marks(marks, kinds)
        self.hub.run("devices", "rename", "member 1", "Somebody else")
        self.hub.run("devices", "revoke", "member 3")
        self.hub.stop()
        told = [(each["event"], each["kind"], each["what"], (each["by"], each["by_name"], each["by_role"], each["via"]))
                for each in self.journal("house")]
        self.assertEqual(told, house, f"HUBPAIR_SEED={SEED}")
        entries = self.journal("orders")
        sums, names = collections.Counter(), set()
        for each in entries:
            who = each["by"], each["by_name"], each["by_role"], each["via"]
            sums[who[:3], each["event"], each["appliance"] or each["what"]] += each["count"] or 1
            if each["event"] == "order":
                self.assertEqual(each["activator"], LAMPS[each["appliance"]])
                self.assertIn(each["state"], [True, False])
                names.add(each["what"])
        # A line of several orders is of the last one's door.
        wanted = collections.Counter()
        for (who, event, what), count in orders.items():
            wanted[who[:3], event, what] += count
        self.assertEqual(sums, wanted, f"HUBPAIR_SEED={SEED}")
        self.assertLessEqual(names, {None, *(f"Lamp {lamp}: On/Off" for lamp in LAMPS)})
        self.assertEqual([each["via"] for each in self.journal("access") if each["event"] in ("renamed", "revoked")], ["hub"] * 2)
        ids = [each["id"] for each in self.journal("all")]
        self.assertEqual(ids, list(range(1, len(ids) + 1)))
        self.assertNotIn("secret", json.dumps(entries))
        self.hub.start()
        self.check_marks(marks, kinds)

    def check_marks(self, marks, kinds):
        found = {}
        for plural in kinds:
            for item in self.own("owner 0", "GET", plural)[1][plural]:
                found[plural, item.get("id", item["name"])] = {
                    each: (item[each]["by"], item[each]["name"]) for each in ("made", "changed") if each in item}
        self.assertEqual(found, marks, f"HUBPAIR_SEED={SEED}")

    def write(self, name, text):
        path = os.path.join(self.hub.state, "house", name)
        with open(path + ".new", "w", opener=lambda file, flags: os.open(file, flags, 0o600)) as file:
            file.write("[keyfile]\nformat=1\n" + text)
        os.rename(path + ".new", path)

    def texts(self):
        return [each["text"] for each in self.own("owner 0", "GET", "messages?kind=notification")[1]["messages"]]

    def test_a_timed_scene_is_its_authors(self):
        """It runs as the device that saved it last, and not by itself when that one is let in no more; without an author,
        as in old files, it is the hub's own."""
        gone, member = self.devices["member 3"][1].fingerprint, self.devices["member 1"][1].fingerprint
        self.hub.run("devices", "revoke", "member 3")
        self.hub.kill()
        at = "2026-11-21T10:22:03Z"
        plans = {  # the lamp; who saved it; whose order it is
            "Old": ("6b01", "", None),
            "Hers": ("6b02", f"made={at} {gone} member 3\nchanged={at} {member} member 1\n", (member, "member")),
            "Gone": ("6b03", f"made={at} {member} member 1\nchanged={at} {gone} member 3\n", ()),
            "Unknown": ("6b03", f"made={at} 0000-0000-0000-0000 nobody\n", ())}
        scenes = runs = ""
        due = datetime.datetime.now() - datetime.timedelta(minutes=2)
        done = (due - datetime.timedelta(days=1)).date()
        for name, (lamp, author, _) in plans.items():
            state = json.dumps({"device": lamp, "activator": LAMPS[lamp], "state": True})
            scenes += f"[scene {name}]\nat={due:%H:%M}\nstate.1={state}\n{author}"
            runs += f"[scene {name}]\nplan={due:%H:%M} {' '.join(DAYS)}\ndone={done}\n"
        self.write("scenes", scenes)
        self.write("scene-runs", runs)
        self.hub.start()
        self.hub.wait_for(lambda: len([text for text in self.texts() if text.startswith("the scene")]) >= 4, "what became of all")
        texts = self.texts()
        for name, (lamp, _, sender) in plans.items():
            ran = f'the scene "{name}" ran' in texts
            self.assertEqual(ran, sender != (), texts)
            self.assertEqual(any(f'the scene "{name}" did not run at its time' in text for text in texts), not ran, texts)
        senders = {each[1].split("/")[2]: each[2:] for each in self.upstream.orders()}
        self.assertEqual(set(senders), {"6b01", "6b02"})
        self.assertEqual(senders["6b02"], (member, "member"))
        self.assertEqual(senders["6b01"][1], "owner")
        self.assertNotIn(senders["6b01"][0], {device.fingerprint for _, device in self.devices.values()})
        # Whoever saves it again has it.
        answer = self.own("owner 0", "GET", "scenes")[1]["scenes"]
        scene = next(each for each in answer if each["name"] == "Gone")
        self.assertEqual(scene["changed"], {"by": gone, "name": "member 3", "at": at})
        self.assertEqual(self.own("owner 0", "PUT", "scenes/Gone", {"states": scene["states"], "at": scene["at"]})[0], 200)
        scene = next(each for each in self.own("guest 2", "GET", "scenes")[1]["scenes"] if each["name"] == "Gone")
        self.assertEqual((scene["made"]["by"], scene["changed"]["name"]), (member, "owner 0"))

    def test_a_guests_scene_opens_nothing(self):
        """Not by its time either, whoever its author was when it was saved."""
        due = datetime.datetime.now() - datetime.timedelta(minutes=2)
        member, guest = (self.devices[name][1].fingerprint for name in ("member 1", "guest 2"))
        at = "2026-11-21T10:22:03Z"
        scenes = runs = ""
        for name, lamp, author in (("Open", "6b03", guest), ("Light", "6b02", guest), ("Hers", "6b03", member)):
            state = json.dumps({"device": lamp, "activator": LAMPS[lamp], "name": f"Thing {lamp}", "state": True})
            scenes += f"[scene {name}]\nat={due:%H:%M}\nstate.1={state}\nmade={at} {author} somebody\n"
            runs += f"[scene {name}]\nplan={due:%H:%M} {' '.join(DAYS)}\ndone={(due - datetime.timedelta(days=1)).date()}\n"
        # The guest was a member when he saved them.
        self.assertEqual(self.own("owner 0", "PUT", "kinds/6b03", {"kind": "valve"})[0], 201)
        self.hub.kill()
        self.write("scenes", scenes)
        self.write("scene-runs", runs)
        self.hub.start()
        told = lambda: [text for text in self.texts() if text.startswith("the scene")]
        self.hub.wait_for(lambda: len(told()) >= 3, "what became of all")
        self.assertIn('the scene "Hers" ran', told())
        self.assertIn('the scene "Light" ran', told())
        refusal = next(text for text in told() if '"Open"' in text)
        for words in ("did not run (at its time)", '"guest 2", which saved it last, is a guest', "Thing 6b03", "saves it again"):
            self.assertIn(words, refusal)
        self.assertEqual(
            sorted(each[1:] for each in self.upstream.orders()),
            sorted([("/devices/6b02/activators/7c02", guest, "guest"), ("/devices/6b03/activators/7c03", member, "member")]))
        status, answer = self.own("guest 2", "POST", "scenes/Open/run")
        self.assertEqual((status, answer["error"]), (403, "not_allowed"))

    def test_who_arms_the_house_is_in_the_journal(self):
        """In its own words, in the order in which it was done, and only where something changed."""
        for scene in ("Away", "Night"):
            self.assertEqual(self.own("owner 0", "PUT", f"scenes/{scene}", {"states": []})[0], 201)
        rule = {"device": "6b01", "activator": "7c01", "when": "on", "kind": "alarm", "text": "x", "in": ["Away", "Night"]}
        self.assertEqual(self.own("owner 0", "PUT", "rules/Door", rule)[0], 201)
        wanted, now = [], None
        for _ in range(DEEDS // 3):
            name, door = self.dice.choice(list(self.devices)), self.dice.choice(["gate", "page"])
            role, device = self.devices[name]
            scene = self.dice.choice(["Away", "Night", "Nowhere", None])
            body = {"scene": scene}
            status, _ = self.own(name, "POST" if scene else "DELETE", "armed", body if scene else None, door)
            self.assertEqual(status, 403 if role == "guest" else 409 if scene == "Nowhere" else 200)
            if status == 200 and scene != now:
                wanted.append(("armed" if scene else "disarmed", scene, device.fingerprint, name, role, door))
                now = scene
        told = [tuple(each[key] for key in ("event", "what", "by", "by_name", "by_role", "via"))
                for each in self.journal("house") if each["event"] in ("armed", "disarmed")]
        self.assertEqual(told, wanted, f"HUBPAIR_SEED={SEED}")

    def test_an_id_is_no_path(self):
        """Whatever stands in the files as an id, the server is asked for nothing that is not an appliance's activator."""
        parts = ["..", ".", "%2e%2e", "%2F", "/", "\\", ";", "?", "#", "%", "%00", "%0d%0a", " ", "6b01", "7c01", "devices",
                 "activators", "%37c01", "ü", "&", "=", "@", "\t", "\r\n", "HTTP/1.1"]
        nasty = set()
        while len(nasty) < 60:
            text = "".join(self.dice.choice(parts) for _ in range(self.dice.randrange(1, 5)))
            if not re.fullmatch(r"[A-Za-z0-9._~-]+", text) or text in (".", ".."):
                nasty.add(text)
        nasty = sorted(nasty)
        pairs = [(some, "7c01") for some in nasty[::2]] + [("6b01", some) for some in nasty[1::2]]
        lines = [json.dumps({"device": device, "activator": activator, "state": True}, ensure_ascii=True)
                 for device, activator in pairs + [("6b01", "7c01")]]
        text = "[scene Old]\n" + "".join(
            f"state.{number + 1}=" + line.replace("\\", "\\\\") + "\n" for number, line in enumerate(lines))
        self.write("scenes", text)
        shown = self.own("guest 2", "GET", "scenes")[1]["scenes"][0]["states"]
        self.assertEqual([(each["device"], each["activator"]) for each in shown], pairs + [("6b01", "7c01")], "old files are read")
        # The list of appliances is what tells that they are missing; here the house claims to have them all.
        real = self.upstream.device
        devices = [{"deviceId": device, "name": "x", "type": "Light", "activators": [{
            "activatorId": activator, "name": "On/Off", "rank": 0, "type": "bool", "state": False}]} for device, activator in pairs]
        self.upstream.device = lambda lamp: devices.pop() if devices and lamp != "6b01" else real(lamp)
        status, answer = self.own("owner 0", "POST", "scenes/Old/run")
        self.assertEqual(status, 200)
        results = [each["result"] for each in answer["states"]]
        self.assertEqual(results[-1], "confirmed")
        self.assertNotIn("confirmed", results[:-1])
        self.assertIn("failed", results[:-1])
        targets = {each[1] for each in self.upstream.requests}
        self.assertLessEqual(targets, {"/devices/", "/devices/6b01/activators/7c01"}, f"HUBPAIR_SEED={SEED}")
        for device, activator in pairs:
            scene = {"states": [{"device": device, "activator": activator, "state": True}]}
            self.assertEqual(self.own("owner 0", "PUT", "scenes/New", scene)[0], 400, (device, activator))
            rule = {"device": device, "activator": activator, "when": "on", "kind": "alarm", "text": "x"}
            self.assertEqual(self.own("owner 0", "PUT", "rules/New", rule)[0], 400, (device, activator))


class StayTests(unittest.TestCase):
    """How long a guest's device may come in is said with the code."""

    def test_a_stay_ends_by_itself(self):
        with tempfile.TemporaryDirectory() as folder:
            hub = Hub()
            self.addCleanup(hub.remove)
            hub.start()
            stays = {"for a day": "1d", "until then": "2099-12-31T00:00:00Z", "for ever": "forever", "short": "1s"}
            for name, stay in stays.items():
                device = Device(os.path.join(folder, name), name)
                before = time.time()
                Attempt(hub.code("--role", "guest", "--stay", stay), device).send(hub.port)
                record = next(each for each in hub.devices() if each["name"] == name)
                self.assertEqual((record["role"], record["status"] in ("approved", "expired")), ("guest", True))
                if stay == "forever":
                    self.assertIsNone(record["expires"])
                    continue
                end = datetime.datetime.fromisoformat(record["expires"]).timestamp()
                if stay.startswith("2099"):
                    self.assertEqual(record["expires"], stay)
                else:
                    seconds = {"1d": 86_400, "1s": 1}[stay]
                    self.assertTrue(before + seconds - 1 <= end <= time.time() + seconds + 1)
                if stay == "1s":
                    def refused():
                        with Connection(hub.port, device) as connection:
                            return connection.request("GET", "/hubpair/v1/rooms")[0] == 403
                    hub.wait_for(refused, "the end of the stay")


if __name__ == "__main__":
    unittest.main()
