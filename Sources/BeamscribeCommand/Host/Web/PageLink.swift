import BeamscribeIO

/// The page's address for people, and the link that a code carries.
struct PageLink: Equatable {
    var isSecure: Bool
    var endpoint: Endpoint
    /// What opens a private event; nil for an open one.
    var token: String?

    /// The address as people type it.
    var address: String {
        // What the scheme implies is left out, as browsers do.
        let isUsual = endpoint.port == (isSecure ? 443 : 80)
        let host = endpoint.address.isIPv4 ? "\(endpoint.address)" : "[\(endpoint.address)]"
        return "\(isSecure ? "https" : "http")://\(host)\(isUsual ? "" : ":\(endpoint.port)")/"
    }

    /// Who can get there.
    var reach: String {
        endpoint.address.isLoopback ? "on this machine only" : "on the same Wi-Fi"
    }

    /// The address with all that a phone needs.
    var link: String { address + (token.map { "#\($0)" } ?? "") }
}
