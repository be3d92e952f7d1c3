import BeamscribeCore
import CUTF8Proc

/// How many columns of a terminal text takes.
///
/// What a terminal really does with a rare character is its own affair. Where terminals differ,
/// the larger width is the answer: a row that ends early is better than one that does not fit.
public enum DisplayWidth {
    /// The columns of a character: 0 (combining, control), 1, or 2 (East Asian wide, emoji). A
    /// cluster of several letters, as Indic scripts have them, takes the sum of its letters.
    public static func columns(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        if scalars.index(after: scalars.startIndex) == scalars.endIndex {
            return columns(of: scalars[scalars.startIndex])
        }
        if isEmoji(scalars) { return 2 }
        var columns = 0
        for scalar in scalars where columns == 0 || !isMedialOrFinalJamo(scalar) {
            columns += self.columns(of: scalar)
        }
        return columns
    }

    /// The columns of all of `text`. Text of printable ASCII alone is counted by its bytes.
    public static func columns(of text: some StringProtocol) -> Int {
        if text.utf8.allSatisfy(isPrintable) { return text.utf8.count }
        return text.reduce(0) { $0 + columns(of: $1) }
    }

    /// The longest beginning of `text` that takes at most `columns` columns.
    public static func prefix(_ text: String, columns: Int) -> Substring {
        var left = columns
        var end = text.startIndex
        while end < text.endIndex {
            left -= self.columns(of: text[end])
            if left < 0 { break }
            end = text.index(after: end)
        }
        return text[..<end]
    }

    /// `text` if it takes at most `columns` columns, or else its beginning with `…` after
    /// it. No direction of writing outlasts it.
    public static func truncated(_ text: String, columns: Int) -> String {
        guard self.columns(of: text) > columns else { return text }
        guard columns > 0 else { return "" }
        return DirectionalRows.closed(beginning: prefix(text, columns: columns - 1)) + "…"
    }

    /// `text` with as many blanks behind it as make it `columns` wide.
    public static func padded(_ text: String, to columns: Int) -> String {
        text + String(repeating: " ", count: max(0, columns - self.columns(of: text)))
    }

    static func isPrintable(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F
    }

    /// Whether a cluster is drawn as a picture: by default, or because a variation selector, a
    /// joiner or a skin tone follows the first scalar. A flag begins with a regional indicator,
    /// which is a picture by default.
    private static func isEmoji(_ scalars: Character.UnicodeScalarView) -> Bool {
        guard let first = scalars.first, first.properties.isEmoji else { return false }
        if first.properties.isEmojiPresentation { return true }
        guard let second = scalars.dropFirst().first else { return false }
        return second == "\u{FE0F}" || second == "\u{200D}" || second.properties.isEmojiModifier
    }

    /// The later parts of a Hangul syllable share the cell of its first.
    private static func isMedialOrFinalJamo(_ scalar: Unicode.Scalar) -> Bool {
        (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FF).contains(scalar.value)
    }

    /// Whether a terminal gives a column to a sign that others draw into the column before it.
    ///
    /// Most terminals count a vowel sign that stands beside its letter (category Mc). GNU screen
    /// also counts the marks above and below Burmese letters.
    private static func isCounted(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .spacingMark: true
        case .nonspacingMark: myanmar.contains(scalar.value)
        default: false
        }
    }

    private static let myanmar: ClosedRange<UInt32> = 0x1000...0x109F

    private static func columns(of scalar: Unicode.Scalar) -> Int {
        if scalar.isASCII { return isPrintable(UInt8(clamping: scalar.value)) ? 1 : 0 }
        // Emoji younger than utf8proc's tables.
        if scalar.value >= 0x1F000, scalar.properties.isEmojiPresentation { return 2 }
        let columns = Int(utf8proc_charwidth(Int32(clamping: scalar.value)))
        return columns == 0 && isCounted(scalar) ? 1 : columns
    }
}
