"""One house behind two gates with one key: which one polls, one sequence of messages, and what is not lost when gates,
houses and members of etcd are killed.

HUBPAIR_SHARED_KILLS is the number of kills (default 4)."""
import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request

from etcd import Etcd, Gate
from hub import HUBPAIR, Hestia, Hub, all_messages
from second_implementation import Attempt, Connection, Device

KILLS = int(os.environ.get("HUBPAIR_SHARED_KILLS", 4))


class SharedHouse(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.hestia = Hestia("--plain", sturdy=True)
        self.addCleanup(self.hestia.stop)
        self.etcd = Etcd()
        self.addCleanup(self.etcd.remove)
        self.one = Hub(self.hestia.url)
        self.addCleanup(self.one.remove)

    def begin(self):
        """Two gates that serve, and their owner, who is let in by both."""
        self.etcd.join(self.one)
        self.other = Gate(self.one)
        self.addCleanup(self.other.remove)
        self.gates = [self.one.start(), self.other.start()]
        self.owner = self.pair("Owner", "--role", "owner")
        for number, gate in enumerate(self.gates):
            gate.wait_for(lambda gate=gate: self.ask(gate, "GET", "rooms")[0] == 200, "the house answers")
            # What changes nothing is taken also by one that has not come as far as the other.
            begun = {"begun": number}
            gate.wait_for(lambda: self.ask(gate, "PUT", "preferences", begun)[0] == 200, "the house takes changes")

    def pair(self, name, *options):
        device = Device(os.path.join(self.folder, name), name)
        Attempt(self.one.code(*options), device).send(self.one.port)
        return device

    def ask(self, gate, method, path, body=None, device=None):
        """Status and JSON; 0 if nobody answers."""
        try:
            with Connection(gate.port, device or self.owner, timeout=60) as connection:
                status, _, answer = connection.request(
                    method, f"/hubpair/v1/{path}", None if body is None else json.dumps(body).encode())
                return status, json.loads(answer) if answer else None
        except Exception:
            return 0, None

    def get(self, gate, path):
        status, answer = self.ask(gate, "GET", path)
        self.assertEqual(status, 200, answer)
        return answer

    def messages(self, gate):
        return all_messages(lambda path: self.get(gate, path))

    def arm(self):
        """A rule that rings when the first appliance goes on."""
        with urllib.request.urlopen(f"{self.hestia.url}/devices/", timeout=10) as answer:
            device = json.load(answer)[0]
        self.ids = device["deviceId"], device["activators"][0]["activatorId"]
        rule = {"device": self.ids[0], "activator": self.ids[1], "when": "on", "kind": "alarm", "text": "The light is on"}
        status, answer = self.ask(self.other, "PUT", "rules/Light", rule)
        self.assertEqual(status, 201, answer)
        for gate in self.gates:
            gate.wait_for(lambda gate=gate: [each["name"] for each in self.get(gate, "rules")["rules"]] == ["Light"], "the rule")

    def switch(self, state):
        """By hand, past all gates."""
        request = urllib.request.Request(
            f"{self.hestia.url}/devices/{self.ids[0]}/activators/{self.ids[1]}",
            json.dumps({"state": state}).encode(), {"Content-Type": "application/json"}, method="POST")
        with urllib.request.urlopen(request, timeout=10) as answer:
            self.assertEqual(answer.status, 201)

    def count(self):
        """How often the server behind the gates was asked, but for this."""
        self.counted = getattr(self, "counted", 0) + 1
        with urllib.request.urlopen(f"{self.hestia.url}/test/count", timeout=10) as answer:
            return json.load(answer) - self.counted

    def house(self):
        return json.loads(self.one.run("hub", "site", "--json", check=False) or "{}").get("house") or {}

    def leader(self):
        """The gate that polls."""
        name = (self.etcd.control(
            "get", f"/hubpair/1/{self.one.identity['hub']}/records/{self.one.identity['hub']}/leader",
            "--print-value-only").stdout.split() or [None])[0]
        for gate in self.gates:
            with open(os.path.join(gate.state, "site")) as file:
                if f"gate={name}\n" in file.read():
                    return gate
        return None

    def wait_for_leader(self, *, besides=None):
        self.one.wait_for(lambda: self.leader() not in (None, besides), "another one polls")
        return self.leader()

    def alarms(self, gate):
        return [each for each in self.messages(gate) if each["kind"] == "alarm"]

    def rung(self, gate):
        return sum(each.get("count", 1) for each in self.alarms(gate))


class SharedHouseTests(SharedHouse):
    def test_one_house_behind_two_gates(self):
        self.begin()
        one, other = self.gates
        self.arm()
        with self.subTest("an alarm has one number, and is acknowledged at whichever"):
            self.switch(True)
            for gate in self.gates:
                gate.wait_for(lambda gate=gate: self.rung(gate) == 1, "the alarm rings")
            self.assertEqual(self.messages(one), self.messages(other))
            alarm = self.alarms(one)[0]["id"]
            status, _ = self.ask(other, "POST", f"messages/{alarm}/acknowledge")
            self.assertEqual(status, 200)
            one.wait_for(lambda: "acknowledged" in self.alarms(one)[0], "the first gate knows that it is acknowledged")
        with self.subTest("rooms, read marks and states"):
            self.assertIn(self.ask(one, "PUT", "rooms/kitchen", {"name": "Kitchen", "devices": [self.ids[0]]})[0], (200, 201))
            self.assertEqual(self.ask(one, "POST", f"messages/{alarm}/read?all=1")[0], 204)
            other.wait_for(lambda: [each["name"] for each in self.get(other, "rooms")["rooms"]] == ["Kitchen"], "the room")
            other.wait_for(lambda: all(each["read"] for each in self.messages(other)), "the read marks")
            other.wait_for(lambda: self.get(other, "states/history") == self.get(one, "states/history"), "the history")
            self.assertGreater(len(self.get(one, "states/history")["history"]), 1)
        with self.subTest("one of them polls"):
            begun, start = time.monotonic(), self.count()
            one.wait_for(lambda: self.count() - start > 4, "it is asked every second")
            self.assertLessEqual(self.count() - start, 2 + 1.5 * (time.monotonic() - begun))
        leader = self.wait_for_leader()
        follower = next(gate for gate in self.gates if gate is not leader)
        with self.subTest("the status says who"):
            house = self.house()
            self.assertEqual((len(house["gates"]), [each["leads"] for each in house["gates"]].count(True)), (2, 1))
            one.wait_for(lambda: [each["behind"] for each in self.house()["gates"]] == [0, 0], "both are up to date")
        with self.subTest("killed, the other goes on with all that was acknowledged, and sees what has changed"):
            before = self.messages(follower)
            self.switch(False)
            one.wait_for(lambda: self.get(follower, "states/history")["history"][-1]["state"] is False, "it is off")
            leader.kill()
            self.switch(True)
            self.assertIs(self.wait_for_leader(besides=leader), follower)
            follower.wait_for(lambda: self.rung(follower) == 2, "the alarm rings")
            after = self.messages(follower)
            self.assertEqual(after[:len(before)], before)
            self.assertEqual([each["id"] for each in after], list(range(1, len(after) + 1)))
        with self.subTest("it comes back, and follows"):
            leader.start()
            leader.wait_for(lambda: self.ask(leader, "GET", "messages")[0] == 200, "it answers")
            leader.wait_for(lambda: self.messages(leader) == self.messages(follower), "it has caught up")
        with self.subTest("out again, with all of it"):
            messages = [{**each, "read": None} for each in self.messages(one)]
            for gate in (other, one):
                gate.run("hub", "site", "leave")
                gate.wait_for(lambda gate=gate: self.ask(gate, "PUT", "preferences", {"a": 1})[0] == 200, "a house of its own")
            self.assertEqual(self.etcd.control("get", "--prefix", "/hubpair", "--keys-only").stdout.strip(), "")
            self.assertEqual([{**each, "read": None} for each in self.messages(one)][:len(messages)], messages)
            self.switch(False)
            one.wait_for(lambda: self.get(one, "states")["current"], "it polls by itself")

    def test_without_a_majority_nothing_is_taken_and_all_is_read(self):
        self.begin()
        self.arm()
        for name in self.etcd.names[:2]:
            self.etcd.kill(name)
        for gate in self.gates:
            self.assertEqual(self.get(gate, "rules")["rules"][0]["name"], "Light")
            self.assertEqual(self.ask(gate, "PUT", "rooms/lost", {"name": "Lost"})[0], 503)
            self.assertEqual(self.ask(gate, "PUT", "preferences", {"lost": True})[0], 503)
            self.assertEqual(self.get(gate, "rooms")["rooms"], [])
        for name in self.etcd.names[:2]:
            self.etcd.start(name)
        for gate in self.gates:
            gate.wait_for(lambda gate=gate: self.ask(gate, "PUT", "rooms/there", {"name": "There"})[0] in (200, 201),
                          "changes are taken again")
        self.switch(True)
        for gate in self.gates:
            gate.wait_for(lambda gate=gate: self.rung(gate) == 1, "the alarm rings")


class TwoHousesTests(SharedHouse):
    """Two hubs with keys of their own in one etcd, each with a house behind two gates: in one site, which has one list of
    devices, or each in its own. The houses do not mix."""

    def test_houses_of_two_keys_do_not_mix(self):
        for is_one_site in (True, False):
            with self.subTest(is_one_site=is_one_site):
                self.try_houses(is_one_site)

    def try_houses(self, is_one_site):
        first, wing = Hub(self.hestia.url), Hub(self.hestia.url, name="Wing")
        hubs = {"first": first, "wing": wing}
        self.etcd.join(first)
        self.etcd.join(wing, *(["--with", first.identity["hub"]] if is_one_site else []))
        gates = {name: [hub, Gate(hub)] for name, hub in hubs.items()}
        for hub in (gate for pair in gates.values() for gate in pair):
            self.addCleanup(hub.remove)
            hub.start()
        owners = {}
        for name, hub in hubs.items():
            owners[name] = Device(os.path.join(self.folder, f"{name}{is_one_site}"), name)
            Attempt(hub.code("--role", "owner"), owners[name]).send(hub.port)

        def ask(name, gate, method, path, body=None):
            return self.ask(gate, method, path, body, owners[name])

        for name, pair in gates.items():
            for number, gate in enumerate(pair):
                gate.wait_for(lambda: ask(name, gate, "PUT", f"rooms/r{number}", {"name": f"{name} {number}"})[0] in (200, 201),
                              "the house takes changes")
            self.assertEqual(ask(name, pair[1], "PUT", "preferences", {"of": name})[0], 200)
        for name, pair in gates.items():
            for gate in pair:
                gate.wait_for(lambda: {each["name"] for each in (ask(name, gate, "GET", "rooms")[1] or {}).get("rooms", [])}
                              == {f"{name} 0", f"{name} 1"}, "its rooms, and no others")
                gate.wait_for(lambda: ask(name, gate, "GET", "preferences") == (200, {"of": name}), "its preferences")
            house = json.loads(pair[0].run("hub", "site", "--json"))["house"]
            self.assertEqual((len(house["gates"]), sum(each["leads"] for each in house["gates"])), (2, 1))
        places = {hub.identity["hub"]: f"/hubpair/1/{(first if is_one_site else hub).identity['hub']}/records/{hub.identity['hub']}/"
                  for hub in hubs.values()}
        logs = {self.etcd.control("get", place + "last", "--print-value-only").stdout.split()[0] for place in places.values()}
        self.assertEqual(len(logs), 2)
        with self.subTest("one hub out, the other's house is as it was"):
            for gate in reversed(gates["wing"]):
                gate.run("hub", "site", "leave")
            self.assertEqual(self.etcd.control("get", "--prefix", places[wing.identity["hub"]], "--keys-only").stdout.strip(), "")
            self.assertEqual(ask("first", first, "PUT", "preferences", {"of": "first", "and": 2})[0], 200)
            other = gates["first"][1]
            other.wait_for(lambda: ask("first", other, "GET", "preferences") == (200, {"of": "first", "and": 2}), "it goes on")
        for gate in (gate for pair in gates.values() for gate in pair):
            gate.stop()


class MisfitTests(SharedHouse):
    """A gate whose copy of the house is not what the log was written for takes the house over again, by itself."""

    def path(self, gate, end=""):
        return os.path.join(gate.state, "house", "household.sqlite" + end)

    def change(self, gate, *statements):
        """By hand, while it does not serve."""
        with contextlib.closing(sqlite3.connect(self.path(gate))) as base, base:
            for statement in statements:
                self.assertGreater(base.execute(statement).rowcount, 0)

    def record(self, name):
        return f"/hubpair/1/{self.one.identity['hub']}/records/{self.one.identity['hub']}/{name}"

    def agree(self):
        """Both take changes, and have the same."""
        for gate in self.gates:
            gate.wait_for(lambda gate=gate: self.ask(gate, "PUT", "rooms/again", {"name": "Again"})[0] in (200, 201), "changes")
        one, other = self.gates
        for path in ("rooms", "preferences", "states/history"):
            one.wait_for(lambda path=path: self.ask(one, "GET", path) == self.ask(other, "GET", path), path)
        one.wait_for(lambda: self.messages(one) == self.messages(other), "messages")
        one.wait_for(lambda: [(each["behind"], each["fault"]) for each in self.house()["gates"]] == [(0, None)] * 2, "the status")

    def test_a_copy_that_does_not_fit_is_taken_over_again(self):
        self.begin()
        self.arm()
        self.switch(True)
        for gate in self.gates:
            gate.wait_for(lambda gate=gate: self.rung(gate) == 1, "the alarm rings")
        alarm = self.alarms(self.one)[0]["id"]
        leader = self.wait_for_leader()
        follower = next(gate for gate in self.gates if gate is not leader)
        with self.subTest("what others change is not there"):
            follower.stop()
            self.change(follower, "DELETE FROM messages")
            follower.start()
            self.assertEqual(self.ask(leader, "POST", f"messages/{alarm}/acknowledge")[0], 200)
            follower.wait_for(lambda: "taken over again" in follower.log(), "it says so")
            follower.wait_for(lambda: self.ask(follower, "GET", "messages") == self.ask(leader, "GET", "messages"), "it has it all")
            self.assertIn("acknowledged", self.alarms(follower)[0])
            self.assertIn("household.sqlite.apart", follower.log())
            with contextlib.closing(sqlite3.connect(self.path(follower, ".apart"))) as base:
                self.assertEqual(base.execute("SELECT count(*) FROM messages").fetchone(), (0,))
            self.agree()
        with self.subTest("pages of the file are damaged"):
            follower.stop()
            with contextlib.closing(sqlite3.connect(self.path(follower))) as base:
                base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                pages = [row[0] for row in base.execute(
                    "SELECT rootpage FROM sqlite_master WHERE name IN ('messages', 'preferences', 'changes', 'states')")]
                size = base.execute("PRAGMA page_size").fetchone()[0]
            with open(self.path(follower), "r+b") as file:
                for page in pages:
                    file.seek((page - 1) * size)
                    file.write(os.urandom(size))
            before = len(follower.log())
            follower.start()
            self.assertEqual(self.ask(leader, "PUT", "preferences", {"a": 1})[0], 200)
            self.switch(False)
            follower.wait_for(lambda: self.ask(follower, "GET", "preferences") == (200, {"a": 1}), "it has it again")
            self.assertRegex(follower.log()[before:], "household.sqlite.(apart|broken)")
            self.agree()
        with self.subTest("the one that wrote had another copy"):
            follower.stop()
            self.change(follower, "UPDATE preferences SET value = '{\"a\":2}'")
            follower.start()
            follower.wait_for(lambda: self.ask(follower, "PUT", "preferences", {"a": 3})[0] == 200, "it takes it")
            for gate in self.gates:
                gate.wait_for(lambda gate=gate: self.ask(gate, "GET", "preferences") == (200, {"a": 3}), "what was answered")
            self.assertIn("as far as it fits", leader.log())
            self.agree()
        self.assertEqual(self.rung(self.one), 1)
        with self.subTest("what nobody can mend is said"):
            # Not of this version.
            house, position = self.etcd.control("get", self.record("last"), "--print-value-only").stdout.split()
            entry = self.record(f"log/{int(position) + 1:016}")
            self.etcd.control("put", entry, "9 later inline\n")
            self.etcd.control("put", self.record("last"), f"{house} {int(position) + 1}")
            self.one.wait_for(lambda: all("newer hubpair" in (each["fault"] or "") for each in self.house()["gates"]), "both say so")
            self.assertIn("does not go on: its log has an entry of a newer hubpair", self.one.run("hub", "site"))
            done = subprocess.run([HUBPAIR, "doctor", "--no-sweep", "--state", self.one.state], capture_output=True, text=True)
            self.assertIn("does not go on: its log has an entry of a newer hubpair", done.stdout)
            self.etcd.control("put", self.record("last"), f"{house} {position}")
            self.etcd.control("del", entry)
            for gate in self.gates:
                gate.stop()
                gate.start()
            self.agree()


class KillTests(SharedHouse):
    """Alarms ring, are acknowledged and marked as read, and rooms are made at both gates, while gates, houses and members
    are killed: what was answered is there in the end, and each alarm has rung once."""

    def act(self, dice, ends):
        number = 0
        while not ends.is_set():
            gate = dice.choice(self.gates)
            kind = dice.choice(["acknowledge", "acknowledge", "read", "room"])
            if kind == "room":
                # A house has a limited number of rooms: later their names change, each by this thread alone.
                number += 1
                room = f"r{threading.get_ident() % 1000}x{number % 20}"
                if self.ask(gate, "PUT", f"rooms/{room}", {"name": f"{room} {number}"})[0] in (200, 201):
                    self.done.append(("room", (room, number)))
                continue
            status, answer = self.ask(gate, "GET", "messages?kind=alarm&limit=500")
            if status != 200 or not answer["messages"]:
                time.sleep(0.1)
                continue
            message = dice.choice(answer["messages"])["id"]
            path = f"messages/{message}/{kind}"
            if self.ask(gate, "POST", path, device=self.phone)[0] in (200, 204):
                self.done.append((kind, message))

    def break_one(self, dice):
        kind = dice.choice(["gate", "gate", "house", "member"])
        if kind == "member":
            name = dice.choice(self.etcd.names)
            self.etcd.kill(name)
            return lambda: self.etcd.start(name)
        gate = dice.choice([self.leader() or self.one, *self.gates])
        if kind == "gate":
            gate.kill()
            return gate.start
        self.kill_house(gate)
        return lambda: None

    def kill_house(self, gate):
        """The gate starts it again by itself."""
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/cmdline") as file:
                    words = file.read().split("\0")
            except OSError:
                continue
            if words[0].endswith("hubpair-house") and gate.state in words:
                os.kill(int(process), signal.SIGKILL)

    def any(self, question):
        """The answer of a gate that has one."""
        for gate in self.gates:
            status, answer = self.ask(gate, "GET", question)
            if status == 200:
                return answer
        return None

    def test_nothing_that_was_answered_is_lost(self):
        seed = int(os.environ.get("HUBPAIR_SEED", random.randrange(1 << 32)))
        print(f"HUBPAIR_SEED={seed}, {KILLS} kills", flush=True)
        dice = random.Random(seed)
        self.begin()
        self.phone = self.pair("Phone")
        self.arm()
        self.done, ends, toggles = [], threading.Event(), 0
        threads = [threading.Thread(target=self.act, args=(random.Random(seed + number), ends)) for number in range(3)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(KILLS):
                mend = self.break_one(dice)
                time.sleep(dice.uniform(0, 1))
                self.switch(True)
                toggles += 1
                time.sleep(dice.uniform(0, 2))
                mend()
                self.one.wait_for(lambda: self.total() >= toggles, f"alarm {toggles} rings")
                self.switch(False)
                self.one.wait_for(
                    lambda: ((self.any(f"states/history?device={self.ids[0]}&limit=10000") or {}).get("history") or [{}])[-1]
                    .get("state") is False, "it is off")
        finally:
            ends.set()
            for thread in threads:
                thread.join()
        for gate in self.gates:
            gate.wait_for(lambda gate=gate: self.ask(gate, "PUT", "rooms/last", {"name": "Last"})[0] in (200, 201), "changes")
        one, other = self.gates
        one.wait_for(lambda: self.messages(one) == self.messages(other), "both have the same messages")
        one.wait_for(lambda: self.get(one, "rooms") == self.get(other, "rooms"), "both have the same rooms")
        messages = {each["id"]: each for each in self.messages(one)}
        self.assertEqual(sorted(messages), list(range(1, len(messages) + 1)))
        self.assertEqual(self.rung(one), toggles)
        rooms = dict(each["name"].split(" ") for each in self.get(one, "rooms")["rooms"] if " " in each["name"])
        status, answer = self.ask(one, "GET", "messages?limit=500", device=self.phone)
        self.assertEqual(status, 200)
        read = {each["id"] for each in answer["messages"] if each["read"]}
        for kind, what in self.done:
            if kind == "room":
                # One that was not answered may have been made after it.
                self.assertGreaterEqual(int(rooms[what[0]]), what[1])
            elif kind == "read":
                self.assertIn(what, read)
            else:
                self.assertEqual(messages[what]["acknowledged"]["by"], self.phone.fingerprint)
        counts = {kind: sum(each == kind for each, _ in self.done) for kind in ("room", "read", "acknowledge")}
        print(f"{KILLS} kills: {len(messages)} messages, {toggles} alarms, {counts} answered, none lost", flush=True)
        self.assertGreater(len(self.done), KILLS)

    def total(self):
        answer = self.any("messages?kind=alarm&limit=500")
        return sum(each.get("count", 1) for each in answer["messages"]) if answer else 0
