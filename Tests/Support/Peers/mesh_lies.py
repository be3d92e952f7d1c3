"""What mesh_node.py does wrong on purpose. Each way is a class, and says what of it was done."""
import copy
import json
import socket
import struct
import time
import uuid

import mesh
import signed_log
import wire

# Lines with this word are those that are meant.
WORD = b"lie"


class LyingNode(mesh.Node):
    """An ordinary node until an empty line of input comes."""

    def __init__(self, options):
        super().__init__(options)
        self.way = WAYS[options.misbehave](self)
        self.lies = False

    def take_line(self, text):
        if text:
            return super().take_line(text)
        self.lies = True
        self.way.begin()

    def offered(self, link):
        return self.way.offered(link, super().offered(link))

    def passed(self, link, log, after, lines):
        return self.way.passed(link, log, after, lines) if self.lies else lines

    def heard(self):
        return [] if self.lies and self.way.is_deaf else self.links

    def accept(self):
        if not (self.lies and self.way.answered()):
            super().accept()

    def tick(self):
        super().tick()
        if self.lies:
            self.way.tick()


class Way:
    """What does no harm: each way changes some of it."""

    is_deaf = False

    def __init__(self, node):
        self.node, self.times = node, 0

    def begin(self):
        """Does what is done at once."""

    def tick(self):
        """Goes on with it, each 0.2 s at least."""

    def offered(self, link, logs):
        return logs

    def passed(self, link, log, after, lines):
        return lines

    def answered(self):
        """Whether a connection that comes in was dealt with."""
        return False

    def accept(self, **claims):
        """Answers somebody, as another node or one of another event. Returns the link, once it stands."""
        node = self.node
        own, before = (node.node, node.event), list(node.links)
        node.node, node.event = claims.get("node", own[0]), claims.get("event", own[1])
        mesh.Node.accept(node)
        node.node, node.event = own
        return next((each for each in node.links if each not in before), None)

    def did(self, times=1, **more):
        self.times += times
        mesh.say(did=self.node.options.misbehave, times=self.times, **more)

    def tell_peers(self, link, *others):
        """Says where it is to be found, and others are."""
        port = self.node.listener.getsockname()[1]
        link.send({"type": "peers", "peers": [self.peer(self.node.node, port), *others]})

    @staticmethod
    def peer(node, port):
        return {"node": node, "addresses": [f"127.0.0.1:{port}"], "role": "peer"}

    def lead_here(self):
        """Tells of a node that is none, and that would be found where this one listens."""
        for link in self.node.links:
            port = self.node.listener.getsockname()[1]
            self.tell_peers(link, self.peer(str(uuid.uuid4()), port))


# MARK: Logs of others, as they are passed on


def numbered(payload, seq):
    return payload.replace(b'"seq":%d' % json.loads(payload)["seq"], b'"seq":%d' % seq, 1)


class Changed(Way):
    """A log of another that is not passed on as it is."""

    def passed(self, link, log, after, lines):
        if log is self.node.own:
            return lines
        given = []
        for payload in lines:
            given += self.instead(link, log, payload) if WORD in payload else [payload]
        # What follows a lie is numbered as it would have to be.
        return given if given == lines else self.renumbered(after, given)

    def renumbered(self, after, lines):
        self.did()
        return [numbered(each, after + place) for place, each in enumerate(lines, 1)]


class Altered(Changed):
    """another word in a line of another"""

    def instead(self, link, log, payload):
        return [payload.replace(WORD, b"lye")]


class Resigned(Changed):
    """the same, signed with its own key"""

    def instead(self, link, log, payload):
        body = signed_log.body_of(payload)[0].replace(WORD, b"lye")
        own, twin = self.node.own, copy.copy(log)
        twin.seq = json.loads(payload)["seq"]
        twin.hash = signed_log.sha256(
            bytes.fromhex(self.node.hash_at(log, twin.seq - 1)), body)
        return [own.sign(body, twin.statement())]


class LeftOut(Changed):
    """a line of another is left out"""

    def instead(self, link, log, payload):
        return []


class Repeated(Changed):
    """a line of another comes twice"""

    def instead(self, link, log, payload):
        return [payload, payload]


class Reordered(Changed):
    """lines of another in another order"""

    def passed(self, link, log, after, lines):
        if log is self.node.own or not any(WORD in each for each in lines):
            return lines
        return self.renumbered(after, [lines[-1], *lines[:-1]] if lines[1:] else lines)


class Spliced(Changed):
    """its own line in another's log"""

    def instead(self, link, log, payload):
        return [self.node.own.lines[0]]


