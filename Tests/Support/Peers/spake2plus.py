"""SPAKE2+ after RFC 9383, in the suite P256-SHA256-HKDF-SHA256-HMAC-SHA256: prover and verifier.

Written from the RFC alone, so that what the program computes can be held against it. It is slow,
and its time depends on its secrets: for tests only.

Run by itself it checks itself, first of all against the RFC's vector (appendix C):

    /usr/bin/python3 spake2plus.py
"""
import hashlib
import hmac
import secrets
import sys

# P-256: FIPS 186-5 and SP 800-186, section 3.2.1.3. y^2 = x^3 - 3x + B modulo FIELD.
FIELD = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
A = FIELD - 3
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
BASE = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
        0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)

# The points that the shares are masked with: RFC 9383, section 4.
COMPRESSED_M = bytes.fromhex("02886e2f97ace46e55ba9dd7242579f2993b64e16ef3dcab95afd497333d8fa12f")
COMPRESSED_N = bytes.fromhex("03d8bbd6c639c62937b04d997f38c3770719c629d7014d49a24b4f98baa1292b49")

IDENTITY = None  # the point at infinity, which has no coordinates
COORDINATE_SIZE = 32  # bytes of a number modulo FIELD or ORDER
SHARE_SIZE = 1 + 2 * COORDINATE_SIZE  # an uncompressed point: SEC 1, section 2.3.3
CONFIRMATION_SIZE = 32  # of HMAC-SHA256


class BadShare(Exception):
    """The other side's share must end the protocol: RFC 9383, sections 3.3 and 6."""


# MARK: Points, as pairs of coordinates


def is_on_curve(point):
    x, y = point
    return (y * y - x * x * x - A * x - B) % FIELD == 0


def negated(point):
    return IDENTITY if point is IDENTITY else (point[0], -point[1] % FIELD)


def added(one, other):
    if one is IDENTITY or other is IDENTITY:
        return other if one is IDENTITY else one
    if one == negated(other):
        return IDENTITY
    if one == other:
        slope = (3 * one[0] ** 2 + A) * pow(2 * one[1], -1, FIELD)
    else:
        slope = (other[1] - one[1]) * pow(other[0] - one[0], -1, FIELD)
    x = (slope * slope - one[0] - other[0]) % FIELD
    return x, (slope * (one[0] - x) - one[1]) % FIELD


def multiplied(number, point):
    product = IDENTITY
    for bit in bin(number % ORDER)[2:]:
        product = added(product, product)
        if bit == "1":
            product = added(product, point)
    return product


def number_bytes(number):
    return number.to_bytes(COORDINATE_SIZE, "big")


def encoded(point):
    """SEC 1, section 2.3.3, without compression; the identity is one byte."""
    if point is IDENTITY:
        return b"\x00"
    return b"\x04" + number_bytes(point[0]) + number_bytes(point[1])


def decoded(data):
    """The point of an uncompressed encoding. The cofactor is 1: each point but the identity, which
    has no encoding of this length, is of the large prime order."""
    if len(data) != SHARE_SIZE:
        raise BadShare(f"a share of {len(data)} bytes, not {SHARE_SIZE}")
    if data[0] != 4:
        raise BadShare(f"a share of the form {data[0]:02x}, not an uncompressed point")
    x, y = (int.from_bytes(part, "big") for part in (data[1:33], data[33:]))
    if x >= FIELD or y >= FIELD:
        raise BadShare("a share with a coordinate that is not reduced")
    if not is_on_curve((x, y)):
        raise BadShare("a share that is not on the curve")
    return x, y


