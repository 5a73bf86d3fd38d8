"""A server on loopback with a thread per connection: the base class of the upstreams in these tests."""
import contextlib
import socket
import threading


class Listener:
    """Calls `serve(connection)`, defined by a subclass, in a new thread for each connection."""

    def __init__(self, port=0):
        self.listener = socket.create_server(("127.0.0.1", port), backlog=500)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:  # the listener was closed
                return
            threading.Thread(target=self.serve, args=[connection], daemon=True).start()

    def close(self):
        # It wakes the thread. One that still waits is restarted by a signal with the same number, which by then may be the
        # next test's listener (SA_RESTART), and takes a connection of that.
        with contextlib.suppress(OSError):  # it is closed already
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class HeadListener(Listener):
    """Keeps the heads of requests without a body in `heads`, and calls `answer(connection, head)`, defined by a subclass, for
    each; True ends the connection."""

    def __init__(self):
        self.heads = []
        super().__init__()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def serve(self, connection):
        data = b""
        with connection:
            while piece := connection.recv(65536):
                data += piece
                while b"\r\n\r\n" in data:
                    head, data = data.split(b"\r\n\r\n", 1)
                    head = head.decode("latin-1")
                    self.heads.append(head)
                    if self.answer(connection, head):
                        return
