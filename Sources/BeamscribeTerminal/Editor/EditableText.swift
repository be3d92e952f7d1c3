/// A line that is being typed, and where in it the cursor stands.
///
/// Invariant: the text is `before` and then `after`; the cursor is between the two.
public struct EditableText: Equatable, Sendable {
    /// What stands before the cursor.
    public private(set) var before: String
    /// What stands behind it.
    public private(set) var after: String

    /// A line with the cursor at its end.
    public init(_ text: String = "") {
        before = text
        after = ""
    }

    public var text: String { before + after }

    public var isEmpty: Bool { before.isEmpty && after.isEmpty }

    public mutating func insert(_ character: Character) {
        before.append(character)
    }

    public mutating func insert(_ text: String) {
        before += text
    }

    /// Takes away what a reader takes for one character, before the cursor.
    public mutating func backspace() {
        _ = before.popLast()
    }

    mutating func delete() {
        if !after.isEmpty { after.removeFirst() }
    }

    /// Takes away the word before the cursor, and the blanks behind it.
    mutating func deleteWord() {
        while before.last?.isWhitespace == true { before.removeLast() }
        while let last = before.last, !last.isWhitespace { before.removeLast() }
    }

    mutating func deleteToStart() {
        before = ""
    }

    mutating func moveLeft() {
        if let character = before.popLast() { after = String(character) + after }
    }

    mutating func moveRight() {
        if !after.isEmpty { before.append(after.removeFirst()) }
    }

    mutating func moveToStart() {
        self = EditableText(before: "", after: text)
    }

    mutating func moveToEnd() {
        self = EditableText(text)
    }

    /// Takes the first `limit` bytes or fewer off a line that is longer: up to its last blank there,
    /// or else up to the edge of a character. Nil where the line is not longer.
    mutating func takePiece(bytes limit: Int) -> String? {
        let text = text
        guard text.utf8.count > limit else { return nil }
        let behind = after.utf8.count
        let end = text.utf8.index(text.startIndex, offsetBy: limit)
        var cut = text.utf8[...end].lastIndex(of: 0x20) ?? text.startIndex
        if cut == text.startIndex {
            cut = text.index(after: cut)
            while let next = text.index(cut, offsetBy: 1, limitedBy: text.endIndex), next <= end {
                cut = next
            }
        }
        let rest = text[cut...].drop { $0 == " " }
        let edge = rest.utf8.index(rest.endIndex, offsetBy: -min(behind, rest.utf8.count))
        self = EditableText(before: String(rest[..<edge]), after: String(rest[edge...]))
        return String(text[..<cut])
    }

    private init(before: String, after: String) {
        self.before = before
        self.after = after
    }
}
