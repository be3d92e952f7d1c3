import FoundationEssentials

/// The URL at which a service takes captions. Whoever has it can write into somebody's meeting: it
/// is never shown.
struct CaptionAddress: Sendable {
    /// The machine, to be shown.
    let place: String
    /// All of it.
    let text: String
    private let path: Substring
    private let query: Substring

    /// Nil for what is no URL of HTTP or HTTPS.
    init?(_ text: String) {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !text.contains("#"),
            let parts = URLComponents(string: text), parts.user == nil, parts.password == nil,
            ["http", "https"].contains(parts.scheme?.lowercased()),
            let host = parts.host, !host.isEmpty
        else { return nil }
        self.text = text
        place = parts.port.map { "\(host):\($0)" } ?? host
        let mark = text.firstIndex(of: "?") ?? text.endIndex
        path = text[..<mark]
        query = text[mark...].dropFirst()
    }

    /// The URL with more of a path, and more of a query.
    func adding(path more: String = "", query added: String = "") -> String {
        let queries = [String(query), added].filter { !$0.isEmpty }
        let whole = path.last == "/" && !more.isEmpty ? path.dropLast() : path
        return whole + more + (queries.isEmpty ? "" : "?") + queries.joined(separator: "&")
    }
}
