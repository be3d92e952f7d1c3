#!/usr/bin/python3
"""A guest that proves the event's code, written from the wire's description alone.

Usage: code_guest.py HOST PORT CODE [--fingerprint HEX] [--resume SESSION:AFTER]
                     [--misbehave WHAT [--patience S]]

Prints every final's text as a line, and "guest: ..." on standard error. Without a code (CODE is
empty) it joins hosts that ask for none. It ends with 0 at the alert `ended`, 75 when the connection
is lost, 76 when the host breaks the protocol, and 77 when the code is wrong, the host has another
key, asks for no code where one was given, or rejects.

With --misbehave it means harm, and prints one JSON object instead: the types of the packets that it
heard (a type that comes again and again once), how it ended, and how many seconds after its
handshake. It then ends with 0. How it can end:

    closed, reset, cut    the host closed the connection, broke it off, or without a goodbye
    rejected:REASON       the host said so
    left                  the guest did
    open                  the connection still stood after --patience seconds (20)
    tls: ..., refused     there was no connection by TLS, or none at all
"""
import argparse
import contextlib
import json
import os
import secrets
import socket
import sys
import time
import uuid

import spake2plus
import wire

LOST, VIOLATION, REFUSED = 75, 76, 77
# All else may come at any time and means nothing to this guest.
KNOWN = {"handshake", "code_challenge", "code_share", "code_confirm", "handshake_response",
         "fullHistory", "liveChunk", "alert"}


class Refused(Exception):
    """Why this guest cannot join, or will not."""


class Rejected(Refused):
    def __init__(self, packet):
        super().__init__(packet.get("message") or packet.get("reason"))
        self.reason = packet.get("reason")


class Guest:
    def __init__(self, options):
        self.options = options
        self.resume = resume_of(options.resume)
        self.identity = str(uuid.uuid4())
        self.channel = None

    # MARK: Joining

    def connect(self):
        try:
            link = socket.create_connection((self.options.host, self.options.port), wire.STEP)
        except OSError:
            raise wire.Ended("refused") from None
        self.channel = wire.Channel(link, wire.tls_context(), is_host=False)
        self.channel.secure()
        key = self.channel.tls.get_peer_certificate().get_pubkey()
        if not wire.fingerprint(key).startswith(self.options.fingerprint.lower()):
            raise Refused(f"the host has another key: {wire.fingerprint(key)}")

    def handshake(self):
        packet = {"type": "handshake", "protocol": 1, "deviceId": self.identity,
                  "displayName": "code guest", "platform": "Python", "timestamp": time.time()}
        # Where a code is to be proved, what the guest has is said after that.
        if self.resume and not self.options.code:
            packet["resume"] = self.resume
        return packet

    def next(self, deadline=None):
        """The next packet that this guest knows."""
        deadline = deadline or time.monotonic() + wire.STEP
        while True:
            packet = self.channel.packet(deadline)
            if packet["type"] in KNOWN:
                return packet

    def expect(self, *types):
        packet = self.next()
        if packet["type"] == "handshake_response" and packet.get("status") == "rejected":
            raise Rejected(packet)
        if packet["type"] not in types:
            raise wire.Broken(f"{packet['type']} where {' or '.join(types)} was due")
        return packet

    def join(self):
        """Returns the accepted handshake_response."""
        self.connect()
        self.channel.send(self.handshake())
        first = self.expect("code_challenge", "handshake_response")
        if first["type"] == "handshake_response":
            if self.options.code:
                raise Refused("this host asks for no code, and so has not shown that it knows it")
            return first
        if not self.options.code:
            raise Refused("this event asks for a code")
        self.prove(wire.salt_of(first))
        return self.expect("handshake_response")

    def prove(self, salt):
        context = wire.context(self.channel.exporter())
        prover = spake2plus.Prover(*wire.scalars(self.options.code, salt), context)
        self.channel.send({"type": "code_share", "share": wire.text_of(prover.share)})
        answer = self.expect("code_share")
        keys = prover.keys(wire.bytes_of(answer, "share"))
        if not spake2plus.is_same(wire.confirmation_of(answer), keys.confirm_v):
            raise Refused("the code is wrong, or somebody sits between this guest and the host")
        confirm = {"type": "code_confirm", "confirm": wire.text_of(keys.confirm_p)}
        self.channel.send(confirm | ({"resume": self.resume} if self.resume else {}))

    # MARK: Reading

    def read(self, accepted):
        """Prints the finals until the event ends."""
        if accepted.get("status") != "accepted":
            raise wire.Broken("a handshake_response without a status")
        self.session = wire.field(accepted, "session", str)
        goes_on = self.resume and self.resume["session"] == self.session
        self.last = self.resume["after"] if goes_on else 0
        while True:
            packet = self.next_while_alive()
            if packet["type"] == "fullHistory":
                self.take_history(packet)
            elif packet["type"] == "liveChunk":
                self.take_chunk(packet)
            elif packet["type"] == "alert":
                if packet.get("kind") == "ended":
                    return
            elif packet.get("status") == "rejected":
                raise Rejected(packet)
            else:
                raise wire.Broken(f"{packet['type']} after the guest was accepted")

    def next_while_alive(self):
        while True:
            now, channel = time.monotonic(), self.channel
            if now >= channel.spoke + wire.KEEP_ALIVE:
                channel.send(wire.keep_alive(deviceId=self.identity))
            if now >= channel.heard + wire.SILENCE:
                raise wire.Ended("silent")
            with contextlib.suppress(TimeoutError):
                return self.next(min(now + 1, channel.spoke + wire.KEEP_ALIVE))

    def take_history(self, packet):
        if packet.get("session") != self.session:
            raise wire.Broken("a fullHistory of another session")
        first = wire.field(packet, "from", int)
        if first <= self.last:
            raise wire.Broken(f"a fullHistory from {first} after final {self.last}")
        if first > self.last + 1:
            say(f"finals {self.last + 1} to {first - 1} are lost")
        self.last = first - 1

    def take_chunk(self, packet):
        if not packet.get("isFinal"):
            return
        if packet.get("seq") != self.last + 1:
            raise wire.Broken(f"final {packet.get('seq')} where {self.last + 1} was due")
        self.last += 1
        print(wire.field(packet, "text", str), flush=True)


