/// A part of a caption that stays in one row.
struct CaptionWord: Equatable {
    var text: String
    /// As ``CaptionWidth`` counts.
    var columns: Int
    /// Whether it goes on directly after the word before, with no blank, where both are in one
    /// row: an ideograph, or a piece of a word that is longer than a row.
    var isJoined: Bool

    /// The words of `text`, none wider than `limit` (at least 2) columns, none blank.
    static func words(in text: String, limit: Int) -> [CaptionWord] {
        let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        let words =
            isPlain
            // Bytes are looked through much quicker, and most captions are plain.
            ? text.utf8.split(separator: UInt8(ascii: " ")).map { Substring($0) }
            : text.split(whereSeparator: isBreakingBlank)
        var all: [CaptionWord] = []
        all.reserveCapacity(words.count)
        for word in words {
            if isPlain, word.utf8.count <= limit {
                let columns = word.utf8.count
                all.append(CaptionWord(text: String(word), columns: columns, isJoined: false))
            } else {
                all += pieces(of: word, limit: limit)
            }
        }
        return all
    }

    /// A no-break space belongs to its word.
    private static func isBreakingBlank(_ character: Character) -> Bool {
        character.isWhitespace && character != "\u{A0}" && character != "\u{202F}"
            && character != "\u{2007}"
    }

    private static func pieces(of word: Substring, limit: Int) -> [CaptionWord] {
        let word = String(word)
        let boundaries = WordBreaker.boundaries(in: word)
        var pieces: [CaptionWord] = []
        var piece = CaptionWord(text: "", columns: 0, isJoined: false)
        var previous: Character?
        for (index, character) in zip(word.indices, word) {
            let columns = CaptionWidth.columns(of: character)
            let isWithin = boundaries.map { !$0.contains(index) } ?? false
            let mayBreak =
                previous.map {
                    breaks(between: $0, character, isWithinWord: isWithin, boundaries != nil)
                } ?? false
            if mayBreak || piece.columns + columns > limit {
                pieces.append(piece)
                piece = CaptionWord(text: "", columns: 0, isJoined: true)
            }
            piece.text.append(character)
            piece.columns += columns
            previous = character
        }
        return withoutBlank(pieces + [piece])
    }

    /// No-break spaces alone would be a row that looks empty.
    private static func withoutBlank(_ pieces: [CaptionWord]) -> [CaptionWord] {
        var left = pieces.filter { !$0.text.allSatisfy(\.isWhitespace) }
        if !left.isEmpty { left[0].isJoined = false }
        return left
    }

    /// Whether a row may end between two characters of a word. What closes stays with what it
    /// closes, and what opens with what it opens.
    ///
    /// - Parameters:
    ///   - isWithinWord: whether ICU knows that no word ends there.
    ///   - knowsWords: whether it knows the words at all.
    private static func breaks(
        between left: Character, _ right: Character, isWithinWord: Bool, _ knowsWords: Bool
    ) -> Bool {
        let isUnspaced = knowsWords && [left, right].contains(where: WordBreaker.isUnspaced)
        guard isUnspaced || CaptionWidth.standsAlone(left) || CaptionWidth.standsAlone(right),
            !(isUnspaced && isWithinWord)
        else { return false }
        return !neverLast.contains(left) && !neverFirst.contains(right)
    }

    private static let neverFirst: Set<Character> = Set(
        "、。，．・：；？！」』）】〕〉》〗〙｝］ー～々ゝゞヽヾぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ…‥"
            + "%‰°'\"’”,.:;?!)]}ๆฯໆ។៕ៗ၊။")
    private static let neverLast: Set<Character> = Set("「『（【〔〈《〖〘｛［‘“([{$¥￥＄")
}
