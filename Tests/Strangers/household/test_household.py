"""States and messages that the hub keeps: streams that break off and go on, what is asked of the server behind the hub,
kills while messages arrive, bursts, a full disk, a broken database, hooks.

HUBPAIR_HOUSEHOLD_KILLS is the number of kills while messages arrive (default 4)."""
import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request

from hub import Hestia, Hub, all_messages
from second_implementation import Attempt, Connection, Device

KILLS = int(os.environ.get("HUBPAIR_HOUSEHOLD_KILLS", "4"))


class Stream:
    """Server-sent events (WHATWG HTML, section 9.2), read by a parser of its own."""

    def __init__(self, hub, device, path, last=None, timeout=20):
        self.connection = Connection(hub.port, device, timeout=timeout)
        headers = {"Last-Event-ID": last} if last else {}
        self.connection.http.request("GET", f"/hubpair/v1/{path}", headers=headers)
        self.response = self.connection.http.getresponse()
        self.last = last
        self.wants_beats = False

    def beat(self):
        """The next heartbeat; other events before it are left out."""
        self.wants_beats = True
        try:
            return next(data for kind, data in self.events() if kind == "alive")
        finally:
            self.wants_beats = False

    def events(self):
        """Each event as (type, data), until the stream ends; without heartbeats unless they are wanted."""
        kind, data = "message", None
        while line := self.response.readline():
            line = line.decode().rstrip("\n")
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if line == "":
                if data is not None and (kind != "alive" or self.wants_beats):
                    yield kind, json.loads(data)
                kind, data = "message", None
            elif name == "event":
                kind = value
            elif name == "id":
                self.last = value
            elif name == "data":
                data = value

    def next(self):
        return next(self.events())

    def close(self):
        self.response.close()  # it holds the socket, too
        self.connection.close()


class Model:
    """What a watcher knows of the messages, from events alone. Each event says what no other has said before."""

    def __init__(self, test, start):
        self.test, self.start, self.messages, self.repeated = test, start, {}, 0

    def take(self, kind, message):
        number, before = message["id"], self.messages.get(message["id"])
        if kind == "message" or kind == "acknowledged" and before is None:
            self.test.assertEqual(number, self.start + len(self.messages) + 1)
        elif kind == "repeated":
            self.test.assertNotIn("acknowledged", before)
            self.test.assertGreater(message["count"], before.get("count", 1))
            self.repeated += 1
        else:
            self.test.assertEqual(kind, "acknowledged")
            self.test.assertNotIn("acknowledged", before)
            self.test.assertGreaterEqual(message.get("count", 1), before.get("count", 1))
        self.messages[number] = message

    def listed(self):
        return {each["id"]: {name: value for name, value in each.items() if name != "read"}
                for each in self.test.all_messages() if each["id"] > self.start}

    def catch_up(self, stream):
        """Reads the stream until all is known that is listed; nothing is left out then, and nothing changes."""
        wanted = self.listed()
        while self.messages != wanted:
            self.take(*stream.next())


def counted(messages):
    """How often the rules of these messages have come true."""
    return sum(each.get("count", 1) for each in messages)


class HouseholdTests(unittest.TestCase):
    """A hub in front of a server with appliances."""
    options = ("--plain",)
    # Where a test switches past the hub, as by hand, two requests may overlap.
    sturdy = False

    def setUp(self):
        self.hestia = Hestia(*self.options, sturdy=self.sturdy)
        self.addCleanup(lambda: self.hestia.stop())
        self.hub = Hub(self.hestia.url)
        self.addCleanup(self.hub.remove)
        self.hub.start()
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.kept = {}
        self.addCleanup(lambda: [connection.close() for connection in self.kept.values()])
        self.device = self.pair("Anna")

    def pair(self, name, *options):
        device = Device(os.path.join(self.folder.name, name), name)
        Attempt(self.hub.code(*options), device).send(self.hub.port)
        return device

    def ask(self, method, path, body=None, device=None, base="/hubpair/v1/"):
        """Status and JSON of an answer, on a connection that is kept for each device."""
        device = device or self.device
        while True:
            is_kept = device in self.kept
            if not is_kept:
                self.kept[device] = Connection(self.hub.port, device, timeout=30)
                # http.client writes head and body apart, and Nagle's algorithm holds the second back.
                self.kept[device].socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = self.kept[device]
            try:
                status, headers, answer = connection.request(method, base + path, body)
            except (OSError, http.client.HTTPException):
                self.kept.pop(device).close()
                if not is_kept:
                    raise
                continue  # the hub has ended, or has closed it
            if headers.get("Connection") == "close":
                self.kept.pop(device).close()
            return status, json.loads(answer) if answer else None

    def get(self, path, device=None):
        status, answer = self.ask("GET", path, device=device)
        self.assertEqual(status, 200, answer)
        return answer

    def order(self, state, number=0, activator=0):
        """Switches an appliance through the gateway; returns its ids."""
        device = self.ask("GET", "/devices/", base="")[1][number]
        ids = device["deviceId"], device["activators"][activator]["activatorId"]
        status, _ = self.ask(
            "POST", f"/devices/{ids[0]}/activators/{ids[1]}", json.dumps({"state": state}).encode(), base="")
        self.assertEqual(status, 201)
        return ids

    def stream(self, path, last=None, device=None):
        stream = Stream(self.hub, device or self.device, path, last)
        self.addCleanup(stream.close)
        self.assertEqual(stream.response.status, 200)
        return stream

    def restart(self):
        self.assertEqual(self.hub.stop(), 0)
        self.hub.start()

    def keyfile(self, change):
        """Changes the keyfile as another program would."""
        path = pathlib.Path(self.hub.state, "approved-devices")
        text = change(path.read_text())
        new = path.with_name("new")
        new.write_text(text)
        new.chmod(0o600)
        new.rename(path)

    def add_devices(self, count, seed=0):
        """Approves so many devices at once, which makes as many messages."""
        from second_implementation import pin_of
        import base64
        import hashlib
        from second_implementation import ALPHABET
        groups = []
        for number in range(count):
            pin = hashlib.sha256(f"{seed}/{number}".encode()).digest()
            bits = "".join(f"{byte:08b}" for byte in pin[:10])
            name = "".join(ALPHABET[int(bits[at:at + 5], 2)] for at in range(0, 80, 5))
            name = "-".join(name[at:at + 4] for at in range(0, 16, 4))
            groups.append(
                f"\n[device {name}]\nname=D{seed}x{number}\npin=sha256//{base64.b64encode(pin).decode()}\n"
                "status=approved\napproved=2026-11-21T10:22:03Z\n")
        self.keyfile(lambda text: text + "".join(groups))
        return [f"D{seed}x{number}" for number in range(count)]

    def all_messages(self, **query):
        return all_messages(self.get, **query)

    def wait_for_messages(self, count):
        """The messages, once there are so many."""
        self.hub.wait_for(lambda: self.get("messages?limit=1")["newest"] >= count, f"{count} messages", 30)
        return self.all_messages()


