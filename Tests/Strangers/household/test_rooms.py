"""Rooms, scenes and rules on the hub: who may do what with them, and whether what was answered stands.

Requests are generated (role, method, spelling of the path, body) and held against a model that is written from the
documentation alone: it says each answer's status and word, and what the hub has afterwards. In between the hub is
killed: what was answered is on disk.

HUBPAIR_SEED repeats a run, HUBPAIR_ROOMS is the number of requests (default 320)."""
import collections
import datetime
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import tempfile
import threading
import time
import unittest
import zoneinfo
import urllib.parse

from hub import Hestia, Hub
from second_implementation import Attempt, Connection, Device

REQUESTS = int(os.environ.get("HUBPAIR_ROOMS", "320"))
KILLS = 3 if REQUESTS < 1000 else 10
SEED = os.environ.get("HUBPAIR_SEED") or str(int(time.time()))
ROLES = ["owner", "owner", "owner", "member", "member", "guest", "stranger", None]
UNRESERVED = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


# The model.

class Bad(Exception):
    """A refusal: status and word."""

    def __init__(self, status, word):
        super().__init__(f"{status} {word}")
        self.status, self.word = status, word


def need(condition, status=400, word="bad_request"):
    if not condition:
        raise Bad(status, word)


def is_text(value):
    return isinstance(value, str)


def is_name(value):
    """Of the names that are generated here, the good ones."""
    size = len(value.encode())
    return (1 <= size <= 63 and value == value.strip() and value.isprintable() and "\u200b" not in value)


def is_id(value):
    return is_text(value) and 1 <= len(value.encode()) <= 256


def is_order_id(value):
    """What the hub would put into a path."""
    return is_id(value) and set(value) <= UNRESERVED and value not in (".", "..")


def fold(name):
    return name.lower()


def is_number(value):
    return isinstance(value, (bool, int, float))


def names(value):
    need(value is None or isinstance(value, list) and all(map(is_text, value)))
    for name in value or []:
        need(is_name(name) and not set(name) & set("[]"))


def no_nulls(value):
    return {key: each for key, each in value.items() if each is not None}


class Store:
    """What a hub has of one kind."""

    def __init__(self):
        self.items = {}

    def put(self, key, body, condition):
        item = self.check(key, body)
        others = [other for other in self.items if other != key]
        need(fold(self.name(key, item)) not in {fold(self.name(other, self.items[other])) for other in others},
             409, "conflict")
        need(condition(self.items.get(key)), 412, "precondition_failed")
        status = 200 if key in self.items else 201
        self.place(key, item)
        return status

    def place(self, key, item):
        self.items[key] = item

    def name(self, key, item):
        return key

    def delete(self, key, condition):
        need(key in self.items, 404, "not_found")
        need(condition(self.items[key]), 412, "precondition_failed")
        del self.items[key]
        return 204


class Rooms(Store):
    plural = "rooms"

    def check(self, key, body):
        need(isinstance(body, dict) and is_text(body.get("name")))
        need(body.get("area") is None or is_text(body["area"]))
        devices = body.get("devices", [])
        need(isinstance(devices, list) and all(map(is_text, devices)))
        need(1 <= len(key) <= 64 and set(key) <= UNRESERVED and key not in (".", ".."))
        need(is_name(body["name"]) and (body.get("area") is None or is_name(body["area"])))
        need(all(map(is_id, devices)) and len(set(devices)) == len(devices) and len(devices) <= 1000)
        return no_nulls({"id": key, "name": body["name"], "area": body.get("area"), "devices": devices})

    def name(self, key, item):
        return item["name"]

    def place(self, key, item):
        for other, room in self.items.items():
            if other != key:
                room["devices"] = [device for device in room["devices"] if device not in item["devices"]]
        self.items[key] = item


class Named(Store):
    def check(self, key, body):
        item = self.checked(key, body)
        need(is_name(key) and not set(key) & set("[]"))
        # Nobody has said where the hub is.
        need(not str(item.get("at")).startswith("sun"), 409, "conflict")
        return item


class Scenes(Named):
    plural = "scenes"

    def checked(self, key, body):
        need(isinstance(body, dict) and isinstance(body.get("states"), list))
        seen = set()
        for state in body["states"]:
            need(isinstance(state, dict) and is_order_id(state.get("device")) and is_order_id(state.get("activator")))
            need("state" in state and is_number(state["state"]))
            place = state["device"], state["activator"]
            need(place not in seen)
            seen.add(place)
        at, days = body.get("at"), body.get("days")
        need(at is None or at in GOOD_TIMES)
        need(days is None or isinstance(days, list) and 1 <= len(days) == len(set(days)) and set(days) <= set(DAYS))
        names(body.get("arms"))
        need(at is not None or days is None or len(days) == 7)
        if at is not None:
            days = [day for day in DAYS if day in (days or DAYS)]
        return no_nulls(
            {"name": key, "states": body["states"], "at": at, "days": days if at else None, "arms": body.get("arms")})


