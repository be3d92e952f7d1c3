/// How much of an open line a reader can rely on.
///
/// A word is settled when it, and all before it, stood unchanged in two successive revisions and
/// others follow it, or when nothing of that has changed for ``patience``. What settled is not
/// unsettled by time or growth, only by being rewritten.
///
/// Invariant: `ends` and `since` have one element a word; `settled` is at most their count.
struct PartialSettling: Equatable, Sendable {
    /// How long a word must stand to count as settled, in seconds.
    static let patience = 1.0

    private(set) var text = ""
    private var ends: [Int] = []
    private var since: [Double] = []
    private var settled = 0

    /// Where the settled words end, as an offset in the text's UTF-8.
    var settledEnd: Int { settled == 0 ? 0 : ends[settled - 1] }

    /// Whether time alone can settle more.
    var isWaiting: Bool { settled < ends.count }

    /// Takes the line's next revision.
    ///
    /// - Parameter now: in seconds, by any clock.
    mutating func revise(_ text: String, at now: Double) {
        let new = Self.ends(in: text)
        let same = commonWords(with: text, new)
        since.removeSubrange(same...)
        since += Array(repeating: now, count: new.count - same)
        settled = max(min(settled, same), min(same, new.count - 1), 0)
        (self.text, ends) = (text, new)
        pass(to: now)
    }

    mutating func pass(to now: Double) {
        while settled < ends.count, now - since[settled] >= Self.patience { settled += 1 }
    }

    /// How many words from the first are the same in both texts.
    private func commonWords(with other: String, _ otherEnds: [Int]) -> Int {
        var common = 0
        for (old, new) in zip(text.utf8, other.utf8) {
            guard old == new else { break }
            common += 1
        }
        var count = 0
        while count < ends.count, count < otherEnds.count, ends[count] == otherEnds[count],
            ends[count] <= common
        {
            count += 1
        }
        return count
    }

    /// The end of each unit in which a line settles, as an offset in its UTF-8: words between
    /// blanks, and each character of double width alone, because East Asian writing has no blanks.
    /// A unit begins where the one before ends.
    private static func ends(in text: String) -> [Int] {
        var ends: [Int] = []
        var isInWord = false
        var index = text.startIndex
        var counter = ColumnCounter(.common)
        while index < text.endIndex {
            let cell = WrapCell(text, at: index, counting: &counter)
            let start = text.utf8.distance(from: text.startIndex, to: index)
            if cell.isBlank || cell.isWide {
                if isInWord { ends.append(start) }
                isInWord = false
            } else {
                isInWord = true
            }
            index = cell.next
            if cell.isWide {
                ends.append(text.utf8.distance(from: text.startIndex, to: index))
            }
        }
        if isInWord { ends.append(text.utf8.count) }
        return ends
    }
}
