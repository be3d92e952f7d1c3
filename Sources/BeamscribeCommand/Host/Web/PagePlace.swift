import BeamscribeCore
import BeamscribeIO

/// Where the page is to be served, as a user types it: nothing, `8080`, `192.0.2.7`,
/// `192.0.2.7:8080` or `[2001:db8::7]:8080`.
struct PagePlace: Equatable {
    /// Nil for all addresses.
    var address: IPAddress?
    /// Nil for the usual port, 0 for a free one.
    var port: UInt16?

    /// Nil where it is none of these.
    init?(_ text: String) {
        if text.isEmpty { return }
        if let port = Self.port(text) {
            self.port = port
            return
        }
        if let address = IPAddress(text) {
            self.address = address
            return
        }
        guard let colon = text.lastIndex(of: ":"),
            let port = Self.port(text[text.index(after: colon)...])
        else { return nil }
        var name = text[..<colon]
        if name.hasPrefix("["), name.hasSuffix("]") {
            name = name.dropFirst().dropLast()
        } else if name.contains(":") {
            return nil
        }
        guard let address = IPAddress(String(name)) else { return nil }
        self.address = address
        self.port = port
    }

    /// Digits alone: a sign is none.
    private static func port(_ text: some StringProtocol) -> UInt16? {
        text.allSatisfy { $0.isASCII && $0.isNumber } ? UInt16(text) : nil
    }
}
