/// Text that can be shown on a terminal whatever its sender wrote.
///
/// Names and captions come from other machines. A control character in them could move the cursor,
/// clear the screen or type commands, a line break would turn one caption into two, and a change
/// of direction could make text read otherwise than it is, or turn around what the program says
/// behind it. None of that is dropped in silence: a reader sees that something was there.
public enum SafeText {
    /// `text` in which nothing acts on a terminal:
    ///
    /// - Tabs and line breaks (U+0085, U+2028 and U+2029 among them) become one space each.
    /// - Other control characters become visible: C0 and DEL as their pictures (␛, ␡), C1 as
    ///   `<U+009B>`.
    /// - Embeddings and isolates (U+202A, U+202B, U+2066...U+2068) stay where each has its own end
    ///   and at most 125 lie in one another, as right-to-left writing needs them. All others, ends
    ///   of nothing and overrides with their ends become visible, as `<U+202E>`.
    ///
    /// What comes out goes through unchanged when it is cleaned again.
    public static func line(_ text: String) -> String {
        isSafe(text) ? text : cleaned(text)
    }

    /// `text` as ``line(_:)`` makes it, cut to at most `bytes` bytes of UTF-8 between characters.
    /// What has lost its end by the cut becomes visible, too. A first character that takes more by
    /// itself, by the marks heaped on it, is cut: otherwise nothing would be left to see.
    public static func label(_ text: String, bytes: Int) -> String {
        let line = line(text)
        guard line.utf8.count > bytes else { return line }
        var label = beginning(line, bytes: bytes)
        // What becomes visible gets longer, so that the next cut may separate another pair; each
        // round has one pair less.
        while !isSafe(label) { label = beginning(cleaned(label), bytes: bytes) }
        return label
    }

    private static func beginning(_ text: String, bytes: Int) -> String {
        let whole = prefix(text, bytes: bytes)
        guard whole.isEmpty, !text.isEmpty else { return whole }
        var scalars = String.UnicodeScalarView()
        var used = 0
        for scalar in text.unicodeScalars {
            used += UTF8.width(scalar)
            if used > bytes { break }
            scalars.append(scalar)
        }
        return String(scalars)
    }

    /// The longest beginning of `text` that ends between two characters (grapheme clusters) and
    /// takes at most `bytes` bytes of UTF-8.
    public static func prefix(_ text: String, bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        var end = text.startIndex
        var used = 0
        while end < text.endIndex {
            let next = text.index(after: end)
            used += text.utf8.distance(from: end, to: next)
            if used > bytes { break }
            end = next
        }
        return String(text[..<end])
    }

    /// Whether ``line(_:)`` would return `text` as it is. One pass over the bytes, no allocation.
    public static func isSafe(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable(isSafe) ?? isSafe(Array(text.utf8))
    }

    /// Whether all texts among these bytes are so together.
    package static func isSafe(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.withMemoryRebound(to: UInt8.self) { isSafe($0) }
    }

    private static func isSafe(_ bytes: some Collection<UInt8>) -> Bool {
        var previous: UInt8 = 0
        var beforePrevious: UInt8 = 0
        var nesting = DirectionalNesting()
        for byte in bytes {
            if byte < 0x20 || byte == 0x7F { return false }
            // C1 controls are C2 80...C2 9F; what else matters is E2 80 A8...AE and E2 81 A6...A9.
            if previous == 0xC2, byte < 0xA0 { return false }
            if beforePrevious == 0xE2, byte >= 0xA6, previous <= 0x81 {
                let value = 0x2000 | UInt32(previous & 0x3F) << 6 | UInt32(byte & 0x3F)
                if value == 0x2028 || value == 0x2029 { return false }
                if let character = DirectionalFormatting(value), !nesting.pass(character) {
                    return false
                }
            }
            beforePrevious = previous
            previous = byte
        }
        return nesting.depth == 0
    }

    private static func cleaned(_ text: String) -> String {
        var pairs = DirectionalPairs(of: text).isPaired[...]
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x09, 0x0A, 0x0D, 0x85, 0x2028, 0x2029: scalars.append(" ")
            case 0..<0x20: scalars.append(Unicode.Scalar(0x2400 &+ scalar.value) ?? " ")
            case 0x7F: scalars.append("\u{2421}")
            case 0x80..<0xA0: scalars += name(of: scalar)
            case 0x202A...0x202E, 0x2066...0x2069:
                let isPaired = pairs.removeFirst()
                if isPaired { scalars.append(scalar) } else { scalars += name(of: scalar) }
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    /// `<U+202E>`
    static func name(of scalar: Unicode.Scalar) -> String.UnicodeScalarView {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        let zeros = String(repeating: "0", count: max(0, 4 - digits.utf8.count))
        return "<U+\(zeros)\(digits)>".unicodeScalars
    }
}