class KeptBack(Way):
    """passes on the heads of others, and not their lines"""

    def passed(self, link, log, after, lines):
        if log is self.node.own:
            return lines
        self.did()
        return []


class AnothersRecord(Way):
    """says its own key for the logs of others"""

    def begin(self):
        node = self.node
        for link in list(node.links):
            for log in list(node.logs.values()):
                if log is not node.own:
                    link.send_payloads(self.record(log))
                    self.did()

    def record(self, log):
        own = self.node.own
        record = {**json.loads(log.record), "key": wire.text_of(own.spki), "number": 9}
        del record["sig"]
        body = signed_log.body_for(record)
        return own.sign(body, b"beamscribe log v1\0" + signed_log.sha256(body))


# MARK: Its own log


class ForgedSignature(Way):
    """a line of its own with another line's signature"""

    def begin(self):
        own = self.node.own
        own.append("forged")
        body, _ = signed_log.body_of(own.lines[-1])
        own.lines[-1] = signed_log.signed(body, signed_log.body_of(own.lines[0])[1])
        self.did()


class Fork(Way):
    """two lines of one number, each for one side"""

    twin = None

    def begin(self):
        own = self.node.own
        self.twin = copy.copy(own)
        self.twin.lines = list(own.lines)
        own.say_line("fork to the right")
        self.twin.say_line("fork to the left")
        self.did()

    def tick(self):
        # As long as its own log's heads rise, those of the other do.
        self.twin.say_head()

    def offered(self, link, logs):
        is_left = self.twin and link is self.node.links[0]
        return [self.twin if each is self.node.own and is_left else each for each in logs]


class Promises(Way):
    """tells of lines that never come"""

    def begin(self):
        own = self.node.own
        own.seq, own.count = own.seq + 100, own.count + 100
        own.say_head()
        self.did()

    def passed(self, link, log, after, lines):
        return [] if log is self.node.own else lines


class FloodOfLines(Way):
    """20,000 lines as fast as they can be signed, also where they are not read"""

    LINES, BATCH = 20_000, 500

    def tick(self):
        own = self.node.own
        if self.times == self.LINES:
            return
        for number in range(self.times, self.times + self.BATCH):
            own.append(f"flood {number + 1}")
        own.say_head()
        for link in self.node.links:
            link.given.setdefault(own.session, own.count - self.BATCH)
        self.times += self.BATCH
        if self.times == self.LINES:
            self.did(0)


class FloodOfLogs(Way):
    """200 logs, each with a key of its own"""

    LOGS = 200

    def begin(self):
        node = self.node
        for number in range(self.LOGS):
            log = mesh.OwnLog(f"Invented {number + 1}", node.options.event)
            log.introduce(node.event)
            log.say_line(f"invented {number + 1}")
            node.logs[log.session] = log
        self.did(self.LOGS)


class Private(Way):
    """logs that are for others, to those for whom they are not, and one that is another's"""

    def begin(self):
        node = self.node
        first, second = node.links[0], node.links[1]
        self.give(first, node.own, "for you alone", to=first.writer)
        self.give(second, node.own, "for another", to=first.writer)
        # Whoever wrote that did not prove his key on this link.
        self.give(second, mesh.OwnLog("Stranger", node.options.event), "passed on", to=second.writer)
        self.did()

    def give(self, link, writer, text, to):
        log = mesh.OwnLog(
            self.node.options.label, self.node.options.event, writer.created + 0.001 * (1 + self.times),
            writer.signer)
        self.times += 1
        log.introduce(self.node.event, to=[to])
        log.say_line(text)
        link.send_payloads(log.record, log.head)
        link.given[log.session] = 0
        self.node.give_lines(link, log)


# MARK: Links


class SameNode(Way):
    """says that it is each of the nodes that are there, also where it is dialled"""

    def begin(self):
        self.lead_here()
        node, links = self.node, list(self.node.links)
        for port in node.options.ports:
            for link in links:
                node.dial(port, node=link.node)
                self.did()

    def answered(self):
        self.accept(node=self.node.links[0].node)
        self.did()
        return True


class FloodOfNodes(Way):
    """40 connections to each, by as many nodes that are none"""

    NODES = 40

    def begin(self):
        for port in self.node.options.ports:
            for _ in range(self.NODES):
                self.node.dial(port, node=str(uuid.uuid4()))
        self.did(self.NODES * len(self.node.options.ports))


class FloodOfPeers(Way):
    """tells of 1,260 nodes that are none, at an address where nobody is"""

    TOLD, EACH = 20, 63

    def begin(self):
        for link in self.node.links:
            for _ in range(self.TOLD):
                self.tell_peers(link, *(self.peer(str(uuid.uuid4()), 1) for _ in range(self.EACH)))
        self.did(self.TOLD * self.EACH)


