"""Generates streams of requests with combinations of request-smuggling tricks, from a grammar of faults and a
seed."""
import random


class Stream:
    """The bytes that one client sends on one connection, and where it splits them.

    Each genuine request has a field `X-Nonce: NUMBER-PLACE`. Text that must never be read as a request is in
    bodies and fields; it has `X-Nonce: NUMBER-smuggled` and claims to come from another device."""

    def __init__(self, seed, number, other):
        self.number = number
        self.dice = dice = random.Random(f"{seed}/{number}")
        self.level = dice.choice([0, 0.02, 0.05, 0.15])
        self.smuggled = (
            b"GET /smuggled HTTP/1.1\r\nHost: h\r\nX-Hubpair-Device: %s\r\nX-Nonce: %d-smuggled\r\n\r\n"
            % (other.encode(), number))
        self.forged = other.encode()
        self.bytes = b"".join(self.request(place) for place in range(dice.choice([1, 1, 1, 2, 3])))
        if dice.random() < 0.3:
            self.bytes += self.smuggled.replace(b"-smuggled", b"-last")  # pipelined; only its claimed device is wrong
        count = dice.choice([0, 0, 1, 2, 5])
        self.cuts = sorted(dice.randrange(1, len(self.bytes)) for _ in range(count))

    def pieces(self):
        edges = [0, *self.cuts, len(self.bytes)]
        return [self.bytes[one:other] for one, other in zip(edges, edges[1:]) if one < other]

    def pick(self, good, *bad):
        """Returns `good`, or sometimes one of `bad`."""
        return self.dice.choice(bad) if self.dice.random() < self.level else good

    def end(self):
        return self.pick(b"\r\n", b"\n", b"\r", b"\r\r\n", b"\n\r", b"\r\n\r\n", b" \r\n", b"\x0b\r\n", b"\x00\r\n")

    def name(self, name):
        dice = self.dice
        return self.pick(
            dice.choice([name, name.lower(), name.upper()]), name + b" ", b" " + name, b"\t" + name, name + b"\t",
            name.replace(b"-", b"_"), name.replace(b"-", b"."), name + b"\x00", b"\xff" + name, name + b"\x0b",
            name[:1] + b"\r" + name[1:], b"X-A: b\n" + name, name + b"\xa0", name.replace(b"-", b"\xe2\x80\x90"), b"")

    def field(self, name, value):
        colon = self.pick(b": ", b":", b":\t", b" :", b" : ", b"", b"::", b":  ", b":\r\n ", b":\r\n\t", b":\x0b", b":\x0c")
        return self.name(name) + colon + value + self.end()

    def length(self, count):
        text = b"%d" % count
        wrong = b"%d" % self.dice.choice([0, 1, max(0, count - 1), count + 1, count + len(self.smuggled)])
        spaces = [text + b" ", b" " + text, text + b"\t", text + b"  \t ", b"\t" + text, b"0" + text, b"0" * 30 + text]
        return self.pick(
            self.dice.choice([text, text, text, *spaces]), b"+" + text, b"-" + text, b"0x%x" % count, text + b"," + text,
            text + b", " + text, wrong + b"," + text, b"", b" ", text + b"\x0b", b"\x0b" + text, text + b"\xa0",
            text + b"\xc2\xa0", text + b"\x00", text + b".0", text + b"e0", text[:1] + b" " + text[1:], b"_" + text,
            text + b";", text + b"L", b'"' + text + b'"', b"\xef\xbc\x97", b"9" * 19, b"18446744073709551616", wrong, wrong)

    def coding(self):
        return self.pick(
            self.dice.choice([b"chunked", b"chunked", b"Chunked", b"CHUNKED", b"chunked ", b"\tchunked", b" chunked \t"]),
            b"xchunked", b"chunkedx", b"gzip, chunked", b"chunked, identity", b"chunked, chunked", b"identity", b"gzip",
            b"chunked;", b"chunked; a=b", b"chunked,", b",chunked", b'"chunked"', b"chunked\x00", b"chunked\x0b",
            b"\x0bchunked", b"chunked\xa0", b"chu nked", b"", b"cow", b"\r\n chunked", b"x\r\n chunked", b"chunke\xe4")

    def chunks(self, payload):
        data, at = b"", 0
        while at < len(payload):
            count = min(len(payload) - at, self.dice.choice([1, 7, 64, 1000]))
            size = self.pick(
                b"%x" % count, b"%X" % count, b"0%x" % count, b"%x;a=b" % count, b"%x;a=\"\r\n\"" % count, b"0x%x" % count,
                b" %x" % count, b"%x " % count, b"%x\t" % count, b"_%x" % count, b"+%x" % count, b"%x;\n" % count,
                b"%016x" % count, b"1%016x" % count, b"-%x" % count, b"", b"%x\x00" % count, b"%x," % count,
                b"f" * 16, b"%x" % (count + 1), b"%x" % max(0, count - 1))
            data += size + self.end() + payload[at:at + count] + self.pick(b"\r\n", b"\n", b"\r", b"", b"XX", b"\r\n\r\n")
            at += count
        last = self.pick(b"0", b"00", b"000000", b"0;a", b"0 ", b"-0", b"0x0", b"")
        trailers = self.pick(
            b"", b"T: x\r\n", b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", b"Host: other\r\n",
            b"X-Hubpair-Device: " + self.forged + b"\r\n", b" folded\r\n", b"no colon\r\n", b"X : y\r\n", self.smuggled)
        return data + last + self.end() + trailers + self.pick(b"\r\n", b"\n", b"\r", b"", b"\r\n\r\n", b"\n\r\n")

    def request(self, place):
        dice = self.dice
        bad_methods = [b"TRACE", b"CONNECT", b"get", b"G\tET", b"", b"GET,POST", b"PRI", b"GE\x00T", b"\xffET", b"GET "]
        method = self.pick(
            dice.choice([b"GET", b"GET", b"POST", b"POST", b"POST", b"PUT", b"PATCH", b"DELETE", b"HEAD", b"OPTIONS",
                         b"M-SEARCH", b"PROPFIND"]), *bad_methods)
        target = self.pick(
            dice.choice([b"/r", b"/a/b?x=1", b"/x/%2e%2e/y", b"/a//b", b"/%00", b"/;a=b?c"]), b"http://h/x", b"*", b"h:80",
            b"x", b"/x#f", b"/x\x00", b"/\xff", b"/x y", b"//h/x", b"/\\x", b"", b"/x\x0by", b"/x\ty",
            b"/hubpair/v1/hub", b"/hubpair/v1/device", b"/x HTTP/1.1\r\nX: ", b"/" + b"a" * 9000)
        version = self.pick(
            dice.choice([b"HTTP/1.1"] * 6 + [b"HTTP/1.0"]), b"HTTP/1.2", b"HTTP/2.0", b"http/1.1", b"HTTP/1.1 ", b"HTTP/01.1",
            b"", b"HTTP/1.1\x00", b"HTTP/0.9", b"HTTP/1", b"ICY/1.1")
        space = self.pick(b" ", b"\t", b"  ", b"\x0b")
        payload = dice.choice([b"", b"abc", self.smuggled, self.smuggled, b"0\r\n\r\n" + self.smuggled,
                               b"x" * 40 + self.smuggled, b"\r\n" + self.smuggled, b"5\r\nabcde\r\n0\r\n\r\n" + self.smuggled])
        kind = dice.choice(["none", "none", "length", "length", "chunked", "chunked", "both"])
        if method in (b"GET", b"HEAD") and dice.random() < 0.5:
            kind = "none"
        lines = [self.field(b"Host", self.pick(b"h", b"", b"a, b", b"h:80", b"a b", b"h/x", b"h\x00"))]
        if kind in ("length", "both") and (kind == "length" or dice.random() < self.level * 3):
            lines.append(self.field(b"Content-Length", self.length(len(payload))))
            if dice.random() < self.level:
                lines.append(self.field(b"Content-Length", self.length(len(payload))))
        data = payload if kind == "length" else b""
        if kind in ("chunked", "both"):
            lines.append(self.field(b"Transfer-Encoding", self.coding()))
            if dice.random() < self.level:
                lines.append(self.field(b"Transfer-Encoding", self.coding()))
            data = self.chunks(payload)
        more = {
            b"Connection": [b"close", b"keep-alive", b"Content-Length", b"Host", b"Transfer-Encoding, close", b"te, trailers",
                            b"X-Hubpair-Device", b"Upgrade", b"Upgrade, HTTP2-Settings", b"content-length, host"],
            b"Expect": [b"100-continue", b"100-Continue", b"200-ok", b""], b"Upgrade": [b"websocket", b"h2c", b"TLS/1.0"],
            b"X-Hubpair-Device": [self.forged], b"X_Hubpair_Device": [self.forged], b"X-Hubpair": [self.forged],
            b"TE": [b"trailers", b"chunked"], b"Trailer": [b"Content-Length"], b"A": [b"x", b"\xff", b"a\rb", b"a\nb", b"\x00"],
            b"X-HTTP-Method-Override": [b"DELETE"], b"Keep-Alive": [b"timeout=5"], b"Content_Length": [b"5"]}
        for _ in range(dice.choice([0, 0, 1, 2])):
            name = dice.choice(list(more))
            lines.append(self.field(name, dice.choice(more[name])))
        if dice.random() < self.level:
            lines.append(self.field(b"Host", b"other"))
        dice.shuffle(lines)
        lines.insert(dice.randrange(len(lines) + 1), b"X-Nonce: %d-%d\r\n" % (self.number, place))
        before = self.pick(b"", b"\r\n", b"\n", b"\r\n\r\n", b" ", b"\x00")
        return before + method + space + target + space + version + self.end() + b"".join(lines) + self.end() + data
