import BeamscribeCore

/// What recognisers write for silence and noise: `[BLANK_AUDIO]`, `(upbeat music)`, `*sighs*`, `♪`.
enum NoiseTag {
    private static let ends: [Character: Character] = ["[": "]", "(": ")", "*": "*", "<": ">"]
    private static let notes: Set<Character> = ["♪", "♫", "♩", "♬"]

    /// Whether `text` may be noise, by its first byte. It costs next to nothing.
    static func mayBegin(_ text: String) -> Bool {
        guard let first = text.utf8.first(where: { $0 != 0x20 }) else { return false }
        return first == UInt8(ascii: "[") || first == UInt8(ascii: "(")
            || first == UInt8(ascii: "*") || first == UInt8(ascii: "<") || first == 0xE2
    }

    /// Whether `text` consists of tags alone. Beside a word a tag belongs to what was said.
    static func isAll(of text: String) -> Bool {
        var rest = text[...]
        var count = 0
        while let first = rest.first {
            if first.isWhitespace {
                rest.removeFirst()
                continue
            }
            guard skipTag(of: &rest, first) else { return false }
            count += 1
        }
        return count > 0
    }

    /// Whether `text` is a tag that no person would type.
    static func isMachineMade(_ text: String) -> Bool {
        let tag = text.filter { !$0.isWhitespace }
        return tag == "[BLANK_AUDIO]" || tag == "[NO_SPEECH]"
    }

    private static func skipTag(of rest: inout Substring, _ first: Character) -> Bool {
        rest.removeFirst()
        if notes.contains(first) { return true }
        guard let end = ends[first], let index = rest.firstIndex(of: end),
            index > rest.startIndex
        else { return false }
        rest = rest[rest.index(after: index)...]
        return true
    }
}
