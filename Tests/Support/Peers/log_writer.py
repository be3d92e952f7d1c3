#!/usr/bin/python3
"""A writer that takes part in a host's event with logs of its own and means harm, written from
docs/PROTOCOL.md alone.

Usage: log_writer.py HOST PORT WAY [NUMBER]

Does what WAY says once it is in the event, and then reads and answers until its input ends.

    numbers       one log for each numeric key of a record, a head and a line, with NUMBER there
    places        a line with the highest place that there is, and another behind it
    tomorrow      lines by a clock that is a day ahead
    logs          64 logs of one key, with 100 lines each
    heads         a flood of signed heads
    partials      a flood of signed open lines
    large         a line whose packet has 1.1 MB
    replacement   a log under a session that another writer has asked for: NUMBER is the session
    gone          says what it has heard of another's log, and that its lines are gone

Prints JSON objects: {"session": ID} for each log that it brings, {"granted": ID} for each that was
let in, {"given": ID, "lines": N} when lines were asked for, {"denied": ID} when it has said that they
are gone, {"did": WAY} when it is done, and {"end": HOW} when the host has ended the connection.
"""
import json
import select
import socket
import sys
import time
import uuid

from cryptography.hazmat.primitives.asymmetric import ec

import mesh
import signed_log
import wire

# Which numbers there are: of `log`, of `head`, and of a line.
RECORD_KEYS = ["created", "number"]
HEAD_KEYS = ["runs", "seq", "at", "air", "inputAge", "time", "next"]
LINE_KEYS = ["at", "start", "end", "sentTimestamp", "of"]
FLOOD = 6_000


class Writer:
    def __init__(self, host, port):
        self.target = host, port
        self.logs, self.granted, self.given = {}, set(), set()
        self.clock, self.has_ended = None, False
        # Packets about logs of others, byte for byte, by their sessions; whether to lie about them.
        self.others_logs, self.lies = {}, False
        # Others that write by connections of their own.
        self.others = []
        self.channel = wire.Channel(
            socket.create_connection(self.target, wire.STEP), wire.tls_context(), is_host=False)
        self.channel.secure()
        self.channel.send({
            "type": "handshake", "protocol": 1, "deviceId": str(uuid.uuid4()),
            "displayName": "log_writer", "timestamp": time.time(), "logs": 1})
        answer = self.channel.packet(time.monotonic() + wire.STEP)
        if answer.get("status") != "accepted":
            sys.exit(f"log_writer: {answer}")
        self.event = answer["session"]

    def another(self):
        self.others.append(Writer(*self.target))
        return self.others[-1]

    # MARK: Logs

    def log(self, label, key=None):
        """A log of this writer's, which is yet to be introduced."""
        # The id of a log is made of its key and its time.
        log = mesh.OwnLog(label, "Town Hall", time.time() + len(self.logs), key)
        self.logs[log.session] = log
        return log

    def bring(self, log, **record):
        log.introduce(self.event, **record)
        if not log.head:
            log.say_head()
        mesh.say(session=log.session)
        self.send(log.record, log.head)

    def send(self, *payloads):
        self.channel.send_bytes(b"".join(wire.framed(each) for each in payloads))

    def give(self, session, after):
        log = self.logs[session]
        begin = {"type": "fullHistory", "session": session, "from": after + 1, "through": log.seq,
                 "count": log.seq - after}
        self.channel.send({"type": "in", "session": session}, begin)
        self.send(*log.lines[after:])
        self.given.add(session)
        mesh.say(given=session, lines=log.seq)

    def deny(self, session):
        """Says that the lines are gone which are asked for, and a hundred that there never were."""
        self.channel.send(
            {"type": "in", "session": session},
            {"type": "fullHistory", "session": session, "from": 102, "through": 101, "count": 0,
             "hash": "ab" * 32})
        mesh.say(denied=session)

    # MARK: The connection

    def run_until(self, is_done):
        """Reads and answers. Returns whether it is done; False where the connection has ended."""
        while not is_done():
            if not self.run(0.1):
                return False
            for other in self.others:
                other.run(0)
        return True

    def run(self, patience):
        """Answers what comes in this many seconds. Returns whether the connection stands."""
        if self.has_ended:
            return False
        if time.monotonic() > self.channel.spoke + 1:
            clock = self.clock and {"echo": self.clock[0], "received": self.clock[1]}
            self.channel.send(wire.keep_alive(**(clock or {})))
        try:
            self.take(self.channel.frame(time.monotonic() + patience))
        except TimeoutError:
            pass
        except wire.Ended as end:
            self.has_ended = True
            mesh.say(end=str(end))
        return not self.has_ended

    def take(self, payload):
        packet = wire.parsed(payload)
        if packet["type"] in ("log", "grant", "head") and packet["session"] not in self.logs:
            self.others_logs.setdefault(packet["session"], {})[packet["type"]] = payload
        if isinstance(packet.get("timestamp"), (int, float)):
            self.clock = packet["timestamp"], time.time()
        match packet["type"]:
            case "grant" if packet["session"] in self.logs:
                if packet["session"] not in self.granted:
                    self.granted.add(packet["session"])
                    mesh.say(granted=packet["session"])
            case "read" if packet["session"] in self.logs:
                self.give(packet["session"], packet["after"])
            case "read" if self.lies:
                self.deny(packet["session"])
            case "alert" if packet["kind"] == "ended":
                raise wire.Ended("ended")


