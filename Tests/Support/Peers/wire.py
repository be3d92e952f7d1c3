"""What the guest, the host and the relay of this folder have in common: frames over TLS 1.3, and
how a connection and a code become what SPAKE2+ takes. Nothing here knows the program's own code.

Needs Debian's python3-openssl: Python's ssl has no TLS exporter.
"""
import base64
import binascii
import collections
import datetime
import hashlib
import json
import re
import select
import struct
import time
import unicodedata

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.x509.oid import NameOID
from OpenSSL import SSL, crypto

import spake2plus

# The wire's limit on a frame's payload.
FRAME_LIMIT = 10_485_760
# Seconds: signs of life are sent and missed after these.
KEEP_ALIVE, SILENCE = 2, 6
# Seconds that each step of joining has.
STEP = 10
# Seconds that a farewell has to be read before the connection goes.
FAREWELL = 5

# The exporter's label, and what stands before its bytes in the context of SPAKE2+.
LABEL, EXPORTED = b"EXPORTER-beamscribe-code", 32
CONTEXT = b"beamscribe code v1\0"
# Bytes of salt that a guest takes.
SALT_SIZES = range(16, 65)
# RFC 9383, section 3.2: scrypt's N, r and p, and 40 bytes for each of w0 and w1.
SCRYPT = {"n": 32768, "r": 8, "p": 1, "dklen": 80}
# 128 * N * r is 32 MiB, and OpenSSL wants some more.
SCRYPT_MEMORY = 64 << 20


class Broken(Exception):
    """The other side broke the protocol."""


class Ended(Exception):
    """The connection is over: closed, cut, reset or silent, or why TLS failed."""


# MARK: The code


# U+FF01 to U+FF5E are the printable ASCII characters in full width, U+3000 is such a space.
FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
LOOK_ALIKES = str.maketrans("OIL", "011")


def normal_form(code):
    """Without spaces and dashes, in upper case, and without letters that look like digits."""
    kept = "".join(each for each in code.translate(FULL_WIDTH)
                   if not each.isspace() and unicodedata.category(each) != "Pd")
    if not re.fullmatch("[0-9A-Za-z]+", kept):
        raise ValueError("a code has letters and digits")
    return kept.upper().translate(LOOK_ALIKES).encode("ascii")


def scalars(code, salt):
    """w0 and w1."""
    return spake2plus.reduced(hashlib.scrypt(
        normal_form(code), salt=salt, maxmem=SCRYPT_MEMORY, **SCRYPT))


def context(exported):
    return CONTEXT + exported


# MARK: Values in packets


def field(packet, name, kind):
    value = packet.get(name)
    if not isinstance(value, kind):
        raise Broken(f"{packet['type']} without {name}")
    return value


def salt_of(packet):
    text = field(packet, "salt", str)
    if not re.fullmatch(r"([0-9a-fA-F]{2})*", text):
        raise Broken("a salt that is not hexadecimal")
    if len(text) // 2 not in SALT_SIZES:
        raise Broken(f"a salt of {len(text) // 2} bytes")
    return bytes.fromhex(text)


def bytes_of(packet, name):
    """Base64 in its one canonical form (RFC 4648, sections 3.5 and 4)."""
    text = field(packet, name, str)
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        raise Broken(f"{name} is not base64") from None
    if text_of(data) != text:
        raise Broken(f"{name} is not base64 in its canonical form")
    return data


def text_of(data):
    return base64.b64encode(data).decode("ascii")


def confirmation_of(packet):
    data = bytes_of(packet, "confirm")
    if len(data) != spake2plus.CONFIRMATION_SIZE:
        raise Broken(f"a confirmation of {len(data)} bytes")
    return data


# MARK: Keys and certificates


def host_key(path=None):
    """The key of a PEM file, or a new one on P-256."""
    if path is None:
        return crypto.PKey.from_cryptography_key(ec.generate_private_key(ec.SECP256R1()))
    with open(path, "rb") as file:
        return crypto.load_privatekey(crypto.FILETYPE_PEM, file.read())


def fingerprint(key):
    """SHA-256 of the SubjectPublicKeyInfo in DER."""
    return hashlib.sha256(crypto.dump_publickey(crypto.FILETYPE_ASN1, key)).hexdigest()


def certificate(key):
    """Self-signed; of such a certificate only the key means anything."""
    private, now = key.to_cryptography_key(), datetime.datetime.now(datetime.timezone.utc)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "beamscribe")])
    made = x509.CertificateBuilder(
        name, name, private.public_key(), x509.random_serial_number(),
        now - datetime.timedelta(days=1), now + datetime.timedelta(days=365))
    # Ed25519 has its hash within.
    digest = None if isinstance(private, ed25519.Ed25519PrivateKey) else hashes.SHA256()
    return crypto.X509.from_cryptography(made.sign(private, digest))


