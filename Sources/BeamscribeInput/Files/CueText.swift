import BeamscribeCore

/// The text of a cue without its tags: `<i>`, `{\an8}`, `<v Ann>`, `&amp;`.
enum CueText {
    /// What one speaker says in a cue.
    struct Span: Equatable {
        var speaker: String?
        var text: String
    }

    private static let longestTag = 200
    private static let entities: [String: String] = [
        "amp": "&", "lt": "<", "gt": ">", "nbsp": " ", "quot": "\"", "apos": "'", "lrm": "\u{200E}",
        "rlm": "\u{200F}",
    ]

    /// The spans of `raw`, one a voice tag, none of them empty.
    static func spans(of raw: String) -> [Span] {
        var spans = [Span(speaker: nil, text: "")]
        var rest = raw[...]
        while let character = rest.first {
            if character == "<" || character == "{", let tag = takeTag(from: &rest, character) {
                if let voice = voice(in: tag) { spans.append(Span(speaker: voice, text: "")) }
            } else if character == "&", let meant = takeEntity(from: &rest) {
                spans[spans.count - 1].text += meant
            } else {
                spans[spans.count - 1].text.append(character)
                rest.removeFirst()
            }
        }
        return spans.filter { !$0.text.allSatisfy(\.isWhitespace) }
    }

    /// The inside of the tag that `rest` begins with; nil where it only looks like one.
    private static func takeTag(from rest: inout Substring, _ open: Character) -> Substring? {
        let close: Character = open == "<" ? ">" : "}"
        let inside = rest.dropFirst()
        guard let end = inside.prefix(longestTag).firstIndex(of: close) else { return nil }
        let tag = inside[..<end]
        let isTag =
            open == "{"
            ? tag.first == "\\" : tag.first.map { $0.isLetter || $0.isNumber || $0 == "/" }
        guard isTag ?? false else { return nil }
        rest = inside[inside.index(after: end)...]
        return tag
    }

    /// `Ann` of `v Ann` and of `v.loud Ann`.
    private static func voice(in tag: Substring) -> String? {
        guard tag.hasPrefix("v ") || tag.hasPrefix("v."), let space = tag.firstIndex(of: " ")
        else { return nil }
        let name = LineText.trimmed(tag[space...], start: true)
        return name.isEmpty ? nil : spans(of: String(name)).first?.text
    }

    private static func takeEntity(from rest: inout Substring) -> String? {
        let inside = rest.dropFirst()
        guard let end = inside.prefix(10).firstIndex(of: ";") else { return nil }
        let name = inside[..<end]
        guard let meant = entities[String(name)] ?? character(numbered: name) else { return nil }
        rest = inside[inside.index(after: end)...]
        return meant
    }

    private static func character(numbered name: Substring) -> String? {
        guard name.first == "#" else { return nil }
        let digits = name.dropFirst()
        let isHex = digits.first == "x" || digits.first == "X"
        let number = isHex ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
    }
}
