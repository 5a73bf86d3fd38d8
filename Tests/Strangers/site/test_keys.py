"""The gates of a site get another key: real etcd, real gates, a second implementation that follows the key, and the real
command line. At no moment is a device that has taken the new key over turned away at a gate, and nobody who writes to etcd
makes it take over a key that the old one has not named.

HUBPAIR_TURNS says how many changes are made under kills, from HUBPAIR_SEED.
"""
import base64
import json
import os
import random
import re
import signal
import subprocess
import tempfile
import threading
import time
import unittest

from cryptography.hazmat.primitives.asymmetric import ec

from etcd import Etcd, Gate
from hub import HUBPAIR, Hub
from second_implementation import Attempt, Connection, Device, fingerprint, pin_of
from test_key import Refused, Statement, server_name, told


class Follower:
    """A device that takes a new key over as the specification says, and fails if a gate shows it none that it may trust."""

    def __init__(self, device, pin):
        self.device, self.pin, self.serial, self.visits = device, pin, 0, 0

    def visit(self, port):
        """The status of an answer; None if nobody is there."""
        try:
            with Connection(port, self.device, name=server_name(self.pin)) as connection:
                data = told(connection)
                if data:
                    statement = Statement(data)
                    try:
                        statement.check(self.pin, self.serial, time.time())
                        assert connection.hub_pin in (statement.old, statement.new), "another key is shown"
                        self.pin, self.serial = statement.new, statement.serial
                    except Refused:
                        assert connection.hub_pin == self.pin, f"locked out at {port}"
                assert connection.hub_pin == self.pin or data, f"locked out at {port}: no statement"
                self.visits += 1
                return connection.request("GET", "/hubpair/v1/device")[0]
        except (ConnectionError, TimeoutError, OSError):
            return None


class SiteKeyTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.etcd = Etcd()
        self.addCleanup(self.etcd.remove)
        self.first = Hub()
        self.addCleanup(self.first.remove)
        self.secret = os.path.join(self.folder, "secret")
        with open(self.secret, "w") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write("correct horse battery staple, four words\n")
        self.backups = 0

    def gates(self):
        """Two gates that serve, with one key."""
        self.etcd.join(self.first)
        second = Gate(self.first)
        self.addCleanup(second.remove)
        self.first.start()
        second.start()
        prefix = f"/hubpair/1/{self.first.identity['hub']}/part/site-gates/gate "
        self.first.wait_for(
            lambda: self.etcd.control("get", "--prefix", prefix, "--keys-only").stdout.split().count("/hubpair/1/" + self.first.identity["hub"] + "/part/site-gates/gate") == 2,
            "both have said who they are")
        return self.first, second

    def device(self, name):
        return Device(os.path.join(self.folder, name), name)

    def pair(self, gate, name):
        device = self.device(name)
        Attempt(gate.code(), device).send(gate.port)
        return device

    def fails(self, hub, *arguments):
        done = subprocess.run([HUBPAIR, *arguments, "--state", hub.state], capture_output=True, text=True, timeout=120)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        return done.returncode, done.stderr

    def words(self, hub, *arguments):
        done = subprocess.run([HUBPAIR, *arguments, "--state", hub.state], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout + done.stderr

    def backup(self, hub):
        self.backups += 1
        path = os.path.join(self.folder, f"backup-{self.backups}")
        hub.run("hub", "backup", path, "--passphrase-file", self.secret)
        return path

    def take(self, giver, taker):
        return self.words(taker, "hub", "key", "take", self.backup(giver), "--passphrase-file", self.secret)

    def key(self, hub):
        return json.loads(hub.run("hub", "key", "--json"))

    def pin(self, hub):
        return base64.b64decode(self.key(hub)["pin"].removeprefix("sha256//"))

    def shown(self, hub, name=None):
        try:
            with Connection(hub.port, name=name) as connection:
                return connection.hub_pin, told(connection)
        except OSError:
            return None, None

    def shows(self, hub, pin):
        hub.wait_for(lambda: self.shown(hub)[0] == pin, f"{hub.port} shows the key {fingerprint(pin)}")

    def next(self, hub):
        """The pin of the key that is prepared, from the statement in etcd: no key is there."""
        found = self.etcd.control("get", "--prefix", f"/hubpair/1/{self.first.identity['hub']}/part/site-keys/key", "--print-value-only").stdout
        return Statement(base64.b64decode(re.findall(r"statement=(\S+)", found)[-1])).new

    def can_show(self, hub, pin):
        hub.wait_for(lambda: self.shown(hub, server_name(pin))[0] == pin, f"{hub.port} can show {fingerprint(pin)}")

    def test_gates_with_one_key(self):
        one, other = self.gates()
        follower = Follower(self.pair(one, "Follower"), self.pin(one))
        late = Follower(self.pair(other, "Late"), self.pin(one))
        other.wait_for(lambda: follower.visit(other.port) == 200, "it is at home at both")
        old = self.pin(one)
        with self.subTest("prepared: nobody is told"):
            said = self.words(one, "hub", "key", "rotate", "--for", "30d")
            self.assertIn("is prepared; it counts once every gate of this hub can show it", said)
            self.assertRegex(said, "hint: at a gate that has it: hubpair hub backup FILE; at each other: hubpair hub key take FILE, ")
            new = self.next(one)
            self.can_show(one, new)
            for gate in (one, other):
                self.assertEqual(self.shown(gate), (old, None))
            self.assertIsNone(self.shown(one, server_name(new))[1])
            for hub in (one, other):
                self.assertEqual((self.key(hub)["old"], self.key(hub)["next"]), (None, fingerprint(new)))
            self.assertEqual(sorted(each["shows"] for each in self.key(other)["gates"]), [False, True])
            self.assertEqual(json.loads(other.run("hub", "site", "--json"))["next_key"], fingerprint(new))
            self.assertEqual(self.fails(one, "hub", "key", "rotate"), (
                75, f"error: the key {fingerprint(new)} is prepared, and some gates cannot show it yet\n"
                    "hint: 'hubpair hub key' says which, and what to do; or: hubpair hub key rotate --cancel\n"))
            self.assertEqual((follower.visit(one.port), follower.visit(other.port), follower.pin), (200, 200, old))
            doctor = {each["check"]: each for each in map(json.loads, subprocess.run(
                [HUBPAIR, "doctor", "--no-sweep", "--json", "--state", one.state], capture_output=True, text=True, timeout=120).stdout.splitlines())}
            self.assertEqual(doctor["hub-key"]["status"], "warning")
            self.assertIn("cannot show its next key", doctor["hub-key"]["seen"])
        with self.subTest("no private key is in etcd"):
            found = json.loads(self.etcd.control("get", "--prefix", "/hubpair", "-w", "json").stdout)["kvs"]
            everything = b"".join(base64.b64decode(each[part]) for each in found for part in ("key", "value"))
            everything = everything.decode(errors="replace")
            self.assertIn("statement=", everything)
            self.assertNotIn("PRIVATE", everything)
            for path in ("hub-key.pem", "hub-key-next.pem"):
                with open(os.path.join(one.state, path)) as file:
                    self.assertEqual(os.fstat(file.fileno()).st_mode & 0o777, 0o600)
                    self.assertNotIn(file.read().splitlines()[1], everything)
        with self.subTest("who writes to etcd makes no device take over another key"):
            prefix = f"/hubpair/1/{one.identity['hub']}/part/site-keys"
            name, = self.etcd.control("get", "--prefix", f"{prefix}/key ", "--keys-only").stdout.strip().splitlines()
            before = self.etcd.control("get", name, "--print-value-only").stdout.rstrip("\n") + "\n"
            thief = ec.generate_private_key(ec.SECP256R1())
            forged = Statement.make(thief, ec.generate_private_key(ec.SECP256R1()), 9, time.time() + 9999)
            for data in (forged, forged[:12] + base64.b64decode(re.search(r"statement=(\S+)", before)[1])[12:45] + forged[45:]):
                new_name = fingerprint(pin_of(ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), data[45:78])))
                self.etcd.control("put", f"{prefix}/key {new_name}", f"7\n[key {new_name}]\nstatement={base64.b64encode(data).decode()}\nchanged=2026-01-01T00:00:00Z\n")
                self.etcd.control("put", f"/hubpair/1/{one.identity['hub']}/head", new_name)
                # A command reads what is there, and a gate goes on with what it has.
                subprocess.run([HUBPAIR, "print", "--format", "text", "--address", "none", "--state", one.state], capture_output=True, timeout=120)
                self.assertEqual((self.shown(one), follower.visit(one.port), follower.pin), ((old, None), 200, old))
                self.etcd.control("del", f"{prefix}/key {new_name}")
                self.etcd.control("put", f"/hubpair/1/{one.identity['hub']}/head", "again " + new_name)
        with self.subTest("all have it: they go over, and devices follow"):
            one.wait_for(lambda: self.key(one)["next"] == fingerprint(new), "it is still prepared")
            said = self.take(one, other)
            self.assertIn("shows it to who asks for it once it serves", said)
            for gate in (one, other):
                self.shows(gate, new)
            self.assertEqual(follower.visit(other.port), 200)
            self.assertEqual(follower.pin, new)
            self.assertEqual((follower.visit(one.port), follower.visit(other.port)), (200, 200))
            days = (Statement(self.shown(one)[1]).until - time.time()) / 86_400
            self.assertTrue(29.9 < days < 30.01, days)
            for gate in (one, other):
                self.assertEqual(self.key(gate)["next"], None)
                self.assertEqual(sorted(os.listdir(gate.state)), sorted(set(os.listdir(gate.state)) - {"hub-key-next.pem"}))
        with self.subTest("the list of who did not come is over all gates"):
            # They tell each other when they begin, and once a minute.
            for gate in (other, one, other):
                gate.stop()
                gate.start()
            for gate in (one, other):
                gate.wait_for(lambda: [each["name"] for each in self.key(gate)["missing"]] == ["Late"], "one is missing")
            self.assertEqual(late.visit(one.port), 200)
            self.assertEqual(late.pin, new)
        with self.subTest("codes of both keys, at either gate; one house and one site as before"):
            self.pair(other, "New")
            self.assertEqual(len(json.loads(one.run("hub", "site", "--json"))["gates"]), 2)
            self.assertEqual({each["hub"] for each in json.loads(one.run("hub", "site", "--json"))["hubs"]}, {fingerprint(new)})
            house = json.loads(one.run("hub", "site", "--json"))["house"]
            self.assertEqual(len(house["gates"]), 2, house)
            self.assertNotIn(None, [each["behind"] for each in house["gates"]])
        with self.subTest("out and in again under the new key: it is the same site"):
            one.stop()
            one.run("hub", "site", "leave")
            self.assertNotIn("site-keys", os.listdir(one.state))
            self.etcd.join(one)
            self.assertEqual(len(json.loads(one.run("hub", "site", "--json"))["gates"]), 2)

    def test_a_gate_that_was_away(self):
        one, other = self.gates()
        follower = Follower(self.pair(one, "Follower"), self.pin(one))
        old_backup = self.backup(one)
        name = next(each["name"] for each in self.site_gates(one) if each["name"] != json.loads(one.run("hub", "site", "--json"))["gates"][0])
        one.run("hub", "key", "rotate")
        new = self.next(one)
        self.can_show(one, new)
        with self.subTest("it is waited for"):
            one.wait_for(lambda: [each["shows"] for each in self.key(one)["gates"]] == [True, False], "it has said so")
            self.assertEqual([each["shows"] for each in self.key(one)["gates"]], [True, False])
            self.assertIn(f"cannot show it: {name}\n", self.words(one, "hub", "key"))
        with self.subTest("and not once it was taken out"):
            one.run("hub", "site", "leave", "--gate", name)
            self.shows(one, new)
            self.assertEqual((follower.visit(one.port), follower.pin), (200, new))
        behind = (f"error: the gates of the site have gone over to the key {fingerprint(new)}, which this one has not got\n"
                  "hint: at a gate that has it: hubpair hub backup FILE; and here: hubpair hub key take FILE\n")
        with self.subTest("it ends, though nobody told it that it was taken out"):
            self.assertEqual(other.process.wait(timeout=120), 78)
            self.assertIn(behind, other.log())
            other.process = None
        with self.subTest("it comes back, and does not serve with the old key"):
            done = subprocess.run([HUBPAIR, "serve", "--state", other.state], capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 78, done.stderr)
            self.assertIn(behind, done.stderr)
            self.assertIn("has not got", self.words(other, "hub", "key"))
            self.assertEqual(self.fails(other, "hub", "key", "take", old_backup, "--passphrase-file", self.secret)[0], 65)
        with self.subTest("another one does not come in by an old backup"):
            state = os.path.join(self.folder, "third")
            done = subprocess.run([HUBPAIR, "hub", "restore", "--join", old_backup, "--passphrase-file", self.secret, "--state", state], capture_output=True, text=True, timeout=120)
            self.assertEqual((done.returncode, os.path.exists(os.path.join(state, "hub"))), (78, False), done.stderr)
        with self.subTest("the hint helps"):
            self.assertIn("now, as the others have", self.take(one, other))
            other.start()
            self.assertEqual(self.shown(other)[0], new)
            self.assertEqual(follower.visit(other.port), 200)

    def test_a_gate_that_etcd_does_not_reach(self):
        """It goes on with what it knew, and a device that has taken the new key over at another gate is at home there."""
        one, other = self.gates()
        follower, often = (Follower(self.pair(one, name), self.pin(one)) for name in ("Follower", "Often"))
        old = self.pin(one)
        one.run("hub", "key", "rotate")
        new = self.next(one)
        self.can_show(one, new)
        one.wait_for(lambda: [each["shows"] for each in self.key(one)["gates"]] == [True, False], "it has said so")
        with self.subTest("one more gate has the key from its backup, and is waited for"):
            third = Gate(one)
            self.addCleanup(third.remove)
            self.assertIn("hub-key-next.pem", os.listdir(third.state))
            self.assertEqual([each["shows"] for each in self.key(third)["gates"]].count(False), 2)
            third.run("hub", "site", "leave")
            self.assertNotIn("hub-key-next.pem", os.listdir(third.state))
        path = self.backup(one)
        one.kill()
        self.words(other, "hub", "key", "take", path, "--passphrase-file", self.secret)
        self.shows(other, new)
        self.assertEqual((follower.visit(other.port), follower.pin), (200, new))
        settings = os.path.join(one.state, "site")
        with open(settings) as file:
            text = file.read()
        with open(settings, "w") as file:
            file.write(re.sub("members=.*", "members=https://127.0.0.1:1", text))
        one.start()
        self.assertEqual(self.shown(one), (old, None))
        self.assertEqual((follower.visit(one.port), often.visit(one.port), often.pin), (200, 200, old))
        with open(settings, "w") as file:
            file.write(text)
        self.shows(one, new)
        self.assertEqual((follower.visit(one.port), often.visit(one.port), often.pin), (200, 200, new))

    def site_gates(self, hub):
        return [{"name": name} for name in json.loads(hub.run("hub", "site", "--json"))["gates"]]

    def test_called_off(self):
        one, other = self.gates()
        old = self.pin(one)
        self.assertEqual(self.fails(one, "hub", "key", "rotate", "--cancel")[0], 64)
        one.run("hub", "key", "rotate")
        first = self.next(one)
        self.can_show(one, first)
        # At whichever gate: the one that has the key may be gone for good.
        self.assertIn("is called off", self.words(other, "hub", "key", "rotate", "--cancel"))
        one.wait_for(lambda: "hub-key-next.pem" not in os.listdir(one.state), "the key is gone")
        one.wait_for(lambda: self.shown(one, server_name(first)) == (old, None), "and nobody is shown it")
        self.assertEqual(self.fails(other, "hub", "key", "take", self.backup(one), "--passphrase-file", self.secret)[0], 64)
        other.run("hub", "key", "rotate")
        self.take(other, one)
        for gate in (one, other):
            gate.wait_for(lambda: self.shown(gate)[0] not in (old, None), "they go over to the second")
        self.assertNotEqual(self.pin(one), first)
        self.assertEqual(self.pin(one), self.pin(other))
        code, said = self.fails(one, "hub", "key", "lost", "--yes")
        self.assertEqual(code, 64)
        self.assertIn("hint: at each gate: hubpair hub site leave; then at one: hubpair hub key lost; in again with it: hubpair hub site join ", said)
        self.assertIn("the others anew from its backup: hubpair hub restore --replace --join FILE", said)
        with self.subTest("a lost key: the hint, step by step"):
            device = self.pair(one, "Device")
            for gate in (one, other):
                gate.stop()
                gate.run("hub", "site", "leave")
            one.run("hub", "key", "lost", "--yes")
            self.etcd.join(one)
            path = self.backup(one)
            port = other.port
            other.run("hub", "restore", "--replace", "--join", path, "--passphrase-file", self.secret)
            other.run("setup", "--change", "--port", str(port))
            for gate in (one, other):
                gate.start()
            self.assertEqual(self.shown(one), (self.pin(one), None))
            self.assertEqual(self.shown(other), self.shown(one))
            with Connection(other.port, device) as connection:
                self.assertEqual(connection.request("GET", "/devices/")[0], 403)

    def test_a_hub_with_a_key_of_its_own(self):
        """It changes its key at once. A client that was told of it by the other hub takes it over by that one's list, and
        no key that the old one has not named, whoever writes that to etcd."""
        self.etcd.join(self.first)
        wing = Hub(name="North wing")
        self.addCleanup(wing.remove)
        self.etcd.join(wing, "--with", self.first.identity["hub"])
        address = ["10.77.0.9/32", "dev", "lo"]
        subprocess.run(["ip", "address", "add", *address], check=True)
        self.addCleanup(subprocess.run, ["ip", "address", "del", *address])
        self.first.start()
        wing.start()
        device = self.pair(self.first, "Device")

        def hubs():
            with Connection(self.first.port, device) as connection:
                return {each["name"]: each for each in json.loads(connection.request("GET", "/hubpair/v1/site")[2]).get("hubs", [])}
        self.first.wait_for(lambda: len(hubs()) == 2, "both are told of")
        environment = {**os.environ, "HUBPAIR_CONFIG": os.path.join(self.folder, "config"), "LC_ALL": "C.UTF-8"}

        def client(*arguments, **options):
            done = subprocess.run([HUBPAIR, *arguments], env=environment, text=True, capture_output=True, timeout=120, **options)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout, done.stderr

        def known():
            return {each["name"]: each["hub"] for each in map(json.loads, client("hubs", "--json")[0].splitlines())}
        client("pair", "-", "--hub", f"127.0.0.1:{self.first.port}", "--name", "Desk", input=self.first.run("print", "--format", "text", "--address", "none"))
        old = self.pin(wing)
        self.assertEqual(known()["North wing"], fingerprint(old))
        codes = self.first.run("codes", "--json"), self.first.code()
        with self.subTest("a foreign key in etcd"):
            prefix = f"/hubpair/1/{self.first.identity['hub']}"
            keys = self.etcd.control("get", "--prefix", f"{prefix}/part/site-gates/gate", "--keys-only").stdout.strip().splitlines()
            thief = pin_of(ec.generate_private_key(ec.SECP256R1()).public_key())
            for key in filter(None, keys):
                value = self.etcd.control("get", key, "--print-value-only").stdout.rstrip("\n") + "\n"
                if "North wing" in value:
                    break
            forged = re.sub("pin=.*", "pin=sha256//" + base64.b64encode(thief).decode(), value)
            self.assertNotEqual(forged, value)
            self.etcd.control("put", key, forged)
            self.etcd.control("put", f"{prefix}/head", "forged")
            self.first.wait_for(lambda: base64.urlsafe_b64decode(hubs()["North wing"]["pin"] + "=") == thief, "it is told of")
            client("call", "GET", "/hubpair/v1/device")
            self.assertEqual(known()["North wing"], fingerprint(old))
            self.etcd.control("put", key, value)
            self.etcd.control("put", f"{prefix}/head", "as it was")
            client("hubs", "forget", next(name for name, each in known().items() if each == fingerprint(thief)))
        said = self.words(wing, "hub", "key", "rotate", "--for", "30d")
        self.assertIn("the hub has the key", said)
        new = self.pin(wing)
        self.assertNotEqual(new, old)
        self.shows(wing, new)
        self.first.wait_for(lambda: base64.urlsafe_b64decode(hubs()["North wing"]["pin"] + "=") == new, "the first hub tells of it")
        out, err = client("call", "GET", "/hubpair/v1/device")
        self.assertIn(f"the hub North wing has a new key, {fingerprint(new)}", err)
        self.assertEqual(known(), {"Kitchen hub": self.first.identity["hub"], "North wing": fingerprint(new)})
        out, err = client("call", "GET", "/hubpair/v1/device", "--hub", "North wing")
        self.assertEqual(json.loads(out)["status"], "approved")
        self.assertNotIn("new key", err)
        with self.subTest("what is the other hub's stays"):
            self.assertEqual(self.key(wing)["codes"], 0)
            self.assertNotEqual(self.first.run("codes", "--json").strip(), "")
        with self.subTest("it leaves, with its new key, and the first goes on"):
            wing.run("hub", "site", "leave")
            self.assertEqual(self.pin(wing), new)
            self.first.wait_for(lambda: len(hubs()) == 1, "the wing is not told of any more")

    def test_kills(self):
        """Gates and commands are killed at any moment, while a device visits: it is never locked out, no key is lost, and
        both gates come to the same key."""
        seed = int(os.environ.get("HUBPAIR_SEED", random.randrange(2**32)))
        print(f"HUBPAIR_SEED={seed}", flush=True)
        choose = random.Random(seed)
        gates = list(self.gates())
        followers = [Follower(self.pair(gates[0], name), self.pin(gates[0])) for name in ("Often", "Rarely")]
        gates[1].wait_for(lambda: followers[0].visit(gates[1].port) == 200, "it is at home at both")
        faults, ending = [], threading.Event()

        def visit(follower, ports, pause):
            while not ending.wait(pause):
                for port in ports:
                    try:
                        follower.visit(port)
                    except Exception as error:
                        faults.append(error)
        ports = [gate.port for gate in gates]
        threads = [threading.Thread(target=visit, args=(followers[0], ports, 0.02)),
                   threading.Thread(target=visit, args=(followers[1], ports[::-1], 1.0))]
        for thread in threads:
            thread.start()

        def cut_short(hub, *arguments):
            """True if the command came to its end before it was killed."""
            process = subprocess.Popen([HUBPAIR, *arguments, "--state", hub.state], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            try:
                words = process.communicate(timeout=choose.choice([0.02, 0.1, 0.2, 0.4, 0.8, 60]))[1]
                self.assertIn(process.returncode, (0, 64, 75), words)
                return True
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.communicate()
                return False
        try:
            serials = []
            for turn in range(int(os.environ.get("HUBPAIR_TURNS", 2))):
                before = self.pin(gates[0])
                maker, taker = choose.sample(gates, 2)
                while not (cut_short(maker, "hub", "key", "rotate", "--for", "60s") and self.key(maker)["next"]):
                    pass
                path = self.backup(maker)
                while True:
                    for gate in gates:
                        if choose.random() < 0.4:
                            gate.kill()
                            gate.start()
                    cut_short(taker, "hub", "key", "take", path, "--passphrase-file", self.secret)
                    if choose.random() < 0.3:
                        choose.choice(gates).kill()
                    for gate in gates:
                        if gate.process is None:
                            gate.start()
                    if self.pin(gates[0]) == self.pin(gates[1]) != before:
                        break
                new = self.pin(gates[0])
                for gate in gates:
                    self.shows(gate, new)
                    gate.wait_for(lambda: self.key(gate)["old"] is None, "the term is over", 180)
                    self.assertIsNone(self.key(gate)["next"])
                self.assertEqual(faults, [], seed)
                serials.append(Statement(self.shown(gates[0])[1]).serial)
            self.assertEqual(serials, sorted(set(serials)))
        finally:
            ending.set()
            for thread in threads:
                thread.join()
        self.assertEqual(faults, [], seed)
        print([follower.visits for follower in followers], flush=True)
        for follower in followers:
            self.assertEqual(follower.pin, self.pin(gates[0]), seed)


if __name__ == "__main__":
    unittest.main()
