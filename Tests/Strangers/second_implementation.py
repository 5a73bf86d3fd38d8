"""The device's side of hubpair, written from the specification alone, without the Swift sources.

It shares no library with them either: `ssl` (OpenSSL) for TLS, `cryptography` for keys, HKDF and
certificates. If both implementations work together, the specification is complete enough for a third one.
"""
import base64
import datetime
import hashlib
import hmac
import http.client
import json
import os
import socket
import ssl
import struct

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.x509.oid import NameOID

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def base32(data):
    """Crockford's base32, most significant bit first, no padding."""
    bits = "".join(f"{byte:08b}" for byte in data)
    bits += "0" * (-len(bits) % 5)
    return "".join(ALPHABET[int(bits[at:at + 5], 2)] for at in range(0, len(bits), 5))


def unbase32(text):
    bits = "".join(f"{ALPHABET.index(character):05b}" for character in text)
    return bytes(int(bits[at:at + 8], 2) for at in range(0, len(bits) - 7, 8))


def fingerprint(pin):
    text = base32(pin[:10])
    return "-".join(text[at:at + 4] for at in range(0, 16, 4))


def pin_of(public_key):
    spki = public_key.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(spki).digest()


class Code:
    """A pairing code: secret, pin of the hub, and whether it is a label."""

    def __init__(self, text):
        self.text = text = text.strip()
        if "#" in text:
            scheme, _, place = text.partition("#")[0].partition("://")
            self.place, text = place.rstrip("/"), "HUBPAIR:" + text.partition("#")[2]
            assert scheme == "HTTPS" and place.endswith("/")
        prefix, _, body = text.partition(":")
        data = unbase32(body)
        assert prefix == "HUBPAIR" and hashlib.sha256(data[:-2]).digest()[:2] == data[-2:]
        assert data[0] >> 4 == 1
        self.is_label = data[0] & 15 == 1
        self.expires, = struct.unpack(">I", data[2:6])
        self.secret = data[6:16]
        self.pin = data[16:48]


class TypedCode:
    """A typed code: 20 characters, without a pin."""
    pin = None

    def __init__(self, text):
        self.text = text
        bits = "".join(f"{ALPHABET.index(character):05b}" for character in text.replace("-", ""))
        whole = int(bits, 2).to_bytes(13, "big")  # 4 zero bits, then head, secret, checksum
        assert whole[0] == 8
        assert hashlib.sha256(whole[:11]).digest()[:2] == whole[11:]
        self.secret = whole[1:11]


def derived(secret, info, length):
    return HKDF(algorithm=hashes.SHA256(), length=length, salt=None, info=info).derive(secret)


def framed(*fields):
    """SHA-256 over fields, each after its length in 16 bits."""
    return hashlib.sha256(b"".join(struct.pack(">H", len(field)) + field for field in fields)).digest()


def transcript(role, ticket, hub_pin, device_pin, device_nonce, hub_nonce, name):
    digest = hashlib.sha256()
    for field in (b"hubpair/1", role, ticket, hub_pin, device_pin, device_nonce, hub_nonce, name.encode()):
        digest.update(struct.pack(">H", len(field)) + field)
    return digest.digest()


class Refused(Exception):
    """A refusal by the hub: its HTTP status and error code."""

    def __init__(self, status, error):
        super().__init__(f"{status} {error}")
        self.status, self.error = status, error


