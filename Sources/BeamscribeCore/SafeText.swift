/// Text that can be shown on a terminal whatever its sender wrote.
///
/// Names and captions come from other machines. A control character in them could move the cursor,
/// clear the screen or type commands, and a line break would turn one caption into two.
public enum SafeText {
    /// `text` without control characters: tabs and line breaks become one space each, every other
    /// control character (C0, DEL, C1) goes, and so do the characters that reorder what follows
    /// them across the line's end (U+202A...U+202E, U+2066...U+2069).
    public static func line(_ text: String) -> String {
        isSafe(text) ? text : cleaned(text)
    }

    /// `text` as ``line(_:)`` makes it, cut to at most `bytes` bytes of UTF-8 between characters.
    public static func label(_ text: String, bytes: Int) -> String {
        prefix(line(text), bytes: bytes)
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

    private static func isSafe(_ bytes: some Collection<UInt8>) -> Bool {
        var previous: UInt8 = 0
        var beforePrevious: UInt8 = 0
        for byte in bytes {
            if byte < 0x20 || byte == 0x7F { return false }
            // C1 controls are C2 80...C2 9F; the others are E2 80 A8...AE and E2 81 A6...A9.
            if previous == 0xC2, byte < 0xA0 { return false }
            if beforePrevious == 0xE2, previous == 0x80, (0xA8...0xAE).contains(byte) {
                return false
            }
            if beforePrevious == 0xE2, previous == 0x81, (0xA6...0xA9).contains(byte) {
                return false
            }
            beforePrevious = previous
            previous = byte
        }
        return true
    }

    private static func cleaned(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x09, 0x0A, 0x0D, 0x85, 0x2028, 0x2029: scalars.append(" ")
            case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: continue
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}
