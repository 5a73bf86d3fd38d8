#!/usr/bin/env python3
"""Measures a site: three members of etcd and three gates on loopback, beside one hub with its keyfiles.

  Tests/Strangers/site/figures.py [DEVICES [REVOCATIONS [PAIRINGS]]]     default 10000 100 90

- moving in with DEVICES approved devices, and leaving a copy at each of the two other gates
- the start of a gate with them, and its resident memory
- from a revocation that is confirmed until the last of three gates refuses the device: median and p99
- pairings a second by six clients at once, at the three gates and at one hub with a keyfile of as many devices, and the
  processor time of the gates with their houses for each: that does not depend on what else the machine does
- a change of the house: at a hub of its own, and while one, two and three gates serve: median and p99
- from the death of the gate that polls until another does

HUBPAIR is the binary, default the release build. Nothing is compared with figures of before: it depends on the machine.
"""
import base64
import concurrent.futures
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
STRANGERS = ROOT / "Tests/Strangers"


def main():
    if os.environ.get("HUBPAIR_BENCHMARK_INSIDE") != "1":
        environment = dict(os.environ, HUBPAIR_BENCHMARK_INSIDE="1", LC_ALL="C.UTF-8",
                           HUBPAIR=os.environ.get("HUBPAIR", str(ROOT / ".build/release/hubpair")),
                           DBUS_SYSTEM_BUS_ADDRESS="unix:path=/nonexistent")
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        script = 'ip link set lo up && exec "$@"'
        sys.exit(subprocess.run(["unshare", *user, "--net", "--mount", "bash", "-c", script, "bash", sys.executable, __file__,
                                 *sys.argv[1:]], env=environment).returncode)
    sys.path[:0] = [str(STRANGERS), str(STRANGERS / "site")]
    devices, revocations, pairings = (int(value) for value in (sys.argv[1:] + ["10000", "100", "90"][len(sys.argv) - 1:]))
    with tempfile.TemporaryDirectory(prefix="hubpair-site-") as folder:
        Site(folder, devices, revocations, pairings).run()


def timed(body):
    began = time.monotonic()
    return body(), time.monotonic() - began


