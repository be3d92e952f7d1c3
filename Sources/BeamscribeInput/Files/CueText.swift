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
    ///
    /// It works by scalars: a sign with a combining character is another `Character`, but it is
    /// the sign in a file.
    ///
    /// - Parameter escaping: how beamscribe wrote the file; nil for files of other programs.
    static func spans(of raw: String, escaping: SubtitleEscaping? = nil) -> [Span] {
        var spans: [(speaker: String?, text: Scalars)] = [(nil, Scalars())]
        var rest = raw.unicodeScalars[...]
        while let scalar = rest.first {
            if scalar == "<" || scalar == "{", let tag = takeTag(from: &rest, scalar) {
                if let voice = voice(in: tag) { spans.append((voice, Scalars())) }
            } else if escaping != .subRip, let meant = takeEntity(from: &rest) {
                spans[spans.count - 1].text.append(contentsOf: meant.unicodeScalars)
            } else {
                spans[spans.count - 1].text.append(scalar)
                rest.removeFirst()
            }
        }
        return spans.compactMap { speaker, scalars in
            let text = escaping?.restored(String(scalars)) ?? String(scalars)
            return text.allSatisfy(\.isWhitespace) ? nil : Span(speaker: speaker, text: text)
        }
    }

    private typealias Scalars = String.UnicodeScalarView

    /// The inside of the tag that `rest` begins with; nil where it only looks like one.
    private static func takeTag(
        from rest: inout Scalars.SubSequence, _ open: Unicode.Scalar
    ) -> Substring? {
        let close: Unicode.Scalar = open == "<" ? ">" : "}"
        let inside = rest.dropFirst()
        guard let end = inside.prefix(longestTag).firstIndex(of: close) else { return nil }
        let tag = Substring(inside[..<end])
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
        var rest = LineText.trimmed(tag[space...], start: true).unicodeScalars
        var name = ""
        while let scalar = rest.first {
            if let meant = takeEntity(from: &rest) {
                name += meant
            } else {
                name.unicodeScalars.append(scalar)
                rest.removeFirst()
            }
        }
        return name.allSatisfy(\.isWhitespace) ? nil : name
    }

    /// The text of the entity that `rest` begins with; nil where there is none.
    private static func takeEntity(from rest: inout Scalars.SubSequence) -> String? {
        guard rest.first == "&" else { return nil }
        let inside = rest.dropFirst()
        guard let end = inside.prefix(10).firstIndex(of: ";") else { return nil }
        let name = Substring(inside[..<end])
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