# MARK: What it does


def numbers(writer, number):
    """By a connection each: a number that no log can have ends it."""
    for key in RECORD_KEYS:
        other = writer.another()
        log = other.log(f"record {key}")
        log.say_line("a word")
        other.bring(log, **{key: number})
    for key in HEAD_KEYS:
        other = writer.another()
        log = other.log(f"head {key}")
        log.append("a word")
        log.say_head(**{key: [0, number] if key == "runs" else number})
        other.bring(log)
    for key in LINE_KEYS:
        other = writer.another()
        log = other.log(f"line {key}")
        for text in ("before", "with a number", "after"):
            log.append(text, **({key: number} if text == "with a number" else {}))
        log.say_head()
        other.bring(log)
    good = writer.log("good")
    good.say_line("a good line")
    writer.bring(good)
    behind = time.monotonic() + wire.KEEP_ALIVE
    return lambda: good.session in writer.given and time.monotonic() > behind


def places(writer, _):
    log = writer.log("places")
    log.append("far ahead", at=2**53 - 1)
    log.append("behind it", at=2**53 - 1)
    log.say_head()
    writer.bring(log)
    return lambda: log.session in writer.given


def tomorrow(writer, _):
    log = writer.log("tomorrow")
    for number in range(1, 4):
        log.append(f"tomorrow {number}", sent=time.time() + 86_400 + number)
    log.say_head(time.time() + 86_400)
    writer.bring(log)
    return lambda: log.session in writer.given


def logs(writer, _):
    key = ec.generate_private_key(ec.SECP256R1())
    for number in range(64):
        log = writer.log(f"log {number}", key)
        for line in range(100):
            log.append(f"log {number} line {line}")
        log.say_head()
        writer.bring(log)
    return lambda: bool(writer.given)


def flood(kind):
    def begin(writer, _):
        log = writer.log(kind)
        log.say_line("before the flood")
        writer.bring(log)
        if not writer.run_until(lambda: log.session in writer.given):
            return lambda: True
        made = [partial(log, number) if kind == "partials" else head(log)
                for number in range(FLOOD)]
        for start in range(0, FLOOD, 500):
            if select.select([writer.channel.socket], [], [], 0)[0]:
                writer.run_until(lambda: True)
            writer.send(*made[start:start + 500])
        return lambda: True
    return begin


def large(writer, _):
    log = writer.log("large")
    log.append("before")
    log.append("large", pad="z" * 1_100_000)
    log.say_head()
    writer.bring(log)
    return lambda: writer.has_ended


def gone(writer, _):
    def is_known():
        return any(len(said) == 3 for said in writer.others_logs.values())
    writer.run_until(is_known)
    writer.lies = True
    writer.send(*next(
        [said["log"], said["grant"], said["head"]] for said in writer.others_logs.values()
        if len(said) == 3))
    return lambda: True


def head(log):
    log.say_head()
    return log.head


def partial(log, revision):
    body = signed_log.body_for({
        "type": "liveChunk", "isFinal": False, "line": "open", "revision": revision + 1,
        "text": f"word {revision}", "sentTimestamp": time.time()})
    return log.sign(body, b"beamscribe partial v1\0" + log.id + signed_log.sha256(body))


def replacement(writer, session):
    log = writer.log("replacement")
    del writer.logs[log.session]
    log.session, log.id = session, uuid.UUID(session).bytes
    writer.logs[session] = log
    writer.bring(log)
    return lambda: True


WAYS = {"numbers": numbers, "places": places, "tomorrow": tomorrow, "logs": logs,
        "heads": flood("heads"), "partials": flood("partials"), "large": large, "gone": gone,
        "replacement": replacement}


def main():
    if len(sys.argv) not in (4, 5) or sys.argv[3] not in WAYS:
        sys.exit(__doc__)
    way, more = sys.argv[3], sys.argv[4] if sys.argv[4:] else None
    writer = Writer(sys.argv[1], int(sys.argv[2]))
    is_done = WAYS[way](writer, json.loads(more) if way == "numbers" else more)
    if writer.run_until(is_done):
        mesh.say(did=way)
        writer.run_until(lambda: bool(select.select([sys.stdin], [], [], 0)[0]))


if __name__ == "__main__":
    main()
