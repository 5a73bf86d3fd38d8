"""A server on loopback with a thread per connection: the base class of the upstreams in these tests."""
import socket
import threading


class Listener:
    """Calls `serve(connection)`, defined by a subclass, in a new thread for each connection."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=500)
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
        self.listener.close()
