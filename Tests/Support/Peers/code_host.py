#!/usr/bin/python3
"""A host whose guests prove the event's code, written from the wire's description alone.

Usage: code_host.py --event NAME --device NAME [--code CODE] [--session UUID] [--key PEM]
                    [--bind ADDRESS] [--port N] [--lines N] [--misbehave WHAT]

Without a code it answers a handshake at once, and whoever sends a code_share breaks the protocol.
Prints "port N" and "fingerprint HEX", and then a JSON object a line: what each guest says, and what
comes of it.

    {"guest":1,"heard":"code_share"}           of handshake and code_confirm also the "packet"
    {"guest":1,"result":"accepted"}            or "broken" with "why"; or "wrong_code", for a guest
                                               that got the host's share and then did not prove that
                                               it knows the code: a guess, by whatever it ended
    {"guest":1,"end":"closed"}                 how its connection ended

It serves the lines "line 1", "line 2" ... and stays. When its input ends it tells its guests that
the event has ended, on SIGTERM that the host goes away, and leaves with 0 in both cases. It knows
neither limits nor places: it counts no wrong codes, and has no second connection of a device.
"""
import argparse
import contextlib
import itertools
import json
import os
import secrets
import signal
import socket
import sys
import threading
import time
import uuid

import spake2plus
import wire

HISTORY_AT_ONCE = 1000  # lines in one piece


class Leaving(Exception):
    """The host ends while a guest is here."""


class Host:
    def __init__(self, options):
        self.options = options
        self.session = options.session or str(uuid.uuid4())
        self.key = wire.host_key(options.key)
        self.context = wire.tls_context(self.key)
        self.salt = uuid.UUID(self.session).bytes
        if options.misbehave == "longest-salt":
            self.salt *= (wire.SALT_SIZES.stop - 1) // len(self.salt)
        self.farewell = None  # the kind of the alert, once the host ends
        self.output = threading.Lock()
        if options.code:
            self.w0, w1 = wire.scalars(options.code, self.salt)
            self.record = spake2plus.record(w1)

    def say(self, **what):
        with self.output:
            print(json.dumps(what), flush=True)

    def serve(self):
        family = socket.AF_INET6 if ":" in self.options.bind else socket.AF_INET
        listener = socket.create_server((self.options.bind, self.options.port), family=family)
        print(f"port {listener.getsockname()[1]}")
        print(f"fingerprint {wire.fingerprint(self.key)}", flush=True)
        for number in itertools.count(1):
            link, _ = listener.accept()
            visit = Visit(self, number, link)
            threading.Thread(target=visit.run, daemon=True, name="guest").start()

    def leave(self, kind):
        self.farewell = kind
        deadline = time.monotonic() + wire.FAREWELL
        for guest in [each for each in threading.enumerate() if each.name == "guest"]:
            guest.join(max(0, deadline - time.monotonic()))
        sys.stdout.flush()
        os._exit(0)  # threads are left that wait for guests


