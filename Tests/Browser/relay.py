"""A piece of network between a browser and a host, which a test can cut."""

import socket
import struct
import threading


class Relay:
    """Passes TCP connections on to `port` of this machine.

    A cut network is one of three:
    - `silent`: no packet arrives. When it is mended, TCP brings what was under way.
    - `forgetful`: connections that lived before it stay dead, as behind a router that was started
      again; new ones pass.
    - `refusing`: connections are reset, the old and the new.
    """

    def __init__(self, port):
        self.target = ("127.0.0.1", port)
        self.is_passing = threading.Event()
        self.is_passing.set()
        self.is_refusing = False
        self.pairs = []
        self.requests = []  # what browsers have sent, as bytes
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "http://127.0.0.1:%d/" % self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self, how="silent"):
        if how == "silent":
            self.is_passing.clear()
        self.is_refusing = how == "refusing"
        for pair in self.pairs:
            pair.is_dead = how != "silent"
            if how == "refusing":
                pair.reset()

    def mend(self):
        self.is_refusing = False
        self.is_passing.set()

    def close(self):
        self.mend()
        self.listener.close()
        for pair in self.pairs:
            pair.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.is_refusing:
                reset(client)
                continue
            try:
                pair = Pair(self, client, socket.create_connection(self.target))
            except OSError:
                reset(client)
                continue
            self.pairs.append(pair)
            pair.start()


class Pair:
    """A browser's connection and the host's."""

    def __init__(self, relay, client, host):
        self.relay, self.client, self.host, self.is_dead = relay, client, host, False

    def start(self):
        for source, target in ((self.client, self.host), (self.host, self.client)):
            threading.Thread(target=self._pass, args=(source, target), daemon=True).start()

    def _pass(self, source, target):
        try:
            while data := source.recv(65536):
                self.relay.is_passing.wait()
                if self.is_dead:
                    continue
                if source is self.client:
                    self.relay.requests.append(data)
                target.sendall(data)
            if not self.is_dead:
                target.shutdown(socket.SHUT_WR)
        except OSError:
            if not self.is_dead:
                self.reset()

    def reset(self):
        reset(self.client)
        reset(self.host)

    def close(self):
        self.client.close()
        self.host.close()


def reset(connection):
    """Closes with RST: everything that is under way is thrown away."""
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        # A thread may wait in recv, which would keep the socket open.
        connection.shutdown(socket.SHUT_RD)
    except OSError:
        pass
    connection.close()
