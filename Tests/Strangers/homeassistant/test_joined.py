"""What the house makes of a Home Assistant that has joined it: one that answers as the real one does (`fake.py`), under people
who try what they may not, and one that lies."""
import base64
import hashlib
import json
import os
import random
import re
import socket
import struct
import threading
import unittest

from hub import Hestia, Hub, free_port
from joined import House, until
from second_implementation import Device

SEED = int(os.environ.get("HUBPAIR_SEED", random.randrange(1 << 32)))
ROUNDS = int(os.environ.get("HUBPAIR_LIES", 24))
# The house takes 10,000.
THINGS = int(os.environ.get("HUBPAIR_THINGS", 2_000))


class FakeTests(House):
    def setUp(self):
        super().setUp()
        self.port = free_port()
        self.server = self.fake(self.port)
        self.join(f"http://127.0.0.1:{self.port}", "a-token")
        until(lambda: "ha~light.ceiling_lights" in self.things()[0])

    def test_who_may_do_what_holds_for_its_things(self):
        guest = self.device("--role", "guest", name="Guest")
        stranger = Device(os.path.join(self.folder, "s"), "Stranger")
        self.assertEqual(self.set("ha~light.ceiling_lights", "on", False, guest)[0], 204)
        for thing, part in (("ha~lock.front_door", "locked"), ("ha~cover.garage_door", "open"), ("ha~siren.siren", "on")):
            self.assertEqual(self.set(thing, part, False, guest)[0], 403, thing)
            self.assertEqual(self.set(thing, part, True, stranger)[0], 403, thing)
        # Another spelling, or another method, is no order that a guest may give.
        for method, path in (
                ("POST", "/devices/ha~lock.front_door/activators/locked?x=1"),
                ("POST", "/devices/ha~lock.front_door//activators/locked"),
                ("POST", "/devices/%68a~lock.front_door/activators/locked"),
                ("PUT", "/devices/ha~lock.front_door/activators/locked"),
                ("POST", "/devices/ha~light.x/../ha~lock.front_door/activators/locked"),
                ("DELETE", "/devices/ha~lock.front_door")):
            self.assertGreaterEqual(self.ask(method, path, b'{"state": false}' if method != "DELETE" else None, guest)[0],
                                    400, path)
        self.assertIs(self.state("ha~lock.front_door", "locked"), True)
        self.assertEqual(self.set("ha~lock.front_door", "locked", False)[0], 204)
        until(lambda: self.state("ha~lock.front_door", "locked") is False)

    def test_orders_that_are_none_are_refused(self):
        for thing, part, state, status in (
                ("ha~light.ceiling_lights", "on", 1, 400), ("ha~light.ceiling_lights", "brightness", 2, 400),
                ("ha~light.ceiling_lights", "x", True, 404), ("ha~light.nothing", "on", True, 404),
                ("ha~", "on", True, 404), ("ha~sensor.outside_temperature", "value", 0.5, 409)):
            self.assertEqual(self.set(thing, part, state)[0], status, (thing, part))
        for body in (b"", b"[]", b"{", b'{"state"}', b"x" * 1000):
            self.assertEqual(self.ask("POST", "/devices/ha~light.ceiling_lights/activators/on", body)[0], 400, body)
        self.assertEqual(self.ask("PUT", "/devices/ha~light.ceiling_lights", b'{"name": "x"}')[0], 409)
        self.assertEqual(self.ask("GET", "/devices/ha~light.ceiling_lights")[1]["name"], "Ceiling Lights")

    def test_odd_words_change_nothing_for_others(self):
        words = ["", "[1]", '{"type": 7}', '{"type": "event", "event": [[]]}', "[" * 100_000,
                 '{"type": "result", "id": 1e400}', '{"type": "event", "event": {"event_type": "state_changed", "data": '
                 '{"entity_id": "light.x/../y", "new_state": {"entity_id": "light.x/../y", "state": "on"}}}}']
        for word in words:
            self.tell(self.port, {"word": word})
            until(lambda: not self.things()[1] and "ha~light.ceiling_lights" in self.things()[0])
        self.assertFalse([thing for thing in self.things()[0] if "/" in thing])

    def test_a_flood_and_thousands_of_things(self):
        self.server.kill()
        self.server.wait()
        until(lambda: "ha~light.ceiling_lights" in self.things()[1])
        self.server = self.fake(self.port, str(THINGS))
        until(lambda: len(self.things()[0]) > THINGS)
        for number in range(THINGS // 2):
            if number % 100 == 0:
                self.set(f"ha~light.lamp_{number}", "on", True)
            self.tell(self.port, {"entity_id": "light.lamp_1", "state": "on" if number % 2 else "off"})
        until(lambda: self.state("ha~light.lamp_1", "on") is True)
        self.assertIs(self.state("ha~light.lamp_900", "on"), True)

    def test_its_token_is_told_to_nobody(self):
        told = self.ask("GET", "/hubpair/v1/states")[1], self.ask("GET", "/hubpair/v1/rooms")[1]
        self.assertNotIn("a-token", json.dumps(told))
        self.assertNotIn("a-token", self.hub.log())
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/cmdline") as file:
                    words = file.read()
            except OSError:
                continue
            self.assertFalse("a-token" in words and "fake.py" not in words, words)


class Liar:
    """Answers `GET /api/` as Home Assistant does, and at its WebSocket lies: one kind of lie for each round."""

    ENTITIES = ["light.a", "light.b", "lock.front", "cover.c", "climate.h", "sensor.s", "light.../x", "light.%2e", "", "lock.\x1b[2J",
                "light." + "a" * 249, "light." + "a" * 400, "switch.w"]
    TEXTS = ["", "on", "off", "unavailable", "21.5", "1e308", "NaN", "0x10", "\x1b]0;x\x07", "\u202egnal", "\0", "a\nb", "°C", "%",
             "\x9b31m", "ä" * 3000, "Kitchen", "hs", "garage"]

    def __init__(self):
        self.random = random.Random(SEED)
        self.port = free_port()
        self.round = -1
        self.met = threading.Event()
        self.server = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self.accept, daemon=True).start()

    def next(self):
        self.met.clear()
        self.round += 1

    def stop(self):
        self.round += 1
        self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()

    def accept(self):
        while True:
            try:
                peer, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(peer, self.round), daemon=True).start()

    def serve(self, peer, number):
        # The time ends what hangs: one that is not read any more.
        peer.settimeout(20)
        with peer:
            try:
                head = b""
                while b"\r\n\r\n" not in head:
                    if not (piece := peer.recv(65536)):
                        return
                    head += piece
                if head.startswith(b"GET /api/ "):
                    peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 27\r\n\r\n" + b'{"message": "API running."}')
                    return
                lie = self.lies()[number % len(self.lies())]
                self.met.set()
                lie(peer, head)
                while self.round == number and peer.recv(65536):
                    pass
            except (OSError, StopIteration):
                pass

    def lies(self):
        return [
            self.closes, self.refuses, self.redirects, self.other_key, self.endless_head, self.says_nothing, self.only_asks,
            self.never_lets_in, self.no_token, self.huge_frame, self.huge_message, self.many_fragments, self.reserved, self.masked,
            self.pings, self.half_a_frame, self.does_not_read, self.words, self.words, self.words, self.flood, self.empties,
            self.repeated_ids, self.deep]

    # MARK: Before it speaks WebSocket

    def closes(self, peer, head):
        peer.close()
        raise StopIteration

    def refuses(self, peer, head):
        peer.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")

    def redirects(self, peer, head):
        peer.sendall(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")

    def other_key(self, peer, head):
        peer.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     b"Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n")

    def endless_head(self, peer, head):
        peer.sendall(b"HTTP/1.1 101 Switching Protocols\r\n")
        for number in range(20_000):
            peer.sendall(b"X-%d: %s\r\n" % (number, b"y" * 1000))

    def says_nothing(self, peer, head):
        pass

    # MARK: At WebSocket

    def upgrade(self, peer, head):
        key = re.search(rb"(?i)sec-websocket-key: *(\S+)", head)[1]
        accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
        peer.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n")

    def frame(self, data, first=0x81, mask=0):
        size = len(data)
        length = (struct.pack("!B", mask | size) if size < 126 else struct.pack("!BH", mask | 126, size) if size < 65536
                  else struct.pack("!BQ", mask | 127, size))
        return bytes([first]) + length + data

    def say(self, peer, value):
        peer.sendall(self.frame(json.dumps(value).encode()))

    def begin(self, peer, head):
        """So far as a true one comes."""
        self.upgrade(peer, head)
        self.say(peer, {"type": "auth_required"})
        peer.recv(65536)
        self.say(peer, {"type": "auth_ok"})
        peer.recv(65536)

    def only_asks(self, peer, head):
        self.upgrade(peer, head)
        for _ in range(5000):
            self.say(peer, {"type": "auth_required"})

    def never_lets_in(self, peer, head):
        self.upgrade(peer, head)
        self.say(peer, {"type": "auth_required"})

    def no_token(self, peer, head):
        self.upgrade(peer, head)
        self.say(peer, {"type": "auth_invalid", "message": "\x1b[2J" * 1000})

    def huge_frame(self, peer, head):
        self.upgrade(peer, head)
        peer.sendall(b"\x81\x7f" + struct.pack("!Q", (1 << 63) - 1) + b"x" * 100_000)

    def huge_message(self, peer, head):
        self.begin(peer, head)
        peer.sendall(self.frame(b'{"type": "event", "x": "' + b"x" * (17 << 20) + b'"}'))

    def many_fragments(self, peer, head):
        self.upgrade(peer, head)
        peer.sendall(self.frame(b"{", first=0x01))
        for _ in range(20_000):
            peer.sendall(self.frame(b" ", first=0x00))

    def reserved(self, peer, head):
        self.upgrade(peer, head)
        for first in (0xF1, 0x83, 0x8B, 0x80, 0x0A):
            peer.sendall(self.frame(b"x", first=first))

    def masked(self, peer, head):
        self.upgrade(peer, head)
        peer.sendall(self.frame(b"abcd" + b'{"type": "auth_ok"}', mask=0x80))

    def pings(self, peer, head):
        self.begin(peer, head)
        for _ in range(20_000):
            peer.sendall(self.frame(b"x" * 125, first=0x89))

    def half_a_frame(self, peer, head):
        self.begin(peer, head)
        peer.sendall(b"\x81\x7e\xff")
        peer.close()
        raise StopIteration

    def does_not_read(self, peer, head):
        self.upgrade(peer, head)
        self.say(peer, {"type": "auth_required"})
        self.say(peer, {"type": "auth_ok"})
        for number in range(20_000):
            self.say(peer, {"type": "event", "event": {"event_type": "area_registry_updated"}})
            self.say(peer, {"type": "result", "id": number % 20, "success": True})
            peer.sendall(self.frame(b"x" * 125, first=0x89))

    def any(self, depth=0):
        kind = self.random.randrange(6 if depth > 3 else 8)
        return (None if kind == 0 else self.random.random() < 0.5 if kind == 1
                else self.random.choice([0, 1, -1, 255, 1 << 52, (1 << 63) - 1, 1e300]) if kind == 2
                else self.random.choice(self.TEXTS) if kind < 5 else self.random.choice(self.ENTITIES) if kind == 5
                else [self.any(depth + 1) for _ in range(self.random.randrange(9))] if kind == 6
                else {self.random.choice(["brightness", "x"]): self.any(depth + 1)})

    def record(self):
        pick, some = self.random.choice, lambda: self.random.random() < 0.1
        attributes = {key: self.any() for key in (
            "friendly_name", "device_class", "unit_of_measurement", "supported_color_modes", "brightness", "hs_color",
            "current_position", "temperature", "min_temp", "max_temp", "supported_features") if self.random.random() < 0.5}
        attributes["friendly_name"] = pick(self.TEXTS)
        return self.any() if some() else {
            "entity_id": self.any() if some() else pick(self.ENTITIES), "state": self.any() if some() else pick(self.TEXTS),
            "attributes": attributes, "area_id": pick(self.TEXTS), "name": pick(self.TEXTS), "id": pick(self.TEXTS)}

    def words(self, peer, head):
        """What is asked is answered, with anything; and other words, none of which ends the conversation."""
        self.begin(peer, head)
        for number in range(1, 10):
            self.say(peer, {"type": "result", "id": number, "success": True, "result": [self.record() for _ in range(30)]})
        for _ in range(500):
            self.say(peer, {"type": self.random.choice(["event", "result", "pong", "auth_ok", "x"]), "id": self.random.randrange(30),
                            "success": self.any(), "message": self.any(), "result": [self.record()], "event": {
                                "event_type": "state_changed", "data": {
                                    "entity_id": self.random.choice(self.ENTITIES), "new_state": self.record()}}})

    def answers(self, peer, head, states):
        self.begin(peer, head)
        for number in range(1, 10):
            self.say(peer, {"type": "result", "id": number, "success": True, "result": states if number == 9 else []})

    def event(self, entity, state):
        return {"type": "event", "event": {"event_type": "state_changed", "data": {
            "entity_id": entity, "new_state": state and {"entity_id": entity, "state": state, "attributes": {}}}}}

    def flood(self, peer, head):
        """Things without end, each of them new."""
        self.answers(peer, head, [])
        number, mine = 0, self.round
        while self.round == mine and number < 50_000:
            self.say(peer, self.event(f"light.n{number}", "on"))
            number += 1

    def empties(self, peer, head):
        """All come and go."""
        self.answers(peer, head, [])
        mine = self.round
        for number in range(20_000):
            if self.round != mine:
                return
            self.say(peer, self.event(f"light.e{number % 7}", None if number % 2 else "on"))

    def repeated_ids(self, peer, head):
        self.answers(peer, head, [{"entity_id": "light.same", "state": state, "attributes": {}} for state in ("on", "off") * 500])
        for number in range(5000):
            self.say(peer, {"type": "result", "id": number % 12, "success": number % 3 > 0, "error": {"message": "no"}})

    def deep(self, peer, head):
        self.begin(peer, head)
        peer.sendall(self.frame(b'{"type": "event", "x": ' + b"[" * 1_000_000))


