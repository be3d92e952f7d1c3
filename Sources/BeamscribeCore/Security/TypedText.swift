/// What people and their phones put between the characters of something that is typed off.
enum TypedText {
    /// `typed` without spaces and dashes of any kind, the invisible ones included.
    static func withoutSeparators(_ typed: String) -> some Sequence<Unicode.Scalar> {
        typed.unicodeScalars.lazy.filter { !isSeparator($0) }
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // The soft hyphen, the zero width space, the word joiner and the byte order mark are no
        // spaces or dashes to Unicode, and are pasted along unseen.
        case 0xAD, 0x200B, 0x2060, 0xFEFF: true
        default: scalar.properties.isWhitespace || scalar.properties.isDash
        }
    }
}
