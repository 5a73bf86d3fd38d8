"""Balancers in front of two gates, each on a host of its own: the samples, as they stand, in a real HAProxy and nginx; and a
name with two addresses."""
import os
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

from etcd import Etcd
from hub import HUBPAIR, free_port
from lan import Balancer, HostedGate, Lan, ip
from second_implementation import Attempt, Connection, Device, Refused

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../samples/balancers")
BALANCERS = {
    "haproxy": ("haproxy.cfg", ["haproxy", "-db", "-f", "{path}"]),
    "nginx": ("nginx.conf", ["nginx", "-p", "{folder}", "-e", "{folder}/error", "-g", "daemon off;", "-c", "{path}"]),
}


class Client(threading.Thread):
    """Asks again and again, and knows for how long nobody let it in. It keeps its connection, or makes a new one each time."""

    def __init__(self, port, device, source, keeps):
        super().__init__()
        self.port, self.device, self.source, self.keeps = port, device, source, keeps
        self.gap, self.answers, self.last, self.ends = 0.0, 0, time.monotonic(), False
        self.connection = None
        self.start()

    def run(self):
        while not self.ends:
            try:
                if self.connection is None:
                    self.connection = Connection(self.port, self.device, source=self.source, timeout=10 if self.keeps else 1)
                status = self.connection.request("GET", "/devices/")[0]
            except Exception:  # http.client has several errors for a closed connection
                status = None
            if status == 502:
                now = time.monotonic()
                self.gap, self.last, self.answers = max(self.gap, now - self.last), now, self.answers + 1
            if self.connection and (status is None or not self.keeps):
                self.connection.close()
                self.connection = None
            time.sleep(0.05)


class BalancerTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        def made(it):
            cls.addClassCleanup(it.remove)
            return it

        cls.lan = made(Lan())
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        etcd = made(Etcd(count=1, lan=cls.lan))
        first = made(HostedGate(cls.lan, "g1", options=["--balancer", f"{cls.lan.NET}.1"]))
        etcd.join(first.hub)
        cls.gates = [first, made(HostedGate(cls.lan, "g2", first))]
        for gate in cls.gates:
            gate.start()
        cls.lan.host("laptop")
        # Another address of this host, which is no balancer's.
        ip("addr", "add", f"{cls.lan.NET}.2/24", "dev", "lan")

    def balancer(self, kind):
        sample, command = BALANCERS[kind]
        balancer = Balancer(os.path.join(SAMPLES, sample), command, free_port(), self.gates)
        self.addCleanup(balancer.remove)
        return balancer.port

    def paired(self, port, name):
        device = Device(os.path.join(self.folder, name), name)
        attempt = Attempt(self.gates[0].code(), device)

        def is_paired():
            try:
                return attempt.send(port)["status"] == "approved"
            except Refused as refused:
                # A gate whose plug was pulled before has not found its etcd again.
                self.assertEqual(refused.status, 503)

        self.gates[0].wait_for(is_paired, f"{name} pairs")
        return device

    def test_haproxy(self):
        self.check("haproxy")

    def test_nginx(self):
        self.check("nginx")

    def check(self, kind):
        port = self.balancer(kind)
        device = self.paired(port, f"Laptop by {kind}")
        with self.subTest("every gate lets in who has paired through it"):
            for gate in self.gates:
                gate.wait_for(lambda gate=gate: self.status(gate.port, device, gate.address) == 502, "it is let in")
        with self.subTest("callers count by their own addresses"):
            count = 24
            held = [Connection(port, source=f"127.0.1.{number}") for number in range(1, count + 1)]
            self.assertEqual([each.request("GET", "/hubpair/v1/hub")[0] for each in held], [200] * count)
            many = [Connection(port, source="127.0.2.1") for _ in range(17)]
            self.gates[0].wait_for(
                lambda: any("from the source of 127.0.2.1: it has 16 already" in gate.log() for gate in self.gates),
                "the oldest of 17 from one address is closed")
            for each in held + many:
                each.close()
        with self.subTest("a plug is pulled"):
            # Clients of many addresses, so that each gate has some.
            clients = [Client(port, device, f"127.0.3.{number}", keeps) for number in range(1, 9) for keeps in (False, True)
                       if kind == "haproxy" or not keeps]
            try:
                self.gates[0].wait_for(lambda: all(each.answers for each in clients), "all are let in")
                for each in clients:
                    each.gap = 0.0
                pulled = time.monotonic()
                self.lan.pull("g1")
                self.gates[0].wait_for(lambda: all(each.last > pulled + 3 for each in clients), "all are let in again")
            finally:
                self.lan.plug("g1")
                for each in clients:
                    each.ends = True
                for each in clients:
                    each.join()
                    if each.connection:
                        each.connection.close()
            gaps = {keeps: max((each.gap for each in clients if each.keeps == keeps), default=0) for keeps in (False, True)}
            print(f"{kind}: a plug pulled from one of two gates: the longest gap of {len(clients)} clients was "
                  f"{gaps[False]:.2f} s with new connections, {gaps[True]:.2f} s with one that is kept (0: none)", flush=True)
        self.gates[0].wait_for(lambda: self.status(self.gates[0].port, device, self.gates[0].address) == 502, "it is back")

    def status(self, port, device, host):
        try:
            with Connection(port, device, host=host, source=f"{self.lan.NET}.2") as connection:
                return connection.request("GET", "/devices/")[0]
        except OSError:
            return None

    def test_who_is_no_balancer_names_nobody(self):
        gate = self.gates[0]
        line = b"PROXY TCP4 127.0.4.1 10.78.0.1 1234 8000\r\n"
        with self.subTest("another host"), socket.create_connection(
                (gate.address, gate.port), timeout=60, source_address=(f"{self.lan.NET}.2", 0)) as raw:
            raw.sendall(line)
            with self.assertRaises((ssl.SSLError, OSError)):
                ssl._create_unverified_context().wrap_socket(raw)
        with self.subTest("the balancer without an address"), self.assertRaises((ssl.SSLError, OSError)):
            Connection(gate.port, host=gate.address, timeout=60).close()

    def test_a_name_with_two_addresses(self):
        """The client takes the second address if nobody answers at the first."""
        hosts = os.path.join(self.folder, "hosts")
        with open(hosts, "w") as file:
            file.write("127.0.0.1 localhost\n")
            for gate in self.gates:
                file.write(f"{gate.address} gates.test\n")
        subprocess.run(["mount", "--bind", hosts, "/etc/hosts"], check=True)
        self.addCleanup(subprocess.run, ["umount", "/etc/hosts"], check=True)
        for name, pulled in (("both", None), ("second", "g1"), ("first", "g2")):
            with self.subTest(name):
                if pulled:
                    self.lan.pull(pulled)
                try:
                    gate = self.gates[pulled == "g1"]
                    code = gate.code().text
                    done = subprocess.run(
                        [*self.lan.inside("laptop"), HUBPAIR, "pair", "-", "--hub", f"gates.test:{gate.port}", "--name", f"By {name}",
                         "--config", os.path.join(self.folder, name)],
                        input=code, capture_output=True, text=True, timeout=120)
                    self.assertEqual(done.returncode, 0, done.stderr)
                finally:
                    if pulled:
                        self.lan.plug(pulled)
