"""An HTTP/1.1 parser as strict as RFC 9112 allows, independent of hubpair's and the servers' parsers. It
determines what a client requested and what a server received. Everything ambiguous is a fault."""
import re

TOKEN = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
LINE = re.compile(rb"[\t\x20-\x7e\x80-\xff]*")


class Fault(Exception):
    """The bytes are not an unambiguous HTTP message."""


class Partial(Exception):
    """The message is valid so far, but incomplete."""


class Message:
    """A request (`start`: method, target, version) or an answer (`start`: version, code, reason)."""

    def __init__(self, start, fields):
        self.start, self.fields, self.body = start, fields, b""

    def values(self, name):
        return [value for each, value in self.fields if each.lower() == name]

    def value(self, name):
        """The value of a field; None unless it occurs exactly once."""
        values = self.values(name)
        return values[0] if len(values) == 1 else None

    def __repr__(self):
        return f"{self.start} {self.fields} {self.body[:200]}"


def line(data, at):
    """The line at `at` without its CR LF, and where the next one begins."""
    end = data.find(b"\n", at)
    text = data[at:] if end < 0 else data[at:end]
    if end < 0:
        if not LINE.fullmatch(text.removesuffix(b"\r")):
            raise Fault("a line with a control character")
        raise Partial
    if not text.endswith(b"\r") or not LINE.fullmatch(text[:-1]):
        raise Fault("a line that does not end in CR LF, or has a control character in it")
    return text[:-1], end + 1


def fields(data, at):
    """The fields at `at`, and where their empty line ends."""
    found = []
    while True:
        text, at = line(data, at)
        if not text:
            return found, at
        name, colon, value = text.partition(b":")
        if not colon or not TOKEN.fullmatch(name):
            raise Fault(f"no field: {text[:80]}")
        found.append((name, value.strip(b" \t")))


def length(message):
    """The value of Content-Length; None without it."""
    values = message.values(b"content-length")
    if not values:
        return None
    if len(values) > 1 or not re.fullmatch(rb"[0-9]{1,18}", values[0]):
        raise Fault(f"lengths {values}")
    return int(values[0])


def is_chunked(message):
    values = message.values(b"transfer-encoding")
    if values and (len(values) > 1 or values[0].lower() != b"chunked"):
        raise Fault(f"codings {values}")
    return bool(values)


def chunks(data, at, message):
    """Reads a chunked body into `message`; returns where it ends."""
    while True:
        text, at = line(data, at)
        size = re.fullmatch(rb"([0-9A-Fa-f]{1,15})(;.*)?", text)
        if not size:
            raise Fault(f"no chunk: {text[:80]}")
        size = int(size[1], 16)
        if size == 0:
            return fields(data, at)[1]
        message.body += data[at:at + size]
        if len(data) < at + size:
            raise Partial
        at += size
        if data[at:at + 2] != b"\r\n":
            if b"\r\n".startswith(data[at:at + 2]):
                raise Partial
            raise Fault("a chunk longer than it says")
        at += 2


def body(data, at, message):
    """Reads a body that fields announce into `message`; returns where it ends."""
    count, chunked = length(message), is_chunked(message)
    if chunked and (count is not None or b"HTTP/1.0" in message.start):
        raise Fault("Transfer-Encoding beside Content-Length, or in HTTP/1.0")
    if chunked:
        return chunks(data, at, message)
    message.body = data[at:at + (count or 0)]
    if len(message.body) < (count or 0):
        raise Partial
    return at + (count or 0)


def request(data, at=0):
    """The request at `at`, and where it ends.

    Fault and Partial have the request as `message` if its head is complete and valid."""
    if data[at:at + 2] == b"\r\n":
        at += 2  # RFC 9112, section 2.2
    text, at = line(data, at)
    start = text.split(b" ")
    if len(start) != 3 or not TOKEN.fullmatch(start[0]) or start[0] == b"CONNECT":
        raise Fault(f"no request line: {text[:80]}")
    if not re.fullmatch(rb"/[!-\x22$-~]*", start[1]) or start[2] not in (b"HTTP/1.1", b"HTTP/1.0"):
        raise Fault(f"no request line: {text[:80]}")
    found, at = fields(data, at)
    message = Message(tuple(start), found)
    hosts = message.values(b"host")
    if len(hosts) > 1 or not hosts and start[2] == b"HTTP/1.1":
        raise Fault(f"hosts {hosts}")
    length(message), is_chunked(message)
    try:
        return message, body(data, at, message)
    except (Fault, Partial) as reason:
        reason.message = message
        raise


def requests(data):
    """The complete and valid requests at the start of `data`, and why no other follows: a Fault, or a Partial
    (also at the end of the data)."""
    found, at = [], 0
    while True:
        try:
            message, at = request(data, at)
            found.append(message)
        except (Fault, Partial) as reason:
            return found, reason


def answer(data, at=0, method=b"GET"):
    """The answer to a `method` request at `at`, and where it ends: None if it ends with the connection."""
    text, at = line(data, at)
    start = re.fullmatch(rb"(HTTP/1\.[01]) ([1-9][0-9][0-9])(?: (.*))?", text)
    if not start:
        raise Fault(f"no status line: {text[:80]}")
    found, at = fields(data, at)
    message = Message((start[1], int(start[2]), start[3]), found)
    if is_chunked(message) and (length(message) is not None or start[1] == b"HTTP/1.0"):
        raise Fault("Transfer-Encoding beside Content-Length, or in HTTP/1.0")
    length(message)
    if message.start[1] < 200 or message.start[1] in (204, 304) or method == b"HEAD":
        return message, at
    if length(message) is None and not is_chunked(message):
        message.body = data[at:]
        return message, None
    return message, body(data, at, message)


def answers(data, methods):
    """The complete final answers in `data` to requests with `methods`."""
    found, at = [], 0
    while at is not None and len(found) < len(methods):
        try:
            message, at = answer(data, at, methods[len(found)])
        except Partial:
            break
        if message.start[1] >= 200:
            found.append(message)
    return found
