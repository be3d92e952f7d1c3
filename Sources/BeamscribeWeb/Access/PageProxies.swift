import BeamscribeCore
import BeamscribeIO
import HTTPTypes
import NIOCore

/// The proxies that pass browsers' requests on to the page, as the operator has named them.
///
/// Each proxy adds the address that it was asked from to the right of `X-Forwarded-For`. Anybody
/// can have written the part left of the first address that is no named proxy.
struct PageProxies: Sendable {
    private let addresses: Set<IPAddress>

    init(_ addresses: [IPAddress] = []) {
        self.addresses = Set(addresses.map(\.withoutMapping))
    }

    /// The one who asks by a connection.
    ///
    /// - Parameter peer: the connection's other end; nil where it has gone.
    func visitor(_ headers: HTTPFields, from peer: SocketAddress?) -> Visitor {
        guard let peer = Self.address(of: peer) else {
            return Visitor(source: Self.unknown, isLocal: false)
        }
        guard addresses.contains(peer) else {
            return Visitor(
                source: peer.rateSource, isLocal: peer.isLoopback && !Self.isForwarded(headers))
        }
        return Visitor(source: (reader(headers) ?? peer).rateSource, isLocal: false)
    }

    /// The source of a connection that has asked for nothing yet.
    static func source(of peer: SocketAddress?) -> String {
        address(of: peer)?.rateSource ?? unknown
    }

    /// The rightmost address of `X-Forwarded-For` that is no named proxy; nil for none.
    private func reader(_ headers: HTTPFields) -> IPAddress? {
        for field in headers[values: .forwardedFor].reversed() {
            for text in field.split(separator: ",", omittingEmptySubsequences: false).reversed() {
                guard let address = Self.address(in: text) else { return nil }
                if !addresses.contains(address) { return address }
            }
        }
        return nil
    }

    /// Whether a proxy says that it has passed a request on, whether it is named or not.
    private static func isForwarded(_ headers: HTTPFields) -> Bool {
        [.forwardedFor, .forwarded, .via].contains { headers[$0] != nil }
    }

    private static func address(of peer: SocketAddress?) -> IPAddress? {
        peer?.ipAddress.flatMap { IPAddress($0)?.withoutMapping }
    }

    /// An address as proxies write it: `192.0.2.1`, `2001:db8::1`, and with a port `192.0.2.1:80`
    /// or `[2001:db8::1]:80`.
    private static func address(in text: Substring) -> IPAddress? {
        let words = text.split { $0 == " " || $0 == "\t" }
        guard words.count == 1, let text = words.first, text.utf8.count <= longest else {
            return nil
        }
        if text.first == "[" {
            return IPAddress(String(text.dropFirst().prefix { $0 != "]" }))?.withoutMapping
        }
        let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
        return IPAddress(String(colons == 1 ? text.prefix { $0 != ":" } : text))?.withoutMapping
    }

    /// The most bytes that an address has, with its brackets and port.
    private static let longest = 64
    private static let unknown = "unknown"
}

extension HTTPField.Name {
    /// The addresses from which a request came to proxies.
    fileprivate static let forwardedFor = HTTPField.Name("X-Forwarded-For") ?? .via
    /// The same by RFC 7239.
    fileprivate static let forwarded = HTTPField.Name("Forwarded") ?? .via
}
