"""NATS's own protocol, as much of it as a client and a stand-in for a server need (docs.nats.io, "Client protocol")."""
import json
import socket
import time


class Client:
    """A connection to a NATS server."""

    def __init__(self, host, port, user, password):
        self.socket = socket.create_connection((host, port), timeout=10)
        self.file = self.socket.makefile("rb")
        self.errors, self.subscriptions, self.requests = [], 0, 0
        self.file.readline()
        options = {"verbose": False, "pedantic": False, "headers": True, "no_responders": True,
                   "lang": "python", "version": "1", "protocol": 1}
        if user:
            options |= {"user": user, "pass": password}
        self.send(b"CONNECT " + json.dumps(options).encode() + b"\r\n")
        self.inbox = f"_INBOX.attack{time.time_ns()}"
        self.subscribe(f"{self.inbox}.*")
        self.flush()

    def send(self, data):
        self.socket.sendall(data)

    def subscribe(self, subject):
        self.subscriptions += 1
        self.send(f"SUB {subject} {self.subscriptions}\r\n".encode())

    def publish(self, subject, data=b"", reply=""):
        head = f"PUB {subject} {reply + ' ' if reply else ''}{len(data)}\r\n"
        self.send(head.encode() + data + b"\r\n")

    def read(self):
        """The next thing that comes: a pair of a subject and what is under it, or of a word of the protocol and None."""
        line = self.file.readline()
        if not line:
            raise EOFError
        words = line.split()
        kind = words[0].upper()
        if kind == b"PING":
            self.send(b"PONG\r\n")
        elif kind == b"-ERR":
            self.errors.append(line.decode().strip())
        elif kind in (b"MSG", b"HMSG"):
            data = self.file.read(int(words[-1]) + 2)[:-2]
            if kind == b"HMSG":
                data = data[int(words[-2]):]
            return words[1].decode(), data
        return kind.decode(), None

    def flush(self):
        """Comes back once the server has dealt with everything so far."""
        self.send(b"PING\r\n")
        while self.read()[0] != "PONG":
            pass

    def request(self, subject, body=None):
        """The server's answer as JSON; None where it refuses to answer."""
        self.requests += 1
        reply = f"{self.inbox}.{self.requests}"
        count = len(self.errors)
        self.publish(subject, json.dumps(body).encode() if body is not None else b"", reply)
        self.send(b"PING\r\n")
        while True:
            place, data = self.read()
            if place == reply:
                return json.loads(data) if data else None
            # What is not permitted is not answered.
            if place == "PONG" and len(self.errors) > count:
                return None