def tls_context(key=None):
    """A host's with its key, a guest's without."""
    made = SSL.Context(SSL.TLS_METHOD)
    made.set_min_proto_version(SSL.TLS1_3_VERSION)
    made.set_verify(SSL.VERIFY_NONE, lambda *_: True)
    made.set_session_cache_mode(SSL.SESS_CACHE_OFF)
    if key:
        made.use_privatekey(key)
        made.use_certificate(certificate(key))
    return made


# MARK: The connection


def reason(error):
    """TLS's own words, such as "tlsv1 alert access denied"."""
    reasons = [each[2] for each in error.args[0]] if error.args and error.args[0] else []
    return "tls: " + (reasons[-1] if reasons else "no reason")


class Channel:
    """Packets over one TLS connection. One thread uses it at a time."""

    def __init__(self, socket, context, is_host):
        socket.setblocking(False)
        self.socket = socket
        self.tls = SSL.Connection(context, socket)
        self.tls.set_accept_state() if is_host else self.tls.set_connect_state()
        self.buffer = b""
        # The packets' bytes that came whole.
        self.frames = collections.deque()
        self.heard = self.spoke = time.monotonic()

    def secure(self):
        self.wait(self.tls.do_handshake, time.monotonic() + STEP)

    def wait(self, operation, deadline):
        """What the operation gives, once the socket lets it. Raises Ended, or TimeoutError."""
        while True:
            try:
                return operation()
            except SSL.WantReadError:
                ready = [self.socket], []
            except SSL.WantWriteError:
                ready = [], [self.socket]
            except SSL.ZeroReturnError:
                raise Ended("closed") from None
            except SSL.SysCallError as error:
                # Without an errno the stream ended in the middle.
                raise Ended("cut" if error.args[0] == -1 else "reset") from None
            except SSL.Error as error:
                raise Ended(reason(error)) from None
            left = deadline - time.monotonic()
            if left <= 0 or not any(select.select(*ready, [], left)):
                raise TimeoutError

    def exporter(self, label=LABEL):
        """The bytes that only the two ends of this connection have: RFC 8446, section 7.5."""
        return self.tls.export_keying_material(label, EXPORTED)

    def send(self, *packets):
        """Sends them in one piece, so that the other side reads them at once."""
        self.send_bytes(b"".join(framed(json.dumps(each).encode()) for each in packets))

    def send_bytes(self, data):
        while data:
            try:
                data = data[self.wait(lambda: self.tls.send(data), time.monotonic() + STEP):]
            except TimeoutError:
                raise Ended("it reads nothing") from None
            except Ended:
                return  # what there is to read tells why
        self.spoke = time.monotonic()

    def frame(self, deadline):
        """The next frame's payload. Raises TimeoutError, after which it can be asked again."""
        while not self.frames:
            self.take(self.wait(lambda: self.tls.recv(1 << 16), deadline))
        return self.frames.popleft()

    def take(self, data):
        self.heard = time.monotonic()
        self.buffer += data
        while len(self.buffer) >= 4:
            (size,) = struct.unpack(">I", self.buffer[:4])
            if not 1 <= size <= FRAME_LIMIT:
                raise Broken(f"a frame of {size} bytes")
            if len(self.buffer) < 4 + size:
                return
            self.frames.append(self.buffer[4:4 + size])
            self.buffer = self.buffer[4 + size:]

    def packet(self, deadline):
        return parsed(self.frame(deadline))

    def close(self, patience=0):
        """Says goodbye. With patience the other side can read all that was sent before it: closing
        a socket that has something unread would take it back."""
        deadline = time.monotonic() + patience
        try:
            self.tls.shutdown()
            while time.monotonic() < deadline:
                self.wait(lambda: self.tls.recv(1 << 16), deadline)
        except (SSL.Error, Ended, OSError):  # a TimeoutError is an OSError
            pass
        self.socket.close()


def framed(payload):
    return struct.pack(">I", len(payload)) + payload


def parsed(payload):
    try:
        packet = json.loads(payload)
    except ValueError:
        raise Broken("a frame that is not JSON") from None
    if not isinstance(packet, dict) or not isinstance(packet.get("type"), str):
        raise Broken("a frame that is no packet")
    return packet


def keep_alive(**more):
    return {"type": "keep_alive", "timestamp": time.time(), **more}
