internal import FoundationEssentials

/// Where a NATS server is, and how to be let in.
public struct BackboneServer: Sendable, Hashable {
    /// The addresses of it, or of several that are one cluster: `nats://host:4222`, `tls://user:password@host`.
    public let addresses: [String]
    /// A file with a user's JWT and seed, as NATS makes them (`nsc generate creds`).
    public var credentials: String?
    /// A file with the certificates, in PEM, of those who vouch for the server; nil for the system's.
    public var authorities: String?
    /// The subject under which this user's answers come; nil for NATS's own, `_INBOX`.
    public var inboxPrefix: String?
    /// On how many servers of a cluster each stream that is made here is kept, from 1 to 5.
    public var replicas = 1

    /// - Parameter text: addresses, with commas between them.
    /// - Returns: nil where one of them is none.
    public init?(_ text: String) {
        let addresses = text.split(separator: ",", omittingEmptySubsequences: false).map(
            String.init)
        guard !addresses.isEmpty, addresses.allSatisfy({ Self.host(of: $0) != nil }) else {
            return nil
        }
        self.addresses = addresses
    }

    /// Whether what is said is encrypted, by an address that says so.
    public var isEncrypted: Bool { addresses.contains { $0.lowercased().hasPrefix("tls:") } }

    /// Whether an address names a user.
    public var hasUser: Bool { addresses.contains { $0.contains("@") } }

    /// The server for people, without names and passwords of users.
    public var name: String { addresses.compactMap(Self.host).joined(separator: ", ") }

    /// An address as it may be shown: what stands before an @ is a user's.
    public static func withoutPassword(_ address: String) -> String {
        guard let at = address.lastIndex(of: "@") else { return address }
        return "..." + address[at...]
    }

    private static func host(of address: String) -> String? {
        guard let parts = URLComponents(string: address),
            ["nats", "tls"].contains(parts.scheme?.lowercased()), let host = parts.host,
            !host.isEmpty, parts.path.isEmpty || parts.path == "/", parts.query == nil,
            parts.fragment == nil, (1...65_535).contains(parts.port ?? 4_222)
        else { return nil }
        return parts.port.map { "\(host):\($0)" } ?? host
    }
}
