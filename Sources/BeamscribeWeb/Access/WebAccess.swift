import BeamscribeCore
import HTTPTypes
import HummingbirdCore

/// Says who may read: everybody, or who has come by the event's link.
///
/// The link's token becomes a cookie of another secret, so that what a browser keeps does not open
/// the event for whoever sees it later: the next start of the host has another.
struct WebAccess: Sendable {
    private let token: LinkToken?
    private let secret = LinkToken()
    private let isSecure: Bool

    /// The cookie's name. Browsers do not tell the ports of a machine apart, where another event may
    /// have a page: each session has a name of its own.
    private let cookie: String

    /// - Parameters:
    ///   - session: the session's id.
    ///   - isSecure: whether browsers come by HTTPS, and so may be held to it.
    init(_ token: LinkToken?, session: String, isSecure: Bool) {
        self.token = token
        self.isSecure = isSecure
        cookie = "beamscribe-\(session.prefix(8))"
    }

    /// Whether everybody may read.
    var isOpen: Bool { token == nil }

    /// Whether the request comes from a browser that may read.
    func admits(_ request: Request) -> Bool {
        guard token != nil else { return true }
        return request.headers[values: .cookie].contains { header in
            header.split(separator: ";").contains { pair in
                let parts = pair.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == cookie else {
                    return false
                }
                return secret.matches(parts[1].utf8)
            }
        }
    }

    /// The cookie for somebody who gave `body`; nil for no access. An open event needs none.
    ///
    /// - Parameter elsewhere: what the link of the host's own page carries, where this is another.
    func exchange(_ body: some Collection<UInt8>, elsewhere: LinkToken? = nil) -> Exchange {
        guard let token else { return .open }
        guard token.matches(body) || elsewhere?.matches(body) == true else { return .refused }
        let secure = isSecure ? "; Secure" : ""
        return .cookie(
            "\(cookie)=\(secret.text); Path=/; HttpOnly; SameSite=Strict\(secure)")
    }

    /// What somebody gets for a token.
    enum Exchange: Equatable {
        case open
        case refused
        /// The value of a Set-Cookie header.
        case cookie(String)
    }
}
