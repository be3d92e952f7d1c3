#!/usr/bin/python3
"""A relay that lies: towards guests it speaks with a host's own key, of which it has the file but
signs nothing with it, as a holder of the log could be given the connection and no more.

Usage: log_relay.py HOST PORT KEYFILE LIE

With "new" for KEYFILE it has a key of its own, as any machine that serves the event.

Listens on 127.0.0.1 and prints "port N". What goes on to the guest is the host's, but for the lie:

    none         nothing is changed
    words        another word in the lines with "lie"
    leave-out    these lines are left out, and the others numbered anew
    exchange     the first of two of them changes places with the next line
    twice        each of them comes twice
    strip        their signatures are gone
    swap         they have the signature of the line before
    partial      another word in open lines
    head         the event is said to be over
    record       another key, of its own, signs the record and nothing else
    replay       in the place of each of them comes the line before, numbered anew
    run          the host is said to have been started once more
    silence      from there on no line comes any more, but all else does
    other-logs   nothing is passed on of the event's other logs
"""
import contextlib
import itertools
import json
import select
import signal
import socket
import struct
import sys
import threading
import time

from cryptography.hazmat.primitives.asymmetric import ec

import signed_log
import wire


def numbered(payload, seq):
    return payload.replace(b'"seq":%d' % json.loads(payload)["seq"], b'"seq":%d' % seq, 1)


def own_record(payload):
    key = ec.generate_private_key(ec.SECP256R1())
    record = {**json.loads(payload), "key": wire.text_of(signed_log.spki_of(key))}
    del record["sig"]
    body = signed_log.body_for(record)
    statement = b"beamscribe log v1\0" + signed_log.sha256(body)
    return signed_log.signed(body, signed_log.signature(key, statement))


class Liar:
    """What becomes of the host's payloads."""

    # The first final that was passed on as it is, on whichever connection.
    honest = None
    # Whether a line was given another's signature: from then on all are, for a true one behind it would
    # prove the line all the same.
    swaps = False

    def __init__(self, lie):
        self.lie = lie
        self.held = None
        self.left_out = 0
        self.is_silent = False
        # The host's own log, and that of the lines that come now.
        self.main = None
        self.current = None

    def is_of_another_log(self, packet):
        kind = packet["type"]
        if kind == "handshake_response":
            self.main = self.current = packet.get("session")
        if kind == "in":
            self.current = packet["session"]
        if kind == "liveChunk":
            return self.current != self.main
        return (
            kind in ("log", "grant", "head", "in", "fullHistory")
            and packet["session"] != self.main)

    def passed(self, payload):
        """The payloads that go on in the place of this one."""
        packet = wire.parsed(payload)
        kind = packet["type"]
        if self.lie == "other-logs":
            return [] if self.is_of_another_log(packet) else [payload]
        if self.is_silent:
            return [] if kind == "liveChunk" else [payload]
        if kind == "liveChunk" and packet["isFinal"]:
            lines = self.final(payload, packet)
            if lines == [payload]:
                Liar.honest = Liar.honest or payload
            return lines
        match self.lie, kind:
            case "partial", "liveChunk":
                return [payload.replace(b"open", b"shut")]
            case "head", "head":
                return [payload.replace(b'"live"', b'"ended"')]
            case "record", "log":
                return [own_record(payload)]
            case "run", "head":
                return [payload.replace(b'"runs":[0]', b'"runs":[0,0]')]
        return [payload]

    def final(self, payload, packet):
        seq = packet["seq"] - self.left_out
        is_meant = "lie" in packet["text"] or Liar.swaps
        if self.held:
            held, self.held = self.held, None
            return [numbered(payload, seq - 1), numbered(held, seq)]
        if self.left_out:
            return [numbered(payload, seq)]
        if not is_meant:
            return [payload]
        body, signature = signed_log.body_of(payload)
        match self.lie:
            case "words":
                return [payload.replace(b"lie", b"lye")]
            case "leave-out":
                self.left_out += 1
                return []
            case "exchange":
                self.held = payload
                return []
            case "twice":
                return [payload, numbered(payload, seq + 1)]
            case "strip":
                return [body + b"}"]
            case "swap":
                Liar.swaps = True
                return [signed_log.signed(body, signed_log.body_of(Liar.honest)[1])]
            case "replay":
                return [numbered(Liar.honest, seq)]
            case "silence":
                self.is_silent = True
                return []
        return [payload]


def serve(link, context, target, lie):
    guest = wire.Channel(link, context, is_host=True)
    try:
        guest.secure()
        host = wire.Channel(
            socket.create_connection(target), wire.tls_context(), is_host=False)
        host.secure()
    except (wire.Ended, OSError):
        return guest.close()
    liar = Liar(lie)
    ways = [(guest, host, lambda payload: [payload]), (host, guest, liar.passed)]
    while all(moved(*way) for way in ways):
        if not any(each.tls.pending() for each in (guest, host)):
            select.select([guest.socket, host.socket], [], [])
    guest.close()
    host.close()


def moved(source, target, passed):
    """Passes on what has come whole. Returns whether more may come."""
    try:
        with contextlib.suppress(TimeoutError):
            while True:
                payload = source.frame(time.monotonic())
                for each in passed(payload):
                    target.send_bytes(struct.pack(">I", len(each)) + each)
        return True
    except (wire.Ended, wire.Broken):
        return False


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    path = None if sys.argv[3] == "new" else sys.argv[3]
    context = wire.tls_context(wire.host_key(path))
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"port {listener.getsockname()[1]}", flush=True)

    def accept():
        for _ in itertools.count():
            link, _ = listener.accept()
            threading.Thread(
                target=serve, daemon=True,
                args=(link, context, (sys.argv[1], int(sys.argv[2])), sys.argv[4])).start()

    threading.Thread(target=accept, daemon=True).start()
    while sys.stdin.buffer.read(1 << 16):
        pass


if __name__ == "__main__":
    main()