def decompressed(data):
    """SEC 1, section 2.3.4. FIELD is 3 modulo 4, which makes the square root a power."""
    x = int.from_bytes(data[1:], "big")
    y = pow(x * x * x + A * x + B, (FIELD + 1) // 4, FIELD)
    point = x, y if y % 2 == data[0] % 2 else FIELD - y
    assert is_on_curve(point)
    return point


M, N = decompressed(COMPRESSED_M), decompressed(COMPRESSED_N)


# MARK: Registration (section 3.2)


def reduced(halves):
    """w0 and w1 of w0s || w1s."""
    middle = len(halves) // 2
    return tuple(int.from_bytes(half, "big") % ORDER for half in (halves[:middle], halves[middle:]))


def record(w1):
    """L, which the verifier has in place of w1."""
    return multiplied(w1, BASE)


# MARK: The key schedule (section 3.4)


def hkdf(key, info, size):
    """RFC 5869 with SHA-256 and no salt."""
    extracted = hmac.digest(bytes(32), key, "sha256")
    output = block = b""
    while len(output) < size:
        block = hmac.digest(extracted, block + info + bytes([len(output) // 32 + 1]), "sha256")
        output += block
    return output[:size]


def transcript(context, prover, verifier, share_p, share_v, z, v, w0):
    parts = (context, prover, verifier, encoded(M), encoded(N), share_p, share_v,
             encoded(z), encoded(v), number_bytes(w0))
    return b"".join(len(part).to_bytes(8, "little") + part for part in parts)


class Keys:
    """All that follows from a transcript."""

    def __init__(self, text, share_p, share_v):
        self.transcript = text
        self.main = hashlib.sha256(text).digest()
        both = hkdf(self.main, b"ConfirmationKeys", 64)
        self.key_p, self.key_v = both[:32], both[32:]
        self.confirm_p = hmac.digest(self.key_p, share_v, "sha256")
        self.confirm_v = hmac.digest(self.key_v, share_p, "sha256")
        self.shared = hkdf(self.main, b"SharedKey", 32)


def is_same(one, other):
    return hmac.compare_digest(one, other)


# MARK: The two sides (section 3.3). The cofactor h is 1.


def unmasked(share, mask, w0):
    """What is left of the other's share. It is the identity where the share was the mask itself:
    then Z and V would hold nothing secret."""
    point = added(decoded(share), negated(multiplied(w0, mask)))
    if point is IDENTITY:
        raise BadShare("a share that is the mask alone")
    return point


def secret_number():
    return secrets.randbelow(ORDER - 1) + 1


class Prover:
    """Knows the password: w0 and w1."""

    def __init__(self, w0, w1, context, prover=b"", verifier=b"", secret=None):
        self.w0, self.w1 = w0, w1
        self.names = context, prover, verifier
        self.secret = secret_number() if secret is None else secret
        self.share = encoded(added(multiplied(self.secret, BASE), multiplied(w0, M)))

    def keys(self, share_v):
        other = unmasked(share_v, N, self.w0)
        self.z, self.v = multiplied(self.secret, other), multiplied(self.w1, other)
        text = transcript(*self.names, self.share, share_v, self.z, self.v, self.w0)
        return Keys(text, self.share, share_v)


class Verifier:
    """Knows w0 and the record L."""

    def __init__(self, w0, record, context, prover=b"", verifier=b"", secret=None):
        self.w0, self.record = w0, record
        self.names = context, prover, verifier
        self.secret = secret_number() if secret is None else secret
        self.share = encoded(added(multiplied(self.secret, BASE), multiplied(w0, N)))

    def keys(self, share_p):
        other = unmasked(share_p, M, self.w0)
        self.z, self.v = multiplied(self.secret, other), multiplied(self.secret, self.record)
        text = transcript(*self.names, share_p, self.share, self.z, self.v, self.w0)
        return Keys(text, share_p, self.share)


# MARK: Harm


def any_share():
    """A share of somebody who knows nothing."""
    return encoded(multiplied(secret_number(), BASE))


def bad_shares():
    """What a side that means harm may send in place of a share, by name."""
    good = any_share()
    # The point with x = 5 has a second name: 5 + FIELD fits into 32 bytes, too.
    small = decompressed(b"\x02" + number_bytes(5))
    return {
        "identity": encoded(IDENTITY),
        "zeros": b"\x04" + bytes(64),
        "off-curve": good[:-1] + bytes([good[-1] ^ 1]),
        "short": good[:-1],
        "long": good + b"\x00",
        "compressed": bytes([2 + good[-1] % 2]) + good[1:33],
        "hybrid": bytes([6 + good[-1] % 2]) + good[1:],
        "unreduced": b"\x04" + number_bytes(small[0] + FIELD) + number_bytes(small[1]),
    }


# MARK: The check of itself

# RFC 9383, appendix C, the first vector.
VECTOR = {
    "w0": "bb8e1bbcf3c48f62c08db243652ae55d3e5586053fca77102994f23ad95491b3",
    "w1": "7e945f34d78785b8a3ef44d0df5a1a97d6b3b460409a345ca7830387a74b1dba",
    "L": "04eb7c9db3d9a9eb1f8adab81b5794c1f13ae3e225efbe91ea487425854c7fc00f"
         "00bfedcbd09b2400142d40a14f2064ef31dfaa903b91d1faea7093d835966efd",
    "x": "d1232c8e8693d02368976c174e2088851b8365d0d79a9eee709c6a05a2fad539",
    "shareP": "04ef3bd051bf78a2234ec0df197f7828060fe9856503579bb1733009042c15c0c1"
              "de127727f418b5966afadfdd95a6e4591d171056b333dab97a79c7193e341727",
    "y": "717a72348a182085109c8d3917d6c43d59b224dc6a7fc4f0483232fa6516d8b3",
    "shareV": "04c0f65da0d11927bdf5d560c69e1d7d939a05b0e88291887d679fcadea75810fb"
              "5cc1ca7494db39e82ff2f50665255d76173e09986ab46742c798a9a68437b048",
    "Z": "04bbfce7dd7f277819c8da21544afb7964705569bdf12fb92aa388059408d50091"
         "a0c5f1d3127f56813b5337f9e4e67e2ca633117a4fbd559946ab474356c41839",
    "V": "0458bf27c6bca011c9ce1930e8984a797a3419797b936629a5a937cf2f11c8b951"
         "4b82b993da8a46e664f23db7c01edc87faa530db01c2ee405230b18997f16b68",
    "TT": "38000000000000005350414b45322b2d503235362d5348413235362d484b44462d5348413235362d484d"
          "41432d534841323536205465737420566563746f72730600000000000000636c69656e74060000000000"
          "0000736572766572410000000000000004886e2f97ace46e55ba9dd7242579f2993b64e16ef3dcab95af"
          "d497333d8fa12f5ff355163e43ce224e0b0e65ff02ac8e5c7be09419c785e0ca547d55a12e2d20410000"
          "000000000004d8bbd6c639c62937b04d997f38c3770719c629d7014d49a24b4f98baa1292b4907d60aa6"
          "bfade45008a636337f5168c64d9bd36034808cd564490b1e656edbe7410000000000000004ef3bd051bf"
          "78a2234ec0df197f7828060fe9856503579bb1733009042c15c0c1de127727f418b5966afadfdd95a6e4"
          "591d171056b333dab97a79c7193e341727410000000000000004c0f65da0d11927bdf5d560c69e1d7d93"
          "9a05b0e88291887d679fcadea75810fb5cc1ca7494db39e82ff2f50665255d76173e09986ab46742c798"
          "a9a68437b048410000000000000004bbfce7dd7f277819c8da21544afb7964705569bdf12fb92aa38805"
          "9408d50091a0c5f1d3127f56813b5337f9e4e67e2ca633117a4fbd559946ab474356c418394100000000"
          "0000000458bf27c6bca011c9ce1930e8984a797a3419797b936629a5a937cf2f11c8b9514b82b993da8a"
          "46e664f23db7c01edc87faa530db01c2ee405230b18997f16b682000000000000000bb8e1bbcf3c48f62"
          "c08db243652ae55d3e5586053fca77102994f23ad95491b3",
    "K_main": "4c59e1ccf2cfb961aa31bd9434478a1089b56cd11542f53d3576fb6c2a438a29",
    "K_confirmP": "871ae3f7b78445e34438fb284504240239031c39d80ac23eb5ab9be5ad6db58a",
    "K_confirmV": "ccd53c7c1fa37b64a462b40db8be101cedcf838950162902054e644b400f1680",
    "confirmP": "926cc713504b9b4d76c9162ded04b5493e89109f6d89462cd33adc46fda27527",
    "confirmV": "9747bcc4f8fe9f63defee53ac9b07876d907d55047e6ff2def2e7529089d3e68",
    "K_shared": "0c5f8ccd1413423a54f6c1fb26ff01534a87f893779c6e68666d772bfd91f3e7",
}
VECTOR_NAMES = (b"SPAKE2+-P256-SHA256-HKDF-SHA256-HMAC-SHA256 Test Vectors", b"client", b"server")


class Tally:
    def __init__(self):
        self.passed, self.failed = 0, 0

    def check(self, name, holds):
        self.passed += holds
        self.failed += not holds
        if not holds:
            print(f"failed: {name}", file=sys.stderr)

    def check_refused(self, name, share):
        try:
            decoded(share)
            self.check(name, False)
        except BadShare:
            self.check(name, True)


def check_vector(tally):
    known = {name: bytes.fromhex(text) for name, text in VECTOR.items()}
    w0, w1, x, y = (int.from_bytes(known[name], "big") for name in ("w0", "w1", "x", "y"))
    prover = Prover(w0, w1, *VECTOR_NAMES, secret=x)
    verifier = Verifier(w0, record(w1), *VECTOR_NAMES, secret=y)
    tally.check("L", encoded(verifier.record) == known["L"])
    tally.check("shareP", prover.share == known["shareP"])
    tally.check("shareV", verifier.share == known["shareV"])
    for side, other in ((prover, verifier), (verifier, prover)):
        keys = side.keys(other.share)
        found = {"Z": encoded(side.z), "V": encoded(side.v), "TT": keys.transcript,
                 "K_main": keys.main, "K_confirmP": keys.key_p, "K_confirmV": keys.key_v,
                 "confirmP": keys.confirm_p, "confirmV": keys.confirm_v, "K_shared": keys.shared}
        for name, value in found.items():
            tally.check(f"{name} of the {type(side).__name__}", value == known[name])


def check_curve(tally):
    tally.check("the base is on the curve", is_on_curve(BASE))
    tally.check("the base's order", added(multiplied(ORDER - 1, BASE), BASE) is IDENTITY)
    tally.check("a point and its negative", added(M, negated(M)) is IDENTITY)
    tally.check("the identity adds nothing", added(IDENTITY, N) == N == added(N, IDENTITY))
    tally.check("twice is the sum with itself", multiplied(2, N) == added(N, N))
    tally.check("an encoding comes back", decoded(encoded(M)) == M)


def check_refusals(tally):
    good = encoded(M)
    tally.check_refused("the identity", encoded(IDENTITY))
    tally.check_refused("nothing", b"")
    tally.check_refused("a byte less", good[:-1])
    tally.check_refused("a byte more", good + b"\x00")
    tally.check_refused("compressed", COMPRESSED_M)
    tally.check_refused("hybrid", bytes([6 + good[-1] % 2]) + good[1:])
    tally.check_refused("no form", b"\x00" + good[1:])
    tally.check_refused("zeros", b"\x04" + bytes(64))
    tally.check_refused("off the curve", good[:-1] + bytes([good[-1] ^ 1]))
    tally.check_refused("not reduced", bad_shares()["unreduced"])
    tally.check_refused("the field's size", b"\x04" + number_bytes(FIELD) + good[33:])


def confirmations(prover, verifier):
    return ((keys.confirm_p, keys.confirm_v)
            for keys in (prover.keys(verifier.share), verifier.keys(prover.share)))


def check_sides(tally):
    w0, w1 = reduced(secrets.token_bytes(80))
    prover, verifier = Prover(w0, w1, b"here"), Verifier(w0, record(w1), b"here")
    one, other = confirmations(prover, verifier)
    tally.check("both agree", one == other)
    for name, elsewhere in (("another w0", Verifier(w0 ^ 1, record(w1), b"here")),
                            ("another w1", Verifier(w0, record(w1 ^ 1), b"here")),
                            ("another context", Verifier(w0, record(w1), b"there"))):
        one, other = confirmations(prover, elsewhere)
        tally.check(name, one[0] != other[0] and one[1] != other[1])
    for name, side, share in (("M alone", verifier, encoded(multiplied(w0, M))),
                              ("N alone", prover, encoded(multiplied(w0, N)))):
        try:
            side.keys(share)
            tally.check(name, False)
        except BadShare:
            tally.check(name, True)


def main():
    tally = Tally()
    for check in (check_vector, check_curve, check_refusals, check_sides):
        check(tally)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
