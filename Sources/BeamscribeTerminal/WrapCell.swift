/// One character of a text that is to be wrapped, with what decides where a row can end.
struct WrapCell {
    /// Where the next character begins.
    let next: String.Index
    var columns: Int
    /// Whether it is an ideograph, a syllable or an emoji of two columns.
    let isWide: Bool
    private let scalar: Unicode.Scalar
    private let isAlone: Bool

    /// The character at `index`. Most text is ASCII, where a byte with another behind it is a
    /// character; looking for the end of a cluster there would take most of the time.
    init(_ text: String, at index: String.Index, counting counter: inout ColumnCounter) {
        let utf8 = text.utf8
        let byte = utf8[index]
        let after = utf8.index(after: index)
        if CharacterWidths.isPrintable(byte), after == utf8.endIndex || utf8[after] < 0x80 {
            (next, columns, isWide) = (after, 1, false)
            (scalar, isAlone) = (Unicode.Scalar(byte), true)
            counter.addPlain(scalar)
        } else {
            let scalars = text[index].unicodeScalars
            next = text.index(after: index)
            columns = counter.add(scalars)
            scalar = scalars[scalars.startIndex]
            isAlone = scalars.index(after: scalars.startIndex) == scalars.endIndex
            isWide = ColumnCounter.isWide(scalar)
        }
    }

    /// Whether a row may end here. A blank that says "do not break here" is not one, nor is one
    /// that carries a combining mark.
    var isBlank: Bool {
        switch scalar.value {
        case 0x09, 0x20, 0x1680, 0x2000...0x2006, 0x2008...0x200A, 0x205F, 0x3000: isAlone
        default: false
        }
    }

    /// Whether it is punctuation that belongs to what stands before it.
    var isClosing: Bool {
        switch scalar {
        case "、", "。", "，", "．", "！", "？", "：", "；", "）", "」", "』", "】", "》", "〉", "…", "ー",
            ",", ".", "!", "?", ":", ";", ")", "]", "}", "\"", "'", "’", "”", "ๆ", "ฯ", "ໆ", "។",
            "៕",
            "ៗ", "၊", "။":
            true
        default: false
        }
    }
}
