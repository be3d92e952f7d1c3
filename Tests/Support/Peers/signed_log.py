"""Signed logs as docs/PROTOCOL.md has them, for the reader, the relay and the nodes of this folder.
Nothing here knows the program's own code."""
import base64
import hashlib
import json
import re
import struct
import uuid

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

TAIL = re.compile(rb',"sig":"(.{86})"}\Z', re.DOTALL)


class Forged(Exception):
    """Something that its writer has not signed."""


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def body_of(payload):
    """The bytes that are signed, and the 86 characters of the signature; None where there is none."""
    tail = TAIL.search(payload)
    return (payload[:tail.start()], tail.group(1)) if tail else (payload[:-1], None)


def signature(key, statement):
    """The 86 characters of what `key` signs."""
    numbers = utils.decode_dss_signature(key.sign(statement, ec.ECDSA(hashes.SHA256())))
    raw = b"".join(each.to_bytes(32, "big") for each in numbers)
    return base64.urlsafe_b64encode(raw).rstrip(b"=")


def signed(body, signature):
    return body + b',"sig":"' + signature + b'"}'


def body_for(packet):
    """The bytes of a packet that are signed, for who says it himself."""
    return json.dumps(packet, separators=(",", ":"), ensure_ascii=False).encode()[:-1]


def spki_of(key):
    return key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


def bound_session(created, spki):
    """The id of a mesh's log, which nobody can have but whose key it is."""
    milliseconds = struct.pack(">Q", round(created * 1000))
    begin = sha256(b"beamscribe session v1\0", milliseconds, spki)[:16]
    number = int.from_bytes(begin, "big")
    number = number & ~(0xF << 76) | 8 << 76
    return str(uuid.UUID(int=number & ~(3 << 62) | 2 << 62))


class Log:
    """A log that is read: its chain, and what is proven of it."""

    def __init__(self, session, runs):
        self.id, self.runs = uuid.UUID(session).bytes, runs
        self.key = None
        self.seq, self.hash = 0, sha256(b"beamscribe begin v1\0", self.id)
        # Texts that are not proven yet.
        self.waiting = []

    def take_record(self, payload, fingerprint):
        """The log's record, by the key that the connection has proved."""
        spki = base64.b64decode(json.loads(payload)["key"], validate=True)
        if hashlib.sha256(spki).hexdigest() != fingerprint:
            raise Forged("another writer's log")
        self.take_key(payload, spki)

    def take_bound_record(self, payload):
        """That of a mesh's log."""
        record = json.loads(payload)
        spki = base64.b64decode(record["key"], validate=True)
        if bound_session(record["created"], spki) != record["session"]:
            raise Forged("a log whose id is bound to another key")
        self.take_key(payload, spki)

    def take_key(self, payload, spki):
        self.key = serialization.load_der_public_key(spki)
        body, signature = body_of(payload)
        self.check(signature, b"beamscribe log v1\0" + sha256(body))

    def begin(self, packet):
        self.waiting = []
        if packet["from"] > 1 and packet["from"] != self.seq + 1:
            self.seq, self.hash = packet["from"] - 1, bytes.fromhex(packet["hash"])

    def take_final(self, payload):
        """The texts that this line proves, itself among them."""
        packet, (body, signature) = json.loads(payload), body_of(payload)
        if packet["seq"] != self.seq + 1:
            raise Forged(f"line {packet['seq']} behind line {self.seq}")
        self.seq += 1
        self.hash = sha256(self.hash, body)
        self.waiting.append(packet["text"])
        if signature is None:
            return []
        self.check(signature, self.statement())
        return self.proven()

    def statement(self):
        """What is signed for the newest line."""
        run = max(place for place, after in enumerate(self.runs, 1) if after < self.seq)
        return (b"beamscribe line v1\0" + self.id + struct.pack(">IQ", run, self.seq)
                + self.hash)

    def take_partial(self, payload):
        if not json.loads(payload)["text"]:
            return  # Whoever serves the log may say that nothing is said.
        body, signature = body_of(payload)
        self.check(signature, b"beamscribe partial v1\0" + self.id + sha256(body))

    def take_head(self, payload):
        """The texts that it proves."""
        body, signature = body_of(payload)
        self.check(signature, b"beamscribe head v1\0" + self.id + sha256(body))
        head = json.loads(payload)
        if head["seq"] != self.seq:
            return []
        if bytes.fromhex(head["hash"]) != self.hash:
            raise Forged("a head of other lines")
        return self.proven()

    def proven(self):
        texts, self.waiting = self.waiting, []
        return texts

    def check(self, signature, statement):
        if signature is None:
            raise Forged("no signature")
        raw = base64.b64decode(signature + b"==", altchars=b"-_", validate=True)
        der = utils.encode_dss_signature(
            int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        try:
            self.key.verify(der, statement, ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            raise Forged("a wrong signature") from None
