"""Generates the answers of a broken or hostile server from a grammar of faults and a seed."""
import random

import strict_http

METHODS = [b"GET", b"GET", b"GET", b"HEAD", b"POST", b"PUT", b"DELETE", b"OPTIONS"]


class Answer:
    """The answer to request NUMBER: pieces with a pause in seconds before each, and how it ends. Every body,
    and every answer to no request, contains `<NUMBER>`."""

    def __init__(self, seed, number):
        self.dice = dice = random.Random(f"{seed}/answer/{number}")
        self.level = dice.choice([0, 0, 0.05, 0.2])
        self.mark = b"<%d>" % number
        self.method = dice.choice(METHODS)
        main = self.answer()
        extra = self.pick(
            b"", b"\r\n", b"junk", main, self.stray(), self.stray() * 3, b"HTTP/1.1 100 Continue\r\n\r\n", b"\x00", b"0\r\n\r\n",
            self.mark, b"HTTP/1.1 ")
        self.is_late = bool(extra) and dice.random() < 0.6
        pieces = [(0, main + (b"" if self.is_late else extra))]
        if dice.random() < 0.2 and len(main) > 1:
            cut = dice.randrange(1, len(main))
            pieces = [(0, main[:cut]), (0.002, pieces[0][1][cut:])]
        if self.is_late:
            pieces.append((dice.choice([0.001, 0.01, 0.05]), extra))
        self.end = "close" if b"\r\nConnection: close\r\n" in main else self.pick(
            "stay", "close", "reset", "half", "cut", "nothing", "hang")
        if self.end in ("nothing", "hang"):
            pieces = []
        if self.end == "cut":
            text = pieces[0][1]
            pieces, self.end = [(0, text[:dice.randrange(len(text) + 1)])], "close"
        self.pieces = pieces
        self.judge(len(main))

    def judge(self, main_size):
        """Determines how a careful recipient must treat the answer."""
        data = b"".join(text for _, text in self.pieces)
        # The final answer, None if it is ambiguous or has no end; and the offset of its end.
        self.message, size, self.is_unfinished = None, 0, not data
        try:
            while size is not None and (self.message is None or self.message.start[1] < 200):
                self.message, size = strict_http.answer(data, size, self.method)
                if self.message.start[1] == 101:
                    raise strict_http.Fault("nobody asked for another protocol")
        except strict_http.Fault:
            self.message = None
        except strict_http.Partial:
            self.message, self.is_unfinished = None, True
        if size is None and self.end in ("stay", "half"):
            self.is_unfinished = self.end == "stay"
        # True if a careful recipient must not reuse the connection. A late informational answer cannot be
        # distinguished from one to the next request.
        is_informational = self.is_late and size is not None and data[size:] == b"HTTP/1.1 100 Continue\r\n\r\n"
        self.spoils = self.message is None or size != len(data) and not is_informational or self.end != "stay"
        # True if the answer must be forwarded unchanged.
        self.is_clean = (
            self.message is not None and size in (None, len(data)) and size in (None, main_size)
            and self.end in ("stay", "close") and not self.is_unfinished and len(self.message.fields) < 100
            and len(data) < 8_000 and max(data) < 0x80 and b"HTTP/1.1 1" not in data and b"Content-Length: 3\r\n\r\n" not in data)

    def pick(self, good, *bad):
        return self.dice.choice(bad) if self.dice.random() < self.level else good

    def stray(self):
        return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(self.mark) + self.mark

    def line(self):
        return self.pick(b"\r\n", b"\n", b"\r", b"\r\r\n", b" \r\n", b"\n\r\n", b"\x00\r\n")

    def chunks(self, body):
        size = b"%x" % len(body)
        size = self.pick(
            size, b"0" + size, size + b";a=b", b"0x" + size, b" " + size, size + b" ", size + b"\t", b"-" + size, b"+" + size,
            b"f" * 16, b"f" * 17, b"", b"%x" % (len(body) + 1), b"%x" % (len(body) - 1), size + b";\n", b"1_0", b"g")
        end = self.pick(b"\r\n", b"\n", b"", b"XX", b"\r")
        last = self.pick(b"0\r\n", b"00\r\n", b"0\n", b"0;x\r\n", b"", b"0 \r\n", b"-0\r\n")
        trailers = self.pick(b"", b"T: x\r\n", b"Content-Length: 3\r\n", b" folded\r\n", b"T: x\r\n" * 2000, b"T\x00: x\r\n")
        return size + self.pick(b"\r\n", b"\n", b"\r") + body + end + last + trailers + self.pick(b"\r\n", b"\n", b"", b"\r")

    def answer(self):
        dice, body = self.dice, self.mark * self.dice.choice([1, 1, 10, 500])
        version = self.pick(
            dice.choice([b"HTTP/1.1"] * 5 + [b"HTTP/1.0"]), b"HTTP/2.0", b"HTTP/1.2", b"HTTP/0.9", b"http/1.1", b"HTTP/1.1.1",
            b"ICY", b"HTTP/01.1", b"", b" HTTP/1.1")
        code = self.pick(
            dice.choice([b"200", b"200", b"201", b"404", b"500"]), b"204", b"304", b"101", b"099", b"000", b"999", b"1000",
            b"20", b"2 0", b"-200", b"+200", b"0x0", b"199", b"205", b"600")
        start = version + self.pick(b" ", b"\t", b"  ", b"") + code + self.pick(
            b" OK", b"", b" ", b"\tOK", b" \xff", b" a\rb", b" " + b"x" * 70_000) + self.line()
        count = b"%d" % len(body)
        kind = dice.choice(["length", "length", "length", "chunked", "chunked", "both", "close"])
        if kind == "both" and dice.random() > self.level * 3:
            kind = "length"
        if kind == "close" and dice.random() > self.level * 3:
            kind = "chunked"
        if version == b"HTTP/1.0" and kind == "chunked" and dice.random() > self.level:
            kind = "length"
        fields = []
        if kind in ("length", "both"):
            fields.append(b"Content-Length" + self.pick(b": ", b" : ", b":", b"\t: ", b"\x00: ") + self.pick(
                count, count + b" ", b"\t" + count, b"%d" % (len(body) + 9), b"%d" % (len(body) - 1), b"0", b"0" + count,
                b"+" + count, b"-" + count, b"0x10", count + b"," + count, count + b", " + count, count + b", 1", b"",
                count + b"\x0b", count + b"\xa0", b"9" * 19, b"9" * 30, count[:1] + b" " + count[1:]))
            if dice.random() < self.level:
                fields.append(b"Content-Length: " + dice.choice([count, b"1", b"0", b""]))
        if kind in ("chunked", "both"):
            fields.append(b"Transfer-Encoding" + self.pick(b": ", b" : ", b":") + self.pick(
                b"chunked", b"Chunked", b"gzip, chunked", b"chunked, chunked", b"chunked, gzip", b"gzip", b"xchunked",
                b"chunked;", b"identity", b"", b"chunked\x0b", b"chunked\x00", b",chunked", b"\r\n chunked", b"chunked\xa0"))
            if dice.random() < self.level:
                fields.append(b"Transfer-Encoding: " + dice.choice([b"chunked", b"gzip"]))
        if kind == "close":
            fields.append(b"Connection: close")
        if version == b"HTTP/1.0":
            fields.append(b"Connection: keep-alive")
        more = self.pick(
            b"", b"A: x", b"A : x", b" A: x", b"A", b": x", b"A: x\r\n folded", b"A: x\n b", b"A: \xff", b"A: \xef\xbf\xbd",
            b"Connection: close", b"Connection: Content-Length", b"Connection: Upgrade\r\nUpgrade: websocket",
            b"A: " + b"x" * 100_000, b"\r\n".join([b"A: x"] * 10_000), b"Upgrade: h2c", b"A\x00: x", b"Keep-Alive: timeout=0",
            b"Trailer: Content-Length", b"Set-Cookie: a=b", b"X-Hubpair-Device: x")
        if more:
            fields.insert(dice.randrange(len(fields) + 1), more)
        head = start + b"".join(field + self.line() for field in fields) + self.line()
        early = self.pick(
            b"", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n" * 500,
            b"HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", b"HTTP/1.1 100\r\n\r\n", b"\r\n")
        has_none = self.method == b"HEAD" or code in (b"204", b"304")
        if has_none and dice.random() > self.level:
            return early + head
        return early + head + (self.chunks(body) if kind in ("chunked", "both") else body)
