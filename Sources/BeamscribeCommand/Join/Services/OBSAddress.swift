import BeamscribeCore
import FoundationEssentials

/// Where OBS Studio's WebSocket server listens.
struct OBSAddress: Sendable {
    /// The variable of the environment that holds its password.
    static let variable = "BEAMSCRIBE_OBS_PASSWORD"
    /// Three rows of 32 columns: OBS cuts off what is behind 128 bytes. The pause is for reading, for
    /// it shows a new caption at once.
    static let rules = CaptionDelivery.Rules(pause: .seconds(2), bytes: 96)

    /// The port that obs-websocket has unless its user changes it.
    private static let usualPort = 4455

    let host: String
    let port: UInt16

    /// Reads `HOST` or `HOST:PORT`, an IPv6 address in brackets; nil for anything else.
    init?(_ text: String) {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            !text.contains(where: { "/?#@".contains($0) }),
            let parts = URLComponents(string: "ws://\(text)"), let host = parts.host, !host.isEmpty,
            let port = UInt16(exactly: parts.port ?? Self.usualPort), port > 0
        else { return nil }
        self.host = host.trimmingBrackets
        self.port = port
    }

    var place: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension String {
    fileprivate var trimmingBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }
}
