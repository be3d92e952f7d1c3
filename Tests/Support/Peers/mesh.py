"""A node of a mesh, written from docs/PROTOCOL.md alone: its log, those of others, and its links. It
writes the JSON objects of mesh_node.py."""
import base64
import contextlib
import json
import os
import select
import socket
import sys
import time
import uuid

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

import signed_log
import wire

# The exporter's label by which both ends of a link prove with whose key they write.
PEER_LABEL = b"EXPORTER-beamscribe-peer"
# Seconds between two heads of a log.
HEAD_PAUSE = 2


def say(**what):
    print(json.dumps(what), flush=True)


# MARK: Logs


class HeldLog(signed_log.Log):
    """A log of which all is kept byte for byte, to be given to others."""

    def __init__(self, session):
        super().__init__(session, [0])
        self.session = session
        self.record, self.head, self.lines = None, None, []
        # How many of the lines are proven.
        self.count = 0
        # The link that brings it.
        self.source = None

    @property
    def label(self):
        return json.loads(self.record)["label"]

    def order(self):
        """By which the newest of its heads is known."""
        return order_of(self.head) if self.head else (-1, 0)

    def prove(self):
        """How many lines were proven, once none waits."""
        if not self.waiting:
            self.count = self.seq


def order_of(head):
    packet = json.loads(head)
    return packet["seq"], packet["time"]


class OwnLog(HeldLog):
    """A log that is written here, by a key of its own."""

    def __init__(self, label, event_name, created=None, key=None):
        self.signer = key or ec.generate_private_key(ec.SECP256R1())
        self.spki = signed_log.spki_of(self.signer)
        self.created = round(created or time.time(), 3)
        super().__init__(signed_log.bound_session(self.created, self.spki))
        self.key = self.signer.public_key()
        self.facts = {"label": label, "eventName": event_name}
        self.place = 0

    def introduce(self, event, **more):
        body = signed_log.body_for({
            "type": "log", "session": self.session, "event": event,
            "key": wire.text_of(self.spki), "kind": "captions", "deviceName": "Python",
            "created": self.created, "number": 1, **self.facts, **more})
        self.record = self.sign(body, b"beamscribe log v1\0" + signed_log.sha256(body))

    def sign(self, body, statement):
        return signed_log.signed(body, signed_log.signature(self.signer, statement))

    def say_line(self, text, **more):
        """Says a line, and how the log stands then."""
        self.append(text, **more)
        self.say_head()

    def append(self, text, sent=None, **more):
        self.place += 1
        packet = {"type": "liveChunk", "isFinal": True, "seq": self.seq + 1, "line": str(self.seq + 1),
                  "text": text, "sentTimestamp": sent or time.time(), "at": self.place, **more}
        body = signed_log.body_for(packet)
        self.seq += 1
        self.hash = signed_log.sha256(self.hash, body)
        self.lines.append(self.sign(body, self.statement()))
        self.count = self.seq

    def say_head(self, at=None, **more):
        packet = {"type": "head", "session": self.session, "runs": [0], "seq": self.seq,
                  "hash": self.hash.hex(), "at": self.place, "air": 1, "state": "live", "inputAge": 0,
                  "time": at or time.time(), "next": 4, **more}
        body = signed_log.body_for(packet)
        self.head = self.sign(
            body, b"beamscribe head v1\0" + self.id + signed_log.sha256(body))


# MARK: Links


