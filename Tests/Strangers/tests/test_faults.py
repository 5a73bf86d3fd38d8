"""A hub that is killed at any moment, and one whose disk is full or read-only."""
import contextlib
import json
import os
import random
import re
import resource
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from hub import HUBPAIR, Hub
from second_implementation import Attempt, Connection, Device, Refused

KILLS = int(os.environ.get("HUBPAIR_KILLS", "100"))


class FaultTests(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.hub = Hub()
        self.addCleanup(self.hub.remove)

    def device(self, name):
        return Device(os.path.join(self.folder.name, name), name)

    def test_kill_at_any_moment(self):
        """Devices pair and are revoked while the hub is killed repeatedly: no file is damaged, no approval is
        lost, no revocation is undone, no ticket can be used twice."""
        seed = int(os.environ.get("HUBPAIR_SEED", random.randrange(1 << 32)))
        dice = random.Random(seed)
        print(f"HUBPAIR_SEED={seed}, {KILLS} kills", flush=True)
        devices = [self.device(f"Device {number}") for number in range(8)]
        expected = {}  # the confirmed status of each fingerprint
        attempt, used = None, []
        for round_number in range(KILLS):
            if attempt is None:
                attempt = Attempt(self.hub.code("--expires", "1h"), dice.choice(devices))
            self.hub.start()
            killer = threading.Timer(dice.uniform(0, 0.2), self.hub.kill)
            killer.start()
            try:
                while killer.is_alive():
                    if attempt is None:
                        attempt = Attempt(self.hub.code("--expires", "1h"), dice.choice(devices))
                    device = attempt.device
                    # From here on the hub may have approved the device, even if no reply arrives.
                    expected[device.fingerprint] = None
                    attempt.send(self.hub.port)
                    expected[device.fingerprint] = "approved"
                    used.append(attempt)
                    attempt = None
                    if dice.random() < 0.3:
                        expected[device.fingerprint] = None
                        self.hub.run("devices", "revoke", device.fingerprint)
                        expected[device.fingerprint] = "revoked"
            except (OSError, json.JSONDecodeError):
                pass  # killed during the request; the attempt is repeated with its nonce
            except Exception as error:  # http.client has several errors for a closed connection
                if type(error).__module__ != "http.client":
                    raise
            killer.join()
            self.hub.kill()
            found = self.hub.approved()  # fails if the keyfile is damaged
            for fingerprint, status in expected.items():
                if status is not None:
                    self.assertEqual(found.get(fingerprint), status, f"round {round_number}, seed {seed}")
        self.hub.start()
        if attempt:
            self.assertEqual(attempt.send(self.hub.port)["status"], "approved")  # as without the kill
        thief = self.device("Thief")
        for old in used[-20:]:
            with self.assertRaises(Refused) as caught:
                Attempt(old.code, thief).send(self.hub.port)
            self.assertEqual(caught.exception.error, "ticket_used")
        print(f"{len(used)} pairings between {KILLS} kills", flush=True)
        self.assertGreater(len(used), KILLS // 20)

    def test_killed_between_burn_and_approval(self):
        """The hub is killed at each file replacement. After a restart the device's retry succeeds, no other
        device can use the ticket, and a revocation in between is kept."""
        for revoke in (False, True):
            for step in range(1, 8):
                hub = Hub()
                self.addCleanup(hub.remove)
                device = self.device(f"Step {step} {revoke}")
                attempt = Attempt(hub.code(), device)
                hub.start(prefix=[
                    "strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=rename,renameat,renameat2",
                    "-e", f"inject=rename,renameat,renameat2:signal=SIGKILL:when={step}"])
                try:
                    answer = attempt.send(hub.port)
                except (OSError, Exception) as error:
                    if isinstance(error, (Refused, AssertionError)):
                        raise
                    answer = None
                hub.kill()
                if revoke and device.fingerprint in hub.approved():
                    hub.run("devices", "revoke", device.fingerprint)
                    hub.start()
                    self.assertEqual(hub.approved()[device.fingerprint], "revoked")
                    with self.assertRaises(Refused) as caught:
                        attempt.send(hub.port)
                    self.assertEqual(caught.exception.error, "not_approved")
                else:
                    hub.start()
                    again = attempt.send(hub.port)
                    self.assertEqual(again["status"], "approved")
                    if answer:
                        self.assertEqual(again, answer)
                with self.assertRaises(Refused):
                    Attempt(attempt.code, self.device(f"Thief {step} {revoke}")).send(hub.port)
                hub.kill()

    def open_files(self, pid):
        """The names of the files that a process has open."""
        names = set()
        for descriptor in os.listdir(f"/proc/{pid}/fd"):
            with contextlib.suppress(FileNotFoundError):  # closed meanwhile
                names.add(os.path.basename(os.readlink(f"/proc/{pid}/fd/{descriptor}")))
        return names

    def test_no_descriptor_left(self):
        """Without descriptors the hub accepts no connection, waits without busy looping, and resumes when one
        is free."""
        device = self.device("Tablet")
        self.hub.start()
        Attempt(self.hub.code(), device).send(self.hub.port)
        # What it begins after it is ready needs descriptors, too.
        pid = self.hub.process.pid
        self.hub.wait_for(lambda: "announced over mDNS" in self.hub.log(), "it is announced", 30)
        self.hub.wait_for(
            lambda: any("household.sqlite-wal" in self.open_files(child) for child in self.hub.children()),
            "its house has opened the database", 30)
        before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        used = len(os.listdir(f"/proc/{pid}/fd"))
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (used + 8, before[1]))
        waiting = []
        for number in range(40):
            waiting.append(socket.create_connection(
                ("127.0.0.1", self.hub.port), source_address=(f"127.0.0.{number + 2}", 0)))
        self.hub.wait_for(lambda: "cannot take a connection" in self.hub.log(), "descriptors are used up")
        start = self.cpu_seconds(pid)
        time.sleep(3)
        self.assertLess(self.cpu_seconds(pid) - start, 0.5)
        self.assertIsNone(self.hub.process.poll(), self.hub.log())
        for connection in waiting:
            connection.close()
        self.hub.wait_for(lambda: len(os.listdir(f"/proc/{pid}/fd")) <= used, "the hub closes what ended")
        for limit in ((used + 8, before[1]), before):
            resource.prlimit(pid, resource.RLIMIT_NOFILE, limit)
            with Connection(self.hub.port, device) as connection:
                self.assertEqual(connection.request("GET", "/hubpair/v1/device")[0], 200)
        self.assertEqual(self.hub.stop(), 0)

    def test_strangers_cannot_use_up_the_descriptors(self):
        """With the lowest limit that serve accepts, strangers who connect from the first moment on leave enough
        for the hub's libraries. libdispatch aborts the process where it finds none: for a timer, and once a
        second for the state of its threads (/proc/TID/stat)."""
        device = self.device("Tablet")
        self.hub.start()
        Attempt(self.hub.code(), device).send(self.hub.port)
        self.assertEqual(self.hub.stop(), 0)
        few = subprocess.run(
            ["prlimit", "--nofile=64:64", HUBPAIR, "serve", "--state", self.hub.state], capture_output=True, text=True)
        self.assertEqual(few.returncode, 78, few.stderr)
        limit = int(re.search(r"may need (\d+)", few.stderr)[1])
        ours = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, ours)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, ours[1]), ours[1]))
        os.unlink(self.hub.log_path)
        self.hub.start(prefix=["prlimit", f"--nofile={limit}:{limit}"])
        pid = self.hub.process.pid
        self.assertEqual(resource.prlimit(pid, resource.RLIMIT_NOFILE), (limit, limit))
        waiting, most = [], 0
        for number in range(limit + 100):
            source = (f"127.0.{1 + number // 200}.{number % 200 + 1}", 0)
            waiting.append(socket.create_connection(("127.0.0.1", self.hub.port), source_address=source))
            if number % 20 == 0:
                most = max(most, len(os.listdir(f"/proc/{pid}/fd")))
        self.hub.wait_for(lambda: "announced over mDNS" in self.hub.log(), "the hub is announced")
        most = max(most, len(os.listdir(f"/proc/{pid}/fd")))
        self.assertGreater(most, 400)
        self.assertLess(most, limit - 32)
        self.assertNotIn("Too many open files", self.hub.log())
        for connection in waiting:
            connection.close()
        with Connection(self.hub.port, device) as connection:
            self.assertEqual(connection.request("GET", "/hubpair/v1/device")[0], 200)
        self.assertEqual(self.hub.stop(), 0)

    def test_a_system_that_does_not_tell_of_changes(self):
        """With no inotify instance left, the hub still serves, and a revocation closes open connections."""
        device = self.device("Tablet")
        self.hub.start(prefix=[
            "unshare", "--user", "--map-root-user", "sh", "-c",
            'echo 0 >/proc/sys/user/max_inotify_instances && exec "$@"', "sh"])
        self.assertIn("looks for changes", self.hub.log())
        Attempt(self.hub.code(), device).send(self.hub.port)
        with Connection(self.hub.port, device) as connection:
            self.assertEqual(connection.request("GET", "/hubpair/v1/device")[0], 200)
            self.hub.run("devices", "revoke", device.fingerprint)
            self.assertEqual(connection.raw(b""), b"")  # closed by the hub
        self.hub.wait_for(lambda: "no longer approved" in self.hub.log(), "the hub has seen it")
        self.assertEqual(self.hub.stop(), 0)

    def cpu_seconds(self, pid):
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def test_disk_full(self):
        """An approval that cannot be written is refused, and what was written is kept."""
        self.refuses_while(
            mount=["mount", "-t", "tmpfs", "-o", "size=512k,mode=0700", "none"],
            spoil=lambda path: self.fill(path), mend=lambda path: os.unlink(os.path.join(path, "filler")))

    def test_read_only_disk(self):
        self.refuses_while(
            mount=["mount", "-t", "tmpfs", "-o", "mode=0700", "none"],
            # A second mount over the first: where the hub has a file open, the first cannot become read-only.
            spoil=lambda path: [subprocess.run(["mount", *words, path], check=True)
                                for words in (["--bind", path], ["-o", "remount,bind,ro"])],
            mend=lambda path: subprocess.run(["umount", "--lazy", path], check=True))

    def fill(self, path):
        with open(os.path.join(path, "filler"), "wb", buffering=0) as file:
            try:
                while file.write(bytes(512)):
                    pass
            except OSError:
                pass

    def refuses_while(self, mount, spoil, mend):
        hub = Hub()
        self.addCleanup(hub.remove)
        whole = os.path.join(hub.folder, "copy")
        subprocess.run(["cp", "-a", hub.state, whole], check=True)
        subprocess.run([*mount, hub.state], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", hub.state], check=True)
        subprocess.run(["cp", "-a", whole + "/.", hub.state], check=True)
        hub.start()
        first, second = self.device("First"), self.device("Second")
        Attempt(hub.code(), first).send(hub.port)
        attempt = Attempt(hub.code(), second)
        for _ in range(15):  # invalid requests, which the log limits
            with Connection(hub.port, second) as connection:
                self.assertEqual(connection.request("POST", "/hubpair/v1/pair", b"{}")[0], 400)
        spoil(hub.state)
        with self.assertRaises(Refused) as caught:
            attempt.send(hub.port)
        self.assertGreaterEqual(caught.exception.status, 500)
        self.assertIn("cannot pair: ", hub.log())  # the owner is informed nevertheless
        self.assertEqual(hub.approved(), {first.fingerprint: "approved"})
        with Connection(hub.port, first) as connection:
            self.assertEqual(connection.request("GET", "/hubpair/v1/device")[0], 200)
        with Connection(hub.port, second) as connection:
            self.assertEqual(connection.request("GET", "/hubpair/v1/device")[0], 403)
        mend(hub.state)
        self.assertEqual(attempt.send(hub.port)["status"], "approved")
        self.assertEqual(hub.stop(), 0)


if __name__ == "__main__":
    unittest.main()
