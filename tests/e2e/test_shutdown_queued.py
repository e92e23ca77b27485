"""Shutdown accepts what is queued before it closes a listener, on listeners that one worker serves for all too."""

import os
import signal
import socket
import tempfile

from harness.server import Server

CLIENTS = 200


def test_connections_queued_at_a_unix_socket_are_answered():
    """Repeated, since the workers race: one that had nothing to do must not go before its share was dealt."""
    for _ in range(4):
        with tempfile.TemporaryDirectory(prefix="h2park-e2e-") as folder:
            path = os.path.join(folder, "s")
            server = Server("--threads", "4", "--listen", f"unix:{path}")
            with server:
                os.kill(server.pid, signal.SIGSTOP)
                clients = []
                for _ in range(CLIENTS):
                    client = socket.socket(socket.AF_UNIX)
                    client.settimeout(10)
                    client.connect(path)
                    client.sendall(b"GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
                    clients.append(client)
                server.signal(signal.SIGTERM)
                os.kill(server.pid, signal.SIGCONT)
                answered = sum(client.recv(1000).startswith(b"HTTP/1.1 200") for client in clients)
                for client in clients:
                    client.close()
                server.want_exit(0)
            assert answered == CLIENTS