class StateTests(HouseholdTests):
    def test_states_are_told_as_they_change(self):
        stream = self.stream("states/stream")
        kind, everything = stream.next()
        self.assertEqual(kind, "reset")
        told = {(each["device"], each["activator"]): each["state"] for each in everything["states"]}
        while len(told) < 3:  # the first poll may come after the stream
            kind, change = stream.next()
            told[change["device"], change["activator"]] = change["state"]
        ids = self.order(True)
        kind, change = stream.next()
        self.assertEqual((kind, change["device"], change["activator"]), ("state", *ids))
        self.assertEqual((change["before"], change["state"]), (False, True))
        self.assertRegex(change["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        now = self.get("states")
        self.assertTrue(now["current"])
        self.assertLessEqual(now["age"], 2)
        self.assertIn(True, [each["state"] for each in now["states"]])

    def test_a_stream_goes_on_where_it_broke_off(self):
        """Also across a restart and while nobody watches: nothing twice, nothing lost."""
        stream = self.stream("states/stream")
        kind, everything = stream.next()
        seen = len(everything["states"])
        while seen < 3:
            stream.next()
            seen += 1
        levels = []
        dice = random.Random(5)
        rounds = 40 if KILLS > 20 else 14
        for number in range(rounds):
            level = round(0.001 * (number + 1), 3)
            self.order(level, activator=1)
            # A busy machine may answer with the states before, when the upstream takes too long.
            self.hub.wait_for(lambda: level in [each["state"] for each in self.get("states")["states"]], f"{level}")
            if dice.random() < 0.4:
                while not levels or levels[-1] < level:
                    kind, change = stream.next()
                    self.assertEqual(kind, "state")
                    levels.append(change["state"])
                stream.close()
                if dice.random() < 0.3:
                    self.restart()
                stream = self.stream("states/stream", stream.last)
        end = round(0.001 * rounds, 3)
        while not levels or levels[-1] < end:
            levels.append(stream.next()[1]["state"])
        self.assertEqual(levels, sorted(set(levels)))
        # Every state that a poll saw is in the history, in order; each was asked for before the next order.
        self.assertEqual(levels, [round(0.001 * (number + 1), 3) for number in range(rounds)])
        device = self.get("states")["states"]
        level = next(each for each in device if each["state"] == end)
        history = self.get(f"states/history?device={level['device']}&activator={level['activator']}")
        self.assertEqual([each["state"] for each in history["history"]][1:], levels)
        self.assertFalse(history["more"])
        page = self.get(f"states/history?device={level['device']}&activator={level['activator']}&limit=10")
        self.assertEqual((len(page["history"]), page["more"]), (10, True))
        rest = self.get(
            f"states/history?device={level['device']}&activator={level['activator']}&after={page['history'][-1]['id']}")
        self.assertEqual(page["history"] + rest["history"], history["history"])
        self.assertEqual(self.get("states/history?since=2100-01-01T00:00:00Z")["history"], [])

    def test_an_id_from_elsewhere_gets_everything(self):
        self.get("states")
        for last in ("17", "0badcafe-1", "-", "0badcafe-99999999999999999", "x" * 500, "0badcafe--1"):
            stream = self.stream("states/stream", last)
            self.assertEqual(stream.next()[0], "reset", last)
            self.assertRegex(stream.last, r"^[0-9a-f]{8}-\d+$")
            stream.close()

    def test_the_last_known_states_survive(self):
        known = self.get("states")["states"]
        self.assertEqual(len(known), 3)
        self.hestia.stop()
        time.sleep(1.1)  # what is known counts as fresh for a second
        for _ in range(2):
            answer = self.get("states")
            self.assertEqual(answer["states"], known)
            self.assertFalse(answer["current"])
            # The second when the gate has found out on its own before it was asked.
            self.assertRegex(answer["fault"], "does not answer|has not answered since")
            self.restart()

    def test_all_watchers_together_ask_as_one(self):
        streams = [self.stream("states/stream", device=self.pair(f"D{number}")) for number in range(4)]
        streams += [self.stream("states/stream") for _ in range(10)]
        for stream in streams:
            stream.next()
        count = lambda: self.ask("GET", "/test/count", base="")[1]
        begun, start = time.monotonic(), count()
        time.sleep(2)
        asked = count() - start
        self.assertLessEqual(asked, 1 + 2 * (time.monotonic() - begun))
        for stream in streams:
            stream.close()
        # Nobody watches: nobody asks.
        deadline = time.monotonic() + 200
        while True:
            start = count()
            time.sleep(1.5)
            if count() - start == 1:
                break
            self.assertLess(time.monotonic(), deadline, "the hub goes on asking")

    def test_an_order_is_seen_at_once(self):
        """Not at the next poll, by a watcher and by who asks. Polls are a second apart, so of 16 orders, each given when
        the one before has been seen, the last would be seen after 15 seconds at the earliest. A machine that is so busy
        is not always."""
        stream = self.stream("states/stream")
        seen = len(stream.next()[1]["states"])
        while seen < 3:
            stream.next()
            seen += 1
        for turn in range(9):
            begun = time.monotonic()
            self.orders_are_seen(stream, turn)
            if (took := time.monotonic() - begun) < 15:
                return
        self.fail(f"16 orders took {took} s")

    def orders_are_seen(self, stream, turn):
        for number in range(16):
            level = (turn * 16 + number + 1) / 200
            ids = self.order(level, activator=1)
            if number % 3 == 2:  # who asks after the answer is told what the order has done
                told = {(each["device"], each["activator"]): each["state"] for each in self.get("states")["states"]}
                self.assertEqual(told[ids], level)
            self.assertEqual(stream.next()[1]["state"], level)

    def test_what_is_refused_or_only_reads_asks_nobody(self):
        count = lambda: self.ask("GET", "/test/count", base="")[1]
        self.get("states")
        start = count()
        for number in range(6):
            self.ask("GET", "/devices/", base="")
            self.ask("POST", "/devices/none/activators/none", b"{}", base="")
        time.sleep(0.3)
        self.assertEqual(count() - start, 13)

    def test_a_storm_of_orders_is_one_change(self):
        """However many orders pass, the server is asked at most 20 times a second."""
        self.get("states")
        device = self.ask("GET", "/devices/", base="")[1][0]
        target = f"/devices/{device['deviceId']}/activators/{device['activators'][1]['activatorId']}"
        count = lambda: self.ask("GET", "/test/count", base="")[1]
        start, begun, sent = count(), time.monotonic(), [0] * 4

        def storm(number):
            with contextlib.closing(Connection(self.hub.port, self.device, timeout=30)) as connection:
                while time.monotonic() - begun < 2 or sum(sent) <= 60:
                    level = number / 4 + sent[number] % 100 / 1000
                    self.assertEqual(connection.request("POST", target, json.dumps({"state": level}))[0], 201)
                    sent[number] += 1

        threads = [threading.Thread(target=storm, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        time.sleep(0.3)
        polls, took = count() - start - sum(sent) - 1, time.monotonic() - begun
        self.assertLessEqual(polls, 20 * took + 1)
        # And the last of them is seen.
        states = {each["activator"]: each["state"] for each in self.get("states")["states"]}
        now = self.ask("GET", "/devices/", base="")[1][0]
        self.assertEqual(states[device["activators"][1]["activatorId"]], now["activators"][1]["state"])

    def test_what_is_asked_wrongly_is_refused(self):
        for path in ("states?x=1", "states/history?since=yesterday", "states/history?limit=0", "messages?kind=x",
                     "messages?limit=1001", "messages?after=-1", "messages?open=2", "messages?afetr=3",
                     "messages?after=1&after=2", "messages/stream?kind=alarm"):
            status, answer = self.ask("GET", path)
            self.assertEqual((status, answer["error"]), (400, "bad_request"), path)
        for path in ("messages/0/read", "messages/99/read", "messages/x/read", "messages/-1/acknowledge",
                     "messages/99999999999999999999/acknowledge"):
            status, answer = self.ask("POST", path, b"")
            self.assertEqual((status, answer["error"]), (404, "not_found"), path)


class SlowServerTests(HouseholdTests):
    options = ("--plain", "--delay", "0.4")

    def test_orders_and_readers_leave_it_half_of_its_time(self):
        self.get("states")
        device = self.ask("GET", "/devices/", base="")[1][0]
        target = f"/devices/{device['deviceId']}/activators/{device['activators'][0]['activatorId']}"
        start, begun, orders = self.ask("GET", "/test/count", base="")[1], time.monotonic(), 0
        ended = threading.Event()

        def read():
            with contextlib.closing(Connection(self.hub.port, self.device, timeout=30)) as connection:
                while not ended.is_set():
                    self.assertEqual(connection.request("GET", "/hubpair/v1/states")[0], 200)

        reader = threading.Thread(target=read)
        reader.start()
        polls = asked = 0
        while time.monotonic() - begun < 5 or polls < 2:
            self.assertEqual(self.ask("POST", target, b'{"state": true}', base="")[0], 201)
            orders += 1
            asked += 1
            polls = self.ask("GET", "/test/count", base="")[1] - start - orders - asked
            self.assertLess(time.monotonic() - begun, 200, "it is never asked")
        took = time.monotonic() - begun
        ended.set()
        reader.join()
        self.assertLessEqual(polls, took / 0.8 + 1)


class DeadApplianceTests(HouseholdTests):
    options = ("--plain",)

    def test_the_others_are_asked_one_by_one(self):
        known = self.get("states")
        self.hestia.stop()
        port = str(self.hestia.port)
        self.hestia = Hestia("--plain", "--dead", "--port", port)
        time.sleep(1.1)
        answer = self.get("states")
        # The list fails as a whole: what is known stays, and is current for those that answer by themselves.
        self.assertEqual({each["device"] for each in answer["states"]}, {each["device"] for each in known["states"]})
        self.assertTrue(answer["current"], answer)
        self.assertNotIn("unanswered", answer)
        self.assertNotIn("silent", answer)

    def test_what_was_last_is_told_while_the_server_is_away(self):
        self.get("states")
        devices = self.ask("GET", "/devices/", base="")[1]
        self.hestia.stop()
        time.sleep(1.1)
        answer = self.get("states")
        self.assertFalse(answer["current"])
        ages = [each.pop("age") for each in answer["silent"]]
        self.assertEqual(answer["silent"], devices)
        self.assertEqual(answer["devices"], devices)
        self.assertTrue(all(1 <= age <= 30 for age in ages), ages)
        # After a restart all of it is known still.
        self.restart()
        after = self.get("states")
        self.assertEqual(after["states"], answer["states"])
        self.assertEqual(after["devices"], devices)
        self.assertTrue(all(1 <= each.pop("age") <= 60 for each in after["silent"]))
        self.assertEqual(after["silent"], devices)


class MessageTests(HouseholdTests):
    def test_devices_make_messages(self):
        guest = self.pair("Guest", "--role", "guest")
        messages = self.wait_for_messages(2)
        self.assertEqual([each["id"] for each in messages], [1, 2])
        self.assertEqual({each["kind"] for each in messages}, {"notification"})
        self.assertRegex(messages[1]["text"], r"^Guest \([0-9A-Z-]{19}\) was paired$")
        self.hub.run("devices", "revoke", guest.fingerprint)
        self.assertRegex(self.wait_for_messages(3)[2]["text"], r"^Guest .* was revoked$")
        # What is not of the hub's own running is told when it runs again.
        self.assertEqual(self.hub.stop(), 0)
        self.add_devices(1)
        self.hub.start()
        self.assertRegex(self.wait_for_messages(4)[3]["text"], r"^D0x0 .* was paired$")
        self.assertEqual(self.get("messages?kind=alarm")["messages"], [])
        self.assertEqual(len(self.get("messages?kind=notification&after=1&limit=2")["messages"]), 2)

    def test_each_device_has_its_own_marks(self):
        other = self.pair("Bea", "--role", "guest")
        # In one look with others it would be somewhere among them.
        self.wait_for_messages(2)
        self.add_devices(20)
        messages = self.wait_for_messages(22)
        # That Anna was paired is her own deed.
        self.assertEqual([each["read"] for each in messages], [True] + [False] * 21)
        self.assertEqual([each.get("by") for each in messages[:2]], [self.device.fingerprint, other.fingerprint])
        for number in (5, 7, 6):
            self.assertEqual(self.ask("POST", f"messages/{number}/read", b"")[0], 204)
        self.restart()
        answer = self.get("messages")
        self.assertEqual([each["id"] for each in answer["messages"] if each["read"]], [1, 5, 6, 7])
        self.assertEqual(answer["unread"], 18)
        self.assertEqual(self.get("messages", other)["unread"], 21)
        self.assertEqual([each["id"] for each in self.get("messages?unread=1&limit=6")["messages"]], [2, 3, 4, 8, 9, 10])
        self.assertEqual(self.ask("POST", "messages/22/read?all=1", b"", other)[0], 204)
        self.assertEqual(self.get("messages", other)["unread"], 0)
        self.assertEqual(self.get("messages?unread=1", other)["messages"], [])
        # The marks go with the device.
        def rows():
            with sqlite3.connect(f"file:{self.hub.state}/house/household.sqlite?mode=ro", uri=True) as base:
                return base.execute("SELECT device FROM read_marks").fetchall()
        self.assertIn((other.fingerprint,), rows())
        self.keyfile(lambda text: re.sub(rf"\[device {other.fingerprint}\][^\[]*", "", text))
        self.hub.wait_for(lambda: (other.fingerprint,) not in rows(), "the marks of a removed device are gone")
        self.assertIn((self.device.fingerprint,), rows())

    def test_only_alarms_are_acknowledged_and_not_by_guests(self):
        guest = self.pair("Guest", "--role", "guest")
        self.wait_for_messages(2)
        self.assertEqual(self.ask("POST", "messages/1/acknowledge", b"", guest)[0], 403)
        status, answer = self.ask("POST", "messages/1/acknowledge", b"")
        self.assertEqual((status, answer["error"]), (409, "conflict"))

    def test_a_stream_of_messages_loses_none(self):
        """Two watchers during bursts, restarts and breaks: every message once and in order."""
        stream, last, seen = self.stream("messages/stream?after="), None, []
        self.wait_for_messages(1)
        start = self.get("messages")
        stream.close()
        last = f"{start['log']}-0"
        dice = random.Random(3)
        total = 1
        for number in range(6):
            stream = self.stream("messages/stream", last)
            total += len(self.add_devices(dice.choice((1, 30, 250)), seed=f"b{number}"))
            wanted = total if dice.random() < 0.5 else total - dice.randrange(total - len(seen))
            for kind, message in stream.events():
                self.assertEqual(kind, "message")
                seen.append(message["id"])
                last = stream.last
                if len(seen) >= wanted:
                    break
            stream.close()
            if dice.random() < 0.5:
                self.restart()
        stream = self.stream("messages/stream", last)
        while len(seen) < total:
            seen.append(stream.next()[1]["id"])
        self.assertEqual(seen, list(range(1, total + 1)))
        self.assertEqual([each["id"] for each in self.all_messages()], seen)

    def test_a_burst_of_a_thousand(self):
        stream = self.stream("messages/stream")
        # That Anna was paired may be told a moment later.
        count = len(self.wait_for_messages(1))
        names = self.add_devices(1000)
        messages = self.wait_for_messages(count + 1000)[count:]
        seen = []
        while len(seen) < 1000:
            kind, message = stream.next()
            if message["id"] > count:
                seen.append(message)
        self.assertEqual(sorted(each["text"].split(" ")[0] for each in messages), sorted(names))
        self.assertEqual([each["id"] for each in seen], [each["id"] for each in messages])

    def test_kills_while_messages_arrive(self):
        """Devices come while the hub is killed: each makes one message, in order, and a watcher that comes back sees
        each once."""
        dice = random.Random(11)
        self.wait_for_messages(1)
        last = f"{self.get('messages')['log']}-0"
        names, seen = [], []
        for number in range(KILLS):
            names += self.add_devices(dice.choice((1, 5, 40)), seed=f"k{number}")
            stream = Stream(self.hub, self.device, "messages/stream", last)
            killer = threading.Timer(dice.uniform(0, 0.15), self.hub.kill)
            killer.start()
            try:
                for _, message in stream.events():
                    seen.append(message)
                    last = stream.last
            except (OSError, json.JSONDecodeError, ValueError):
                pass
            killer.join()
            stream.close()
            self.hub.start()
        messages = self.wait_for_messages(len(names) + 1)
        self.assertEqual([each["id"] for each in messages], list(range(1, len(names) + 2)))
        self.assertEqual(sorted(each["text"].split(" ")[0] for each in messages[1:]), sorted(names))
        stream = self.stream("messages/stream", last)
        while len(seen) < len(messages):
            seen.append(stream.next()[1])
        self.assertEqual([each["id"] for each in seen], [each["id"] for each in messages])
        self.assertEqual([each["text"] for each in seen], [each["text"] for each in messages])
        print(f"{KILLS} kills, {len(messages)} messages", flush=True)


class RuleTests(HouseholdTests):
    """A rule that watches an appliance."""
    sturdy = True

    def setUp(self):
        super().setUp()
        self.owner = self.pair("Owner", "--role", "owner")
        device = self.ask("GET", "/devices/", base="")[1][0]
        self.ids = device["deviceId"], device["activators"][0]["activatorId"]
        rule = {"device": self.ids[0], "activator": self.ids[1], "when": "on", "kind": "alarm", "text": "The light is on"}
        status, answer = self.ask("PUT", "rules/Light", json.dumps(rule).encode(), self.owner)
        self.assertEqual(status, 201, answer)
        self.start = self.wait_for_messages(2)[-1]["id"]

    def switch(self, state):
        """Switches past the hub."""
        request = urllib.request.Request(
            f"{self.hestia.url}/devices/{self.ids[0]}/activators/{self.ids[1]}",
            json.dumps({"state": state}).encode(), {"Content-Type": "application/json"}, method="POST")
        with urllib.request.urlopen(request, timeout=10) as answer:
            self.assertEqual(answer.status, 201)


class AlarmTests(RuleTests):
    def test_an_alarm_stays_open_until_somebody_acknowledges_it(self):
        stream = self.stream("messages/stream")
        self.get("states")
        self.switch(True)
        kind, alarm = stream.next()
        self.assertEqual(kind, "message")
        self.assertEqual(
            {name: alarm[name] for name in ("id", "kind", "text", "rule", "device", "activator", "state", "before")},
            {"id": self.start + 1, "kind": "alarm", "text": "The light is on", "rule": "Light", "device": self.ids[0],
             "activator": self.ids[1], "state": True, "before": False})
        self.assertNotIn("acknowledged", alarm)
        before = stream.last
        answer = self.get("messages?open=1")
        self.assertEqual(([each["id"] for each in answer["messages"]], answer["open"]), ([alarm["id"]], 1))
        status, answer = self.ask("POST", f"messages/{alarm['id']}/acknowledge", b"")
        self.assertEqual(status, 200)
        self.assertEqual(answer["acknowledged"]["by"], self.device.fingerprint)
        self.assertEqual(answer["acknowledged"]["name"], "Anna")
        kind, told = stream.next()
        self.assertEqual((kind, told), ("acknowledged", answer))
        # The first counts, and nobody is told again.
        self.assertEqual(self.ask("POST", f"messages/{alarm['id']}/acknowledge", b"", self.owner)[1], answer)
        self.assertEqual(self.get("messages?open=1")["messages"], [])
        # Who comes back is told of it once.
        for last, events in ((before, [("acknowledged", answer)]), (stream.last, [])):
            again = self.stream("messages/stream", last)
            self.switch(False)
            self.hub.wait_for(
                lambda: next(each for each in self.get("states")["states"]
                             if each["activator"] == self.ids[1])["state"] is False, "off")
            self.switch(True)
            seen = []
            while not seen or seen[-1][0] != "message":
                seen.append(again.next())
            self.assertEqual(seen[:-1], events)
            again.close()

    def test_a_state_is_told_once_it_is_kept(self):
        """On a slow disk: a hub that is killed knows what it has told, so the rule can come true again."""
        self.assertEqual(self.hub.stop(), 0)
        slow = "inject=fsync,fdatasync:delay_enter=300000"
        self.hub.start(("strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", slow))
        for state in (True, False, True):
            self.switch(state)
            self.hub.wait_for(
                lambda: next(each for each in self.get("states")["states"]
                             if each["activator"] == self.ids[1])["state"] is state, f"{state}")
            with sqlite3.connect(f"file:{self.hub.state}/house/household.sqlite?mode=ro", uri=True) as base:
                kept = base.execute("SELECT state FROM states WHERE device = ? AND activator = ?", self.ids).fetchone()
            self.assertEqual(json.loads(kept[0]), state)

    def test_each_alarm_is_told_once_whenever_the_hub_is_killed(self):
        """Every other time somebody acknowledges it before it comes again; else it is counted."""
        dice = random.Random(7)
        last, model = f"{self.get('messages')['log']}-{self.start}.0", Model(self, self.start)
        counts = []
        for number in range(KILLS):
            self.switch(True)
            killer = threading.Timer(dice.uniform(0, 1.2), self.hub.kill)
            killer.start()
            try:
                stream = Stream(self.hub, self.device, "messages/stream", last)
                for event in stream.events():
                    model.take(*event)
                    last = stream.last
            except (OSError, ValueError):
                pass
            killer.join()
            stream.close()
            self.hub.start()
            counts = counts + [1] if number % 2 == 0 else counts[:-1] + [2]
            self.hub.wait_for(
                lambda: [each.get("count", 1) for each in self.all_messages(kind="alarm")] == counts, f"{counts}")
            if number % 2 == 1:
                alarm = self.all_messages(kind="alarm")[-1]["id"]
                self.assertEqual(self.ask("POST", f"messages/{alarm}/acknowledge", b"")[0], 200)
            self.switch(False)
            self.hub.wait_for(
                lambda: next(each for each in self.get("states")["states"]
                             if each["activator"] == self.ids[1])["state"] is False, "off")
        alarms = self.all_messages(kind="alarm")
        self.assertEqual([each["id"] for each in alarms], list(range(self.start + 1, self.start + len(counts) + 1)))
        model.catch_up(self.stream("messages/stream", last))
        print(f"{KILLS} kills, {KILLS} alarms", flush=True)

    def test_alarms_on_a_full_disk_wait(self):
        """Nothing is told that is not kept, nothing is lost or told twice, and the gateway goes on."""
        self.assertEqual(self.hub.stop(), 0)
        state, saved = self.hub.state, self.hub.state + ".saved"
        shutil.move(state, saved)
        os.mkdir(state, 0o700)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m,mode=0700", "none", state], check=True)
        self.addCleanup(subprocess.run, ["umount", state], check=True)
        self.addCleanup(self.hub.kill)
        subprocess.run(["cp", "-a", saved + "/.", state], check=True)
        self.hub.start()
        stream = self.stream("messages/stream", f"{self.get('messages')['log']}-{self.start}.0")
        filler = pathlib.Path(state, "filler")

        def is_on():
            return next(each for each in self.get("states")["states"] if each["activator"] == self.ids[1])["state"]
        alarms = count = 0
        self.hub.wait_for(lambda: is_on() is False, "the first look")
        for turn in range(3):
            with open(filler, "wb", buffering=0) as file:
                for size in (1 << 16, 1 << 12, 1):
                    try:
                        while True:
                            file.write(bytes(size))
                    except OSError:
                        pass
            for _ in range(8):
                self.order(True)
                self.hub.wait_for(is_on, "on")
                self.order(False)
                self.hub.wait_for(lambda: not is_on(), "off")
                alarms += 1
            self.hub.wait_for(lambda: self.hub.log().count("cannot be kept") > turn, "the disk is full")
            self.assertLess(counted(self.get("messages?kind=alarm")["messages"]), alarms)
            self.assertEqual(self.ask("GET", "/devices/", base="")[0], 200)
            filler.unlink()
            while count < alarms:
                kind, message = stream.next()
                if message["kind"] == "alarm":
                    self.assertGreater(message.get("count", 1), count)
                    count = message.get("count", 1)
            # Trouble with the disk itself is told as well; ids have no gaps.
            messages = self.all_messages()
            self.assertEqual([each["id"] for each in messages], list(range(1, len(messages) + 1)))
            self.assertEqual([each.get("count", 1) for each in messages if each["kind"] == "alarm"], [alarms])
        self.assertEqual(self.hub.stop(), 0)


class RepeatTests(RuleTests):
    """A sensor that flaps: rules that come true again and again."""

    def setUp(self):
        super().setUp()
        self.get("states")

    def flap(self, times=1):
        for _ in range(times):
            for state in (True, False):
                self.order(state)
                self.hub.wait_for(
                    lambda: next(each for each in self.get("states")["states"]
                                 if each["activator"] == self.ids[1])["state"] is state, f"{state}")

    def put_rule(self, name, **more):
        rule = {"device": self.ids[0], "activator": self.ids[1], "when": "on", "kind": "alarm", "text": "It flaps", **more}
        self.assertIn(self.ask("PUT", f"rules/{name}", json.dumps(rule).encode(), self.owner)[0], (200, 201))

    def test_a_flapping_sensor_is_one_alarm_with_a_count(self):
        self.put_rule("Told", kind="notification")
        stream = self.stream("messages/stream")
        self.flap(12)
        self.hub.wait_for(lambda: counted(self.all_messages(kind="alarm")) == 12, "12 alarms")
        alarm, note = self.all_messages()[self.start:]
        self.assertEqual([(each["kind"], each["rule"], each["count"]) for each in (alarm, note)],
                         [("alarm", "Light", 12), ("notification", "Told", 12)])
        self.assertGreater(alarm["last"], alarm["time"])
        self.assertEqual(self.get("messages?limit=1")["open"], 1)
        told = [stream.next() for _ in range(24)]
        self.assertEqual([(kind, each["id"], each.get("count", 1)) for kind, each in told],
                         [("message" if count == 1 else "repeated", each["id"], count)
                          for count in range(1, 13) for each in (alarm, note)])
        # Acknowledged, it is over; what comes then is another alarm.
        self.assertEqual(self.ask("POST", f"messages/{alarm['id']}/acknowledge", b"")[1]["count"], 12)
        self.flap()
        self.hub.wait_for(lambda: len(self.all_messages(kind="alarm")) == 2, "another alarm")
        self.assertNotIn("count", self.all_messages(kind="alarm")[1])
        # A rule of the same name that tells something else is not taken for it.
        self.put_rule("Light", text="It flaps")
        self.flap()
        self.hub.wait_for(lambda: len(self.all_messages(kind="alarm")) == 3, "a third")
        self.assertEqual(self.get("messages?rule=Told")["messages"][0]["count"], 14)

    def test_a_hook_is_not_run_for_each(self):
        out = os.path.join(self.folder.name, "out")
        HookTests.hook(self, f"#!/bin/sh\ncat >>{out}\n")
        self.flap(5)
        self.hub.wait_for(lambda: counted(self.all_messages(kind="alarm")) == 5, "5 alarms")
        alarm = self.all_messages(kind="alarm")[0]["id"]
        # Ten minutes later, as the hub sees it: the alarm is still open, and people are told once more.
        self.assertEqual(self.hub.stop(), 0)
        with contextlib.closing(sqlite3.connect(f"{self.hub.state}/house/household.sqlite")) as base:
            base.execute("UPDATE messages SET time = time - 601000 WHERE id = ?", (alarm,))
            base.commit()
        self.hub.start()
        self.flap(3)
        self.assertEqual(self.ask("POST", "messages/acknowledge", b'{"rule": "Light"}')[1], {"acknowledged": 1})
        self.flap()

        def told():
            return [json.loads(line) for line in pathlib.Path(out).read_text().splitlines()] if os.path.exists(out) else []
        self.hub.wait_for(lambda: len(told()) >= 3, "the hook has run")
        self.assertEqual([each["id"] for each in told()], [alarm, alarm, alarm + 1])
        self.assertGreaterEqual(told()[1]["count"], 6)
        self.assertEqual(self.hub.stop(), 0)  # what runs, ends
        self.assertEqual(len(told()), 3)

    def test_streams_with_counts_lose_nothing(self):
        """Alarms, counts, acknowledgements of one and of all, by chance; the stream breaks off, the hub is killed."""
        dice = random.Random(int(os.environ.get("HUBPAIR_SEED", "34")))
        self.put_rule("Told", kind="notification")
        self.put_rule("Other")
        model, last = Model(self, self.start), f"{self.get('messages')['log']}-{self.start}.0"
        flaps, rounds = 0, 24 + KILLS // 4
        stream = self.stream("messages/stream", last)
        for _ in range(rounds):
            match dice.choice("ffffaAbk"):
                case "f":
                    self.flap()
                    flaps += 1
                    for rule in ("Light", "Told", "Other"):
                        self.hub.wait_for(lambda: counted(self.get(f"messages?rule={rule}")["messages"]) == flaps, f"{flaps}")
                case "a":
                    if alarms := self.get("messages?open=1")["messages"]:
                        self.ask("POST", f"messages/{dice.choice(alarms)['id']}/acknowledge", b"")
                case "A":
                    open_now = self.get("messages?limit=1")["open"]
                    last_id = self.get("messages?limit=1")["newest"]
                    body = json.dumps({"upTo": last_id}).encode()
                    self.assertEqual(self.ask("POST", "messages/acknowledge", body)[1], {"acknowledged": open_now})
                case "b" | "k" as what:
                    if dice.random() < 0.5:
                        model.catch_up(stream)
                    else:
                        wanted = dice.randrange(4)
                        for _ in range(min(wanted, len(self.listed_but(model)))):
                            model.take(*stream.next())
                    stream.close()
                    if what == "k":
                        self.hub.kill()
                        self.hub.start()
                    stream = self.stream("messages/stream", stream.last)
        model.catch_up(stream)
        self.assertGreater(model.repeated, 0)
        print(f"{flaps} flaps of three rules: {len(model.messages)} messages, {model.repeated} counts told", flush=True)

    def listed_but(self, model):
        """What is listed and not known as it is: for each at least one event is still to come."""
        return [number for number, each in model.listed().items() if model.messages.get(number) != each]

    def test_many_are_marked_and_acknowledged_at_once(self):
        guest = self.pair("Guest", "--role", "guest")
        self.put_rule("Other")
        self.flap()
        self.wait_for_messages(self.start + 3)
        for body in (b"", b"{}", b"[]", b'{"all": false}', b'{"all": true, "rule": "Light"}', b'{"upTo": 0}',
                     b'{"upTo": "1"}', b'{"kind": "news"}', b'{"rule": 3}', b'{"all": true, "all": true}'):
            for path in ("messages/read", "messages/acknowledge"):
                status, answer = self.ask("POST", path, body)
                self.assertEqual((status, answer["error"]), (400, "bad_request"), (path, body))
        self.assertEqual(self.ask("POST", "messages/acknowledge", b'{"all": true}', guest)[0], 403)
        self.assertEqual(self.ask("POST", "messages/acknowledge", b'{"rule": "None"}')[1], {"acknowledged": 0})
        self.assertEqual(self.ask("POST", "messages/acknowledge", b'{"rule": "Other"}')[1], {"acknowledged": 1})
        self.assertEqual([each["rule"] for each in self.get("messages?open=1")["messages"]], ["Light"])
        newest = self.get("messages?limit=1")["newest"]
        self.assertEqual(self.ask("POST", "messages/acknowledge", json.dumps({"upTo": self.start}).encode())[1],
                         {"acknowledged": 0})
        self.assertEqual(self.ask("POST", "messages/acknowledge", json.dumps({"upTo": newest + 99}).encode())[1],
                         {"acknowledged": 1})
        # Marks are each device's own.
        alarms = len(self.get("messages?unread=1&kind=alarm", guest)["messages"])
        self.assertEqual(self.ask("POST", "messages/read", b'{"kind": "alarm"}', guest)[1], {"read": alarms, "more": False})
        self.assertEqual(self.get("messages?unread=1&kind=alarm", guest)["messages"], [])
        unread = self.get("messages?limit=1", guest)["unread"]
        self.assertGreater(unread, 0)
        self.assertEqual(self.ask("POST", "messages/read", b'{"all": true}', guest)[1], {"read": unread, "more": False})
        self.assertEqual(self.get("messages?limit=1", guest)["unread"], 0)
        self.assertGreater(self.get("messages?limit=1")["unread"], 0)

    def test_what_one_does_is_read_by_that_one(self):
        self.assertEqual(self.ask("POST", "messages/read", b'{"all": true}')[0], 200)
        self.ask("POST", "messages/read", b'{"all": true}', self.owner)
        scene = {"states": [{"device": self.ids[0], "activator": self.ids[1], "state": False}]}
        self.assertEqual(self.ask("PUT", "scenes/Dark", json.dumps(scene).encode())[0], 201)
        self.assertEqual(self.ask("POST", "scenes/Dark/run", b"")[0], 200)
        message = self.wait_for_messages(self.start + 1)[-1]
        self.assertEqual((message["by"], message["read"], message["quiet"]), (self.device.fingerprint, True, True))
        self.assertEqual([self.get("messages?limit=1", each)["unread"] for each in (self.device, self.owner)], [0, 1])
        # An owner revokes a device: that one knows.
        gone = self.pair("Gone")
        self.wait_for_messages(self.start + 2)
        self.assertEqual(self.ask("POST", f"devices/{gone.fingerprint}/revoke", b"", self.owner)[0], 200)
        message = self.wait_for_messages(self.start + 3)[-1]
        self.assertEqual(message["by"], self.owner.fingerprint)
        self.assertEqual(self.get("messages?unread=1&limit=9", self.owner)["messages"][-1]["text"].split(" (")[1][20:],
                         " was paired")


class BurstTests(HouseholdTests):
    """A house in which everything changes at one moment."""
    COUNT = 1000
    options = ("--plain", "--devices", str(COUNT))

    def setUp(self):
        super().setUp()
        devices = self.ask("GET", "/devices/", base="")[1]
        self.places = [(each["deviceId"], each["activators"][0]["activatorId"]) for each in devices]
        path = pathlib.Path(self.hub.state, "house", "rules")
        path.touch(0o600)
        path.write_text("[keyfile]\nformat=1\n" + "".join(
            f"[rule R{number}]\ndevice={device}\nactivator={activator}\nwhen=on\nkind=alarm\ntext=A{number}\n"
            for number, (device, activator) in enumerate(self.places)))

    def all(self, word):
        urllib.request.urlopen(f"{self.hestia.url}/test/all-{word}", timeout=10).read()

    def wait_until(self, state):
        def is_so():
            known = {(each["device"], each["activator"]): each["state"] for each in self.get("states")["states"]}
            return all(known.get(place) is state for place in self.places)
        self.hub.wait_for(is_so, f"all are {state}", 30)

    def test_a_thousand_states_change_at_once(self):
        """Each change and each alarm once, in one order for all, also if the hub is killed meanwhile."""
        self.wait_until(False)
        log = self.get("messages")["log"]
        first = self.wait_for_messages(1)[-1]["id"]
        last, last_state = f"{log}-{first}.0", None
        dice = random.Random(17)
        total = 0
        for turn in range(2 + KILLS // 20):
            alarms, states = Stream(self.hub, self.device, "messages/stream", last), self.stream("states/stream", last_state)
            if last_state is None:
                self.assertEqual(states.next()[0], "reset")
            self.all("on")
            if turn > 0:
                time.sleep(dice.uniform(0, 1.5))  # any moment will do
                self.hub.kill()
                alarms.close()
                states.close()
                self.hub.start()
                alarms = Stream(self.hub, self.device, "messages/stream", last)
                states = self.stream("states/stream", last_state or states.last)
            told = [alarms.next()[1] for _ in range(self.COUNT)]
            self.assertEqual([each["id"] for each in told], list(range(first + total + 1, first + total + self.COUNT + 1)))
            self.assertEqual({each["rule"] for each in told}, {f"R{number}" for number in range(self.COUNT)})
            total += self.COUNT
            changes, numbers = [], []
            while len(changes) < self.COUNT:
                kind, change = states.next()
                if kind == "state":
                    changes.append((change["device"], change["activator"]))
                    numbers.append(int(states.last.split("-")[1]))
            self.assertEqual(sorted(changes), sorted(self.places))
            self.assertEqual(numbers, list(range(numbers[0], numbers[0] + self.COUNT)))
            self.all("off")
            for _ in range(self.COUNT):
                kind, change = states.next()
                self.assertEqual((kind, change["state"]), ("state", False))
            # All at once; each is told of.
            status, answer = self.ask("POST", "messages/acknowledge", b'{"all": true}')
            self.assertEqual((status, answer), (200, {"acknowledged": self.COUNT}))
            told = [alarms.next() for _ in range(self.COUNT)]
            self.assertEqual({kind for kind, _ in told}, {"acknowledged"})
            self.assertEqual([each["id"] for _, each in told], list(range(first + total - self.COUNT + 1, first + total + 1)))
            last, last_state = alarms.last, states.last
            alarms.close()
            states.close()
        self.assertEqual(len(self.all_messages(kind="alarm")), total)
        self.assertEqual(self.get("messages?limit=1")["open"], 0)


class RoleTests(HouseholdTests):
    def test_what_each_role_may_do(self):
        """By the table in the documentation."""
        self.wait_for_messages(1)
        everybody, members = {"guest", "member", "owner"}, {"member", "owner"}
        table = [
            ("GET", "states", 200, everybody), ("HEAD", "states", 200, everybody),
            ("GET", "states/history", 200, everybody), ("GET", "messages", 200, everybody),
            ("POST", "messages/1/read", 204, everybody), ("POST", "messages/1/acknowledge", 409, members),
            ("POST", "states", 405, set()), ("DELETE", "messages", 405, set()), ("PUT", "messages/1/read", 405, set()),
            ("GET", "messages/1", 404, set()), ("GET", "states/", 404, set())]
        for role in ("guest", "member", "owner"):
            device = self.pair(role, "--role", role)
            for method, path, status, allowed in table:
                with self.subTest(role=role, method=method, path=path):
                    found, answer = self.ask(method, path, b"" if method == "POST" else None, device)
                    self.assertEqual(found, status if role in allowed or status in (404, 405) else 403)
            for path in ("states/stream", "messages/stream"):
                self.stream(path, device=device).close()
        stranger = Device(os.path.join(self.folder.name, "stranger"))
        for method, path, *_ in table:
            self.assertIn(self.ask(method, path, None, stranger)[0], (403, 404, 405))

    def test_a_stream_ends_with_the_approval(self):
        device = self.pair("Bea")
        for path in ("states/stream", "messages/stream"):
            stream = self.stream(path, device=device)
            self.hub.run("devices", "revoke", device.fingerprint)
            for _ in stream.events():
                pass  # ends; otherwise the connection's timeout does
            device = self.pair("Bea")


class HeartbeatTests(HouseholdTests):
    """The streams say that the hub is there, how the house stands, and what has changed on the hub."""

    def beat_until(self, stream, is_so, what, most=60):
        for _ in range(most):
            if is_so(beat := stream.beat()):
                return beat
        self.fail(f"not within {most} heartbeats: {what}; the last one: {beat}")

    def test_both_streams_beat_without_an_id(self):
        for path in ("states/stream", "messages/stream"):
            stream = self.stream(path)
            before = stream.last
            beats = [stream.beat() for _ in range(3)]
            self.assertTrue(all(each["current"] is True for each in beats), beats)
            if path == "messages/stream":
                self.assertEqual(stream.last, before)
            self.assertNotIn("fault", beats[-1])

    def test_the_house_goes_and_comes_back(self):
        stream = self.stream("messages/stream")
        self.stream("states/stream")  # so that the house is asked
        self.beat_until(stream, lambda beat: "age" in beat and beat["current"], "the house is read")
        port = self.hestia.port
        self.hestia.stop()
        away = self.beat_until(stream, lambda beat: not beat["current"], "the house is away")
        self.assertTrue(away["fault"])
        self.assertRegex(away["time"], r"^\d{4}-")
        self.hestia = Hestia(*self.options, "--port", str(port), sturdy=self.sturdy)
        self.beat_until(stream, lambda beat: beat["current"], "the house is back")

    def test_what_changes_on_the_hub_is_told(self):
        """Who asks with a label, and what others or the command line change; only to those who may read it."""
        owner, guest = self.pair("Olga", "--role", "owner"), self.pair("Gus", "--role", "guest")
        label = self.hub.code("--label")
        streams = {role: self.stream("messages/stream", device=device) for role, device in (("owner", owner), ("guest", guest))}
        self.assertEqual(set(streams["owner"].beat()["changed"]), {"devices", "rooms", "rules", "scenes"})
        self.assertEqual(set(streams["guest"].beat()["changed"]), {"rooms", "scenes"})

        def tells(part, act, roles):
            before = {role: stream.beat()["changed"].get(part) for role, stream in streams.items()}
            act()
            for role, stream in streams.items():
                if role in roles:
                    self.beat_until(stream, lambda beat: beat["changed"][part] != before[role], f"{role}: {part}")
                else:
                    self.assertIsNone(before[role])
        asking = Device(os.path.join(self.folder.name, "Zoe"), "Zoe")
        tells("devices", lambda: Attempt(label, asking).send(self.hub.port), ["owner"])
        body = json.dumps({"states": [{"device": "a", "activator": "b", "state": True}]}).encode()
        tells("scenes", lambda: self.ask("PUT", "scenes/Film", body), ["owner", "guest"])
        tells("rooms", lambda: self.ask("PUT", "rooms/hall", json.dumps({"name": "Hall", "devices": []}).encode()), ["owner", "guest"])

        def by_hand():
            path = pathlib.Path(self.hub.state, "house", "rules")
            path.touch(0o600)
            path.write_text("[keyfile]\nformat=1\n")
        tells("rules", by_hand, ["owner"])


class TurnTests(HouseholdTests):
    """A device that asks for much on all its connections takes turns with the others."""

    def test_an_owner_waits_for_no_crowd(self):
        self.order(True)
        self.get("states")
        self.hub.stop()
        with contextlib.closing(sqlite3.connect(os.path.join(self.hub.state, "house", "household.sqlite"))) as database, database:
            newest, device, activator = database.execute("SELECT max(id), device, activator FROM changes").fetchone()
            database.executemany("INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?)", (
                (newest + number, device, activator, "true", "false", 1000 * int(time.time())) for number in range(1, 10_001)))
        self.hub.start()
        owner, guest = self.pair("Olga", "--role", "owner"), self.pair("Gus", "--role", "guest")
        self.ask("GET", "messages?limit=1", device=owner)
        finished, lock = [], threading.Lock()

        def crowd():
            with contextlib.closing(Connection(self.hub.port, guest, timeout=120)) as connection:
                for _ in range(14):
                    status, _, _ = connection.request("GET", "/hubpair/v1/states/history?limit=5000")
                    with lock:
                        finished.append(status)
        threads = [threading.Thread(target=crowd) for _ in range(15)]
        for thread in threads:
            thread.start()
        waited = []
        while len(finished) < 20:
            time.sleep(0.01)
        while any(thread.is_alive() for thread in threads) and len(waited) < 15:
            before = len(finished)
            self.assertEqual(self.ask("GET", "messages?limit=1", device=owner)[0], 200)
            waited.append(len(finished) - before)
        for thread in threads:
            thread.join()
        print(f"  answers of the guest while one of the owner was made: {sorted(waited)}", flush=True)
        self.assertGreater(len(waited), 5)
        # One of the guest's is being made, one may have been made but not noted here; not those of all 15 connections.
        self.assertLessEqual(sorted(waited)[len(waited) // 2], 3)
        self.assertEqual(set(finished), {200})


class FaultTests(HouseholdTests):
    def database(self, end=""):
        return pathlib.Path(self.hub.state, "house", "household.sqlite" + end)

    def test_a_broken_database_is_put_aside(self):
        self.wait_for_messages(1)
        self.assertEqual(self.database().stat().st_mode & 0o777, 0o600)
        self.assertEqual(self.hub.stop(), 0)
        data = bytearray(self.database().read_bytes())
        for damage in ("head", "middle", "nothing of a database"):
            broken = bytearray(data)
            if damage == "head":
                broken[:64] = bytes(64)
            elif damage == "middle":
                broken[4096:] = os.urandom(len(data) - 4096)
            else:
                broken = bytearray(b"hello\n")
            self.database().write_bytes(broken)
            self.hub.start()
            answer = self.wait_for_messages(1)
            self.assertEqual(answer[0]["kind"], "alert", damage)
            self.assertIn("put aside", answer[0]["text"])
            self.assertEqual(self.database(".broken").read_bytes(), bytes(broken))
            self.assertIn("household.sqlite.broken", self.hub.log())
            self.assertEqual(self.ask("GET", "/devices/", base="")[0], 200)
            self.assertEqual(self.hub.stop(), 0)

    def test_a_database_of_0_1_goes_on(self):
        """Its messages, marks and acknowledgements stay, and streams go on after the ids that it has given."""
        self.wait_for_messages(1)
        self.assertEqual(self.hub.stop(), 0)
        with contextlib.closing(sqlite3.connect(self.database())) as base:
            for index in ("changed_messages", "messages_again", "messages_of_rule"):
                base.execute(f"DROP INDEX IF EXISTS {index}")
            columns = [row[1] for row in base.execute("PRAGMA table_info(messages)")]
            for column in columns[13:]:
                base.execute(f"ALTER TABLE messages DROP COLUMN {column}")
            old = ["id", "time", "kind", "text", "rule", "device", "activator", "state", "before", "acknowledgement",
                   "acknowledged_by", "acknowledged_name", "acknowledged_at"]
            self.assertEqual(columns[:13], old)
            for number, acknowledgement in ((2, 1), (3, None)):
                by = (self.device.fingerprint, "Anna", 1) if acknowledgement else (None, None, None)
                base.execute("INSERT INTO messages VALUES (?, 1, 'alarm', 'Open', 'Door', 'd', 'a', 'true', NULL, ?, ?, ?, ?)",
                             (number, acknowledgement, *by))
            base.execute("DELETE FROM hooks")
            base.commit()
            tag, = base.execute("SELECT value FROM meta WHERE name = 'tag'").fetchone()
        self.hub.start()
        messages = self.get("messages")["messages"]
        self.assertEqual([("acknowledged" in each, "count" in each) for each in messages[1:]], [(True, False), (False, False)])
        stream = self.stream("messages/stream", f"{tag}-2.0")
        self.assertEqual([stream.next()[0], stream.next()[0]], ["acknowledged", "message"])
        self.assertEqual(stream.last, f"{tag}-3.1")
        self.assertEqual(self.ask("POST", "messages/acknowledge", b'{"all": true}')[1], {"acknowledged": 1})
        self.assertEqual((stream.next()[0], stream.last), ("acknowledged", f"{tag}-3.2"))

    def test_what_others_can_read_is_not_used(self):
        self.wait_for_messages(1)
        self.assertEqual(self.hub.stop(), 0)
        self.database().chmod(0o644)
        self.hub.start()
        status, answer = self.ask("GET", "messages")
        self.assertEqual((status, answer["error"]), (503, "unavailable"))
        self.assertIn("chmod 600", self.hub.log())
        self.assertEqual(len(self.get("states")["states"]), 3)
        self.assertEqual(self.stream("states/stream").next()[0], "reset")
        self.database().chmod(0o600)
        self.assertEqual(len(self.get("messages")["messages"]), 1)

    def test_strangers_in_numbers_are_told_once(self):
        stranger = Device(os.path.join(self.folder.name, "stranger"))
        count = self.wait_for_messages(1)[-1]["id"]
        for _ in range(12):
            with Connection(self.hub.port, stranger) as connection:
                for _ in range(20):
                    connection.request("GET", "/devices/")
        messages = self.wait_for_messages(count + 1)
        self.assertEqual(len(messages), count + 1)
        self.assertIn("100 requests of strangers were refused", messages[-1]["text"])

    def test_an_approved_device_with_too_many_connections_is_no_stranger(self):
        """What it is refused at its limit does not count: the hundredth refusal of a stranger is the first to tell."""
        count = self.wait_for_messages(1)[-1]["id"]
        busy = [Connection(self.hub.port, self.device) for _ in range(16)]
        self.addCleanup(lambda: [each.close() for each in busy])
        for each in busy:
            each.socket.sendall(b"GET /hubpair/v1/states/stream HTTP/1.1\r\nHost: hub\r\n\r\n")
            self.assertTrue(each.socket.recv(1024).startswith(b"HTTP/1.1 200"))
        for _ in range(120):
            with Connection(self.hub.port, self.device) as connection:
                self.assertEqual(connection.request("GET", "/devices/")[0], 429)
        busy.pop().close()
        stranger = Device(os.path.join(self.folder.name, "stranger"))
        for total in (99, 100):
            for _ in range(99 if total == 99 else 1):
                with Connection(self.hub.port, stranger) as connection:
                    self.assertEqual(connection.request("GET", "/devices/")[0], 403)
            self.assertEqual(len(self.wait_for_messages(count + total - 99)), count + total - 99)


class HookTests(HouseholdTests):
    def hook(self, text):
        path = pathlib.Path(self.folder.name, "hook")
        path.write_text(text)
        path.chmod(0o755)
        self.assertEqual(self.hub.stop(), 0)
        self.hub.run("setup", "--change", "--hook", str(path))
        self.hub.start()
        return path

    def test_each_message_is_handed_over_in_order(self):
        out = os.path.join(self.folder.name, "out")
        self.wait_for_messages(1)
        self.hook(f"#!/bin/sh\ncat >>{out}\n")
        names = self.add_devices(30)

        def lines():
            return pathlib.Path(out).read_text().splitlines() if os.path.exists(out) else []
        self.hub.wait_for(lambda: len(lines()) >= 30, "the hook has run for each", 60)
        told = [json.loads(line) for line in lines()]
        self.assertEqual([each["id"] for each in told], list(range(2, 32)))
        self.assertEqual(sorted(each["text"].split(" ")[0] for each in told), sorted(names))
        self.restart()
        self.add_devices(1, seed="after")
        self.hub.wait_for(lambda: len(lines()) >= 31, "the hook goes on after a restart")
        self.assertEqual([json.loads(line)["id"] for line in lines()], list(range(2, 33)))

    def test_a_hook_that_fails_is_told_of(self):
        for text, words in (("#!/bin/sh\necho no mail today >&2\nexit 3\n", "it ended with 3: no mail today"),
                            ("#!/bin/sh\nexec yes\n", "it wrote more than 64 KiB"),
                            ("#!/bin/sh\nkill -9 $$\n", "the signal 9 ended it"),
                            ("#!/nonexistent\n", "it cannot be started")):
            with self.subTest(words=words):
                count = self.wait_for_messages(1)[-1]["id"]
                self.hook(text)
                self.add_devices(1, seed=words)
                messages = self.wait_for_messages(count + 2)
                self.assertEqual(messages[-1]["kind"], "alert")
                self.assertIn(words, messages[-1]["text"])
                # The gateway goes on.
                self.assertEqual(self.ask("GET", "/devices/", base="")[0], 200)

    def lives(self, pid):
        try:  # without a parent that asks for it, an ended process stays as a zombie
            return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
        except FileNotFoundError:
            return False

    def test_what_a_hook_leaves_behind_is_ended(self):
        pids = pathlib.Path(self.folder.name, "pids")
        self.wait_for_messages(1)
        self.hook(f"#!/bin/bash\nfor i in {{1..40}}; do sleep 600 & echo $! >>{pids}.$$; done\nmv {pids}.$$ {pids}\n")
        self.add_devices(1)
        self.hub.wait_for(pids.exists, "the hook has run")
        children = pids.read_text().split()
        self.assertEqual(len(children), 40)
        self.hub.wait_for(lambda: not any(map(self.lives, children)), "what the hook has started ends, too")

    def test_what_leaves_its_group_is_ended(self):
        """By setsid, as a daemon, or by a shell of its own; only what has another environment escapes."""
        pids = pathlib.Path(self.folder.name, "pids")
        self.wait_for_messages(1)
        self.hook(f"#!/bin/bash\n"
                  f"setsid sleep 600 & echo $! >>{pids}.$$\n"
                  f"setsid bash -c 'setsid sleep 600 & echo $! >>{pids}.'$$'; sleep 600' & echo $! >>{pids}.$$\n"
                  f"( setsid bash -c 'sleep 600 & echo $! >>{pids}.'$$ </dev/null >/dev/null 2>&1 & )\n"
                  f"env -i setsid sleep 600 </dev/null >/dev/null 2>&1 & echo $! >>{pids}.escaped\n"
                  f"until [ $(wc -l <{pids}.$$) = 4 ]; do :; done\nmv {pids}.$$ {pids}\n")
        self.add_devices(1)
        self.hub.wait_for(pids.exists, "the hook has run")
        children = pids.read_text().split()
        escaped = pids.with_suffix(".escaped").read_text().strip()
        self.addCleanup(lambda: subprocess.run(["kill", "-9", escaped], stderr=subprocess.DEVNULL))
        self.assertEqual(len(children), 4)
        self.hub.wait_for(lambda: not any(map(self.lives, children)), "what the hook has started ends, too")
        # Others live: the hub, this test, and what is not known again.
        self.assertTrue(self.lives(self.hub.process.pid) and self.lives(os.getpid()))
        self.assertTrue(self.lives(escaped))
        self.assertEqual(self.get("messages?limit=1")["newest"], 2)

    def test_what_takes_ten_seconds(self):
        """A hook that hangs is ended with what it has started; and while it hangs, the gateway goes on, and a server
        that is away is told, and that it is back."""
        pid = os.path.join(self.folder.name, "pid")
        # It hangs once: the alert of that is handed over, too.
        self.wait_for_messages(1)
        self.hook(f"#!/bin/sh\n[ -e {pid} ] && exit\nsleep 600 & echo $! >{pid}.new\nmv {pid}.new {pid}\nwait\n")
        stream, states = self.stream("messages/stream"), self.stream("states/stream")
        states.next()
        self.add_devices(1)
        self.hub.wait_for(lambda: os.path.exists(pid), "the hook runs")
        self.assertEqual(self.ask("GET", "/devices/", base="")[0], 200)
        port = str(self.hestia.port)
        self.hestia.stop()
        alerts = []
        while len(alerts) < 2:
            kind, message = stream.next()
            if message["kind"] == "alert":
                alerts.append(message["text"])
        self.assertIn("it took longer than 10 s", " ".join(alerts))
        self.assertIn("does not answer", " ".join(alerts))
        child = int(pathlib.Path(pid).read_text())
        self.hub.wait_for(lambda: not self.lives(child), "what the hook has started ends, too")
        self.hestia = Hestia("--plain", "--port", port)
        while "answers again" not in (text := stream.next()[1]["text"]):
            pass


if __name__ == "__main__":
    unittest.main()