class SendsElsewhere(Way):
    """tells of 6,208 nodes that are none at 24,832 addresses, and counts for ten seconds who is connected to them"""

    PACKETS, EACH, ADDRESSES, SECONDS = 97, 64, 4, 10

    def begin(self):
        # All of 127.0.0.0/8 leads here: whoever is sent to one of these addresses is seen.
        self.victim = socket.create_server(("0.0.0.0", 0), backlog=4096)
        self.victim.setblocking(False)
        self.port = self.victim.getsockname()[1]
        self.connections, self.number = 0, 1 << 16
        self.since = time.monotonic()
        for _ in range(self.PACKETS):
            others = [self.nobody() for _ in range(self.EACH)]
            for link in self.node.links:
                link.send({"type": "peers", "peers": others})

    def nobody(self):
        addresses = []
        for _ in range(self.ADDRESSES):
            self.number += 1
            high, middle, low = self.number >> 16, self.number >> 8 & 255, self.number & 255
            addresses.append(f"127.{high}.{middle}.{low}:{self.port}")
        return {"node": str(uuid.uuid4()), "addresses": addresses, "role": "peer"}

    def tick(self):
        if not self.victim:
            return
        while True:
            try:
                self.victim.accept()[0].close()
                self.connections += 1
            except BlockingIOError:
                break
        if time.monotonic() - self.since >= self.SECONDS:
            self.victim.close()
            self.victim = None
            self.did(self.connections)


class ManyNames(Way):
    """answers as another node each time that it is dialled"""

    def begin(self):
        self.lead_here()

    def answered(self):
        link = self.accept(node=str(uuid.uuid4()))
        if link:
            self.node.end(link, "left")
        self.did()
        return True


class HalfOpen(Way):
    """connections that never get as far as a handshake, and an address at which nothing is answered"""

    EACH = 10

    def __init__(self, node):
        super().__init__(node)
        self.open, self.began = [], 0

    def begin(self):
        self.lead_here()
        for port in self.node.options.ports:
            for number in range(self.EACH * 3):
                self.open.append(self.connection(port, number % 3))
        self.began = time.monotonic()
        self.did(len(self.open))

    def connection(self, port, depth):
        link = socket.create_connection(("127.0.0.1", port))
        channel = wire.Channel(link, wire.tls_context(), is_host=False)
        if depth:
            channel.secure()
        if depth == 2:
            channel.send_bytes(struct.pack(">I", 500) + b'{"type":"handshake"')
        return channel

    def answered(self):
        return True  # It waits at the door.

    def tick(self):
        left = [each for each in self.open if not self.is_closed(each)]
        if self.open and not left:
            mesh.say(closed=self.times, seconds=round(time.monotonic() - self.began))
        self.open = left

    @staticmethod
    def is_closed(channel):
        try:
            return not channel.socket.recv(1 << 16)
        except BlockingIOError:
            return False
        except OSError:
            return True


class Deaf(Way):
    """takes nothing any more, and says that it lives"""

    is_deaf = True

    def begin(self):
        self.did()


class Garbage(Way):
    """on connections of its own, before and behind the handshake, what is none of the protocol"""

    ROUNDS = 5
    FRAMES = [
        struct.pack(">I", 0),
        b"\xff\xff\xff\xff" + b"a" * 1000,
        wire.framed(b"no packet"),
        wire.framed(b"[" * 60_000),
        wire.framed(b'{"type":"head","runs":' + b"[" * 60_000),
        wire.framed(b'{"type":"log","key":' + b'{"a":' * 10_000 + b"1" + b"}" * 10_001),
        wire.framed(b'{"type":"keep_alive","timestamp":1e400}'),
        wire.framed(b'{"type":"liveChunk","isFinal":true}'),
        struct.pack(">I", 10_485_760) + b'{"type":"head","a":"' + b"a" * 10_485_738 + b'"}',
    ]

    def begin(self):
        ended = 0
        for port in self.node.options.ports:
            for frame in self.FRAMES * self.ROUNDS:
                ended += self.is_ended(port, frame, False) + self.is_ended(port, frame, True)
                self.times += 2
        self.did(0, ended=ended)

    def is_ended(self, port, frame, is_node):
        channel = wire.Channel(
            socket.create_connection(("127.0.0.1", port)), wire.tls_context(), is_host=False)
        channel.secure()
        if is_node:
            channel.send({"type": "handshake", "protocol": 1, "deviceId": str(uuid.uuid4()),
                          "displayName": "garbage", "logs": 1, "node": str(uuid.uuid4()),
                          "event": self.node.event})
        channel.send_bytes(frame)
        try:
            while True:
                channel.frame(time.monotonic() + wire.STEP)
        except wire.Ended:
            return True
        except TimeoutError:
            return False
        finally:
            channel.socket.close()


