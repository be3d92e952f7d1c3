"""Makes operators, accounts and users of a NATS server, as `nsc` does, by NATS's description of its NKeys and JWTs.

    nats_credentials.py FOLDER

Writes FOLDER/trust.conf, which has a server trust one operator and know two of its accounts, and a file
NAME.creds for each user. The first account has

    host           with the rights that docs/FAR.md gives it
    expired, brief whose time is over, or will be in five seconds
    mute           who may make streams, and write nothing into them

The account `readers` imports of it what docs/FAR.md says, and has `relay`. Besides these there are `other`, of an account of its own, `poor`, of a third that may not use JetStream, and
`foreign`, whose account another operator has made.
"""

import base64
import binascii
import hashlib
import json
import pathlib
import sys
import time

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

# What keys begin with, so that their first letter says what they are.
OPERATOR, ACCOUNT, USER, SEED = (number << 3 for number in (14, 0, 20, 18))

READING = ["_INBOX.>", "beamscribe.partial.>"]
REQUESTS = ["STREAM.INFO.*", "STREAM.MSG.GET.*"]
STREAMS = ["beamscribe.log.*", "beamscribe.event.>", "beamscribe.partial.*"]
HOST = {
    "pub": {"allow": ["beamscribe.>", "$JS.API.>", "$JS.FC.>"]},
    "sub": {"allow": READING},
}
RELAY = {
    "pub": {"allow": ["beamscribe.api.>", "$JS.API.STREAM.INFO.*"]},
    "sub": {"allow": ["_INBOX.>", *STREAMS]},
}
EXPORTS = [
    *({"name": each, "subject": f"$JS.API.{each}", "type": "service"} for each in REQUESTS),
    *({"name": each, "subject": each, "type": "stream"} for each in STREAMS),
]


def imports(account):
    """What the readers' account has of another."""
    return [
        *({"name": each, "subject": f"$JS.API.{each}", "account": account.id, "type": "service",
           "local_subject": f"beamscribe.api.{each}"} for each in REQUESTS),
        *({"name": each, "subject": each, "account": account.id, "type": "stream"}
          for each in STREAMS),
    ]


MUTE = {"pub": {"allow": ["$JS.API.>", "$JS.FC.>"]}, "sub": {"allow": READING}}

UNLIMITED = {"subs": -1, "data": -1, "payload": -1}
ACCOUNT_LIMITS = UNLIMITED | {
    "imports": -1, "exports": -1, "wildcards": True, "conn": -1, "leaf": -1}
JETSTREAM = {"mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1}

CREDENTIALS = """\
-----BEGIN NATS USER JWT-----
{}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
{}
------END USER NKEY SEED------
"""


def base32(data):
    return base64.b32encode(data).decode().rstrip("=")


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


def nkey(data):
    return base32(data + binascii.crc_hqx(data, 0).to_bytes(2, "little"))


class Party:
    """An operator, an account or a user: a name with a key."""

    def __init__(self, kind, name):
        self.kind, self.name = kind, name
        self.private = Ed25519PrivateKey.generate()

    @property
    def id(self):
        key = self.private.public_key().public_bytes(
            serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        return nkey(bytes([self.kind]) + key)

    @property
    def seed(self):
        key = self.private.private_bytes(
            serialization.Encoding.Raw, serialization.PrivateFormat.Raw,
            serialization.NoEncryption())
        return nkey(bytes([SEED | self.kind >> 5, self.kind << 3 & 0xFF]) + key)

    def vouch(self, party, kind, claims, **times):
        """A JWT in which this party says what the other one may do."""
        claims = {
            "iss": self.id, "sub": party.id, "name": party.name, "iat": int(time.time()),
            "nats": {"type": kind, "version": 2} | claims,
        } | times
        claims["jti"] = base32(hashlib.sha256(compact(claims)).digest())
        header = {"typ": "JWT", "alg": "ed25519-nkey"}
        words = f"{base64url(compact(header))}.{base64url(compact(claims))}"
        return f"{words}.{base64url(self.private.sign(words.encode()))}"


class Account(Party):
    def __init__(self, name, operator, limits=JETSTREAM, **claims):
        super().__init__(ACCOUNT, name)
        self.jwt = operator.vouch(self, "account", {"limits": ACCOUNT_LIMITS | limits} | claims)

    def credentials(self, name, rights, **times):
        user = Party(USER, name)
        jwt = self.vouch(user, "user", UNLIMITED | rights, **times)
        return CREDENTIALS.format(jwt, user.seed)


def main():
    folder = pathlib.Path(sys.argv[1])
    operator = Party(OPERATOR, "operator")
    events = Account("events", operator, exports=EXPORTS)
    readers = Account("readers", operator, limits={}, imports=imports(events))
    other = Account("other", operator)
    poor, system = (Account(name, operator, limits={}) for name in ("poor", "system"))
    foreign = Account("events", Party(OPERATOR, "foreign"))
    users = {
        "host": events.credentials("host", HOST),
        "relay": readers.credentials("relay", RELAY),
        "expired": events.credentials("expired", HOST, exp=int(time.time()) - 1),
        "brief": events.credentials("brief", HOST, exp=int(time.time()) + 5),
        "mute": events.credentials("mute", MUTE),
        "other": other.credentials("other", HOST),
        "poor": poor.credentials("poor", HOST),
        "foreign": foreign.credentials("foreign", HOST),
    }
    for name, text in users.items():
        (folder / f"{name}.creds").write_text(text)
    accounts = "".join(f"  {each.id}: {each.jwt}\n" 
                       for each in (events, readers, other, poor, system))
    # Without an account of its own a server has no JetStream.
    trusted = operator.vouch(operator, "operator", {"system_account": system.id})
    (folder / "trust.conf").write_text(
        f"operator: {trusted}\n"
        f"resolver: MEMORY\nresolver_preload {{\n{accounts}}}\n")


if __name__ == "__main__":
    main()
