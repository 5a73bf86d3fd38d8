"""Several gates on etcd: three real members and two gates. What is decided at one counts at all, a code is good once at
whichever, and without a majority nothing is decided that could be lost."""
import concurrent.futures
import fcntl
import http.server
import json
import os
import re
import signal
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

from etcd import Authority, Etcd, Gate
from hub import HUBPAIR, Hub
from second_implementation import Attempt, Connection, Device, Refused


def answer(gate, device):
    """The status of a request that a device makes at a gate: 502 if it is let in, since there is no server behind it."""
    with Connection(gate.port, device) as connection:
        return connection.request("GET", "/devices/")[0]


class SiteTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.etcd = Etcd()
        self.addCleanup(self.etcd.remove)
        self.first = Hub()
        self.addCleanup(self.first.remove)

    def device(self, name):
        return Device(os.path.join(self.folder, name), name)

    def pair(self, gate, name, code=None):
        device = self.device(name)
        Attempt(code or gate.code(), device).send(gate.port)
        return device

    def gates(self, *options):
        """Two gates that serve."""
        self.etcd.join(self.first, *options)
        second = Gate(self.first)
        self.addCleanup(second.remove)
        return self.first.start(), second.start()

    def fails(self, hub, *arguments):
        """Exit code and standard error of a command that fails."""
        done = subprocess.run([HUBPAIR, *arguments, "--state", hub.state], capture_output=True, text=True, timeout=120)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        return done.returncode, done.stderr

    def test_two_gates_are_one_hub(self):
        before = self.pair(self.first.start(), "Before")
        self.first.stop()
        label = self.first.code("--label")
        one, other = self.gates()
        with self.subTest("what was there before has moved in"):
            self.assertEqual((answer(one, before), answer(other, before)), (502, 502))
            self.pair(other, "By the label", label)
            one.wait_for(lambda: "pending" in one.approved().values(), "the first gate knows who waits")
        with self.subTest("paired at one, let in at the other, at once"):
            laptop = self.pair(one, "Laptop")
            other.wait_for(lambda: answer(other, laptop) == 502, "the other gate lets it in")
        with self.subTest("made at one, used at the other"):
            tablet = self.pair(other, "Tablet", one.code("--role", "owner"))
            one.wait_for(lambda: answer(one, tablet) == 502, "the first gate lets it in")
            roles = {device["name"]: device["role"] for device in one.devices()}
            self.assertEqual(roles["Tablet"], "owner")
        with self.subTest("renamed at one"):
            other.run("devices", "rename", "Laptop", "Desk")
            one.wait_for(lambda: "Desk" in {each["name"] for each in one.devices()}, "the name")
        with self.subTest("revoked at one, refused at the other"):
            one.run("devices", "revoke", "Desk")
            other.wait_for(lambda: answer(other, laptop) == 403, "the other gate refuses it")
            self.assertEqual(answer(one, laptop), 403)
        with self.subTest("wrong proofs count together"):
            code = one.code()
            for gate in (one, other, one, other, one):
                with self.assertRaises(Refused) as refused:
                    Attempt(code, self.device("Guesser")).send(gate.port, proof="A" * 43)
                self.assertEqual(refused.exception.error, "bad_proof")
            with self.assertRaises(Refused) as refused:
                Attempt(code, self.device("Late")).send(other.port)
            self.assertEqual(refused.exception.error, "too_many_attempts")
        with self.subTest("the status says so"):
            status = json.loads(one.run("hub", "site", "--json"))
            self.assertEqual(len(status["gates"]), 2)
            self.assertEqual([each["state"] for each in status["members"]].count("leads"), 1)
        with self.subTest("out again, with all of it"):
            other.stop()
            devices, codes = other.devices(), other.run("codes", "--json")
            other.run("hub", "site", "leave")
            self.assertEqual((other.devices(), other.run("codes", "--json")), (devices, codes))
            self.assertNotIn("site", {name.split(".")[0] for name in os.listdir(other.state)} - {"site-copy"})
            one.run("hub", "site", "leave")
            self.assertEqual(self.etcd.control("get", "--prefix", "/hubpair", "--keys-only").stdout.strip(), "")
            self.assertEqual((answer(one, tablet), answer(one, laptop)), (502, 403))

    def test_what_one_gate_has_seen_all_know(self):
        """A device that always comes in at one gate is not unused at the other, whether that one has served or not."""
        one, other = self.gates()
        laptop, never = self.pair(one, "Laptop"), self.pair(one, "Never")
        one.stop()
        other.wait_for(lambda: answer(other, laptop) == 502, "the other gate lets it in")
        # All of it long ago, as far as the first gate knows by itself.
        record = os.path.join(one.state, "last-seen")
        with open(record, "w") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write("[keyfile]\nformat=1\nsince=2020-01-01T00:00:00Z\n")
        prefix = f"/hubpair/1/{one.identity['hub']}/"
        for device in (laptop, never):
            part = f"{prefix}part/approved-devices/device {device.fingerprint}"
            lines = self.etcd.control("get", part, "--print-value-only").stdout.rstrip("\n")
            old = re.sub("approved=.*", "approved=2020-01-01T00:00:00Z", lines)
            self.assertNotEqual(old, lines)
            self.etcd.control("put", part, old + "\n")
        self.etcd.control("put", f"{prefix}head", "another mark")
        # It writes down what it has seen when it ends, and tells it when it begins.
        other.stop()
        other.start()
        seen = f"{prefix}seen/{laptop.fingerprint}"
        other.wait_for(lambda: self.etcd.control("get", seen).stdout, "it is told")
        # It has all that is shared, and nothing of what is seen.
        one.code()
        one.run("devices", "prune", "30d", "--yes")
        self.assertEqual(
            {device["name"]: device["status"] for device in one.devices()}, {"Laptop": "approved", "Never": "revoked"})
        self.assertEqual(answer(other, laptop), 502)
        one.start()

        def last(name):
            return {device["name"]: device["last_seen"] for device in one.devices()}[name]
        one.wait_for(lambda: last("Laptop"), "the first gate has written it down")
        self.assertIsNone(last("Never"))
        # What no gate has written hurts nobody.
        one.stop()
        for name, value in (("K7QF-2M9D-X0TW-8RHC", "\x1b[2J"), ("nobody", "x" * 5000), (never.fingerprint, "")):
            self.etcd.control("put", f"{prefix}seen/{name}", value)
        one.start()
        self.assertEqual(answer(one, laptop), 502)
        one.wait_for(lambda: last("Laptop"), "it is still there")

    def test_the_journals_of_all_gates(self):
        """Who let whom in, and who was revoked where, is known at each gate, once."""
        one, other = self.gates()
        self.pair(one, "Laptop")
        self.pair(other, "Tablet")
        other.run("devices", "revoke", "Tablet")

        def journal(gate):
            lines = gate.run("hub", "journal", "--list", "access", "--limit", "1000", "--json").splitlines()
            return [json.loads(line) for line in lines]

        def own(gate):
            return [entry for entry in journal(gate) if entry["gate_entry"] is None]

        def known(gate, others):
            """Each entry of the other's is here, once, with where it comes from."""
            theirs = [(entry["id"], entry["event"], entry["name"]) for entry in own(others)]
            here = [entry for entry in journal(gate) if entry["gate_entry"] is not None]
            told = [(int(entry["gate_entry"].split("/")[1]), entry["event"], entry["name"]) for entry in here]
            self.assertEqual(len(told), len(set(told)))
            return theirs and [each for each in theirs if each in told] == theirs

        # They exchange when they begin, and once a minute.
        for _ in range(2):
            for gate in (one, other):
                gate.stop()
                gate.start()
        one.wait_for(lambda: known(one, other) and known(other, one), "both have it all")
        self.assertIn("revoked", [entry["event"] for entry in journal(one) if entry["gate"]])
        table = one.run("hub", "journal")
        self.assertIn("GATE", table.splitlines()[0])
        # What no gate has written hurts nobody.
        prefix = f"/hubpair/1/{one.identity['hub']}/journal"
        for name, value in (("x/1", "\x1b[2J"), ("x", "{}"), ("/1", "x" * 5000), ("x/y", ""), ("x/99999999999999999999", "{}")):
            self.etcd.control("put", f"{prefix}/{name}", value)
        before = journal(one)
        one.stop()
        one.start()
        one.run("devices", "rename", "Laptop", "Laptop 2")
        other.stop()
        other.start()
        other.wait_for(lambda: known(other, one), "the other is told on", 240)
        self.assertEqual(len(journal(one)), len(before) + 1)

    def test_hubs_with_keys_of_their_own(self):
        """Two hubs, each with its key, and one list of who may come in. A client that has paired with one finds the other."""
        self.etcd.join(self.first)
        wing = Hub(name="North wing")
        self.addCleanup(wing.remove)
        known = self.pair(wing.start(), "Known in the wing")
        wing.stop()
        fingerprints = [hub.identity["hub"] for hub in (self.first, wing)]
        with self.subTest("a hub that nobody has moved in with"):
            self.assertEqual(
                self.fails(wing, "hub", "site", "join", self.etcd.members, *self.etcd.options(), "--with", "7MRM-FEPH-QNYK-029X"),
                (78, "error: no gate of the hub 7MRM-FEPH-QNYK-029X is in this etcd\n"
                     "hint: 'hubpair hub site' says at one of its gates which hub's site it is\n"))
        with self.subTest("the fingerprint comes from the first hub's status"):
            whose = json.loads(self.first.run("hub", "site", "--json"))["hub"]
            self.assertEqual(whose, fingerprints[0])
        self.etcd.join(wing, "--with", whose)
        # An address that others could reach.
        address = ["10.77.0.9/32", "dev", "lo"]
        subprocess.run(["ip", "address", "add", *address], check=True)
        self.addCleanup(subprocess.run, ["ip", "address", "del", *address])
        self.first.start()
        wing.start()
        with self.subTest("let in at one, let in at both"):
            self.first.wait_for(lambda: answer(self.first, known) == 502, "the first hub lets it in")
            laptop = self.pair(self.first, "Laptop")
            wing.wait_for(lambda: answer(wing, laptop) == 502, "the wing lets it in")
        def told(hub, device):
            with Connection(hub.port, device) as connection:
                status, _, body = connection.request("GET", "/hubpair/v1/site")
            return status, {each["name"]: each for each in json.loads(body).get("hubs", [])}
        with self.subTest("each tells of both, and strangers of none"):
            for hub in (self.first, wing):
                hub.wait_for(lambda: len(told(hub, laptop)[1]) == 2, "both are told of")
            status, hubs = told(self.first, laptop)
            self.assertEqual((status, sorted(hubs)), (200, ["Kitchen hub", "North wing"]))
            self.assertIn({"address": f"10.77.0.9:{wing.port}", "kind": "home"}, hubs["North wing"]["ways"])
            self.assertEqual(told(self.first, self.device("Stranger")), (403, {}))
        environment = {**os.environ, "HUBPAIR_CONFIG": os.path.join(self.folder, "config"), "LC_ALL": "C.UTF-8"}

        def client(*arguments, **options):
            done = subprocess.run([HUBPAIR, *arguments], env=environment, text=True, capture_output=True, timeout=120, **options)
            return done.returncode, done.stdout, done.stderr
        with self.subTest("a client that pairs with one knows the other, and reaches it"):
            self.assertEqual(client("pair", "-", "--hub", f"127.0.0.1:{self.first.port}", "--name", "Desk", input=self.first.run("print", "--format", "text", "--address", "none"))[0], 0)
            hubs = {each["name"]: each for each in map(json.loads, client("hubs", "--json")[1].splitlines())}
            self.assertEqual({name: each["by"] for name, each in hubs.items()}, {"Kitchen hub": None, "North wing": fingerprints[0]})
            self.assertEqual(hubs["North wing"]["hub"], fingerprints[1])
            status, out, words = client("call", "GET", "/hubpair/v1/device", "--hub", "North wing")
            self.assertEqual(status, 0, words)
            self.assertEqual(json.loads(out)["status"], "approved")
            self.assertRegex(client("hubs")[1], f"North wing +{fingerprints[1]} .* by {fingerprints[0]}")
        with self.subTest("who forgets a hub is not told of it again, though something is new"):
            self.assertEqual(client("hubs", "forget", "North wing")[0], 0)
            wing.run("hub", "ways", "add", "wing.example.org:8000")
            self.first.wait_for(
                lambda: any(way["address"] == "wing.example.org:8000" for way in told(self.first, laptop)[1]["North wing"]["ways"]),
                "the new way is told of")
            self.assertEqual(client("call", "GET", "/hubpair/v1/device")[0], 0)
            self.assertNotIn("North wing", client("hubs")[1])
        with self.subTest("revoked at one, refused at both"):
            wing.run("devices", "revoke", "Laptop")
            self.assertEqual(answer(wing, laptop), 403)
            self.first.wait_for(lambda: answer(self.first, laptop) == 403, "the first hub refuses it")
        with self.subTest("out again, with its own key and all devices"):
            wing.run("hub", "site", "leave")
            self.assertEqual({each["name"]: each["status"] for each in wing.devices()},
                             {each["name"]: each["status"] for each in self.first.devices()})
            desk = next(each for each in self.first.devices() if each["name"] == "Desk")
            self.first.run("devices", "revoke", desk["device"])
            self.assertEqual(next(each["status"] for each in wing.devices() if each["name"] == "Desk"), "approved")
            self.first.wait_for(lambda: len(told(self.first, known)[1]) == 1, "the wing is not told of any more")

    def test_a_code_used_at_two_gates_has_one_winner(self):
        one, other = self.gates()
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            for number in range(int(os.environ.get("HUBPAIR_SITE_RACES", 6))):
                code = one.code()

                def attempt(index, code=code, number=number):
                    try:
                        return Attempt(code, self.device(f"D{number}-{index}")).send((one, other)[index % 2].port)
                    except Refused as refused:
                        return refused.error
                results = list(pool.map(attempt, range(4)))
                errors = [each for each in results if isinstance(each, str)]
                self.assertEqual(errors, ["ticket_used"] * 3, results)
        names = [device["name"] for device in one.devices()]
        self.assertEqual(len(names), int(os.environ.get("HUBPAIR_SITE_RACES", 6)))

    def test_without_a_majority_nothing_is_decided(self):
        one, other = self.gates("--stale", "10m")
        laptop = self.pair(one, "Laptop")
        other.wait_for(lambda: answer(other, laptop) == 502, "the other gate lets it in")
        with self.subTest("a member dies, even the one that leads"):
            leader = self.etcd.leader()
            code = Attempt(one.code(), self.device("Tablet"))
            self.etcd.kill(leader)
            one.wait_for(lambda: self.is_paired(code, one), "it pairs with two members")
        with self.subTest("the majority dies"):
            code = one.code()
            self.etcd.kill(next(name for name in self.etcd.names if name != leader))
            attempt = Attempt(code, self.device("Phone"))
            with self.assertRaises(Refused) as refused:
                attempt.send(one.port)
            self.assertEqual((refused.exception.status, refused.exception.error), (503, "unavailable"))
            status, words = self.fails(one, "devices", "revoke", "Laptop")
            self.assertEqual(status, 69, words)
            self.assertNotIn("revoked", words)
            self.assertEqual((answer(one, laptop), answer(other, laptop)), (502, 502))
            self.assertEqual(self.fails(one, "hub", "site")[0], 69)
        with self.subTest("a gate that starts again goes on with its copy"):
            other.kill()
            other.start()
            self.assertEqual(answer(other, laptop), 502)
        with self.subTest("and all goes on when it is back"):
            self.etcd.start(leader)
            self.etcd.wait()
            # The same nonce: whatever became of the first attempt, it is one.
            one.wait_for(lambda: self.is_paired(attempt, other), "the code is as good as before")
            one.run("devices", "revoke", "Laptop")
            other.wait_for(lambda: answer(other, laptop) == 403, "the other gate refuses it")

    def is_paired(self, attempt, gate):
        try:
            attempt.send(gate.port)
            return True
        except Refused as refused:
            self.assertEqual(refused.status, 503, refused.error)
            return False

    def test_a_copy_that_nobody_confirms_lets_nobody_in(self):
        one, other = self.gates("--stale", "2s")
        laptop = self.pair(one, "Laptop")
        for name in self.etcd.names[:2]:
            self.etcd.kill(name)
        one.wait_for(lambda: answer(one, laptop) == 503, "the time is over")
        self.assertIn("nobody is let in until", one.log())
        for name in self.etcd.names[:2]:
            self.etcd.start(name)
        one.wait_for(lambda: answer(one, laptop) == 502, "it is back")

    def test_a_copy_that_a_command_keeps_from_changing_lets_nobody_in(self):
        one, other = self.gates("--stale", "2s")
        laptop = self.pair(one, "Laptop")
        other.wait_for(lambda: answer(other, laptop) == 502, "the other gate lets it in")
        with open(os.path.join(other.state, ".lock")) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            one.run("devices", "revoke", "Laptop")
            other.wait_for(lambda: answer(other, laptop) == 503, "the time is over")
            # The site answers this gate all the while: each time it tries again, it hears what is new.
            other.wait_for(lambda: "cannot be written down" in other.log(), "it has tried to, and says so")
            self.assertNotIn("the site does not answer", other.log())
            end = time.monotonic() + 4
            while time.monotonic() < end:
                self.assertEqual(answer(other, laptop), 503)
        other.wait_for(lambda: answer(other, laptop) == 403, "it is revoked there")

    def test_who_waits_for_the_site_holds_no_lock(self):
        """A command that waits for members that hang keeps nobody else of its gate from the directory."""
        one, _ = self.gates("--stale", "10m")
        self.pair(one, "Laptop")
        for name in self.etcd.names:
            self.etcd.processes[name].send_signal(signal.SIGSTOP)
        try:
            one.stop()
            command = subprocess.Popen(
                [HUBPAIR, "devices", "rename", "Laptop", "Phone", "--state", one.state], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            free = held = 0
            with open(os.path.join(one.state, ".lock")) as lock:
                while command.poll() is None:
                    try:
                        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        fcntl.flock(lock, fcntl.LOCK_UN)
                        free += 1
                    except BlockingIOError:
                        held += 1
                    time.sleep(0.01)
            _, words = command.communicate()
            self.assertEqual(command.returncode, 69, words)
            self.assertGreater(free, 10 * held)
        finally:
            for name in self.etcd.names:
                self.etcd.processes[name].send_signal(signal.SIGCONT)
        self.etcd.wait()
        one.run("devices", "rename", "Laptop", "Phone")

    def test_the_doctor_warns(self):
        """What is wrong with a site and does not yet hurt, as `doctor` says it."""
        hub, etcd = self.first, self.etcd

        def site():
            done = subprocess.run([HUBPAIR, "doctor", "--no-sweep", "--json", "--state", hub.state],
                                  capture_output=True, text=True, timeout=120)
            found = {each["check"]: each for each in map(json.loads, done.stdout.splitlines())}["hub-site"]
            return found["status"], found["seen"]

        etcd.join(hub)
        self.assertEqual(site()[0], "ok")
        with self.subTest("behind"):
            other = Gate(hub)
            self.addCleanup(other.remove)
            other.run("print", "--format", "text", "--address", "none")
            self.assertEqual(site(), ("warning", "this gate's copy is behind"))
            hub.run("print", "--format", "text", "--address", "none")
            self.assertEqual(site()[0], "ok")
        with self.subTest("a certificate that runs out"):
            pem, key = etcd.authority.issue("short", days=5)
            hub.run("hub", "site", "join", etcd.members, "--ca", etcd.authority.path, "--cert", pem, "--key", key)
            status, words = site()
            self.assertEqual((status, "runs out on" in words), ("warning", True), words)
            etcd.join(hub)
        with self.subTest("a member is away"):
            etcd.kill("m1")
            place = f"https://127.0.0.1:{etcd.ports['m1'][0]}"
            self.assertEqual(site(), ("warning", f"of 3 members these do not answer: {place}"))
        with self.subTest("no majority"):
            etcd.kill("m2")
            status, words = site()
            self.assertEqual(status, "problem", words)

    def test_what_stands_in_a_members_place(self):
        """A proxy that answers with its own page: the next member is asked, and without one it is said."""
        pem, key = self.etcd.authority.issue("proxy")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem, key)

        class Proxy(http.server.BaseHTTPRequestHandler):
            status, page = 502, b"<html><body>Bad Gateway</body></html>"

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(self.status)
                self.send_header("Content-Length", str(len(self.page)))
                self.end_headers()
                self.wfile.write(self.page)

            def log_message(self, *words):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        place = f"https://127.0.0.1:{server.server_port}"
        for Proxy.status, Proxy.page in ((502, Proxy.page), (200, Proxy.page), (404, b'{"what": "is this"}'), (200, b"")):
            with self.subTest(status=Proxy.status, page=Proxy.page):
                self.assertEqual(
                    self.fails(self.first, "hub", "site", "join", place, *self.etcd.options()),
                    (69, f"error: {place} does not answer as etcd 3.4 or newer does (HTTP {Proxy.status})\n"
                         "hint: what stands in front of a member has to pass TLS through; 'hubpair hub site status' asks every "
                         "member\n"))
                self.assertNotIn("site", os.listdir(self.first.state))
        self.first.run("hub", "site", "join", f"{place},{self.etcd.members}", *self.etcd.options())
        self.pair(self.first.start(), "Laptop")
        status = json.loads(self.first.run("hub", "site", "--json"))
        self.assertIn("does not answer as etcd", status["members"][0]["fault"])
        self.assertIsNone(status["fault"])

    def test_an_etcd_that_asks_for_users(self):
        """The JSON gateway hands on no certificate: with users nobody gets in, which is said, and nothing is lost."""
        one, other = self.gates()
        laptop, attempt = self.pair(one, "Laptop"), Attempt(one.code(), self.device("Phone"))
        other.wait_for(lambda: answer(other, laptop) == 502, "the other gate lets it in")
        for words in (("user", "add", "root:secret"), ("user", "grant-role", "root", "root"), ("auth", "enable")):
            done = self.etcd.control(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
        with self.assertRaises(Refused) as refused:
            attempt.send(one.port)
        self.assertEqual((refused.exception.status, refused.exception.error), (503, "unavailable"))
        status, words = self.fails(one, "devices", "revoke", "Laptop")
        self.assertEqual((status, "asks for a user, and a gate has none" in words, "etcdctl auth disable" in words),
                         (77, True, True), words)
        self.assertEqual((answer(one, laptop), answer(other, laptop)), (502, 502))
        self.assertEqual(self.etcd.control("auth", "disable", "--user", "root:secret").returncode, 0)
        one.wait_for(lambda: self.is_paired(attempt, other), "the code is as good as before")
        one.run("devices", "revoke", "Laptop")
        other.wait_for(lambda: answer(other, laptop) == 403, "the other gate refuses it")

    def test_clear_errors(self):
        hub, etcd = self.first, self.etcd
        pem, key = etcd.gate
        def join(*options, members=etcd.members):
            return self.fails(hub, "hub", "site", "join", members, *options)
        strangers = Authority(etcd.folder, "strangers")
        their_pem, their_key = strangers.issue("stranger")
        for what, arguments, status, words in [
            ("another authority", ("--ca", strangers.path, "--cert", pem, "--key", key), 77, "not of the authority"),
            ("a stranger's certificate", ("--ca", etcd.authority.path, "--cert", their_pem, "--key", their_key), 77,
             "refuses this gate's certificate"),
            ("another key", ("--ca", etcd.authority.path, "--cert", pem, "--key", their_key), 64, "do not belong together"),
            ("no certificate", ("--ca", etcd.authority.path, "--cert", key, "--key", key), 65, "holds no certificate"),
        ]:
            with self.subTest(what):
                code, said = join(*arguments)
                self.assertEqual((code, words in said), (status, True), said)
                self.assertNotIn("site", os.listdir(hub.state))
        with self.subTest("nobody there"):
            self.assertEqual(join(*etcd.options(), members="https://127.0.0.1:1")[0], 69)
        with self.subTest("half a migration"):
            prefix = f"/hubpair/1/{hub.identity['hub']}"
            etcd.control("put", f"{prefix}/moving", "x")
            etcd.control("put", f"{prefix}/part/tickets/ticket left over", "3\n[ticket left over]\n")
            etcd.join(hub)
            self.assertEqual(json.loads(hub.run("hub", "site", "--json"))["gates"] != [], True)
            self.assertEqual(hub.run("codes", "--json").strip(), "")
            etcd.control("del", f"{prefix}/head")
            etcd.control("put", f"{prefix}/moving", "x")
            self.assertIn("did not finish", self.fails(hub, "print", "--format", "text")[1])
        with self.subTest("emptied"):
            etcd.control("del", "--prefix", prefix)
            self.assertIn("holds nothing of this hub", self.fails(hub, "print", "--format", "text")[1])
            hub.run("hub", "site", "leave")
            etcd.join(hub)
        with self.subTest("what no gate has written"):
            etcd.control("put", f"{prefix}/part/approved-devices/device X", "1\n[device X]\nname=x\n")
            etcd.control("put", f"{prefix}/head", "x")
            code, said = self.fails(hub, "devices", "revoke", "X")
            self.assertEqual(code, 65, said)
            etcd.control("del", f"{prefix}/part/approved-devices/device X")
            etcd.control("put", f"{prefix}/head", "y")
            hub.run("print", "--format", "text")
        with self.subTest("history that is gone"):
            hub.start()
            revision = json.loads(hub.run("hub", "site", "--json"))["revision"]
            etcd.control("compaction", str(revision))
            self.pair(hub, "Laptop")
        with self.subTest("another cluster"):
            other = Etcd(count=1)
            self.addCleanup(other.remove)
            # The members' place, and another cluster in it.
            path = os.path.join(hub.state, "site")
            with open(path) as file:
                text = file.read()
            number = text.split("cluster=")[1].split()[0]
            with open(path, "w") as file:
                file.write(text.replace(number, str(int(number) ^ 1)))
            code, said = self.fails(hub, "print", "--format", "text")
            self.assertEqual((code, "another etcd cluster" in said), (78, True), said)
            with open(path, "w") as file:
                file.write(text)
            code, said = self.fails(hub, "hub", "site", "join", other.members, *other.options())
            self.assertEqual((code, "is a gate of the site at" in said), (64, True), said)