# MARK: Yesterday


class Replayed(Way):
    """what was kept of an earlier event of the same name, as it is and as one of this event"""

    def begin(self):
        with open(self.node.options.replay) as file:
            kept = json.load(file)
        for link in list(self.node.links):
            self.replay(link, kept["logs"])
        for port in self.node.options.ports:
            link = self.node.dial(port, node=str(uuid.uuid4()))
            self.replay(link, kept["logs"], kept["event"])

    def replay(self, link, logs, event=None):
        for log in logs:
            record = log["record"]
            if event:
                record = record.replace(event, self.node.event)
            link.send({"type": "in", "session": log["session"]})
            link.send_payloads(record.encode(), log["head"].encode())
            link.send({"type": "in", "session": log["session"]},
                      {"type": "fullHistory", "session": log["session"], "from": 1,
                       "through": len(log["lines"]), "count": len(log["lines"])})
            link.send_payloads(*(each.encode() for each in log["lines"]))
            link.saying = log["session"]
            self.did()


class Yesterday(Way):
    """says that it is in an event of the same name, which was begun yesterday and goes before"""

    def __init__(self, node):
        super().__init__(node)
        self.log, self.links = None, []

    def begin(self):
        day = time.time() - 86_400
        log = mesh.OwnLog("Yesterday", self.node.options.event, day)
        # The event with the lower id stays if two have one name.
        while log.session >= self.node.event:
            day += 0.001
            log = mesh.OwnLog("Yesterday", self.node.options.event, day, log.signer)
        log.introduce(log.session, open=True)
        log.append("said yesterday", sent=day)
        log.say_head(at=day)
        self.log = log
        self.lead_here()

    def answered(self):
        link = self.accept(event=self.log.session)
        if link:
            self.links.append(link)
            self.did()
        return True

    def offered(self, link, logs):
        return [self.log] if link in self.links else logs


class LowerEvents(Way):
    """begins events of this name with lower and lower ids, and is 40 short-lived nodes in each"""

    EVENTS, NODES, PAUSE = 3, 40, 1

    def __init__(self, node):
        super().__init__(node)
        self.called = 0

    def begin(self):
        self.founded = 0
        self.found()

    def found(self):
        node = self.node
        log, created = None, time.time()
        while log is None or log.session >= node.event:
            created -= 0.001
            log = mesh.OwnLog(node.options.label, node.options.event, created, node.own.signer)
        log.introduce(log.session, open=True)
        log.say_line("invented")
        node.own, node.event, node.logs = log, log.session, {log.session: log}
        for link in list(node.links):
            node.end(link, "left")
        self.founded += 1

    def tick(self):
        if self.founded > self.EVENTS or time.monotonic() < self.called + self.PAUSE:
            return
        self.called = time.monotonic()
        # All nodes are to have come over before they are visited.
        if not all([self.visit(port) for port in self.node.options.ports]):
            return
        for port in self.node.options.ports * self.NODES:
            self.visit(port)
        self.did(self.NODES)
        if self.founded == self.EVENTS:
            self.founded += 1
        else:
            self.found()

    def visit(self, port):
        """Whether the node there lets in a node of this event, which leaves at once."""
        listening = self.node.listener.getsockname()[1]
        link = self.node.dial(port, node=str(uuid.uuid4()), port=listening)
        if link is None:
            return False
        self.tell_peers(link, *(self.peer(str(uuid.uuid4()), listening) for _ in range(8)))
        self.node.end(link, "left")
        return True


WAYS = {
    "altered": Altered, "resigned": Resigned, "left-out": LeftOut, "repeated": Repeated,
    "reordered": Reordered, "spliced": Spliced, "kept-back": KeptBack,
    "anothers-record": AnothersRecord, "forged-signature": ForgedSignature, "fork": Fork,
    "promises": Promises, "flood-of-lines": FloodOfLines, "flood-of-logs": FloodOfLogs,
    "private": Private, "same-node": SameNode, "flood-of-nodes": FloodOfNodes,
    "flood-of-peers": FloodOfPeers, "sends-elsewhere": SendsElsewhere, "many-names": ManyNames, "half-open": HalfOpen, "deaf": Deaf,
    "garbage": Garbage, "lower-events": LowerEvents, "replayed": Replayed, "yesterday": Yesterday,
}


def meanings():
    return {name: way.__doc__ for name, way in WAYS.items()}
