"""A server on loopback with a thread for each connection: what every upstream of these tests begins with."""
import socket
import threading


class Listener:
    """Calls `serve(connection)`, which a subclass has, on a thread of its own for each connection."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=500)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:  # it was closed
                return
            threading.Thread(target=self.serve, args=[connection], daemon=True).start()

    def close(self):
        self.listener.close()
