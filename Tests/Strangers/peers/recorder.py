"""An upstream that parses strictly, records requests, and answers each with its nonce and its device."""
import socket

import strict_http
from listener import Listener


class Recorder(Listener):
    """Answers every request with 200 and `X-Echo: NONCE DEVICE`. Calls `note` in the connection's thread for
    each complete request, for the head of each truncated one, and for each fault: note(message or None,
    is_whole, why, bytes)."""

    def __init__(self, note, tls=None):
        self.note, self.tls = note, tls
        super().__init__()

    def serve(self, connection):
        data = b""
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.tls:
                connection = self.tls.wrap_socket(connection, server_side=True)
            while piece := connection.recv(65536):
                data += piece
                while data:
                    try:
                        message, end = strict_http.request(data)
                    except strict_http.Partial:
                        break
                    self.note(message, True, None, data[:end])
                    data = data[end:]
                    connection.sendall(self.answer(message))
        except strict_http.Fault as fault:
            self.note(getattr(fault, "message", None), False, fault, data)
        except OSError:
            pass
        else:
            self.broken_off(data)
        finally:
            connection.close()

    def broken_off(self, data):
        """Handles a truncated request when the gateway closes: a head and part of its body."""
        try:
            strict_http.request(data)
        except strict_http.Partial as partial:
            if data:
                self.note(getattr(partial, "message", None), False, None, data)

    def answer(self, message):
        echo = b" ".join(message.value(name) or b"-" for name in (b"x-nonce", b"x-hubpair-device"))
        body = b"" if message.start[0] == b"HEAD" else b"ok"
        return b"HTTP/1.1 200 OK\r\nX-Echo: " + echo + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body
