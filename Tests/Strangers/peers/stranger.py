"""Clients with behaviour that TLS libraries do not offer: unusual certificates, records split anywhere,
unread answers."""
import base64
import hashlib
import hmac
import os
import socket
import ssl
import struct
import tempfile

from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305


def der(tag, body):
    count = len(body)
    if count < 128:
        return bytes([tag, count]) + body
    size = count.to_bytes(2, "big") if count > 255 else bytes([count])
    return bytes([tag, 0x80 | len(size)]) + size + body


def certificate(names=0, extensions=0):
    """A minimal unsigned certificate with this many empty names and extensions. Each takes 7 to 9 bytes, and
    many times that once parsed."""
    algorithm = der(0x30, der(0x06, b"\x2b\x65\x70"))
    moment = der(0x17, b"000101000000Z")
    name = der(0x30, der(0x06, b"\x55") + der(0x0C, b""))
    names = der(0x30, der(0x31, name * names) if names else b"")
    extension = b"".join(
        der(0x30, der(0x06, bytes([0x55, 1 + number // 100, number % 100])) + der(0x04, b"")) for number in range(extensions))
    body = der(0x30, b"".join([
        der(0xA0, der(0x02, b"\x02")) if extensions else b"", der(0x02, b"\x01"), algorithm, names,
        der(0x30, moment + moment), der(0x30, b""), der(0x30, algorithm + der(0x03, b"\x00" + 32 * b"k")),
        der(0xA3, der(0x30, extension)) if extensions else b""]))
    return der(0x30, body + algorithm + der(0x03, b"\x00s"))


def context(device=None, more=()):
    """A context for a TLS 1.3 client with any certificates: the device's own, followed by `more`, in DER."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname = False
    made.verify_mode = ssl.CERT_NONE
    made.minimum_version = ssl.TLSVersion.TLSv1_3
    made.set_ciphers("ALL:@SECLEVEL=0")
    if device:
        with tempfile.NamedTemporaryFile("w") as chain:
            with open(device.certificate_path) as own:
                chain.write(own.read())
            for each in more:
                text = base64.encodebytes(each).decode()
                chain.write(f"-----BEGIN CERTIFICATE-----\n{text}-----END CERTIFICATE-----\n")
            chain.flush()
            made.load_cert_chain(chain.name, device.key_path)
    return made


def connected(port, number=0):
    """A socket from the address of stranger NUMBER (16 strangers share one), with a small receive buffer."""
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    raw.settimeout(5)
    raw.bind((f"127.0.{3 + number // 3200}.{1 + number // 16 % 200}", 0))
    raw.connect(("127.0.0.1", port))
    return raw


class Stranger:
    """A connection after its handshake. Nothing is read from it unless `read` is called."""

    def __init__(self, port, number=0, tls=None, at_once=b""):
        """`at_once` is sent with the last bytes of the handshake."""
        self.at_once = at_once
        self.rest = b""
        self.raw = connected(port, number)
        self.came, self.goes = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = (tls or context()).wrap_bio(self.came, self.goes)
        try:
            self.shake_hands()
        except OSError:
            self.raw.close()
            raise

    def shake_hands(self):
        while True:
            try:
                self.tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                self.raw.sendall(self.goes.read())
                piece = self.raw.recv(65536)
                if not piece:
                    raise ConnectionError("closed in the handshake") from None
                self.came.write(piece)
        self.raw.sendall(self.goes.read() + self.records(self.at_once))

    def records(self, data, size=16_384):
        """`data` as TLS records of `size` bytes each."""
        for at in range(0, len(data), size):
            self.tls.write(data[at:at + size])
        return self.goes.read()

    def write(self, data, size=16_384):
        self.raw.sendall(self.records(data, size))

    def flood(self, request, most, patience=0.0):
        """Repeats a request until `most` bytes are sent, or none could be sent for `patience` seconds;
        returns the number of bytes. May be called again."""
        block = request * max(1, 65_536 // len(request))
        self.raw.settimeout(patience)
        sent = 0
        try:
            while sent < most:
                self.rest = self.rest or self.records(block)
                count = self.raw.send(self.rest)
                self.rest = self.rest[count:]
                sent += count
        except (TimeoutError, BlockingIOError):
            pass
        return sent

    def read(self, most=65_536):
        """The received data, decrypted; empty at the end of the connection."""
        while True:
            try:
                return self.tls.read(most)
            except ssl.SSLWantReadError:
                piece = self.raw.recv(65_536)
                if not piece:
                    return b""
                self.came.write(piece)
            except ssl.SSLZeroReturnError:
                return b""

    def close(self):
        self.raw.close()


class RecordForger(Stranger):
    """A stranger that writes its own TLS records (RFC 8446, sections 5.2, 5.3, 7.1 and 7.2)."""

    def __init__(self, port, number=0):
        with tempfile.TemporaryDirectory() as folder:
            tls = context()
            tls.keylog_filename = os.path.join(folder, "keys")
            super().__init__(port, number, tls)
            with open(tls.keylog_filename) as log:
                self.secret = next(
                    bytes.fromhex(line.split()[2]) for line in log if line.startswith("CLIENT_TRAFFIC_SECRET_0"))
        self.suite = self.tls.cipher()[0]
        self.hash = hashlib.sha384 if self.suite.endswith("384") else hashlib.sha256
        self.start()

    def expand(self, label, count):
        label = b"tls13 " + label
        info = struct.pack(">HB", count, len(label)) + label + b"\x00\x01"
        return hmac.digest(self.secret, info, self.hash)[:count]

    def start(self):
        key = self.expand(b"key", 16 if "AES_128" in self.suite else 32)
        self.cipher = ChaCha20Poly1305(key) if "CHACHA" in self.suite else AESGCM(key)
        self.vector, self.sequence = int.from_bytes(self.expand(b"iv", 12), "big"), 0

    def record(self, kind, data):
        """An encrypted record of type 21 (alert), 22 (handshake) or 23 (application data)."""
        head = b"\x17\x03\x03" + struct.pack(">H", len(data) + 17)
        nonce = (self.vector ^ self.sequence).to_bytes(12, "big")
        self.sequence += 1
        return head + self.cipher.encrypt(nonce, data + bytes([kind]), head)

    def key_update(self, asks):
        """A KeyUpdate message; later records use the next key."""
        data = self.record(22, b"\x18\x00\x00\x01" + bytes([asks]))
        self.secret = self.expand(b"traffic upd", self.hash().digest_size)
        self.start()
        return data
