/// What a steno writer's strokes mean.
struct PloverTranslation: Equatable {
    /// The strokes, as the log has them.
    let strokes: String
    /// The meaning in Plover's notation; nil where the strokes have none.
    let meaning: String?
}

/// A line of Plover's log: when, and which translation came or was taken back.
struct PloverEntry: Equatable {
    let isUndo: Bool
    let translation: PloverTranslation

    private static let template = "dddd-dd-dd dd:dd:dd,ddd "
    private static let word = "Translation("

    init?(_ line: String) {
        guard var rest = Self.entry(of: line) else { return nil }
        isUndo = rest.first == "*"
        if isUndo { rest.removeFirst() }
        guard rest.hasPrefix(Self.word), rest.last == ")",
            let colon = rest.firstRange(of: ") : ")
        else { return nil }
        let strokes = rest[
            rest.index(rest.startIndex, offsetBy: Self.word.count)...colon.lowerBound]
        let meaning = rest[colon.upperBound...].dropLast()
        translation = PloverTranslation(
            strokes: String(strokes), meaning: meaning == "None" ? nil : Self.unquoted(meaning))
    }

    /// Whether the log has a stroke on this line, which says nothing on its own.
    static func isStroke(_ line: String) -> Bool {
        entry(of: line).map { $0.hasPrefix("Stroke(") } ?? false
    }

    /// Whether `text` is a line of the log, or could become one.
    ///
    /// - Returns: nil where it cannot.
    static func isWhole(_ text: String) -> Bool? {
        let stamp = zip(text, template).allSatisfy { fits($0, $1) }
        guard stamp else { return nil }
        guard text.count > template.count else { return false }
        var rest = text.dropFirst(template.count)
        if rest.first == "*" { rest.removeFirst() }
        for word in [word, "Stroke("] {
            if rest.hasPrefix(word) { return true }
            if word.hasPrefix(rest) { return false }
        }
        return nil
    }

    private static func entry(of line: String) -> Substring? {
        guard line.count > template.count, zip(line, template).allSatisfy({ fits($0, $1) }) else {
            return nil
        }
        return line.dropFirst(template.count)
    }

    private static func fits(_ character: Character, _ pattern: Character) -> Bool {
        pattern == "d" ? character.isASCII && character.isNumber : character == pattern
    }

    /// The string that Python's way of writing one stands for.
    private static func unquoted(_ text: Substring) -> String {
        guard text.count >= 2, let quote = text.first, quote == "\"" || quote == "'",
            text.last == quote
        else { return String(text) }
        var result = ""
        var isEscaped = false
        for character in text.dropFirst().dropLast() {
            let isSpace = isEscaped && (character == "n" || character == "t")
            isEscaped = !isEscaped && character == "\\"
            if !isEscaped { result.append(isSpace ? " " : character) }
        }
        return result
    }
}