class Visit:
    """One guest's connection."""

    def __init__(self, host, number, link):
        self.host, self.number, self.options = host, number, host.options
        self.channel = wire.Channel(link, host.context, is_host=True)
        self.owes_proof = False  # it has the host's share

    def say(self, **what):
        self.host.say(guest=self.number, **what)

    def run(self):
        try:
            end = self.serve()
        except (wire.Broken, spake2plus.BadShare) as problem:
            self.say(result="broken", why=str(problem))
            end = "the host"
        except TimeoutError:
            self.say(result="broken", why="the guest took too long")
            end = "the host"
        except Leaving:
            self.channel.send({"type": "alert", "kind": self.host.farewell,
                               "message": "The host ends.", "sentTimestamp": time.time()})
            end = "the host"
        except wire.Ended as ended:
            end = str(ended)
        if self.owes_proof:
            self.say(result="wrong_code")
        self.channel.close(wire.FAREWELL)
        self.say(end=end)

    # MARK: Joining

    def next(self, *types, deadline=None):
        """The next packet, which must be of one of the types."""
        deadline = deadline or time.monotonic() + wire.STEP
        while True:
            packet = self.channel.packet(deadline)
            kind = packet["type"]
            whole = {"packet": packet} if kind in ("handshake", "code_confirm") else {}
            self.say(heard=kind, **whole)
            if kind in types:
                return packet
            if kind in ("handshake", "code_share", "code_confirm"):
                raise wire.Broken(f"{kind} where {' or '.join(types) or 'none'} was due")

    def serve(self):
        """Returns how it ended, where that was the host's will."""
        self.channel.secure()
        handshake = self.next("handshake")
        if not self.options.code:
            return self.accept(handshake.get("resume"))
        proof = Proof(self) if not self.options.misbehave else HarmfulProof(self)
        confirm = proof.run()
        if confirm is None:
            return self.reject()
        return self.accept(confirm.get("resume"))

    def reject(self):
        self.channel.send({"type": "handshake_response", "status": "rejected", "protocol": 1,
                           "reason": "wrong_code", "message": "The code is wrong."})
        return "the host"

    # MARK: Captions

    def accept(self, resume):
        self.owes_proof = False
        self.say(result="accepted")
        after = 0
        if isinstance(resume, dict) and resume.get("session") == self.host.session:
            after = min(wire.field({"type": "resume"} | resume, "after", int), self.options.lines)
        self.channel.send(*self.welcome(after))
        for first in range(after + 1, self.options.lines + 1, HISTORY_AT_ONCE):
            last = min(first + HISTORY_AT_ONCE, self.options.lines + 1)
            self.channel.send(*(self.line(number) for number in range(first, last)))
        return self.stay()

    def welcome(self, after):
        count, session = self.options.lines, self.host.session
        return ({"type": "handshake_response", "status": "accepted", "protocol": 1,
                 "session": session, "runs": [0], "eventName": self.options.event,
                 "deviceName": self.options.device, "firstSeq": 1, "lastSeq": count,
                 "keepAliveInterval": 2.0, "timestamp": time.time()},
                {"type": "fullHistory", "session": session, "from": after + 1, "through": count,
                 "count": count - after})

    @staticmethod
    def line(number):
        return {"type": "liveChunk", "isFinal": True, "seq": number, "line": f"l-{number}",
                "text": f"line {number}", "sentTimestamp": time.time()}

    def stay(self):
        while True:
            now, channel = time.monotonic(), self.channel
            if self.host.farewell:
                raise Leaving
            if now >= channel.spoke + wire.KEEP_ALIVE:
                channel.send(wire.keep_alive(inputAge=0.0))
            if now >= channel.heard + wire.SILENCE:
                return "silent"
            with contextlib.suppress(TimeoutError):
                self.next(deadline=now + 0.2)


# MARK: The proof


class Proof:
    """The verifier's side. Each step is a method of its own, for hosts that mean harm."""

    def __init__(self, visit):
        self.visit, self.channel, self.host = visit, visit.channel, visit.host

    def run(self):
        """The guest's code_confirm, or None where it does not know the code."""
        self.challenge()
        share_p = wire.bytes_of(self.visit.next("code_share"), "share")
        self.answer(share_p)
        self.visit.owes_proof = True
        confirm = self.visit.next("code_confirm")
        if spake2plus.is_same(wire.confirmation_of(confirm), self.keys.confirm_p):
            return confirm
        return None

    def challenge(self):
        self.channel.send(self.challenge_packet(self.host.salt))

    def answer(self, share_p):
        self.verify(share_p)
        self.channel.send(self.share_packet(self.verifier.share, self.keys.confirm_v))

    def verify(self, share_p):
        self.verifier = spake2plus.Verifier(
            self.host.w0, self.host.record, wire.context(self.exported()))
        self.keys = self.verifier.keys(share_p)

    def exported(self):
        return self.channel.exporter()

    @staticmethod
    def challenge_packet(salt):
        return {"type": "code_challenge", "salt": salt.hex()}

    @staticmethod
    def share_packet(share, confirm=None):
        confirm = confirm or secrets.token_bytes(spake2plus.CONFIRMATION_SIZE)
        return {"type": "code_share", "share": wire.text_of(share),
                "confirm": wire.text_of(confirm)}


