import BeamscribeCore
internal import COpenSSL

/// The group of the curve P-256 (FIPS 186-5), of prime order, written additively.
enum P256 {
    /// The bytes of a scalar, and of a point: SEC 1, section 2.3.3, uncompressed.
    static let scalarBytes = 32
    static let pointBytes = 65

    /// Never changed once it is made, so that threads may share it.
    fileprivate nonisolated(unsafe) static let group: OpaquePointer = {
        guard let made = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else {
            preconditionFailure("OpenSSL has no P-256")
        }
        return made
    }()

    fileprivate static var order: OpaquePointer? { EC_GROUP_get0_order(group) }
}

/// A whole number from 0 to the group's order less one. A secret: it is wiped when it goes.
///
/// Invariant: `number` is below the order, and freed once.
final class Scalar {
    fileprivate let number: OpaquePointer

    /// A random one, each as likely as any other.
    init() throws(TLSError) {
        number = try Self.made()
        guard BN_priv_rand_range(number, P256.order) == 1 else { throw .library() }
    }

    /// What `bytes`, big-endian and of any length, leave when they are divided by the order.
    init(reducing bytes: [UInt8]) throws(TLSError) {
        number = try Self.made()
        let context = BN_CTX_secure_new()
        defer { BN_CTX_free(context) }
        guard BN_bin2bn(bytes, Int32(clamping: bytes.count), number) != nil,
            BN_nnmod(number, number, P256.order, context) == 1
        else { throw .library() }
    }

    private static func made() throws(TLSError) -> OpaquePointer {
        guard let made = BN_secure_new() else { throw .library() }
        BN_set_flags(made, BN_FLG_CONSTTIME)
        return made
    }

    deinit {
        BN_clear_free(number)
    }

    /// 32 bytes, big-endian.
    var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: P256.scalarBytes)
        BN_bn2binpad(number, &bytes, Int32(clamping: bytes.count))
        return bytes
    }
}

/// A point of the curve.
///
/// Invariant: `point` is freed once, and nobody changes it once it is made.
final class Point {
    private let point: OpaquePointer

    /// Has `fill` make a point, which it says was done by 1.
    private init(_ fill: (OpaquePointer) -> Int32) throws(TLSError) {
        guard let made = EC_POINT_new(P256.group) else { throw .library() }
        point = made
        guard fill(made) == 1 else { throw .library() }
    }

    /// Reads SEC 1's form, compressed or not; nil for what is no point of the curve, and for the
    /// identity.
    init?(_ bytes: [UInt8]) {
        guard let made = EC_POINT_new(P256.group) else { return nil }
        point = made
        guard EC_POINT_oct2point(P256.group, made, bytes, bytes.count, nil) == 1, !isIdentity else {
            copenssl_forget_errors()
            return nil
        }
    }

    deinit {
        EC_POINT_clear_free(point)
    }

    var isIdentity: Bool { EC_POINT_is_at_infinity(P256.group, point) == 1 }

    /// 65 bytes, uncompressed; one for the identity.
    var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: P256.pointBytes)
        let count = EC_POINT_point2oct(
            P256.group, point, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, nil)
        return Array(bytes.prefix(count))
    }

    /// `scalar` times the curve's generator.
    static func generator(times scalar: Scalar) throws(TLSError) -> Point {
        try Point { EC_POINT_mul(P256.group, $0, scalar.number, nil, nil, nil) }
    }

    /// This point, so many times.
    func times(_ scalar: Scalar) throws(TLSError) -> Point {
        try Point { EC_POINT_mul(P256.group, $0, nil, point, scalar.number, nil) }
    }

    func plus(_ other: Point) throws(TLSError) -> Point {
        try Point { EC_POINT_add(P256.group, $0, point, other.point, nil) }
    }

    func minus(_ other: Point) throws(TLSError) -> Point {
        let negative = try Point {
            EC_POINT_copy($0, other.point) == 1 ? EC_POINT_invert(P256.group, $0, nil) : 0
        }
        return try plus(negative)
    }
}
