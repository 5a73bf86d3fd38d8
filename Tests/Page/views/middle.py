"""Who stands between a browser and a hub: passes on what comes, and counts it; or pretends to be the hub."""
import contextlib
import os
import socket
import ssl
import subprocess
import threading

from listener import Listener


class Middle(Listener):
    def __init__(self, hub):
        self.hub, self.disguise = hub, None
        self.heard, self.tries, self.bytes = b"", 0, 0
        self.open, self.lock = set(), threading.Lock()
        super().__init__()

    def pretend(self, disguise):
        """From now on a TLS server of its own answers, with the context `disguise`; None passes on again."""
        self.disguise = disguise
        with self.lock:
            for each in self.open:
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

    def serve(self, connection):
        disguise = self.disguise
        with self.lock:
            self.open.add(connection)
        with contextlib.suppress(OSError), connection:
            if disguise:
                self.tries += 1
                with disguise.wrap_socket(connection, server_side=True) as inner:
                    while b"\r\n\r\n" not in self.heard and (piece := inner.recv(65536)):
                        self.heard += piece
                return
            with socket.create_connection(("127.0.0.1", self.hub.port)) as there:
                back = threading.Thread(target=self.copy, args=[there, connection], daemon=True)
                back.start()
                self.copy(connection, there)
                back.join()
        with self.lock:
            self.open.discard(connection)

    def copy(self, one, other):
        with contextlib.suppress(OSError):
            while piece := one.recv(65536):
                self.bytes += len(piece)
                other.sendall(piece)
        for each in (one, other):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def close(self):
        super().close()
        self.pretend(None)


def disguise(folder, name, subject, issuer=None):
    """A TLS server's certificate for loopback: of itself, or of an authority that is called as `issuer` is."""
    path = lambda kind: os.path.join(folder, f"{name}.{kind}")
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", path("key")]
    names = ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-addext", "extendedKeyUsage=serverAuth"]
    if issuer:
        run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "9",
             "-keyout", path("authority.key"), "-out", path("authority.pem"), "-subj", issuer, "-utf8",
             "-addext", "keyUsage=critical,keyCertSign"])
        names += ["-CA", path("authority.pem"), "-CAkey", path("authority.key")]
    run(["openssl", "req", "-x509", *key, "-days", "9", "-out", path("pem"), "-subj", subject, "-utf8",
         "-addext", "basicConstraints=critical,CA:FALSE", *names])
    if issuer:
        with open(path("pem"), "a") as chain, open(path("authority.pem")) as authority:
            chain.write(authority.read())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path("pem"), path("key"))
    return context


def run(command):
    subprocess.run(command, check=True, capture_output=True)