class Rules(Named):
    plural = "rules"

    def checked(self, key, body):
        need(isinstance(body, dict))
        need(all(is_text(body.get(each)) for each in ("device", "activator", "when", "kind", "text")))
        need(body["when"] in GOOD_CONDITIONS and body["kind"] in ("alarm", "notification"))
        names(body.get("in"))
        need(body.get("run") is None or is_text(body["run"]))
        names(body.get("run") and [body["run"]])
        need(is_order_id(body["device"]) and is_order_id(body["activator"]))
        need(1 <= len(body["text"].encode()) <= 500 and body["text"].isprintable())
        need(body.get("and") is None or body["and"] in GOOD_PROVISOS)
        return no_nulls({"name": key, **{each: body.get(each) for each in (
            "device", "activator", "when", "kind", "text", "in", "run", "and")}})


GOOD_TIMES = ["07:30", "00:00", "23:59", "sunset", "sunrise-15", "sunset+720"]
GOOD_CONDITIONS = ["on", "off", "above 0.5", "below -3"]
GOOD_PROVISOS = [f"6b4d5c/6b4d5e {each}" for each in GOOD_CONDITIONS]
MAY = {  # what the table lets each role do
    "owner": {"use", "arrange", "administer"}, "member": {"use", "arrange"}, "guest": {"use"}}


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.some = self.random.choice

    def name(self):
        if self.random.random() < 0.8:
            return self.some(["Kitchen", "KITCHEN", "Bath", "Küche", "Movie night", "a/b", "current", "run", "Away", "100%"])
        return self.some(["", " x", "x ", "a\tb", "[x]", "x" * 63, "x" * 64, "ü" * 32, "a\u200bb", "a\nb", "😀"])

    def text(self):
        return self.some(["6b4d5c", "6b4d5d", "6b4d5e", "6b4d5f", "x" * 256, "x" * 257, "", 7, None, "ü", "a/b", "a%2Fb", "..", "."])

    def device(self):
        return self.text() if self.random.random() < 0.05 else self.some(["6b4d5c", "6b4d5d", "6b4d5e", "6b4d5f"])

    def room(self):
        body = {"name": self.name(), "devices": [self.device() for _ in range(self.random.randrange(4))]}
        if self.random.random() < 0.3:
            body["area"] = self.some(["Upstairs", None, "", 3, "a\nb"])
        return body

    def scene(self):
        states = [
            {"device": self.device(), "activator": self.device(),
             "state": self.some([True, False, 0.5, 1, True, False, "on", None] if self.random.random() < 0.1 else [True, 0.5])}
            for _ in range(self.random.randrange(4))]
        body = {"states": states}
        if self.random.random() < 0.4:
            body["at"] = self.some(GOOD_TIMES + ["24:00", "7:30", "sunset+721", "noon", 7, None])
        if self.random.random() < 0.3:
            body["days"] = self.some([["mon"], DAYS, ["fri", "mon"], [], ["mon", "mon"], ["Mon"], "mon", None])
        if self.random.random() < 0.3:
            body["arms"] = self.some([[], ["Door"], [self.name()], "Door", [3], None])
        return body

    def rule(self):
        body = {
            "device": self.device(), "activator": self.device(), "when": self.some(GOOD_CONDITIONS * 3 + ["open", "above"]),
            "kind": self.some(["alarm", "notification", "alarm", "alert"]),
            "text": self.some(["It is open", "x" * 500, "x" * 501, "", "a\nb"] if self.random.random() < 0.2 else ["It is so"])}
        if self.random.random() < 0.3:
            body["in"] = self.some([[], ["Away"], [self.name()], None, "Away"])
        if self.random.random() < 0.2:
            body["run"] = self.some(["Lights", None, self.name(), 4])
        if self.random.random() < 0.2:
            body["and"] = self.some(GOOD_PROVISOS + [None, 4, "x", "6b4d5c on", "6b4d5c/6b4d5e open"])
        return body

    def spoil(self, body):
        """A body that lacks something, is of another type, or is no JSON at all."""
        match self.random.randrange(12):
            case 0:
                body.pop(self.some(list(body)))
            case 1:
                return self.some([[], "x", None, 3]), None
            case 2:
                return None, self.some([b"", b"{", b"x", b"\xff", b'{"name":"a","name":"b","states":[]}'])
            case 3:
                body["unknown"] = {"deep": [1]}
        return body, None


