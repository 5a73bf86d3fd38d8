"""What the house makes of an MQTT broker that has joined it: a real mosquitto with liars at it, and brokers that lie themselves.

HUBPAIR_SEED repeats a run, HUBPAIR_LIES is the number of lies of each kind."""
import json
import os
import pathlib
import random
import re
import shutil
import socket
import struct
import subprocess
import unittest

from hub import free_port
from joined import House, until
from listener import Listener
from second_implementation import Connection

SEED = int(os.environ.get("HUBPAIR_SEED", random.randrange(1 << 32)))
ROUNDS = int(os.environ.get("HUBPAIR_LIES", 24))
LAMP = {"name": "Lamp", "state_topic": "lamp", "command_topic": "lamp/set"}
ID = "mqtt~light.lamp"


def length(count):
    out = b""
    while True:
        count, digit = count // 128, count % 128
        out += bytes([digit | (128 if count else 0)])
        if not count:
            return out


def packet(kind, body):
    return bytes([kind]) + length(len(body)) + body


def publish(topic, payload):
    """PUBLISH of MQTT 3.1.1."""
    topic = topic if isinstance(topic, bytes) else topic.encode()
    return packet(0x30, struct.pack(">H", len(topic)) + topic + payload)


class Broker(Listener):
    """As much of a broker as a client needs to believe in it; then it says what `lie` returns."""

    def __init__(self, lie, stays=False):
        self.lie, self.stays, self.count = lie, stays, 0
        super().__init__()

    def serve(self, connection):
        self.count += 1
        data, marks = b"", 0
        with connection:
            try:
                while piece := connection.recv(65536):
                    data += piece
                    while len(data) >= 2:
                        size, at, shift = 0, 1, 0
                        while at < len(data) and data[at] & 128:
                            size, at, shift = size | (data[at] & 127) << shift, at + 1, shift + 7
                        if at >= len(data) or len(data) < at + 1 + (size | data[at] << shift):
                            break
                        end = at + 1 + (size | data[at] << shift)
                        kind, body, data = data[0] & 0xF0, data[at + 1:end], data[end:]
                        if kind == 0x10:
                            connection.sendall(b"\x20\x02\0\0")
                        elif kind == 0x80:
                            connection.sendall(packet(0x90, body[:2] + b"\0"))
                            marks += 1
                            if marks == 3:
                                connection.sendall(publish("homeassistant/light/lamp/config", json.dumps(LAMP).encode())
                                                   + publish("lamp", b"ON"))
                            if marks == 4:
                                connection.sendall(self.lie())
                                if not self.stays:
                                    connection.shutdown(socket.SHUT_WR)
                        elif kind == 0xC0:
                            connection.sendall(b"\xd0\0")
            except OSError:
                pass


class MQTT(House):
    def join(self, port):
        self.hub.run("hub", "join", "mqtt", f"mqtt://127.0.0.1:{port}")

    def alive(self):
        """The house answers, whatever somebody has told it."""
        until(lambda: self.ask("GET", "/hubpair/v1/rooms")[0] == 200)

    def house_memory(self, key="VmRSS"):
        """In MB; 0 if it is not there."""
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if (process / "comm").read_text().strip() != "hubpair-house":
                    continue
                if self.hub.state in (process / "cmdline").read_text() + (process / "environ").read_text():
                    return int(re.search(rf"{key}:\s+(\d+)", (process / "status").read_text())[1]) // 1024
            except OSError:
                pass
        return 0


class LyingBrokerTests(MQTT):
    def test_what_is_no_mqtt_ends_the_conversation_and_no_more(self):
        print(f"HUBPAIR_SEED={SEED}", flush=True)
        generator = random.Random(SEED)

        def lie():
            return generator.choice([
                lambda: generator.randbytes(generator.randrange(1, 300)),
                lambda: b"\x30\xff\xff\xff\x7f" + b"x" * 1000,
                lambda: b"\x30\xff\xff\xff\xff\xff",
                lambda: publish("lamp", b"x" * 200_000),
                lambda: publish(b"\xff\xfe", b"x"), lambda: publish(b"", b"x"), lambda: packet(0x30, b"\xff\xff"),
                lambda: packet(0x90, b""), lambda: packet(0x20, b"\0\0"), lambda: packet(0xE0, b"\x8b\0"),
                lambda: publish("lamp", b"ON") * 2_000,
                lambda: publish("homeassistant/light/lamp/config", b"[" * 60_000),
                lambda: publish("homeassistant/light/" + "x" * 60_000 + "/config", b"{}"),
                lambda: packet(generator.randrange(256), generator.randbytes(generator.randrange(40))),
            ])()

        broker = Broker(lie)
        self.addCleanup(broker.close)
        self.join(broker.port)
        until(lambda: broker.count >= min(ROUNDS, 8))
        self.alive()
        self.assertLess(self.house_memory(), 400)
        self.hub.run("hub", "join", "remove", "mqtt")
        until(lambda: ID not in self.things()[0])


