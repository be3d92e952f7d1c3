import HTTPTypes

/// Says with every answer what browsers may do with it: nothing that does not come from the host.
///
/// One document, `/look`, may ask the other pages of the event whether they are there, and nobody else.
/// It has no words of the event, and the page that has them, which alone may hold it as a frame, may
/// not.
enum SecurityHeaders {
    private static func policy(connecting targets: String, in ancestors: String) -> String {
        """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src \(targets); \
        img-src 'self'; media-src 'self'; font-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; \
        frame-ancestors \(ancestors); \
        require-trusted-types-for 'script'
        """
    }

    private static let page = policy(connecting: "'self'", in: "'none'")

    /// - Parameter pages: the origins that this answer, `/look`, may ask; nil for all others.
    static func add(to headers: inout HTTPFields, lookingAt pages: [String]? = nil) {
        headers[.contentSecurityPolicy] =
            pages.map { pages in
                policy(
                    connecting: pages.isEmpty
                        ? "'none'" : pages.map(source).joined(separator: " "),
                    in: "'self'")
            } ?? page
        headers[.xContentTypeOptions] = "nosniff"
        headers[name("Referrer-Policy")] = "no-referrer"
        headers[name("Cross-Origin-Resource-Policy")] = "same-origin"
        headers[name("Cross-Origin-Opener-Policy")] = "same-origin"
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
    }

    /// A policy cannot name an address of IPv6 (CSP 3, section 2.3.1): any at that port.
    private static func source(_ origin: String) -> String {
        guard let start = origin.firstIndex(of: "["), let end = origin.firstIndex(of: "]") else {
            return origin
        }
        return origin[..<start] + "*" + origin[origin.index(after: end)...]
    }

    private static func name(_ text: String) -> HTTPField.Name {
        // The names are written here, so that they are good ones.
        HTTPField.Name(text) ?? .server
    }
}
