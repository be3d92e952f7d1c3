/// What those who hold a log have said, one after the other, of lines that are gone: one may have come late,
/// or lie, and the next may have them.
///
/// Invariant: `firsts` has for each of the last words, at most ``Limits/gapWords``, the first line that was
/// said to be there; who has come later has had no line that one before him is counted to lack.
struct GapWords {
    private var firsts: [Int] = []

    /// Whether nobody has said so of lines that are wanted.
    var isEmpty: Bool { firsts.isEmpty }

    /// Somebody has no line before `first`, which are wanted.
    ///
    /// Each word speaks for the lines that it lacks alone: three who lack seven and a fourth who denies
    /// sixteen make seven gone, and of the others there is one word. Where memories move on, no two lack the
    /// same for long; then it takes more words, of whichever lines.
    ///
    /// - Returns: whether these lines count as gone.
    mutating func areGone(before first: Int) -> Bool {
        firsts = firsts.map { min($0, first) } + [first]
        let agreeing = firsts.count { $0 == first }
        guard agreeing >= Limits.gapOffers || firsts.count >= Limits.gapWords else { return false }
        forget()
        return true
    }

    /// Somebody has all that is wanted.
    mutating func forget() { firsts = [] }
}