class LongPacketTests(MQTT):
    def test_a_message_that_is_too_long_takes_no_memory(self):
        """It is thrown away as it comes, and what is sent behind it is heard."""
        size = 128 << 20
        broker = Broker(lambda: b"\x30" + length(6 + size) + b"\0\4lamp" + bytes(size) + publish("lamp", bytes(200_000))
                        + publish("lamp", b"OFF"), stays=True)
        self.addCleanup(broker.close)
        self.join(broker.port)
        until(lambda: self.state(ID, "on") is False)
        self.assertGreater(self.house_memory("VmHWM"), 0)
        self.assertLess(self.house_memory("VmHWM"), 128)
        # `hub join` has asked once, whether it is a broker.
        self.assertEqual(broker.count, 2)

    def test_what_is_no_message_and_too_long_ends_the_conversation(self):
        for lie in (b"\x90\xff\xff\xff\x7f", b"\x32" + publish("lamp", b"OFF")[1:]):
            with self.subTest(lie[:1]):
                broker = Broker(lambda: lie, stays=True)
                self.addCleanup(broker.close)
                self.join(broker.port)
                until(lambda: "it sends what was not asked for" in self.hub.log())
                self.hub.run("hub", "join", "remove", "mqtt")
                until(lambda: ID not in self.things()[0])


@unittest.skipUnless(shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin"), "mosquitto is not installed")
class LyingThingsTests(MQTT):
    def setUp(self):
        super().setUp()
        self.port = free_port()
        path = os.path.join(self.folder, "broker.conf")
        with open(path, "w") as file:
            file.write(f"listener {self.port} 127.0.0.1\nallow_anonymous true\nuser root\nmax_queued_messages 0\n")
        program = shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin")
        self.broker = self.start([program, "-c", path], self.is_up)
        self.things_here = socket.create_connection(("127.0.0.1", self.port))
        self.addCleanup(self.things_here.close)
        self.things_here.sendall(packet(0x10, b"\0\4MQTT\4\2\0\0\0\6things"))
        self.assertEqual(self.things_here.recv(2)[0], 0x20)
        self.say("homeassistant/light/lamp/config", json.dumps(LAMP))
        self.say("lamp", "ON")
        self.join(self.port)
        until(lambda: self.state(ID, "on") is True)

    def is_up(self):
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
            return True
        except OSError:
            return False

    def say(self, topic, payload):
        """Kept by the broker."""
        payload = payload if isinstance(payload, bytes) else payload.encode()
        self.things_here.sendall(b"\x31" + publish(topic, payload)[1:])

    def test_liars_change_nothing_for_others(self):
        print(f"HUBPAIR_SEED={SEED}", flush=True)
        generator = random.Random(SEED)
        values = ["lamp", "#", "+/x", "$SYS/x", "", "x" * 300, "{{ value_json.a | int }}", "{{ value_json.a }}", 7, None, True,
                  [], {}, [{"topic": "lamp"}], 1e308, "\u202e\n", "~", "homeassistant/light/lamp/config"]
        keys = ["state_topic", "command_topic", "value_template", "~", "availability", "device", "name", "min", "max", "schema",
                "brightness", "payload_on", "payload_off", "position_topic", "modes", "entity_category"]
        for number in range(ROUNDS * 20):
            kind = generator.choice(["light", "switch", "cover", "lock", "sensor", "binary_sensor", "number", "climate", "x"])
            thing = {key: generator.choice(values) for key in generator.sample(keys, generator.randrange(6))}
            self.say(f"homeassistant/{kind}/liar{number % 50}/config",
                     generator.choice([json.dumps(thing), "", "{", generator.randbytes(50), "[" * 5000, "x" * 20_000]))
            self.say(generator.choice(["x", "~", "a/b"]), generator.choice([b"ON", generator.randbytes(20), b"x" * 70_000]))
        # What comes last comes after all of it.
        self.say("lamp", "OFF")
        until(lambda: self.state(ID, "on") is False)
        self.alive()
        self.assertEqual(self.set("mqtt~light.nothing", "on", True)[0], 404)
        self.assertEqual(self.set(ID, "on", 1)[0], 400)

    def test_an_order_that_nobody_confirms_has_failed(self):
        with Connection(self.hub.port, self.owner, timeout=120) as connection:
            status = connection.request("POST", f"/devices/{ID}/activators/on", b'{"state": false}', {"Host": "localhost"})[0]
        self.assertEqual(status, 504)
        self.assertIs(self.state(ID, "on"), True)

    def test_too_many_things_are_left_out(self):
        for number in range(2_100):
            self.say(f"homeassistant/switch/s{number}/config", json.dumps({"stat_t": "all", "name": f"S {number}"}))
        self.say("all", "ON")
        self.say("lamp", "OFF")
        until(lambda: self.state(ID, "on") is False)
        until(lambda: len(self.things()[0]) >= 2_000)
        self.assertLessEqual(len(self.things()[0]), 2_000)


if __name__ == "__main__":
    unittest.main()
