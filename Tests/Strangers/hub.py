"""A real hub for the tests: a state directory, `hubpair serve` on loopback, and the stand-in behind it."""
import contextlib
import itertools
import functools
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time

from second_implementation import Code, TypedCode

HUBPAIR = os.environ["HUBPAIR"]
HERE = os.path.dirname(os.path.abspath(__file__))


# Below the ephemeral ports. No other program uses them, because the tests have their own network namespace.
ports = itertools.count(20_000)


def lives(pid):
    """False for a zombie, which its new parent may leave lying."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def free_port():
    return next(ports)


def all_messages(get, **query):
    """The messages of a house, page by page; `get` answers with the JSON of a path."""
    found, after = [], 0
    words = "".join(f"&{name}={value}" for name, value in query.items())
    while True:
        answer = get(f"messages?after={after}{words}")
        found += answer["messages"]
        if not answer["more"]:
            return found
        after = found[-1]["id"]


class Hestia:
    """The stand-in server as a process of its own. Like the real one it breaks when two requests overlap, unless it is
    said to be `sturdy`: then it stands for some other server."""

    def __init__(self, *options, sturdy=False):
        if not sturdy:
            options = ("--fragile", *options)
        self.process = subprocess.Popen(
            ["/usr/bin/python3", os.path.join(HERE, "hestia.py"), *options], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())
        scheme = "http" if "--plain" in options else "https"
        self.url = f"{scheme}://127.0.0.1:{self.port}"

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Nginx:
    """A real nginx: one server with the directives `server`, on a port of its own."""

    def __init__(self, server, http=""):
        self.folder = tempfile.mkdtemp(prefix="hubpair-nginx-")
        self.port = free_port()
        temporary = "".join(f"{each}_temp_path {self.folder}/{each};" for each in
                            ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        path = os.path.join(self.folder, "nginx.conf")
        with open(path, "w") as file:
            file.write(
                f"worker_processes 1; pid {self.folder}/pid; daemon off; error_log {self.folder}/error.log;"
                f"events {{ worker_connections 1024; }} http {{ access_log off; {temporary} {http}"
                f"server {{ listen 127.0.0.1:{self.port}; {server} }} }}")
        self.process = subprocess.Popen(["nginx", "-p", self.folder, "-e", f"{self.folder}/error.log", "-c", path])
        while self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except ConnectionRefusedError:
                time.sleep(0.02)
        raise AssertionError("nginx does not start")

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Relay:
    """A relay on loopback, with hubs that it has admitted."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="hubpair-relay-")
        self.state = os.path.join(self.folder, "state")
        self.port = free_port()
        self.log_path = os.path.join(self.folder, "log")
        self.process = None

    def start(self):
        """Starts it, and returns when it serves."""
        with open(self.log_path, "a") as log:
            before = log.tell()
            self.process = subprocess.Popen(
                [HUBPAIR, "relay", "serve", "--listen", f"127.0.0.1:{self.port}", "--state", self.state],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        while "serves on port" not in self.log(before):
            if self.process.poll() is not None:
                raise AssertionError("the relay does not start:\n" + self.log())
            time.sleep(0.01)
        return self

    def log(self, after=0):
        with open(self.log_path) as file:
            file.seek(after)
            return file.read()

    def pin(self):
        """The hash of its key, as a code of it says."""
        return Code(self.code()).pin

    def code(self):
        return subprocess.run(
            [HUBPAIR, "relay", "print", "--format", "text", "--address", f"127.0.0.1:{self.port}", "--state", self.state],
            capture_output=True, text=True, check=True, timeout=60).stdout

    def admit(self, hub):
        """Lets a hub in that serves, and returns once it is connected."""
        path = os.path.join(self.folder, "code")
        with open(path, "w") as file:
            file.write(self.code())
        hub.run("hub", "ways", "relay", path, f"127.0.0.1:{self.port}")
        hub.wait_for(lambda: "devices reach the hub by the relay" in hub.log(), "the hub finds its relay")

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def remove(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


@functools.cache
def knows_stay():
    """An older binary, to which HUBPAIR may lead, does not."""
    return "--stay" in subprocess.run([HUBPAIR, "print", "--help"], capture_output=True, text=True, timeout=60).stdout


class Hub:
    """A hub after `hubpair setup`; `start` runs `hubpair serve`."""

    def __init__(self, upstream=None, options=(), concurrency=None, name="Kitchen hub"):
        self.folder = tempfile.mkdtemp(prefix="hubpair-strangers-")
        self.state = os.path.join(self.folder, "state")
        self.port = free_port()
        self.options = list(options)
        self.process = None
        self.log_path = os.path.join(self.folder, "log")
        setup = ["setup", "--name", name, "--port", str(self.port), "--json"]
        if upstream:
            setup += ["--upstream", upstream]
        self.identity = json.loads(self.run(*setup))
        if concurrency:
            with open(os.path.join(self.state, "hub"), "a") as file:
                file.write(f"concurrency={concurrency}\n")

    def run(self, *arguments, check=True):
        """Standard output of a hubpair command on this hub's state. A guest stays for ever unless something else is
        said: that is not what most tests are about."""
        if arguments[0] == "print" and "guest" in arguments and "--stay" not in arguments and knows_stay():
            arguments += ("--stay", "forever")
        done = subprocess.run(
            [HUBPAIR, *arguments, "--state", self.state], capture_output=True, text=True, timeout=60)
        if check and done.returncode != 0:
            raise AssertionError(f"hubpair {arguments[0]}: {done.returncode}: {done.stderr}")
        return done.stdout

    def add_service(self, url, *options, name="Service"):
        """Puts a web service behind a port of its own, before or while the hub serves; returns the port."""
        port = free_port()
        self.run("hub", "service", "add", name, url, "--port", str(port), *(options or ("--kind", "plain")))
        return port

    def start(self, prefix=()):
        """Starts serving, and returns when the hub reports readiness through sd_notify."""
        ready = os.path.join(self.folder, "ready")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            if os.path.exists(ready):
                os.unlink(ready)
            notify.bind(ready)
            notify.settimeout(0.2)
            with open(self.log_path, "a") as log:
                self.process = subprocess.Popen(
                    [*prefix, HUBPAIR, "serve", "--state", self.state, *self.options],
                    stderr=log, stdout=log, env={**os.environ, "NOTIFY_SOCKET": ready})
            for _ in range(600):
                try:
                    if b"READY=1" in notify.recv(4096):
                        return self
                except TimeoutError:
                    if self.process.poll() is not None:
                        break
        raise AssertionError("the hub does not get ready:\n" + self.log())

    def log(self):
        with open(self.log_path) as file:
            return file.read()

    def children(self):
        """The processes that it has started."""
        found = set()
        for task in os.listdir(f"/proc/{self.process.pid}/task"):
            with contextlib.suppress(OSError), open(f"/proc/{self.process.pid}/task/{task}/children") as file:
                found |= set(file.read().split())
        return found

    def kill(self):
        """Ends it at once; its house ends by itself then, which is waited for."""
        if self.process:
            children = self.children() if self.process.poll() is None else set()
            self.process.kill()
            self.process.wait()
            self.process = None
            # Only against what hangs.
            for _ in range(3000):
                if not any(lives(child) for child in children):
                    break
                time.sleep(0.01)

    def stop(self):
        """Stops the hub with SIGTERM, as systemd does; returns the exit code. A crash says what it wrote."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=30)
        if code < 0:
            print(f"the hub was ended by signal {-code}:\n{self.log()}", file=sys.stderr)
        self.process = None
        return code

    def remove(self):
        ended = self.process.poll() if self.process else None
        self.kill()
        log = self.log() if os.path.exists(self.log_path) else ""
        shutil.rmtree(self.folder, ignore_errors=True)
        # The gate starts its house again, and a test may not notice.
        if "has crashed" in log or ended is not None and ended < 0 and ended not in (-signal.SIGKILL, -signal.SIGTERM):
            raise AssertionError(f"the hub or its house has crashed:\n{log}")

    def code(self, *options):
        return Code(self.run("print", "--format", "text", "--address", "none", *options))

    def typed_code(self):
        """A once code in its typed form of 20 characters."""
        return typed_twin(self.code())

    def approved(self):
        return {device["device"]: device["status"] for device in self.devices()}

    def devices(self):
        return [json.loads(line) for line in self.run("devices", "--json").splitlines()]

    def wait_for(self, condition, what, seconds=120):
        """Polls for an effect in another process that has no event to wait for. The time only ends what hangs. A hub
        that closes a connection while it is asked (a role ends, settings change) has not answered yet."""
        def is_met():
            try:
                return condition()
            except (ConnectionError, ssl.SSLEOFError):
                return False

        end = time.monotonic() + seconds
        while not is_met():
            if time.monotonic() > end:
                raise AssertionError(f"{what}: not within {seconds} s\n{self.log()}")
            time.sleep(0.01)


def typed_twin(code):
    """The typed form of a code, derived from its secret as specified."""
    import hashlib
    from second_implementation import ALPHABET
    data = b"\x08" + code.secret
    whole = data + hashlib.sha256(data).digest()[:2]
    bits = "".join(f"{byte:08b}" for byte in whole)[4:]
    text = "".join(ALPHABET[int(bits[at:at + 5], 2)] for at in range(0, 100, 5))
    return TypedCode("-".join(text[at:at + 4] for at in range(0, 20, 4)))


if __name__ == "__main__":
    sys.exit("this is no test; see run")
