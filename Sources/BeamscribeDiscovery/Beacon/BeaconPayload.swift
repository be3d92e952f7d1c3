internal import BeamscribeCore
public import BeamscribeIO
internal import COpenSSL
internal import FoundationEssentials

/// The nine bytes of a beacon that say where its host is (docs/PROTOCOL.md, "Beacon").
///
///      0         1                 5          7             9
///     +---------+-----------------+----------+-------------+
///     | version | IPv4 address    | TCP port | session tag |   big-endian
///     +---------+-----------------+----------+-------------+
///
/// The version is 1. A host that takes guests over Bluetooth too says in its place at which PSM,
/// 0x80 to 0xFF, which has no other meaning as a version. An address of 0.0.0.0 is none.
public struct BeaconPayload: Hashable, Sendable {
    /// The host's IPv4 address; nil for a host that has none.
    public var address: IPAddress?
    public var port: UInt16
    /// The first two bytes of SHA-256 of the session's id, by which what is heard and what is
    /// found otherwise are known to be one host.
    public var sessionTag: UInt16
    /// The PSM at which the host takes L2CAP channels, 0x80 to 0xFF; nil if it takes none.
    public var channelPSM: UInt8?

    /// - Parameters:
    ///   - address: an IPv4 address; another is taken for none.
    ///   - channelPSM: 0x80 to 0xFF (Bluetooth Core Specification, Vol 3, Part A, section 4.22).
    public init(
        address: IPAddress?, port: UInt16, sessionTag: UInt16, channelPSM: UInt8? = nil
    ) {
        precondition(channelPSM.map { $0 >= Self.lowestPSM } ?? true)
        self.address = address.flatMap { $0.isIPv4 && !$0.isAny ? $0 : nil }
        self.port = port
        self.sessionTag = sessionTag
        self.channelPSM = channelPSM
    }

    /// Reads nine bytes; nil for another number of them, or a version that is not known.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.count else { return nil }
        guard bytes[0] == Self.version || bytes[0] >= Self.lowestPSM else { return nil }
        let address = IPAddress(bytes: Array(bytes[1..<5]))
        self.init(
            address: address, port: UInt16(bytes[5]) << 8 | UInt16(bytes[6]),
            sessionTag: UInt16(bytes[7]) << 8 | UInt16(bytes[8]),
            channelPSM: bytes[0] == Self.version ? nil : bytes[0])
    }

    public var bytes: [UInt8] {
        [channelPSM ?? Self.version] + (address?.bytes ?? [0, 0, 0, 0])
            + [port, sessionTag].flatMap { [UInt8(clamping: $0 >> 8), UInt8(clamping: $0 & 0xFF)] }
    }

    /// Where the host takes TCP connections; nil for a host without an address.
    public var endpoint: Endpoint? {
        address.flatMap { port == 0 ? nil : Endpoint($0, port: port) }
    }

    /// The tag of a session by its id, a lower-case UUID as on the wire.
    public static func sessionTag(of session: String) -> UInt16 {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        let text = Array(session.lowercased().utf8)
        EVP_Digest(text, text.count, &digest, nil, EVP_sha256(), nil)
        return UInt16(digest[0]) << 8 | UInt16(digest[1])
    }

    /// How many bytes it is.
    public static let count = 9
    /// The company identifier that it stands under: 0xFFFF, "no company" (Bluetooth Assigned
    /// Numbers, section 7).
    public static let companyID: UInt16 = 0xFFFF
    private static let version: UInt8 = 1
    private static let lowestPSM: UInt8 = 0x80
}