class HarmfulProof(Proof):
    """Does what its name in HARM says."""

    def __init__(self, visit):
        super().__init__(visit)
        self.what = visit.options.misbehave

    def run(self):
        if self.what == "no-challenge":
            return {}
        confirm = super().run()
        return None if self.what == "reject" else confirm

    def challenge(self):
        packet = self.challenge_packet(self.salt())
        if self.what == "odd-salt":
            packet["salt"] += "0"
        if self.what == "silent":
            self.wait()
        if self.what == "share-before-challenge":
            self.channel.send(self.share_packet(spake2plus.any_share()))
        self.channel.send(*[packet] * (2 if self.what == "challenge-twice" else 1))

    def salt(self):
        sizes = {"short-salt": wire.SALT_SIZES.start - 1, "long-salt": wire.SALT_SIZES.stop,
                 "huge-salt": 1_000_000}
        if self.what not in sizes:
            return self.host.salt
        return self.host.salt[:15] + secrets.token_bytes(sizes[self.what] - 15)

    def answer(self, share_p):
        what = self.what
        if what == "silent-after-share":
            self.wait()
        if what == "response-for-share":
            self.channel.send(*self.captions())
        self.verify(share_p)
        share, confirm = self.verifier.share, self.keys.confirm_v
        if what.startswith("share-") and what not in ("share-before-challenge", "share-twice"):
            share, confirm = self.bad_share(what.removeprefix("share-")), None
        if what == "confirm-reflected":
            share, confirm = share_p, None
        if what == "wrong-confirm":
            confirm = None
        if what == "short-confirm":
            confirm = confirm[:-1]
        packets = [self.share_packet(share, confirm)]
        if what == "share-twice":
            packets *= 2
        if what == "response-before-confirm":
            packets = [self.share_packet(share), *self.captions()]
        self.channel.send(*packets)

    def captions(self):
        """What only a guest that is in may be sent."""
        lines = range(1, self.host.options.lines + 1)
        return *self.visit.welcome(0), *(self.visit.line(number) for number in lines)

    def exported(self):
        exported = self.channel.exporter()
        return secrets.token_bytes(len(exported)) if self.what == "wrong-exporter" else exported

    def bad_share(self, name):
        if name == "mask":
            return spake2plus.encoded(spake2plus.multiplied(self.host.w0, spake2plus.N))
        return spake2plus.bad_shares()[name]

    def wait(self):
        """Says nothing, until the guest goes."""
        while True:
            self.visit.next(deadline=time.monotonic() + 600)


HARM = {
    **{f"share-{name}": "in place of its share" for name in spake2plus.bad_shares()},
    "share-mask": "a share that is w0*N: the code is right, and Z is the identity",
    "share-before-challenge": "a share before the challenge",
    "share-twice": "its share twice",
    "no-challenge": "accepts at once, and has shown nothing",
    "challenge-twice": "the challenge twice",
    "short-salt": "15 bytes of salt",
    "longest-salt": "64 bytes of salt: no harm, a guest takes as much",
    "long-salt": "65 bytes of salt",
    "huge-salt": "1,000,000 bytes of salt",
    "odd-salt": "a salt that is half a byte too long",
    "wrong-confirm": "a random confirmation",
    "short-confirm": "the right confirmation without its last byte",
    "confirm-reflected": "the guest's own share as its own, with a random confirmation",
    "response-before-confirm": "a random confirmation, and in one piece with it it accepts",
    "response-for-share": "accepts in place of its share",
    "reject": "calls the right code wrong",
    "silent": "says nothing to a handshake",
    "silent-after-share": "says nothing to a share",
    "wrong-exporter": "proves the right code for another connection",
}


# MARK: The program


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(f"{name:24} {meaning}" for name, meaning in HARM.items()))
    parser.add_argument("--event", required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--code")
    parser.add_argument("--session", metavar="UUID")
    parser.add_argument("--key", metavar="PEM")
    parser.add_argument("--bind", metavar="ADDRESS", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--lines", type=int, default=0)
    parser.add_argument("--misbehave", metavar="WHAT", choices=HARM)
    options = parser.parse_args()
    if options.misbehave and not options.code:
        parser.error("only a host with a code can misbehave with it")
    return options


def main():
    host = Host(parse())
    # Signals and the input's end come to this thread; serving is another's.
    signal.signal(signal.SIGTERM, lambda *_: host.leave("host_disconnected"))
    threading.Thread(target=host.serve, daemon=True).start()
    while sys.stdin.buffer.read(1 << 16):
        pass
    host.leave("ended")


if __name__ == "__main__":
    main()