class Device:
    """A key with its self-signed certificate, in files under `folder`."""

    def __init__(self, folder, name="Anna's tablet"):
        self.name = name
        os.makedirs(folder, exist_ok=True)
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.pin = pin_of(self.key.public_key())
        self.fingerprint = fingerprint(self.pin)
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a stranger")])
        now = datetime.datetime(2000, 1, 1)
        certificate = (
            x509.CertificateBuilder().subject_name(subject).issuer_name(subject)
            .public_key(self.key.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(now).not_valid_after(now + datetime.timedelta(days=1))  # dates are ignored
            .sign(self.key, hashes.SHA256()))
        self.certificate_path = os.path.join(folder, "certificate.pem")
        self.key_path = os.path.join(folder, "key.pem")
        with open(self.certificate_path, "wb") as file:
            file.write(certificate.public_bytes(serialization.Encoding.PEM))
        with open(self.key_path, "wb") as file:
            file.write(self.key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        self.certificate_der = certificate.public_bytes(serialization.Encoding.DER)


    def claim_key_of(self, other):
        """Writes this device's private key with the other device's public key (SEC 1, RFC 5915), so that
        OpenSSL uses it with the other's certificate: the most that a thief of a certificate can do."""
        scalar = self.key.private_numbers().private_value.to_bytes(32, "big")
        point = other.key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        body = (
            bytes.fromhex("020101") + b"\x04\x20" + scalar + bytes.fromhex("a00a06082a8648ce3d030107")
            + b"\xa1\x44\x03\x42\x00" + point)
        der = b"\x30" + bytes([len(body)]) + body
        with open(self.key_path, "w") as file:
            file.write(
                "-----BEGIN EC PRIVATE KEY-----\n" + base64.encodebytes(der).decode()
                + "-----END EC PRIVATE KEY-----\n")


class Browser:
    """A browser: a key of its own, no certificate, and of the hub only what it says and signs."""

    def __init__(self, name="Chrome on Android", key=None):
        self.name = name
        self.key = key or ec.generate_private_key(ec.SECP256R1())
        self.spki = self.key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        self.pin = hashlib.sha256(self.spki).digest()
        self.fingerprint = fingerprint(self.pin)

    def sign(self, message):
        """r and s, 32 bytes each, as WebCrypto makes them."""
        r, s = utils.decode_dss_signature(self.key.sign(message, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    def pair(self, connection, code, nonce=None, **changes):
        """The exchange over a connection without a certificate. Returns the verified reply; raises Refused."""
        attempt = Attempt(code, self, nonce=nonce)
        hub = code.pin or unb64(json.loads(connection.request("GET", "/hubpair/v1/hub")[2])["pin"])
        whole = transcript(b"device", attempt.ticket, hub, self.pin, attempt.nonce, b"", self.name)
        signed = {"key": b64(self.spki), "signature": b64(self.sign(whole)), **changes}
        answer = attempt.send_over(connection, **signed)
        assert hub == connection.hub_pin
        return answer

    def challenge(self, connection):
        status, _, body = connection.request("POST", "/hubpair/v1/session", json.dumps({"key": b64(self.spki)}).encode())
        answer = json.loads(body)
        if status != 200:
            raise Refused(status, answer["error"])
        assert answer["hub"]["pin"] == b64(connection.hub_pin)
        return unb64(answer["challenge"])

    def answer(self, connection, challenge, /, **changes):
        """The second step: the status, the header fields, and what the body says."""
        signature = self.sign(framed(b"hubpair/1 session", connection.hub_pin, self.pin, challenge))
        fields = {"key": b64(self.spki), "challenge": b64(challenge), "signature": b64(signature), **changes}
        status, headers, body = connection.request("POST", "/hubpair/v1/session", json.dumps(fields).encode())
        return status, headers, json.loads(body)

    def session(self, connection):
        """The value of `Cookie` for requests; raises Refused."""
        status, headers, answer = self.answer(connection, self.challenge(connection))
        if status != 200:
            raise Refused(status, answer["error"])
        return headers["Set-Cookie"].split(";")[0]


class Connection:
    """A TLS 1.3 connection to a hub; `pin` is the required hash of its key, None accepts any key. By a relay it says
    which hub it wants: `name`."""

    def __init__(self, port, device=None, pin=None, host="127.0.0.1", source=None, timeout=10, name=None):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.set_alpn_protocols(["http/1.1"])
        if device:
            context.load_cert_chain(device.certificate_path, device.key_path)
        raw = socket.create_connection(
            (host, port), timeout=timeout, source_address=(source, 0) if source else None)
        try:
            self.socket = context.wrap_socket(raw, server_hostname=name)
        except Exception:
            raw.close()
            raise
        certificate = x509.load_der_x509_certificate(self.socket.getpeercert(binary_form=True))
        self.hub_pin = pin_of(certificate.public_key())
        if pin is not None and not hmac.compare_digest(pin, self.hub_pin):
            self.close()
            raise ssl.SSLError("the hub has another key than the code says")
        self.http = http.client.HTTPConnection(host, port, timeout=timeout)
        self.http.sock = self.socket

    def request(self, method, path, body=None, headers=None):
        """Status, headers and body of the answer."""
        self.http.request(method, path, body=body, headers=headers or {})
        response = self.http.getresponse()
        return response.status, response.headers, response.read()

    def raw(self, data, end=True):
        """Sends raw bytes, and returns what arrives until the hub closes or the timeout passes."""
        answer = b""
        try:
            self.socket.sendall(data)
            while True:
                piece = self.socket.recv(65536)
                if not piece:
                    break
                answer += piece
                if not end and b"\r\n\r\n" in answer:
                    break
        except (ConnectionError, ssl.SSLError, TimeoutError):
            pass
        return answer

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Attempt:
    """One attempt to pair. It keeps its nonce, so that it can be repeated."""

    def __init__(self, code, device, name=None, nonce=None):
        self.code, self.device = code, device
        self.name = device.name if name is None else name
        self.nonce = nonce or os.urandom(16)
        self.ticket = derived(code.secret, b"hubpair/1 ticket", 8)
        self.key = derived(code.secret, b"hubpair/1 proof", 32)

    def body(self, hub_pin, **changes):
        """The JSON to send; `changes` replaces fields, for attacks."""
        whole = transcript(
            b"device", self.ticket, hub_pin, self.device.pin, self.nonce, b"", self.name)
        fields = {
            "ticket": b64(self.ticket), "name": self.name, "nonce": b64(self.nonce),
            "proof": b64(hmac.digest(self.key, whole, "sha256"))}
        fields.update(changes)
        return json.dumps({key: value for key, value in fields.items() if value is not None}).encode()

    def send(self, port, source=None, host="127.0.0.1", **changes):
        """Sends the attempt and returns the verified reply; raises Refused."""
        with Connection(port, self.device, self.code.pin, host=host, source=source) as connection:
            return self.send_over(connection, **changes)

    def send_over(self, connection, **changes):
        status, _, body = connection.request(
            "POST", "/hubpair/v1/pair", self.body(connection.hub_pin, **changes),
            {"Content-Type": "application/json"})
        answer = json.loads(body)
        if status not in (200, 202):
            raise Refused(status, answer["error"])
        assert answer["status"] == {200: "approved", 202: "pending"}[status], answer
        assert answer["device"] == self.device.fingerprint, answer
        assert answer["hub"]["id"] == fingerprint(connection.hub_pin), answer
        assert answer["hub"]["api"] == 1, answer
        hub_nonce = unb64(answer["nonce"])
        assert len(hub_nonce) == 16
        whole = transcript(
            b"hub", self.ticket, connection.hub_pin, self.device.pin, self.nonce, hub_nonce, self.name)
        assert hmac.compare_digest(
            unb64(answer["proof"]), hmac.digest(self.key, whole, "sha256")), "the hub's proof fails"
        return answer
