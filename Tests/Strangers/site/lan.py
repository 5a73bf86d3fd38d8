"""A network of namespaces: a bridge here, and hosts beside it whose plugs can be pulled."""
import shutil
import socket
import subprocess
import tempfile

from etcd import Gate
from hub import Hub


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True, timeout=60)


class Lan:
    NET = "10.78.0"

    def __init__(self):
        # Names of namespaces live below /run, which is this test's own (see run).
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
        self.hosts = []
        ip("link", "add", "lan", "type", "bridge")
        ip("addr", "add", f"{self.NET}.1/24", "dev", "lan")
        ip("link", "set", "lan", "up")

    def host(self, name):
        """A new host; returns its address."""
        address = f"{self.NET}.{11 + len(self.hosts)}"
        self.hosts.append(name)
        ip("netns", "add", name)
        ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name)
        ip("link", "set", name, "master", "lan", "up")
        ip("-n", name, "link", "set", "lo", "up")
        ip("-n", name, "addr", "add", f"{address}/24", "dev", "eth0")
        ip("-n", name, "link", "set", "eth0", "up")
        return address

    def pull(self, name):
        ip("link", "set", name, "down")

    def plug(self, name):
        ip("link", "set", name, "up")

    @staticmethod
    def inside(name):
        """What a command line begins with that runs there."""
        return ["nsenter", f"--net=/run/netns/{name}"]

    def remove(self):
        for name in self.hosts:
            ip("netns", "delete", name)
        ip("link", "delete", "lan")
        subprocess.run(["umount", "--lazy", "/run"], check=True)


class HostedGate:
    """A gate on a host of its own; the first one, or one more of it."""

    def __init__(self, lan, name, first=None, options=()):
        self.lan, self.name, self.address = lan, name, lan.host(name)
        self.hub = Gate(first.hub) if first else Hub(options=options)
        if first:
            # Elsewhere it has the same port, so that a name with the addresses of all of them will do.
            self.hub.port = first.port
            self.hub.run("setup", "--change", "--port", str(first.port))

    def start(self):
        self.hub.start(prefix=self.lan.inside(self.name))
        return self

    def __getattr__(self, name):
        return getattr(self.hub, name)


class Balancer:
    """A sample of `samples/balancers` with the gates' addresses in it."""

    def __init__(self, sample, command, port, gates):
        self.folder = tempfile.mkdtemp(prefix="hubpair-balancer-")
        self.port = port
        with open(sample) as file:
            text = file.read()
        for place, gate in zip(("10.0.0.21", "10.0.0.22"), gates):
            assert f" {place}:8000" in text
            text = text.replace(f" {place}:8000", f" {gate.address}:{gate.port}")
        for old in ("bind :8000", "listen 8000"):
            text = text.replace(old, f"{old.split()[0]} {':' if 'bind' in old else ''}{port}")
        path = f"{self.folder}/configuration"
        with open(path, "w") as file:
            file.write(text)
        with open(f"{self.folder}/log", "w") as log:
            self.process = subprocess.Popen(
                [part.format(folder=self.folder, path=path) for part in command], stdout=log, stderr=log)
        while self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except ConnectionRefusedError:
                pass
        with open(f"{self.folder}/log") as log:
            raise AssertionError("the balancer does not start:\n" + log.read())

    def remove(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