def resume_of(text):
    if not text:
        return None
    session, _, after = text.rpartition(":")
    return {"session": session, "after": int(after)}


# MARK: Harm


class HarmfulGuest(Guest):
    """Does what its name in HARM says, and tells what came of it."""

    def __init__(self, options):
        super().__init__(options)
        self.heard, self.began = [], time.monotonic()

    def next(self, deadline=None):
        packet = super().next(deadline)
        if self.heard[-1:] != [packet["type"]]:
            self.heard.append(packet["type"])
        return packet

    def run(self):
        try:
            end = self.do_harm()
        except wire.Ended as ended:
            end = str(ended)
        except Rejected as rejected:
            end = f"rejected:{rejected.reason}"
        except (Refused, wire.Broken, spake2plus.BadShare) as problem:
            end = f"the guest: {problem}"
        except TimeoutError:
            end = "open"
        print(json.dumps({"heard": self.heard, "end": end,
                          "seconds": round(time.monotonic() - self.began, 1)}), flush=True)

    def do_harm(self):
        what = self.options.misbehave
        self.connect()
        self.began = time.monotonic()
        self.channel.send(self.handshake(), *[self.confirmation()] * (what == "confirm-first"))
        self.prover = self.challenged()
        if what == "no-share":
            return self.say_and_watch(self.confirmation())
        if what.startswith("share-") and what != "share-twice":
            return self.say_and_watch(self.share(self.bad_share(what.removeprefix("share-"))))
        self.channel.send(*[self.share(self.prover.share)] * (2 if what == "share-twice" else 1))
        keys, confirm_v = self.answered()
        return self.after_the_answer(what, keys, confirm_v)

    def challenged(self):
        salt = wire.salt_of(self.expect("code_challenge"))
        exported = self.channel.exporter()
        if self.options.misbehave == "wrong-exporter":
            exported = secrets.token_bytes(len(exported))
        return spake2plus.Prover(*wire.scalars(self.options.code, salt), wire.context(exported))

    def answered(self):
        answer = self.expect("code_share")
        keys = self.prover.keys(wire.bytes_of(answer, "share"))
        return keys, wire.confirmation_of(answer)

    def after_the_answer(self, what, keys, confirm_v):
        right = self.confirmation(keys.confirm_p)
        if what == "leave-after-share":
            self.channel.close()
            return "left"
        if what == "silent-after-share":
            return self.watch(is_silent=True)
        if what == "stall-after-share":
            return self.watch()
        packets = {"wrong-confirm": [self.confirmation()],
                   "short-confirm": [self.confirmation(keys.confirm_p[:-1])],
                   "confirm-reflected": [self.confirmation(confirm_v)],
                   "confirm-twice": [right, right]}.get(what, [right])
        return self.say_and_watch(*packets)

    def say_and_watch(self, *packets):
        self.channel.send(*packets)
        return self.watch()

    def watch(self, is_silent=False):
        """Stays, with signs of life or without, until the host has had enough."""
        patience = time.monotonic() + self.options.patience
        while time.monotonic() < patience:
            if not is_silent and time.monotonic() >= self.channel.spoke + wire.KEEP_ALIVE:
                self.channel.send(wire.keep_alive(deviceId=self.identity))
            with contextlib.suppress(TimeoutError):
                packet = self.next(min(patience, time.monotonic() + 1))
                if packet.get("status") == "rejected":
                    raise Rejected(packet)
        return "open"

    def bad_share(self, name):
        if name == "mask":
            return spake2plus.encoded(spake2plus.multiplied(self.prover.w0, spake2plus.M))
        return spake2plus.bad_shares()[name]

    @staticmethod
    def share(data):
        return {"type": "code_share", "share": wire.text_of(data)}

    @staticmethod
    def confirmation(data=None):
        return {"type": "code_confirm",
                "confirm": wire.text_of(data or secrets.token_bytes(spake2plus.CONFIRMATION_SIZE))}


