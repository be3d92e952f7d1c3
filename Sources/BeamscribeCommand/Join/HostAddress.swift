import Beamscribe
import BeamscribeCore
import BeamscribeIO

/// A host as a user types it: `192.0.2.7`, `192.0.2.7:23267`, `[2001:db8::7]:23267`,
/// `fe80::7%eth0` or `stage.local:23267`.
struct HostAddress {
    let name: String
    let port: UInt16

    init?(_ text: String) {
        if text.hasPrefix("[") {
            guard let close = text.firstIndex(of: "]") else { return nil }
            name = String(text[text.index(after: text.startIndex)..<close])
            let rest = text[text.index(after: close)...]
            guard rest.isEmpty || rest.hasPrefix(":"), IPAddress(name) != nil,
                let port = Self.port(rest.dropFirst())
            else { return nil }
            self.port = port
        } else if text.filter({ $0 == ":" }).count > 1 {
            guard IPAddress(text) != nil else { return nil }
            name = text
            port = HostConfiguration.standardNumber
        } else {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard !parts[0].isEmpty, !parts[0].contains(where: \.isWhitespace),
                let port = Self.port(parts.count > 1 ? parts[1] : "")
            else { return nil }
            name = String(parts[0])
            self.port = port
        }
    }

    /// What the host's key is remembered under.
    var identity: String {
        "\(name.contains(":") ? "[\(name.lowercased())]" : name.lowercased()):\(port)"
    }

    private static func port(_ text: Substring) -> UInt16? {
        text.isEmpty ? HostConfiguration.standardNumber : UInt16(text).flatMap { $0 > 0 ? $0 : nil }
    }

    /// The endpoints that the name stands for. Asks the system's resolver, which may take a while.
    func resolve() async throws -> [Endpoint] {
        let found = await Task.detached { HostNameResolver.addresses(of: name) }.value
        guard !found.isEmpty else {
            throw Failure(
                .noHost, "no address is known for '\(name)'. Type the address that the host shows.")
        }
        return found.map { Endpoint($0, port: port) }
    }
}
