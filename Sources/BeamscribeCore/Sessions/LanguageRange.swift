/// Languages that somebody reads, as basic filtering has them (RFC 4647, section 3.3.1): `en` takes `en-GB`,
/// `*` all.
struct LanguageRange: Sendable {
    /// In lower case.
    private let tags: [String]

    init(_ tags: [String]) { self.tags = tags.map { $0.lowercased() } }

    /// Whether none was named.
    var isEmpty: Bool { tags.isEmpty }
    /// Whether every line passes.
    var isEverything: Bool { tags.isEmpty || tags.contains("*") }

    /// Whether a language was named, or is one of a named one.
    func includes(_ tag: String?) -> Bool {
        guard let tag = tag?.lowercased() else { return tags.contains("*") }
        return tags.contains { $0 == "*" || tag == $0 || tag.hasPrefix($0 + "-") }
    }
}