class LiarTests(House):
    """Whatever it says, the house lives in bounds, and the lamps of others go on."""

    def setUp(self):
        self.hestia = Hestia("--plain")
        self.addCleanup(self.hestia.stop)
        super().setUp()

    def make_hub(self):
        return Hub(self.hestia.url)

    def lamp(self):
        """A lamp of the server behind the hub."""
        for id, device in self.things()[0].items():
            for part in device["activators"]:
                if not id.startswith("ha~") and isinstance(part["state"], bool):
                    return id, part["activatorId"], part["state"]
        return None

    def test_lies(self):
        print(f"HUBPAIR_SEED={SEED}")
        liar = Liar()
        lamp, part, _ = until(self.lamp)
        house = self.hub.children()
        self.assertTrue(house)
        for number in range(ROUNDS):
            liar.next()
            # Each with another token, so that the house begins anew.
            self.join(f"http://127.0.0.1:{liar.port}", f"secret-token-{number}")
            until(liar.met.is_set)
            with self.subTest(lie=liar.lies()[number % len(liar.lies())].__name__):
                wish = number % 2 == 0
                self.assertLess(self.set(lamp, part, wish)[0], 300)
                until(lambda: self.state(lamp, part) is wish)
                self.assertNotIn(lamp, self.things()[1])
                self.assertEqual(self.hub.children(), house, self.hub.log())
        with open(f"/proc/{house.pop()}/status") as file:
            most = int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]) >> 10
        # 16 MB of words, a few times over, in a debug build.
        self.assertLess(most, 500)
        print(f"the house had {most} MB at most")
        told = self.hub.run("hub", "join") + self.hub.log() + json.dumps(self.ask("GET", "/hubpair/v1/states"))
        self.assertNotIn("secret-token", told)
        self.assertFalse(re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", self.hub.log()), "the log has control characters")
        liar.stop()
        self.fake(liar.port)
        self.join(f"http://127.0.0.1:{liar.port}", "a-token")
        until(lambda: "ha~light.ceiling_lights" in self.things()[0] and not self.things()[1])
        self.assertFalse([thing for thing in self.things()[0] if thing.startswith("ha~light.n")])


if __name__ == "__main__":
    unittest.main()
