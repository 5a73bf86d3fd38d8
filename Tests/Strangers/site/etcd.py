"""Three real members of etcd, with TLS and client certificates, and gates that share them."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

from hub import HUBPAIR, Hub, free_port


class Authority:
    """An authority of its own, which makes certificates with openssl."""

    def __init__(self, folder, name="site"):
        self.folder, self.name = folder, name
        self.path = self.run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                             self.file("key"), "-out", self.file("pem"), "-days", "30", "-subj", f"/CN={name}")

    def file(self, end, name=None):
        return os.path.join(self.folder, f"{name or self.name}.{end}")

    def run(self, *arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=60)
        return self.file("pem")

    def issue(self, name, days=20, names="IP:127.0.0.1"):
        """The paths of a certificate and its key."""
        key, request, pem, extension = (self.file(end, name) for end in ("key", "csr", "pem", "ext"))
        with open(extension, "w") as file:
            file.write(f"subjectAltName={names}\nextendedKeyUsage=serverAuth,clientAuth\n")
        self.run("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", request,
                 "-subj", f"/CN={name}")
        self.run("x509", "-req", "-in", request, "-CA", self.file("pem"), "-CAkey", self.file("key"), "-CAcreateserial",
                 "-days", str(days), "-extfile", extension, "-out", pem)
        os.chmod(key, 0o600)
        return pem, key


class Etcd:
    """On loopback, or each on a host of its own of `lan`. HUBPAIR_ETCD may lead to another version; with commas between
    them to several, which the members take by turns."""

    def __init__(self, count=3, lan=None):
        self.lan, self.programs = lan, os.environ.get("HUBPAIR_ETCD", "etcd").split(",")
        self.folder = tempfile.mkdtemp(prefix="hubpair-etcd-")
        self.authority = Authority(self.folder)
        self.gate = self.authority.issue("gate")
        self.names = [f"m{index}" for index in range(count)]
        self.ports = {name: (free_port(), free_port()) for name in self.names}
        self.hosts = {name: lan.host(name) if lan else "127.0.0.1" for name in self.names}
        self.processes = {}
        for name in self.names:
            self.authority.issue(name, names=f"IP:{self.hosts[name]}")
        for name in self.names:
            self.start(name)
        self.wait()

    @property
    def members(self):
        return ",".join(f"https://{self.hosts[name]}:{self.ports[name][0]}" for name in self.names)

    def start(self, name):
        client, peer = (f"https://{self.hosts[name]}:{port}" for port in self.ports[name])
        pem, key = self.authority.file("pem", name), self.authority.file("key", name)
        cluster = ",".join(f"{each}=https://{self.hosts[each]}:{self.ports[each][1]}" for each in self.names)
        with open(os.path.join(self.folder, f"{name}.log"), "a") as log:
            self.processes[name] = subprocess.Popen(
                [*(self.lan.inside(name) if self.lan else ()),
                 self.programs[self.names.index(name) % len(self.programs)], "--name", name, "--data-dir", os.path.join(self.folder, name), "--initial-cluster", cluster,
                 "--listen-client-urls", client, "--advertise-client-urls", client,
                 "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
                 "--cert-file", pem, "--key-file", key, "--client-cert-auth", "--trusted-ca-file", self.authority.path,
                 "--peer-cert-file", pem, "--peer-key-file", key, "--peer-client-cert-auth",
                 "--peer-trusted-ca-file", self.authority.path,
                 # The machine may be busy: whoever is slow is not dead.
                 "--heartbeat-interval", "300", "--election-timeout", "3000"], stdout=log, stderr=log)

    def control(self, *arguments):
        pem, key = self.gate
        return subprocess.run(
            ["etcdctl", "--endpoints", self.members, "--cacert", self.authority.path, "--cert", pem, "--key", key, *arguments],
            capture_output=True, text=True, timeout=60, env={**os.environ, "ETCDCTL_API": "3"})

    def wait(self):
        """Until a majority answers. The time only ends what hangs."""
        end = time.monotonic() + 120
        while self.control("get", "x").returncode != 0:
            assert time.monotonic() < end, "etcd does not start"
            time.sleep(0.2)

    def leader(self):
        for name in self.names:
            status = self.control("endpoint", "status", "-w", "json").stdout
            for each in json.loads(status or "[]"):
                if each["Status"]["header"]["member_id"] == each["Status"]["leader"]:
                    port = int(each["Endpoint"].rpartition(":")[2])
                    return next(name for name in self.names if self.ports[name][0] == port)
        raise AssertionError("nobody leads")

    def kill(self, name):
        self.processes[name].kill()
        self.processes[name].wait()

    def remove(self):
        for process in self.processes.values():
            process.kill()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def options(self):
        pem, key = self.gate
        return ["--ca", self.authority.path, "--cert", pem, "--key", key]

    def join(self, hub, *options):
        return hub.run("hub", "site", "join", self.members, *self.options(), *options)


class Gate(Hub):
    """One more gate: what a backup of the first one makes on another machine."""

    def __init__(self, first):
        self.folder = tempfile.mkdtemp(prefix="hubpair-strangers-")
        self.state = os.path.join(self.folder, "state")
        self.port = free_port()
        self.options, self.process = list(first.options), None
        self.log_path = os.path.join(self.folder, "log")
        self.identity = first.identity
        secret, backup = (os.path.join(self.folder, name) for name in ("secret", "backup"))
        with open(secret, "w") as file:
            file.write("correct horse battery staple, four words\n")
        os.chmod(secret, 0o600)
        first.run("hub", "backup", backup, "--passphrase-file", secret)
        self.run("hub", "restore", "--join", backup, "--passphrase-file", secret)
        self.run("setup", "--change", "--port", str(self.port))
