import HTTPTypes

/// Says with every answer what browsers may do with it: nothing that does not come from the host.
enum SecurityHeaders {
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
        img-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; \
        frame-ancestors 'none'; \
        require-trusted-types-for 'script'
        """

    static func add(to headers: inout HTTPFields) {
        headers[.contentSecurityPolicy] = policy
        headers[.xContentTypeOptions] = "nosniff"
        headers[name("Referrer-Policy")] = "no-referrer"
        headers[name("Cross-Origin-Resource-Policy")] = "same-origin"
        headers[name("Cross-Origin-Opener-Policy")] = "same-origin"
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
    }

    private static func name(_ text: String) -> HTTPField.Name {
        // The names are written here, so that they are good ones.
        HTTPField.Name(text) ?? .server
    }
}
