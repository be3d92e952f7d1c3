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

    /// Whether a tag is of the same language as another, or of none: readers of `en` get `en-GB`,
    /// too. A language in another script (four letters) has other readers.
    static func isSame(_ tag: String, as other: String) -> Bool {
        let (own, others) = (subtags(tag), subtags(other))
        guard let first = own.first else { return true }
        let scripts = [own, others].map { $0.dropFirst().first { $0.count == 4 } }
        return first == others.first && (scripts[0] == scripts[1] || scripts.contains(nil))
    }

    /// The parts of a tag, without what makes two of one: case, and signs that no tag has.
    private static func subtags(_ tag: String) -> [Substring] {
        tag.lowercased().replacing("_", with: "-")
            .filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
            .split(separator: "-")
    }
}
