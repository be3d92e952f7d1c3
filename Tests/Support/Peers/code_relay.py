#!/usr/bin/python3
"""The man in the middle: a guest's connection ends here, and another one goes on to the host.

Usage: code_relay.py HOST PORT

Listens on 127.0.0.1 with a key of its own and passes every frame on, unchanged, in both directions.
Prints "port N" and "fingerprint HEX", and then a JSON object a line: the type of each frame that
passed and whose it was (once where the same comes again and again), and who ended the connection
and how.

    {"connection":1,"from":"guest","type":"handshake"}
    {"connection":1,"from":"host","end":"closed"}

It stays until SIGTERM or the end of its input. Two TLS connections have two exporters: a guest that
knows the code must find the host's confirmation wrong, and say nothing more.
"""
import contextlib
import itertools
import json
import select
import signal
import socket
import sys
import threading
import time

import wire

output = threading.Lock()


def say(**what):
    with output:
        print(json.dumps(what), flush=True)


class Passage:
    """One guest and its connection to the host."""

    def __init__(self, number, link, context, target):
        self.number, self.link, self.context, self.target = number, link, context, target
        self.told = None

    def run(self):
        guest = wire.Channel(self.link, self.context, is_host=True)
        try:
            guest.secure()
            host = wire.Channel(socket.create_connection(self.target), wire.tls_context(),
                                is_host=False)
            host.secure()
        except (wire.Ended, OSError) as problem:
            say(connection=self.number, end=str(problem))
            return guest.close()
        self.sides = {"guest": (guest, host), "host": (host, guest)}
        while all(self.passed(name, *sides) for name, sides in self.sides.items()):
            self.wait(guest, host)
        guest.close()
        host.close()

    def wait(self, *channels):
        if not any(each.tls.pending() for each in channels):
            select.select([each.socket for each in channels], [], [])

    def passed(self, name, source, target):
        """Passes on what has come whole. Returns whether more may come."""
        try:
            with contextlib.suppress(TimeoutError):
                while True:
                    payload = source.frame(time.monotonic())
                    self.tell(name, type=wire.parsed(payload)["type"])
                    target.send_bytes(wire.framed(payload))
            return True
        except (wire.Ended, wire.Broken) as problem:
            self.tell(name, end=str(problem))
            return False

    def tell(self, name, **what):
        line = {"connection": self.number, "from": name, **what}
        if line != self.told:
            say(**line)
        self.told = line


def serve(target):
    key = wire.host_key()
    context = wire.tls_context(key)
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"port {listener.getsockname()[1]}")
    print(f"fingerprint {wire.fingerprint(key)}", flush=True)
    for number in itertools.count(1):
        link, _ = listener.accept()
        passage = Passage(number, link, context, target)
        threading.Thread(target=passage.run, daemon=True).start()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    target = sys.argv[1], int(sys.argv[2])
    threading.Thread(target=serve, args=(target,), daemon=True).start()
    while sys.stdin.buffer.read(1 << 16):
        pass


if __name__ == "__main__":
    main()