class Site:
    def __init__(self, folder, devices, revocations, pairings):
        self.folder, self.count, self.pairings = folder, devices, pairings
        from second_implementation import Device
        self.known = [Device(os.path.join(folder, f"known-{number}"), f"Known {number}") for number in range(revocations)]

    def fill(self, hub):
        """A keyfile with as many approved devices; of some the keys are known."""
        from second_implementation import fingerprint
        pins = [each.pin for each in self.known] + [os.urandom(32) for _ in range(self.count - len(self.known))]
        with open(os.path.join(hub.state, "approved-devices"), "w") as file:
            file.write("[keyfile]\nformat=1\n")
            for number, pin in enumerate(pins):
                file.write(f"\n[device {fingerprint(pin)}]\nname=Device {number}\n"
                           f"pin=sha256//{base64.b64encode(pin).decode()}\nstatus=approved\napproved=2026-11-21T10:22:03Z\n")
        os.chmod(os.path.join(hub.state, "approved-devices"), 0o600)

    @staticmethod
    def processor(hubs):
        """Seconds of the gates and the programs that they have started."""
        own = {hub.process.pid for hub in hubs}
        total = 0
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/stat") as file:
                    fields = file.read().rpartition(")")[2].split()
            except OSError:
                continue
            if int(process) in own or int(fields[1]) in own:
                total += int(fields[11]) + int(fields[12])
        return total / os.sysconf("SC_CLK_TCK")

    def change(self, gate, owner, count=200):
        """How long a change of the house takes, in milliseconds: median and p99."""
        from second_implementation import Connection
        took = []
        with Connection(gate.port, owner, timeout=120) as connection:
            def put(number):
                return connection.request("PUT", "/hubpair/v1/preferences", b'{"number": %d}' % number)[0]
            end = time.monotonic() + 120
            while put(0) != 200:
                assert time.monotonic() < end, "the house takes no changes"
                time.sleep(0.1)
            for number in range(count):
                status, seconds = timed(lambda: put(number))
                assert status == 200, status
                took.append(seconds * 1000)
        took.sort()
        return f"{statistics.median(took):.0f} ms, p99 {took[int(count * 0.99)]:.0f} ms"

    def house(self, alone, etcd, gates):
        """The gates serve; they are stopped and started."""
        from second_implementation import Attempt, Device

        def pair(hub, name):
            device = Device(os.path.join(self.folder, name), name)
            Attempt(hub.code("--role", "owner"), device).send(hub.port)
            return device
        print(f"a change of the house: at a hub of its own {self.change(alone, pair(alone, 'Owner alone'))}")
        owner = pair(gates[0], "Owner")
        for count in (3, 2, 1):
            if count < len(gates):
                gates[count].stop()
            print(f"a change of the house: {count} gates serve: {self.change(gates[0], owner)}")
        for gate in gates[1:]:
            gate.start()
        key = f"/hubpair/1/{gates[0].identity['hub']}/records/{gates[0].identity['hub']}/leader"

        def leader():
            return (etcd.control("get", key, "--print-value-only").stdout.split() or [None])[0]
        took = []
        for _ in range(5):
            while (first := leader()) is None:
                time.sleep(0.05)
            gate = next(each for each in gates if f"gate={first}\n" in pathlib.Path(each.state, "site").read_text())
            gate.kill()
            _, seconds = timed(lambda: [time.sleep(0.05) for _ in iter(lambda: leader() in (None, first), False)])
            took.append(seconds)
            gate.start()
        print(f"the gate that polls is killed: another polls after {statistics.median(took):.1f} s, at most {max(took):.1f} s")

    @staticmethod
    def memory(hub):
        with open(f"/proc/{hub.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024

    def pair(self, gates, name):
        """Pairings a second."""
        from second_implementation import Attempt, Connection, Device
        attempts = [Attempt(gates[0].code("--expires", "1h"), Device(os.path.join(self.folder, f"{name}-{number}"), f"{name} {number}"))
                    for number in range(self.pairings)]

        def send(numbered):
            number, attempt = numbered
            with Connection(gates[number % len(gates)].port, attempt.device, timeout=120) as connection:
                attempt.send_over(connection)

        before = self.processor(gates)
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            _, seconds = timed(lambda: list(pool.map(send, enumerate(attempts))))
        return f"{self.pairings / seconds:.1f} ({(self.processor(gates) - before) * 1000 / self.pairings:.0f} ms each)"

    def revoke(self, gates):
        """How long after it is confirmed the last gate refuses, and how long the command took, in milliseconds."""
        from second_implementation import Connection
        late, took = [], []
        for device in self.known:
            connections = [Connection(gate.port, device) for gate in gates]
            for connection in connections:
                while connection.request("GET", "/devices/")[0] != 502:
                    time.sleep(0.01)
            _, seconds = timed(lambda: gates[0].run("devices", "revoke", device.fingerprint))
            confirmed = time.monotonic()
            for gate, connection in zip(gates, connections):
                while True:
                    try:
                        if connection.request("GET", "/devices/")[0] == 403:
                            break
                    except Exception:  # it ends the connections of a device that is revoked
                        connection.close()
                        connection = Connection(gate.port, device)
                connection.close()
            late.append((time.monotonic() - confirmed) * 1000)
            took.append(seconds * 1000)
        return late, took

    def run(self):
        from etcd import Etcd, Gate
        from hub import Hub
        alone, first = (Hub(options=["--max-connections", "512/256"]) for _ in range(2))
        etcd, made = Etcd(), [alone, first]
        try:
            for hub in (alone, first):
                self.fill(hub)
            _, joining = timed(lambda: etcd.join(first))
            print(f"{self.count} devices move in: {joining:.2f} s")
            others, copying = timed(lambda: [Gate(first), Gate(first)])
            made += others
            print(f"another gate is restored from a backup, with its copy: {copying / 2:.2f} s")
            for name, hub in (("one hub", alone), ("a gate", first), ("a gate", others[0]), ("a gate", others[1])):
                _, start = timed(hub.start)
                print(f"{name} starts in {start:.2f} s and has {self.memory(hub):.0f} MB")
            gates = [first, *others]
            one, several = self.pair([alone], "alone"), self.pair(gates, "site")
            print(f"pairings a second, and the gates' processor time: {one} at one hub, {several} at three gates")
            late, took = self.revoke(gates)
            late.sort()
            print(f"revoked: the command takes {statistics.median(took):.0f} ms; from its end to the last of three gates "
                  f"{statistics.median(late):.0f} ms, p99 {late[min(len(late) - 1, int(len(late) * 0.99))]:.0f} ms ({len(late)} times)")
            print(f"then a gate has {self.memory(first):.0f} MB")
            self.house(alone, etcd, gates)
        finally:
            for hub in made:
                hub.remove()
            etcd.remove()


if __name__ == "__main__":
    main()
