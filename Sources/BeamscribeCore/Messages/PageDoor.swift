/// How a machine serves a page for browsers, as machines tell each other: `http:8080`, `https:8443`. At
/// which address is known by where it is said from.
public struct PageDoor: Equatable, Sendable, CustomStringConvertible {
    /// Whether it is had by HTTPS.
    public let isSecure: Bool
    /// The TCP port.
    public let port: UInt16

    /// A page at this port.
    public init(isSecure: Bool, port: UInt16) { (self.isSecure, self.port) = (isSecure, port) }

    /// Reads what ``description`` writes; nil for all else.
    public init?(_ text: String) {
        guard text.utf8.count <= Limits.pageDoorBytes, let colon = text.firstIndex(of: ":")
        else { return nil }
        let (scheme, digits) = (text[..<colon], text[text.index(after: colon)...])
        guard ["http", "https"].contains(scheme),
            digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let port = UInt16(digits), port > 0
        else { return nil }
        self.init(isSecure: scheme == "https", port: port)
    }

    public var description: String { "\(isSecure ? "https" : "http"):\(port)" }

    /// The page's origin where it stands at this address.
    ///
    /// - Parameter place: `192.0.2.7:23267` or `[2001:db8::7]:23267`; what counts is the address.
    /// - Returns: nil for an address that means something on one link only.
    public func origin(at place: String) -> String? {
        guard let end = place.lastIndex(of: ":"), !place.contains("%") else { return nil }
        return "\(isSecure ? "https" : "http")://\(place[..<end]):\(port)"
    }
}