class Link:
    """A connection to another node."""

    def __init__(self, number, channel, has_dialled):
        self.number, self.channel, self.has_dialled = number, channel, has_dialled
        self.node, self.writer = None, None
        # Of which log the captions are that come, and those that go.
        self.reading, self.saying = None, None
        # The newest head that either side has told, and the newest line that was given, of each log.
        self.told, self.given = {}, {}
        self.introduced = {}
        self.clock = None
        self.is_over = False

    def send(self, *packets):
        self.channel.send(*packets)

    def send_payloads(self, *payloads):
        self.channel.send_bytes(b"".join(wire.framed(each) for each in payloads))

    def statement(self, is_own):
        role = b"G" if self.has_dialled == is_own else b"H"
        return b"beamscribe peer v1\0" + role + self.channel.exporter(PEER_LABEL)

    def proof(self, log):
        made = signed_log.signature(log.signer, self.statement(True))
        return {"key": wire.text_of(log.spki), "proof": made.decode()}

    def take_proof(self, packet):
        """With whose key the other side writes, as far as it proves that."""
        if "proof" not in packet:
            return
        spki = base64.b64decode(packet["key"])
        raw = base64.urlsafe_b64decode(packet["proof"] + "==")
        der = utils.encode_dss_signature(
            int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        with contextlib.suppress(InvalidSignature):
            serialization.load_der_public_key(spki).verify(
                der, self.statement(False), ec.ECDSA(hashes.SHA256()))
            self.writer = signed_log.sha256(spki).hex()

    def keep_alive(self):
        clock = self.clock and {"echo": self.clock[0], "received": self.clock[1]}
        self.send(wire.keep_alive(**(clock or {})))


# MARK: The node


class Node:
    def __init__(self, options):
        self.options = options
        self.node = str(uuid.uuid4())
        self.own = OwnLog(options.label, options.event)
        self.event = None
        self.logs = {self.own.session: self.own}
        self.links, self.made = [], 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.context = wire.tls_context(wire.host_key())
        self.heads_due = 0
        self.input, self.has_ended = b"", False

    # MARK: Connections

    def dial(self, port, /, **claims):
        """A link to whoever listens there; None where there is none. `claims` are of its handshake."""
        try:
            channel = wire.Channel(
                socket.create_connection(("127.0.0.1", port), wire.STEP), wire.tls_context(),
                is_host=False)
            channel.secure()
        except (wire.Ended, OSError) as problem:
            return self.failed(str(problem))
        link = self.linked(channel, has_dialled=True)
        link.send({"type": "handshake", "protocol": 1, "deviceId": str(uuid.uuid4()),
                   "displayName": self.options.label, "timestamp": time.time(), "logs": 1,
                   "node": self.node, "event": self.event or self.own.session,
                   **link.proof(self.own), **claims})
        return self.welcomed(link, port)

    def welcomed(self, link, port):
        try:
            answer = link.channel.packet(time.monotonic() + wire.STEP)
        except (wire.Ended, wire.Broken, OSError) as problem:
            return self.end(link, str(problem) or "no answer")
        if answer.get("reason") == "another_event" and self.event is None:
            self.event = answer["session"]
            link.channel.close()
            self.links.remove(link)
            return self.dial(port)
        if answer.get("status") != "accepted":
            return self.end(link, f"rejected:{answer.get('reason')}")
        link.take_proof(answer)
        self.stands(link, answer["node"])
        return link

    def accept(self):
        channel = wire.Channel(self.listener.accept()[0], self.context, is_host=True)
        try:
            channel.secure()
            hello = channel.packet(time.monotonic() + wire.STEP)
        except (wire.Ended, wire.Broken, OSError) as problem:
            return self.failed(str(problem))
        link = self.linked(channel, has_dialled=False)
        answer = self.answer(link, hello)
        link.send(answer)
        if answer["status"] == "rejected":
            return self.end(link, f"rejected:{answer['reason']}")
        link.take_proof(hello)
        self.stands(link, hello["node"])

    def answer(self, link, hello):
        facts = {"type": "handshake_response", "protocol": 1, "session": self.event,
                 "eventName": self.options.event, "deviceName": "Python", "node": self.node}
        if hello.get("event") != self.event:
            return {"status": "rejected", "reason": "another_event", "message": "", **facts}
        return {"status": "accepted", "runs": [0], "firstSeq": 1, "lastSeq": 0,
                "keepAliveInterval": wire.KEEP_ALIVE, "timestamp": time.time(), "logs": 1,
                **link.proof(self.own), **facts}

    def linked(self, channel, has_dialled):
        self.made += 1
        self.links.append(Link(self.made, channel, has_dialled))
        return self.links[-1]

    def stands(self, link, node):
        link.node = node
        if self.own.record is None:
            self.own.introduce(self.event)
            self.own.say_head()
        say(link=link.number, node=node)

    def failed(self, why):
        self.made += 1
        say(link=self.made, end=why)

    def end(self, link, why):
        if link.is_over:
            return
        link.is_over = True
        say(link=link.number, end=why)
        for log in self.logs.values():
            if log.source is link:
                log.source = None
        # Whoever was refused may still read why.
        link.channel.close()
        self.links.remove(link)

    # MARK: What comes

    def take(self, link, payload):
        packet = wire.parsed(payload)
        match packet["type"]:
            case "log":
                self.take_record(packet, payload)
            case "head" if packet["session"] in self.logs:
                self.take_head(link, packet, payload)
            case "in":
                link.reading = packet["session"]
            case "fullHistory" if packet["session"] in self.logs:
                self.logs[packet["session"]].begin(packet)
            case "liveChunk":
                self.take_chunk(link, packet, payload)
            case "read" | "unread":
                say(link=link.number, heard=packet["type"])
                self.take_wish(link, packet)
            case "keep_alive":
                link.clock = packet["timestamp"], time.time()

    def take_record(self, packet, payload):
        session = packet["session"]
        if packet["event"] != self.event or session in self.logs:
            return
        log = HeldLog(session)
        log.take_bound_record(payload)
        log.record = payload
        self.logs[session] = log

    def take_head(self, link, packet, payload):
        log = self.logs[packet["session"]]
        link.told[log.session] = max(order_of(payload), link.told.get(log.session, (-1, 0)))
        if log is self.own:
            return
        self.show(log, log.take_head(payload))
        if order_of(payload) > log.order():
            log.head = payload
        if log.source is None:
            log.source = link
            link.send({"type": "read", "session": log.session, "after": log.seq, "run": 1})

    def take_chunk(self, link, packet, payload):
        log = self.logs.get(link.reading)
        if log is None or log.source is not link:
            return
        if not packet["isFinal"]:
            return log.take_partial(payload)
        texts = log.take_final(payload)
        log.lines.append(payload)
        self.own.place = max(self.own.place, packet.get("at", packet["seq"]))
        self.show(log, texts)

    def show(self, log, texts):
        log.prove()
        for text in texts:
            say(label=log.label, line=text)

    def take_wish(self, link, packet):
        log = next((each for each in self.offered(link) if each.session == packet["session"]), None)
        if log is None:
            return
        if packet["type"] == "unread":
            link.given.pop(log.session, None)
            return
        after = packet["after"]
        link.given[log.session], link.saying = after, log.session
        link.send({"type": "in", "session": log.session},
                  {"type": "fullHistory", "session": log.session, "from": after + 1,
                   "through": log.count, "count": log.count - after,
                   **({"hash": self.hash_at(log, after)} if after else {})})

    @staticmethod
    def hash_at(log, seq):
        hash = signed_log.sha256(b"beamscribe begin v1\0", log.id)
        for payload in log.lines[:seq]:
            hash = signed_log.sha256(hash, signed_log.body_of(payload)[0])
        return hash.hex()

    # MARK: What goes

    def give(self, link):
        """Tells the other side of logs, and gives it the lines that it reads."""
        for log in self.offered(link):
            self.introduce(link, log)
            self.give_lines(link, log)

    def offered(self, link):
        """The logs that the other side may have. This node is told nothing that is not for everybody."""
        return [log for log in self.logs.values() if log.record]

    def introduce(self, link, log):
        if log.source is link or log.head is None or log.order()[0] > log.count:
            return
        if log.order() <= link.told.get(log.session, (-1, 0)):
            return
        record = [] if link.introduced.get(log.session) == log.record else [log.record]
        link.introduced[log.session] = log.record
        link.told[log.session] = log.order()
        link.send_payloads(*record, log.head)

    def give_lines(self, link, log):
        given = link.given.get(log.session)
        if given is None or given >= log.count:
            return
        link.given[log.session] = log.count
        lines = self.passed(link, log, given, log.lines[given:log.count])
        if not lines:
            return
        if link.saying != log.session:
            link.send({"type": "in", "session": log.session})
            link.saying = log.session
        link.send_payloads(*lines)

    def passed(self, link, log, after, lines):
        """What is given of a log."""
        return lines

    # MARK: Time

    def run(self):
        print(f"port {self.listener.getsockname()[1]}", flush=True)
        for port in self.options.ports:
            self.dial(port)
        while not self.has_ended:
            self.wait()
            for link in list(self.links):
                self.turn(link)
            self.tick()
        self.leave()

    def wait(self):
        if any(link.channel.tls.pending() for link in self.links):
            return
        sources = [sys.stdin, self.listener, *(each.channel.socket for each in self.heard())]
        ready, _, _ = select.select(sources, [], [], 0.2)
        if self.listener in ready:
            self.accept()
        if sys.stdin in ready:
            self.take_input(os.read(0, 1 << 16))

    def heard(self):
        """The links to which it listens."""
        return self.links

    def take_input(self, data):
        self.has_ended = not data
        *lines, self.input = (self.input + data).split(b"\n")
        for line in lines:
            self.take_line(line.decode())

    def take_line(self, text):
        self.own.say_line(text)

    def turn(self, link):
        try:
            with contextlib.suppress(TimeoutError):
                while link in self.heard():
                    self.take(link, link.channel.frame(time.monotonic()))
            if not link.is_over:
                self.give(link)
        except (wire.Ended, wire.Broken) as problem:
            self.end(link, str(problem))
        except signed_log.Forged as problem:
            say(forged=str(problem))
            self.end(link, "forged")

    def tick(self):
        now = time.monotonic()
        if now >= self.heads_due and self.own.record:
            self.heads_due = now + HEAD_PAUSE
            self.own.say_head()
        for link in self.links:
            if now >= link.channel.spoke + wire.KEEP_ALIVE:
                link.keep_alive()

    def leave(self):
        if self.options.keep:
            with open(self.options.keep, "w") as file:
                json.dump({"event": self.event, "logs": [self.kept(log) for log in self.logs.values()]},
                          file)
        for link in list(self.links):
            self.end(link, "left")

    @staticmethod
    def kept(log):
        return {"session": log.session, "record": log.record.decode(), "head": log.head.decode(),
                "lines": [each.decode() for each in log.lines[:log.count]]}