class GeneratedTests(unittest.TestCase):
    def setUp(self):
        print(f"HUBPAIR_SEED={SEED}", flush=True)
        self.generator = Generator(SEED)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.hub = Hub()
        self.addCleanup(self.hub.remove)
        self.hub.start()
        self.devices = {None: None, "stranger": Device(os.path.join(self.folder.name, "stranger"))}
        for role in MAY:
            device = self.devices[role] = Device(os.path.join(self.folder.name, role), f"The {role}")
            Attempt(self.hub.code("--role", role), device).send(self.hub.port)
        # What each entity tag that was seen is of. Two contents never have the same, one never has two.
        self.tags = {}
        self.connections = {}
        self.addCleanup(lambda: [connection.close() for connection in self.connections.values()])

    def ask(self, role, method, path, body=None, fields=None):
        """Status, JSON and entity tag of an answer, on a connection that is kept."""
        for _ in range(2):
            connection = self.connections.get(role) or Connection(self.hub.port, self.devices[role], timeout=30)
            self.connections[role] = connection
            try:
                status, headers, answer = connection.request(method, "/hubpair/v1/" + path, body, fields)
            except (OSError, ValueError):
                connection.close()  # the hub has been killed, or has closed it
                del self.connections[role]
                continue
            if headers.get("Connection") == "close":
                connection.close()
                del self.connections[role]
            return status, json.loads(answer) if answer else None, headers.get("ETag")
        self.fail("no answer")

    def learn(self, store, tag, item):
        """A tag that the hub has given."""
        content = store.plural, json.dumps(item, sort_keys=True)
        self.assertRegex(tag, r'^"[\x21\x23-\x7e]+"$')
        self.assertEqual(self.tags.setdefault((store.plural, tag), content), content, f"HUBPAIR_SEED={SEED}")
        self.assertEqual([other for other, each in self.tags.items() if each == content], [(store.plural, tag)])

    def condition(self, store, key):
        """Fields of a request, and whether they hold for what is there (RFC 9110, sections 13.1.1 and 13.1.2)."""
        dice = self.generator.random
        if dice.random() < 0.5:
            return {}, lambda item: True
        if dice.random() < 0.15:
            name, = dice.choice([["If-Match"], ["If-None-Match"]])
            return {name: "*"}, lambda item: (item is not None) == (name == "If-Match")
        known = [tag for kind, tag in self.tags if kind == store.plural]
        now = json.dumps(store.items.get(key), sort_keys=True)
        current = [tag for tag in known if self.tags[store.plural, tag][1] == now]
        some = dice.sample(known, min(len(known), 2)) + (current if dice.random() < 0.6 else [])
        good = [tag for tag in some if dice.random() < 0.9]
        bad = ["W/" + tag for tag in some if tag not in good] + dice.choice([[], ['"x"'], ["x"], ['"'], ["W/*"]])
        words = good + bad
        dice.shuffle(words)
        fields = {"If-Match": dice.choice([", ", ",", " ,, "]).join(words)}
        return fields, lambda item: item is not None and any(tag in good for tag in current)

    def test_requests(self):
        stores = [Rooms(), Scenes(), Rules()]
        counts, number = {}, 0
        outcomes = ("200", "201", "204", "400 bad_request", "401 no_certificate", "403 not_allowed", "404 not_found",
                    "409 conflict", "412 precondition_failed")
        # A rare answer may not have come by then: some seeds remove nothing for long.
        missing = lambda: [outcome for outcome in outcomes if counts.get(outcome, 0) <= REQUESTS // 1000]
        while number < REQUESTS or missing() and number < 10 * REQUESTS:
            self.check_one(stores, counts)
            if number % (REQUESTS // KILLS) == REQUESTS // KILLS // 2:
                # What was answered is durable.
                self.hub.kill()
                self.hub.start()
                self.check_all(stores)
            number += 1
        self.check_all(stores)
        print(f"household: {number} requests: {counts}", flush=True)
        self.assertEqual(missing(), [], counts)

    def check_one(self, stores, counts):
        generator = self.generator
        role, store = generator.some(ROLES), generator.some(stores)
        method = generator.some(["GET", "PUT", "PUT", "PUT", "PUT", "PUT", "DELETE", "DELETE", "PUT", "POST"])
        key = generator.name()
        if store.plural == "rooms" and generator.random.random() < 0.8:
            key = generator.some(["kitchen", "bath", "Kitchen", "a.b~c_d-e", "x" * 64, "x" * 65, ".."])
        if not key:
            key = "x"
        path = store.plural if method == "GET" else f"{store.plural}/{urllib.parse.quote(key, safe='')}"
        body, raw = None, None
        if method in ("PUT", "POST", "PATCH"):
            body = {"rooms": generator.room, "scenes": generator.scene, "rules": generator.rule}[store.plural]()
            if store.plural == "rooms" and store.items and generator.random.random() < 0.4:
                body["name"] = generator.some(list(store.items.values()))["name"].upper()  # it may be taken
            body, raw = generator.spoil(body)
        data = raw if raw is not None else json.dumps(body).encode() if method in ("PUT", "POST", "PATCH") else None
        fields, holds = self.condition(store, key) if method in ("PUT", "DELETE") else ({}, None)
        try:
            need(method == "GET" or len(urllib.parse.quote(key, safe="")) <= 189, 404, "not_found")
            use = self.use(store, method)
            need(use, 405, "method_not_allowed")
            need(role is not None, 401, "no_certificate")
            need(role in MAY, 403, "not_approved")
            need(use in MAY[role], 403, "not_allowed")
            if method == "PUT":
                need(raw is None)
            expected = (store.put(key, body, holds) if method == "PUT" else store.delete(key, holds) if method == "DELETE" else 200), None
        except Bad as bad:
            expected = bad.status, bad.word
        status, answer, tag = self.ask(role, method, path, data, fields)
        word = answer.get("error") if answer and status >= 400 else None
        self.assertEqual(
            (status, word), expected, f"HUBPAIR_SEED={SEED} {role} {method} {path} {data} {fields} {answer}")
        outcome = f"{status} {word}" if word else str(status)
        counts[outcome] = counts.get(outcome, 0) + 1
        if method == "GET" and status == 200:
            self.check(store, answer)
        if method == "PUT" and status < 300:
            self.assertEqual(answer, store.items[key], f"HUBPAIR_SEED={SEED}")
            self.learn(store, tag, answer)

    def use(self, store, method):
        if store.plural == "rules":
            return "administer" if method in ("GET", "PUT", "DELETE") else None
        return {"GET": "use", "PUT": "arrange", "DELETE": "arrange"}.get(method)

    def check(self, store, answer):
        """What the hub has is what the model has, in the order in which it came."""
        items = [
            {key: value for key, value in item.items() if key not in ("ran", "next", "etag", "made", "changed")}
            for item in answer[store.plural]]
        self.assertEqual(items, list(store.items.values()), f"HUBPAIR_SEED={SEED}")
        for item, listed in zip(items, answer[store.plural]):
            self.learn(store, listed["etag"], item)

    def check_all(self, stores):
        for store in stores:
            status, answer, _ = self.ask("owner", "GET", store.plural)
            self.assertEqual(status, 200)
            self.check(store, answer)


class WriterTests(unittest.TestCase):
    """Several who change the same things at the same time."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.hub = Hub()
        self.addCleanup(self.hub.remove)
        self.hub.start()
        self.devices = [Device(os.path.join(self.folder.name, f"w{number}"), f"Writer {number}") for number in range(3)]
        for device in self.devices:
            Attempt(self.hub.code("--role", "owner"), device).send(self.hub.port)

    def test_no_update_is_lost(self):
        """Each reads, adds something of its own, and writes under the condition that nothing has changed; it begins
        again when something has. In the end all that was answered with 200 is there. Without the condition some
        of it would be lost, which is tried, too."""
        rounds = max(12, REQUESTS // 40)
        print(f"HUBPAIR_SEED={SEED}", flush=True)
        kinds = {
            "rooms": lambda words: {"name": "N", "devices": words},
            "scenes": lambda words: {"states": [{"device": word, "activator": "a", "state": True} for word in words]},
            "rules": lambda words: {
                "device": "d", "activator": "a", "when": "on", "kind": "alarm", "text": "x", "in": words}}
        words_of = {
            "rooms": lambda item: item["devices"], "scenes": lambda item: [each["device"] for each in item["states"]],
            "rules": lambda item: item["in"]}
        with Connection(self.hub.port, self.devices[0]) as connection:
            for kind, body in kinds.items():
                connection.request("PUT", f"/hubpair/v1/{kind}/x", json.dumps(body([])).encode())

        def write(device, number, is_careful, told):
            dice = random.Random(f"{SEED}/{number}")
            with Connection(self.hub.port, device, timeout=60) as connection:
                for turn in range(rounds):
                    kind, word = dice.choice(list(kinds)), f"{'careful' if is_careful else 'bold'}-{number}-{turn}"
                    while True:
                        item = json.loads(connection.request("GET", f"/hubpair/v1/{kind}")[2])[kind][0]
                        words = words_of[kind](item) + [word]
                        status, _, _ = connection.request(
                            "PUT", f"/hubpair/v1/{kind}/x", json.dumps(kinds[kind](words)).encode(),
                            {"If-Match": item["etag"]} if is_careful else {})
                        told[status].append((kind, word))
                        if status != 412:
                            break

        for is_careful in (True, False):
            told = collections.defaultdict(list)
            writers = [threading.Thread(target=write, args=(device, number, is_careful, told))
                       for number, device in enumerate(self.devices)]
            for writer in writers:
                writer.start()
            for writer in writers:
                writer.join()
            self.assertEqual(set(told) - {412}, {200})
            self.assertEqual(len(told[200]), rounds * len(self.devices))
            found = []
            with Connection(self.hub.port, self.devices[0]) as connection:
                for kind in kinds:
                    item = json.loads(connection.request("GET", f"/hubpair/v1/{kind}")[2])[kind][0]
                    found += [(kind, word) for word in words_of[kind](item)]
            lost = set(told[200]) - set(found)
            print(f"If-Match {is_careful}: {len(told[200])} updates, {len(told[412])} refused, {len(lost)} lost", flush=True)
            if is_careful:
                self.assertEqual(lost, set())
                self.assertEqual(len(found), len(set(found)))
                self.assertGreater(len(told[412]), 0)


class SceneTests(unittest.TestCase):
    """Runs over the stand-in server."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def house(self, *options):
        self.upstream = Hestia(*options)
        self.addCleanup(self.upstream.stop)
        self.hub = Hub(self.upstream.url)
        self.addCleanup(self.hub.remove)
        self.hub.start()
        self.devices = {}
        for role in MAY:
            self.devices[role] = Device(os.path.join(self.folder.name, role), f"The {role}")
            Attempt(self.hub.code("--role", role), self.devices[role]).send(self.hub.port)

    def ask(self, method, path, body=None, role="owner"):
        with Connection(self.hub.port, self.devices[role], timeout=60) as connection:
            data = None if body is None else json.dumps(body).encode()
            status, _, answer = connection.request(method, path, data)
        return status, json.loads(answer) if answer else None

    def own(self, method, path, body=None, role="owner"):
        return self.ask(method, "/hubpair/v1/" + path, body, role)

    def lights(self, count):
        """The lamps' device and activator, with a switch as the main one."""
        devices = [each for each in self.ask("GET", "/devices/")[1] if each["type"] == "Light"]
        return [(each["deviceId"], each["activators"][0]["activatorId"]) for each in devices[:count]]

    def states(self, value, *places):
        return [{"device": device, "activator": activator, "name": "Lamp", "state": value} for device, activator in places]

    def test_a_scene_runs_and_says_what_is_missing(self):
        self.house("--devices", "30")
        lights = self.lights(14)
        gone = ("ffffffffffffffffffffffff", "eeeeeeeeeeeeeeeeeeeeeeee")
        self.assertEqual(self.own("PUT", "scenes/On", {"states": self.states(True, *lights, gone)})[0], 201)
        self.assertEqual(self.own("GET", "scenes/current"), (200, {"scene": None, "matching": []}))
        status, answer = self.own("POST", "scenes/On/run", role="guest")
        self.assertEqual(status, 200)
        self.assertEqual([each["result"] for each in answer["states"]], ["confirmed"] * 14 + ["missing"])
        self.assertEqual(answer["confirmed"], 14)
        for device in self.ask("GET", "/devices/")[1]:
            if (device["deviceId"], device["activators"][0]["activatorId"]) in lights:
                self.assertTrue(device["activators"][0]["state"])
        # A scene with what is missing is not the current one; the same without it is.
        self.own("PUT", "scenes/Same", {"states": self.states(True, *lights)})
        self.own("PUT", "scenes/Also", {"states": self.states(True, *lights[:3])})
        self.assertEqual(self.own("GET", "scenes/current")[1], {"scene": "Same", "matching": ["Same", "Also"]})
        self.own("POST", "scenes/Also/run")
        self.assertEqual(self.own("GET", "scenes/current")[1], {"scene": "Also", "matching": ["Also", "Same"]})
        self.assertEqual([scene["name"] for scene in self.own("GET", "scenes")[1]["scenes"] if "ran" in scene], ["On", "Also"])
        self.assertEqual(self.own("POST", "scenes/Nowhere/run")[0], 404)

    def test_without_a_server_nothing_runs_and_that_is_said(self):
        self.house("--devices", "2")
        lights = self.lights(1)
        self.own("PUT", "scenes/On", {"states": self.states(True, *lights)})
        self.upstream.process.kill()
        self.upstream.process.wait()
        status, answer = self.own("POST", "scenes/On/run")
        self.assertEqual((status, answer["error"]), (503, "unavailable"))
        self.assertNotIn("ran", self.own("GET", "scenes")[1]["scenes"][0])

    def test_ten_thousand_rooms(self):
        self.house()
        first = 0
        if REQUESTS <= 10_000:
            # All but the last are there already.
            first = 980
            self.write("rooms", "".join(f"[room r{number}]\nname=Room {number}\n" for number in range(first)))
        with Connection(self.hub.port, self.devices["member"], timeout=60) as connection:
            statuses = {}
            for number in range(first, 10_000 if REQUESTS > 10_000 else 1_030):
                status, _, answer = connection.request(
                    "PUT", f"/hubpair/v1/rooms/r{number}", json.dumps({"name": f"Room {number}"}).encode())
                word = json.loads(answer).get("error")
                statuses[status, word] = statuses.get((status, word), 0) + 1
        self.assertEqual(statuses[201, None], 1000 - first)
        self.assertEqual(set(statuses), {(201, None), (409, "too_many")})
        self.assertEqual(len(self.own("GET", "rooms", role="guest")[1]["rooms"]), 1000)

    def order(self, place, state):
        self.assertEqual(self.ask("POST", "/devices/%s/activators/%s" % place, {"state": state})[0], 201)

    def alarms(self):
        return self.own("GET", "messages?kind=alarm")[1]["messages"]

    def alarm_count(self):
        """How often: an alarm that nobody has acknowledged is counted."""
        return sum(each.get("count", 1) for each in self.alarms())

    def wait_for_alarms(self, count):
        self.hub.wait_for(lambda: self.alarm_count() >= count, f"{count} alarms")
        self.assertEqual(self.alarm_count(), count)

    def test_a_rule_makes_a_message_and_runs_a_scene(self):
        self.house("--devices", "8")
        door, lamp, motion = self.lights(3)
        # A rule for what is gone is kept, and disturbs nobody.
        for name, place, more in (("Door", door, {"run": "Light"}), ("Motion", motion, {"in": ["Away"]}), ("Gone", ("f", "f"), {})):
            rule = {"device": place[0], "activator": place[1], "when": "on", "kind": "alarm", "text": f"{name}!", **more}
            self.assertEqual(self.own("PUT", f"rules/{name}", rule)[0], 201)
        self.own("PUT", "scenes/Light", {"states": self.states(True, lamp)})
        self.own("PUT", "scenes/Away", {"states": self.states(False, door, motion)})
        self.own("PUT", "scenes/Home", {"states": [], "arms": []})
        # What is known before anything changes.
        self.own("GET", "states")
        self.order(motion, True)
        self.order(door, True)
        self.wait_for_alarms(1)
        alarm = self.alarms()[0]
        self.assertEqual(
            (alarm["rule"], alarm["text"], alarm["device"], alarm["state"], alarm["before"]), ("Door", "Door!", door[0], True, False))
        self.hub.wait_for(lambda: self.own("GET", "scenes/current")[1]["scene"] == "Light", "the alarm's scene")
        # Beyond the line nothing more is said; back and over it again, it is.
        self.order(door, True)
        self.order(door, False)
        self.hub.wait_for(lambda: not self.state(door), "the door is seen closed")
        self.order(door, True)
        self.wait_for_alarms(2)
        # Armed by a scene, and not by one that does not decide.
        self.own("POST", "scenes/Away/run")
        self.own("POST", "scenes/Light/run")
        self.hub.wait_for(lambda: not self.state(motion), "nothing moves")
        self.order(motion, True)
        self.wait_for_alarms(3)
        self.assertEqual(max(self.alarms(), key=lambda alarm: alarm["id"])["rule"], "Motion")
        self.own("POST", "scenes/Home/run")
        self.order(motion, False)
        self.hub.wait_for(lambda: not self.state(motion), "nothing moves")
        self.order(motion, True)
        self.hub.wait_for(lambda: self.state(motion), "it moves")
        self.assertEqual(self.alarm_count(), 3)

    def test_what_is_armed_is_a_state(self):
        """Apart from which scenes match: it stays when a lamp is switched, through a restart, and a guest arms only."""
        self.house("--devices", "8")
        door, lamp, motion = self.lights(3)
        for name, place, more in (("Door", door, {"in": ["AWAY", "Night"]}), ("Leak", lamp, {}), ("Motion", motion, {})):
            rule = {"device": place[0], "activator": place[1], "when": "on", "kind": "alarm", "text": f"{name}!", **more}
            self.assertEqual(self.own("PUT", f"rules/{name}", rule)[0], 201)
        self.own("PUT", "scenes/Away", {"states": self.states(False, door, lamp), "arms": ["Motion"]})
        self.own("PUT", "scenes/Home", {"states": self.states(False, door), "arms": []})
        self.own("PUT", "scenes/Dark", {"states": self.states(False, door)})
        rules = lambda door, motion: [
            {"name": "Door", "armed": door, "in": ["Away", "Night"]}, {"name": "Leak", "armed": True},
            {"name": "Motion", "armed": motion, "in": ["Away"]}]
        armed = lambda: self.own("GET", "armed", role="guest")[1]
        texts = lambda: [each["text"] for each in self.own("GET", "messages?kind=notification")[1]["messages"]
                         if "armed: " in each["text"]]
        self.assertEqual(armed(), {"rules": rules(False, False), "scene": None, "since": None, "by": None})
        self.own("POST", "scenes/Away/run", role="member")
        self.order(lamp, True)
        self.hub.wait_for(lambda: "Away" not in self.own("GET", "scenes/current")[1]["matching"], "a lamp is on")
        now = armed()
        self.assertEqual((now["rules"], now["scene"]), (rules(True, True), "Away"))
        by = {"device": self.devices["member"].fingerprint, "name": now["by"]["name"]}
        self.assertEqual(now["by"], by)
        self.assertEqual(self.hub.stop(), 0)
        self.hub.start()
        self.assertEqual(armed(), now)
        # Who does the same again changes nothing. A guest's run of a scene disarms nothing, and says so.
        self.assertEqual(self.own("POST", "armed", {"scene": "away"}), (200, now))
        self.assertEqual(self.own("POST", "scenes/Dark/run", role="guest")[0], 200)
        self.assertEqual(self.own("POST", "scenes/Home/run", role="guest")[1]["note"],
                         'the scene "Home" disarms nothing for a guest: still armed: "Door", "Motion"')
        self.assertEqual(armed(), now)
        for method, body in (("POST", {"scene": "Away"}), ("DELETE", None)):
            self.assertEqual(self.own(method, "armed", body, role="guest")[0], 403)
        status, answer = self.own("DELETE", "armed", role="member")
        self.assertEqual((status, answer["rules"], answer["scene"], answer["by"]), (200, rules(False, False), None, by))
        self.order(motion, True)
        self.hub.wait_for(lambda: self.state(motion), "it moves")
        self.order(motion, False)
        self.assertEqual([each["rule"] for each in self.alarms()], ["Leak"])
        # Armed without running anything: the lamp stays on. Only a scene that arms something can be named.
        self.assertEqual(self.own("POST", "armed", {"scene": "Night"})[1]["rules"], rules(True, False))
        self.assertTrue(self.state(lamp))
        for body, status in (({"scene": "Home"}, 409), ({"scene": "Nowhere"}, 409), ({}, 400), ({"scene": 3}, 400)):
            self.assertEqual(self.own("POST", "armed", body)[0], status, body)
        self.own("DELETE", "armed")
        # A guest who goes last may arm the house.
        self.own("POST", "scenes/Away/run", role="guest")
        self.assertEqual(armed()["rules"], rules(True, True))
        self.assertEqual([re.sub(r'"[^"]*"\)$', "WHO)", text) for text in texts()], [
            'armed: "Door", "Motion" (scene "Away", asked by WHO)',
            'the scene "Home" disarms nothing for a guest: still armed: "Door", "Motion" (asked by WHO)',
            'disarmed: "Door", "Motion" (by WHO)', 'armed: "Door" (scene "Night", by WHO)',
            'disarmed: "Door" (by WHO)', 'armed: "Door", "Motion" (scene "Away", asked by WHO)'])
        # The file as a hub of 0.1 has written it.
        self.assertEqual(self.hub.stop(), 0)
        self.write("scene-runs", "[runs]\ncount=2\ndecided=Away\n[scene Away]\nrun=2\nran=2026-11-21T08:10:00Z\n")
        self.hub.start()
        self.assertEqual(armed(), {"rules": rules(True, True), "scene": "Away", "since": "2026-11-21T08:10:00Z", "by": None})

    def write(self, name, text):
        path = os.path.join(self.hub.state, "house", name)
        with open(path + ".new", "w", opener=lambda file, flags: os.open(file, flags, 0o600)) as file:
            file.write("[keyfile]\nformat=1\n" + text)
        os.rename(path + ".new", path)

    def test_a_timed_scene_runs_once_and_not_too_late(self):
        self.house("--devices", "4")
        soon, late = self.lights(2)
        self.hub.kill()
        scenes = runs = ""
        for name, place, minutes in (("Soon", soon, 2), ("Late", late, 20)):
            due = datetime.datetime.now() - datetime.timedelta(minutes=minutes)
            state = json.dumps({"device": place[0], "activator": place[1], "state": True})
            scenes += f"[scene {name}]\nat={due:%H:%M}\nstate.1={state}\n"
            done = (due - datetime.timedelta(days=1)).date()
            runs += f"[scene {name}]\nplan={due:%H:%M} {' '.join(DAYS)}\ndone={done}\n"
        self.write("scenes", scenes)
        self.write("scene-runs", runs)
        self.hub.start()
        texts = lambda: [message["text"] for message in self.own("GET", "messages?kind=notification")[1]["messages"]]
        self.hub.wait_for(lambda: 'the scene "Soon" ran' in texts(), "the scene at its time")
        self.assertEqual(len([text for text in texts() if '"Late" did not run at' in text]), 1)
        self.assertEqual((self.state(soon), self.state(late)), (True, False))
        before = texts()
        # Killed and started again: done is done. The hub has looked once a new scene has run.
        self.hub.kill()
        due = datetime.datetime.now() - datetime.timedelta(minutes=1)
        self.write("scenes", scenes + f"[scene Next]\nat={due:%H:%M}\n")
        path = os.path.join(self.hub.state, "house", "scene-runs")
        with open(path, "a") as file:
            done = (due - datetime.timedelta(days=1)).date()
            file.write(f"[scene Next]\nplan={due:%H:%M} {' '.join(DAYS)}\ndone={done}\n")
        self.hub.start()
        self.hub.wait_for(lambda: 'the scene "Next" ran' in texts(), "the next scene")
        self.assertEqual(sorted(texts()), sorted(before + ['the scene "Next" ran']))

    def test_timed_scenes_run_once_whatever_the_clock_does(self):
        """The hub's clock (clock.c) goes forward and back by seed, over both changes of summer time, with restarts
        and kills between. An oracle that only knows the calendar says what runs and what is too late."""
        print(f"HUBPAIR_SEED={SEED}", flush=True)
        dice = random.Random(SEED)
        self.house("--plain")
        library, clock = os.path.join(self.folder.name, "clock.so"), os.path.join(self.folder.name, "clock")
        source = pathlib.Path(__file__).parent.parent / "clock.c"
        subprocess.run(["clang", "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
        pathlib.Path(clock).write_bytes(bytes(8))

        def set_clock(now):
            with open(clock, "r+b") as file:
                file.write(struct.pack("=q", round((now - time.time()) * 1e9)))

        prefix = ["env", f"LD_PRELOAD={library}", f"HUBPAIR_TEST_CLOCK={clock}", "TZ=Europe/Berlin"]
        zone = zoneinfo.ZoneInfo("Europe/Berlin")
        minutes = [90, 120, 150, 179, 195, 720]
        name = lambda minute: f"At {minute // 60:02}:{minute % 60:02}"
        ran, missed = collections.Counter(), collections.Counter()

        def told():
            """What ran and what was too late, but for the probe, which a leap of the clock may pass as well."""
            texts = [each["text"] for each in self.own("GET", "messages?kind=notification")[1]["messages"]]
            return (collections.Counter(match[1] for text in texts if (match := re.fullmatch(r'the scene "(At .*)" ran', text))),
                    collections.Counter(match[1] for text in texts if (match := re.match(r'the scene "(At .*)" did not run at', text))))

        for month, day in ((3, 28), (10, 31)):  # the changes of 2027
            start = datetime.datetime(2027, month, day - 1, 13, tzinfo=zone).timestamp()
            # When clocks first show a time of a day, or something later.
            dues = {minute: [] for minute in minutes}
            for minute, found in dues.items():
                for number in range(day - 9, day + 3):
                    date = datetime.date(2027, month, 1) + datetime.timedelta(days=number - 1)
                    wanted = date.isoformat(), minute
                    low, high = int(start) - 12 * 86_400, int(start) + 5 * 86_400
                    for moment in range(low - low % 60, high, 60):
                        shown = datetime.datetime.fromtimestamp(moment, zone)
                        if (shown.date().isoformat(), 60 * shown.hour + shown.minute) >= wanted:
                            found.append((number, moment))
                            break
            self.hub.kill()
            set_clock(start)
            self.hub.start(prefix=prefix)
            for minute in minutes:
                scene = {"states": [], "at": name(minute)[3:]}
                self.assertEqual(self.own("PUT", f"scenes/{urllib.parse.quote(name(minute))}", scene)[0], 201)
            # The first look takes what has been as done.
            runs = pathlib.Path(self.hub.state, "house", "scene-runs")
            self.hub.wait_for(
                lambda: runs.exists() and all(f"[scene {name(minute)}]" in runs.read_text() for minute in minutes), "a look")
            done = {minute: {max(day for day, due in found if due <= start)} for minute, found in dues.items()}
            now = start
            turn = 0
            while turn < (10 if REQUESTS <= 10_000 else 150):
                to_next = lambda: min(
                    (due for found in dues.values() for _, due in found if due > now), default=now) + dice.uniform(10, 560)
                step = dice.choice([
                    to_next, to_next, to_next,
                    lambda: now + dice.uniform(60, 7200), lambda: now - dice.uniform(60, 7200),
                    lambda: now + dice.uniform(3600, 30 * 3600)])()
                late = [step - due for found in dues.values() for _, due in found]
                # The clock goes on while the hub looks: nothing may be due or late within that time.
                if any(-40 < each < 3 or 570 < each < 603 for each in late) or not start <= step < start + 2.4 * 86_400:
                    continue
                turn += 1
                now = step
                for minute, found in dues.items():
                    number, due = max((each for each in found if each[1] <= now), key=lambda each: each[1])
                    if number in done[minute]:
                        continue
                    if now - due <= 600:
                        ran[name(minute)] += 1
                    elif max(done[minute]) < number:
                        missed[name(minute)] += 1
                    done[minute].add(number)
                how = dice.random()
                if how < 0.3:
                    self.hub.kill() if how < 0.15 else self.hub.stop()
                set_clock(now)
                if how < 0.3:
                    self.hub.start(prefix=prefix)
                # A scene with a new time makes the hub look, and the look writes its plan down.
                probe = datetime.datetime.fromtimestamp(now - 150, zone).strftime("%H:%M")
                self.own("DELETE", "scenes/Probe")
                self.own("PUT", "scenes/Probe", {"states": [], "at": probe})
                self.hub.wait_for(
                    lambda: re.search(rf"\[scene Probe\]\s+plan={probe} ", runs.read_text()), "the hub looks", 20)
                self.hub.wait_for(
                    lambda: sum(map(sum, (each.values() for each in told()))) >= sum(ran.values()) + sum(missed.values()),
                    f"HUBPAIR_SEED={SEED}: {now}: {ran} {missed}", 20)
                self.assertEqual(told(), (ran, missed), f"HUBPAIR_SEED={SEED}: at {datetime.datetime.fromtimestamp(now, zone)}")
            for minute in minutes:
                self.own("DELETE", f"scenes/{urllib.parse.quote(name(minute))}")
            self.own("DELETE", "scenes/Probe")
            self.hub.wait_for(lambda: "[scene" not in runs.read_text(), "the scenes are gone")
        print(f"timed scenes: {sum(ran.values())} ran, {sum(missed.values())} were too late", flush=True)
        self.assertGreater(sum(ran.values()), 0)

    def state(self, place):
        """As the hub knows it."""
        for each in self.own("GET", "states")[1]["states"]:
            if (each["device"], each["activator"]) == place:
                return each["state"]
        return None


if __name__ == "__main__":
    unittest.main()
