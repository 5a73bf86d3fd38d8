"""What a gate that has been taken over cannot do: its own threads make the system calls (`taken_over`)."""
import contextlib
import ctypes
import json
import os
import platform
import subprocess
import tempfile
import unittest

from hub import HUBPAIR, Hub
from second_implementation import Attempt, Connection, Device
from taken_over import CLONE, CLOSE, GETPID, MMAP, MOUNT, OPENAT, PTRACE, SOCKET, UNSHARE, Busy, TakenOver

HERE = -100  # AT_FDCWD
WRITE, CREATE = 1, 0o101
LANDLOCK = ctypes.CDLL(None).syscall(444, None, 0, 1) > 0  # landlock_create_ruleset(2): the version


@unittest.skipUnless(platform.machine() == "x86_64", "the system calls are x86-64's")
class SandboxTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.hub = Hub()
        self.addCleanup(self.hub.remove)
        self.hub.start()

    def threads(self):
        return [int(name) for name in os.listdir(f"/proc/{self.hub.process.pid}/task")]

    def status(self, thread):
        with open(f"/proc/{self.hub.process.pid}/task/{thread}/status") as file:
            return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)

    def test_every_thread_is_locked_in(self):
        for thread in self.threads():
            status = self.status(thread)
            self.assertEqual((status["Seccomp"], status["NoNewPrivs"]), ("2", "1"), thread)

    def test_what_a_gate_that_was_taken_over_cannot_do(self):
        secret = os.path.join(self.folder, "secret")
        with open(secret, "w") as file:
            file.write("the family's letters")
        tried = 0
        for thread in self.threads():
            # One that works waits soon.
            with contextlib.suppress(Busy), TakenOver(thread) as gate:
                self.try_all(gate, secret)
                tried += 1
        self.assertGreater(tried, 1)
        # It has noticed nothing.
        self.assertIn("serves on port", self.hub.log())
        with Connection(self.hub.port) as connection:
            self.assertEqual(connection.request("GET", "/hubpair/v1/hub")[0], 200)

    def try_all(self, gate, secret):
        self.assertEqual(gate.call(GETPID), self.hub.process.pid)
        with self.subTest("its own files"):
            opened = gate.call(OPENAT, HERE, os.path.join(self.hub.state, "hub"), 0, 0)
            self.assertGreaterEqual(opened, 0)
            self.assertEqual(gate.call(CLOSE, opened), 0)
        if LANDLOCK:
            with self.subTest("its user's other files"):
                for path in (secret, os.path.expanduser("~"), "/tmp", "/var/log"):
                    self.assertEqual(gate.call(OPENAT, HERE, path, 0, 0), "EACCES", path)
                for path in (secret, os.path.join(self.folder, "new"), "/etc/hubpair-was-here", "/usr/bin/new"):
                    self.assertEqual(gate.call(OPENAT, HERE, path, WRITE | CREATE, 0o600), "EACCES", path)
                self.assertEqual(gate.call(OPENAT, HERE, f"/proc/{os.getpid()}/mem", 0, 0), "EACCES")
        with self.subTest("other processes and the kernel"):
            self.assertEqual(gate.call(PTRACE, 16, os.getpid(), 0, 0), "EPERM")
            self.assertEqual(gate.call(UNSHARE, 0x10000000), "EPERM")
            self.assertEqual(gate.call(CLONE, 0x10000000 | 17, 0, 0, 0, 0), "EPERM")
            self.assertEqual(gate.call(MOUNT, "x", "/", "tmpfs", 0, 0), "EPERM")
            self.assertEqual(gate.call(435, 0, 0), "ENOSYS")  # clone3
            self.assertEqual(gate.call(425, 1, 0), "EPERM")  # io_uring_setup
        with self.subTest("memory that is written and run"):
            self.assertEqual(gate.call(MMAP, 0, 4096, 7, 0x22, -1, 0), "EPERM")
        with self.subTest("sockets of other kinds"):
            for family in (17, 38, 40):  # AF_PACKET, AF_ALG, AF_VSOCK
                self.assertEqual(gate.call(SOCKET, family, 3, 0), "EAFNOSUPPORT")

    def test_the_house_may_do_more_and_comes_back(self):
        """The keeper starts it, outside of the gate's lock, as a child of the gate, which sees how it ends."""
        def house():
            for child in self.hub.children():
                with contextlib.suppress(OSError), open(f"/proc/{child}/cmdline") as file:
                    if "hubpair-house" in file.read().split("\0")[0]:
                        return int(child)
        self.hub.wait_for(house, "the house is there")
        first = house()
        with open(f"/proc/{first}/status") as file:
            status = file.read()
        self.assertIn("Seccomp:\t0", status)
        self.assertIn(f"PPid:\t{self.hub.process.pid}\n", status)
        os.kill(first, 9)
        self.hub.wait_for(lambda: house() not in (None, first), "it is started again")
        self.assertIn("the household's process was killed; it is started again", self.hub.log())

    def test_the_doctor_says_it(self):
        done = subprocess.run([HUBPAIR, "doctor", "--no-sweep", "--json", "--state", self.hub.state],
                              capture_output=True, text=True, timeout=120)
        found = {each["check"]: each for each in map(json.loads, done.stdout.splitlines())}
        self.assertEqual(found["hub-sandbox"]["status"], "ok" if LANDLOCK else "warning", found["hub-sandbox"])
        self.hub.stop()
        done = subprocess.run([HUBPAIR, "doctor", "--no-sweep", "--json", "--state", self.hub.state],
                              capture_output=True, text=True, timeout=120)
        found = {each["check"]: each for each in map(json.loads, done.stdout.splitlines())}
        self.assertEqual(found["hub-sandbox"]["status"], "skipped")

    def test_a_device_pairs(self):
        device = Device(os.path.join(self.folder, "laptop"), "Laptop")
        Attempt(self.hub.code(), device).send(self.hub.port)
        with Connection(self.hub.port, device) as connection:
            self.assertEqual(connection.request("GET", "/devices/")[0], 502)