HARM = {
    **{f"share-{name}": "instead of a share" for name in spake2plus.bad_shares()},
    "share-mask": "a share that is w0*M: the code is right, and Z is the identity",
    "share-twice": "the right share, twice",
    "no-share": "a confirmation in place of the share",
    "confirm-first": "a confirmation behind the handshake, then all as it should be",
    "confirm-twice": "the right confirmation, twice",
    "confirm-reflected": "the host's confirmation as its own",
    "wrong-confirm": "a random confirmation",
    "short-confirm": "the right confirmation without its last byte",
    "leave-after-share": "closes when the host's share came",
    "silent-after-share": "says nothing more when the host's share came",
    "stall-after-share": "says nothing but keep-alives when the host's share came",
    "wrong-exporter": "proves the right code for another connection",
}


# MARK: The program


def say(text):
    print(f"guest: {text}", file=sys.stderr, flush=True)


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(f"{name:20} {meaning}" for name, meaning in HARM.items()))
    parser.add_argument("host")
    parser.add_argument("port", type=int)
    parser.add_argument("code")
    parser.add_argument("--fingerprint", metavar="HEX", default="", help="16 digits or more")
    parser.add_argument("--resume", metavar="SESSION:AFTER")
    parser.add_argument("--misbehave", metavar="WHAT", choices=HARM)
    parser.add_argument("--patience", metavar="S", type=float, default=20)
    options = parser.parse_args()
    if options.fingerprint and len(options.fingerprint) < 16:
        parser.error("a fingerprint has 16 digits or more")
    return options


def run(guest):
    try:
        guest.read(guest.join())
        return 0
    except (Refused, wire.Broken, wire.Ended, spake2plus.BadShare, TimeoutError) as problem:
        say(str(problem) or "the host took too long")
        return status_of(problem)
    finally:
        if guest.channel:
            guest.channel.close()


def status_of(problem):
    # That is what a host says by TLS to an address that has guessed too often.
    if isinstance(problem, Refused) or "access denied" in str(problem):
        return REFUSED
    return VIOLATION if isinstance(problem, (wire.Broken, spake2plus.BadShare)) else LOST


def main():
    options = parse()
    if options.misbehave:
        HarmfulGuest(options).run()
        return 0
    return run(Guest(options))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(0)
    except BrokenPipeError:
        os._exit(0)
