import BeamscribeCore

/// Counts the columns of a terminal that characters take.
///
/// Terminals differ in marks, in emoji of several scalars and in characters of ambiguous width.
/// ``common`` says what most of them do. ``largest`` is never too little for any terminal that was
/// measured: a row that ends early is better than one that does not fit. ``WidthInquiry`` finds out
/// what one terminal does.
public struct CharacterWidths: Equatable, Sendable {
    /// The scripts whose signs beside a letter (category Mc) take a column.
    var spacingMarks: SpacingMarks
    /// The marks above and below letters (Mn, Me) that take a column, by the age of their version.
    var newMarks: MarkAges
    /// The signs that nobody sees (Cf) that take a column.
    var formats: FormatSigns
    /// The characters of ambiguous width (UAX #11) that take two columns.
    var ambiguous: AmbiguousCharacters
    /// The parts of emoji that take columns beside the first scalar.
    var emoji: EmojiParts
    /// Whether the later parts of a Hangul syllable take columns of their own.
    var hangulParts: HangulParts
    /// Whether a character behind a zero-width joiner shares the columns of the one before.
    var joins: Bool
    /// Whether lam and alef take one column together.
    var ligatesLamAlef: Bool
    /// The most columns that a letter with all of its marks takes; nil for no limit.
    var cellLimit: Int?
    /// Whether each mark counts one column more than the terminal takes for it.
    private(set) var isCautious = false

    /// The columns that most terminals take.
    public static let common = CharacterWidths(
        spacingMarks: .all, newMarks: [], formats: [], ambiguous: [], emoji: .skinTone,
        hangulParts: [], joins: false, ligatesLamAlef: false, cellLimit: nil)

    /// The most columns that any measured terminal takes.
    public static let largest = CharacterWidths(
        spacingMarks: .all, newMarks: .all, formats: .all, ambiguous: .all, emoji: .all,
        hangulParts: .all, joins: false, ligatesLamAlef: false, cellLimit: nil)

    /// The same with one column more for each mark, for rows that would lose what does not fit.
    public var cautious: CharacterWidths {
        var widths = self
        widths.isCautious = true
        return widths
    }

    /// The columns of a character by itself: 0 (combining, control), 1, 2 (East Asian wide, emoji),
    /// or more.
    public func columns(of character: Character) -> Int {
        var counter = ColumnCounter(self)
        return counter.add(character.unicodeScalars)
    }

    /// Whether a row of `columns` can have a character. A letter with many marks is never too wide:
    /// `?` instead of it would lose a word.
    func fits(_ character: Character, _ columns: Int) -> Bool {
        if self.columns(of: character) <= columns { return true }
        guard let first = character.unicodeScalars.first else { return true }
        return !ColumnCounter.isWide(first) && self.columns(of: Character(first)) <= columns
    }

    /// The columns of all of `text`. Text of printable ASCII alone is counted by its bytes.
    public func columns(of text: some StringProtocol) -> Int {
        if text.utf8.allSatisfy(Self.isPrintable) { return text.utf8.count }
        var counter = ColumnCounter(self)
        return counter.add(text.unicodeScalars)
    }

    /// The longest beginning of `text` that takes at most `columns` columns.
    public func prefix(_ text: String, columns: Int) -> Substring {
        var counter = ColumnCounter(self)
        var left = columns
        var end = text.startIndex
        while end < text.endIndex {
            left -= counter.add(text[end].unicodeScalars)
            if left < 0 { break }
            end = text.index(after: end)
        }
        return text[..<end]
    }

    /// `text` if it takes at most `columns` columns, or else its beginning with `…` after
    /// it. No direction of writing outlasts it.
    public func truncated(_ text: String, columns: Int) -> String {
        guard self.columns(of: text) > columns else { return text }
        let room = columns - self.columns(of: "…")
        guard room >= 0 else { return String(repeating: ".", count: max(0, min(1, columns))) }
        return DirectionalRows.closed(beginning: prefix(text, columns: room)) + "…"
    }

    /// `text` with as many blanks behind it as make it `columns` wide.
    public func padded(_ text: String, to columns: Int) -> String {
        text + String(repeating: " ", count: max(0, columns - self.columns(of: text)))
    }

    /// A line across `columns` columns.
    func rule(_ columns: Int) -> String {
        String(repeating: "─", count: columns / self.columns(of: "─"))
    }

    static func isPrintable(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F
    }
}
