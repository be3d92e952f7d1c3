extension SafeText {
    /// `text` as ``label(_:bytes:)`` makes it, for a name by which people know an event, a machine
    /// or a speaker: in it everything can be seen, so that one name cannot pass for another.
    ///
    /// What has no look of its own becomes visible, as `<U+200B>`: direction marks, embeddings and
    /// isolates with their ends as well, blanks without a width, fillers, tags, joiners and
    /// variation selectors. The last two stay where writing needs them: a selector behind an emoji,
    /// a joiner between two emoji or between two letters of a script whose letters join. There a
    /// name may still have one more than another; a host's key tells them apart.
    ///
    /// In captions all of these stay. Nobody compares captions; right-to-left writing needs the
    /// marks, Thai and Khmer the blanks without a width, and a mark by itself moves no letter.
    public static func name(_ text: String, bytes: Int) -> String {
        var name = label(shown(line(text)), bytes: bytes)
        // A cut may have taken away the neighbour that a joiner needs. Each round has one less.
        while case let again = shown(name), again.utf8.count != name.utf8.count {
            name = label(again, bytes: bytes)
        }
        return name
    }

    /// Returns a safe text without the marks that would end a quotation: nobody can seem to say what
    /// stands behind it.
    public static func quoted(_ text: String) -> String {
        text.replacing("\"", with: "'")
    }

    private static func shown(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
        let scalars = Array(text.unicodeScalars)
        var result = String.UnicodeScalarView()
        var before: Unicode.Scalar?
        for (index, scalar) in scalars.enumerated() {
            let next = index + 1 < scalars.count ? scalars[index + 1] : nil
            if isUnseen(scalar), !isNeeded(scalar, between: before, and: next) {
                result += self.name(of: scalar)
            } else {
                result.append(scalar)
            }
            before = result.last
        }
        return String(result)
    }

    /// The ones that Unicode says are drawn as nothing, and the marks of ruby text.
    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isDefaultIgnorableCodePoint
            || (0xFFF9...0xFFFB).contains(scalar.value)
    }

    private static func isNeeded(
        _ scalar: Unicode.Scalar, between before: Unicode.Scalar?, and next: Unicode.Scalar?
    ) -> Bool {
        guard let before else { return false }
        switch scalar {
        case "\u{FE0E}", "\u{FE0F}": return isEmoji(before) || next == "\u{20E3}"
        case "\u{200D}":
            let isBehindEmoji = isEmoji(before) || before == "\u{FE0F}"
            return isBehindEmoji && isEmoji(next) || joins(before) && joins(next)
        case "\u{200C}": return joins(before) && joins(next)
        default: return false
        }
    }

    /// Digits are emoji, too, with a frame.
    private static func isEmoji(_ scalar: Unicode.Scalar?) -> Bool {
        scalar.map { !$0.isASCII && $0.properties.isEmoji } ?? false
    }

    /// Arabic, Syriac and their like, the scripts of India and its neighbours, Mongolian.
    private static func joins(_ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar else { return false }
        switch scalar.value {
        case 0x0600...0x0DFF, 0x0F00...0x109F, 0x1780...0x18AF, 0xFB50...0xFDFF, 0xFE70...0xFEFC:
            return scalar.properties.isAlphabetic
                || scalar.properties.generalCategory == .nonspacingMark
        default: return false
        }
    }
}
