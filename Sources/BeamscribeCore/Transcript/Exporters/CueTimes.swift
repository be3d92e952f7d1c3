/// How long each cue of a line is on the screen, in milliseconds.
///
/// Invariant: a cue stays for ``shortest`` at least. It begins where the one before it ends, unless
/// that is too late.
enum CueTimes {
    /// The shortest time in which a caption can be read.
    static let shortest = 1_000
    /// What a guessed end leaves a cue at most.
    static let longest = 7_000
    /// The longest delay of a cue so that others have their time, in an event of several logs. Live
    /// subtitles on television are about as late, and viewers still match words and picture.
    static let longestLag = 4_000
    /// The same in an event of one log: a long line is read to its end, but a text that somebody
    /// pastes does not delay the rest of the event.
    static let longestLagOfOneLog = 60_000

    /// How long it takes to read a cue of so many columns: 15 a second, as television has it.
    static func readingTime(columns: Int) -> Int {
        min(max(columns * 1_000 / 15, shortest), longest)
    }

    /// The time from `start` to `end` (and more, where that is too little) for cues of so many
    /// columns, divided as their texts are.
    static func divide(_ columns: [Int], from start: Int, to end: Int) -> [Range<Int>] {
        var time = max(end - start, columns.count * shortest)
        var text = max(columns.reduce(0, +), 1)
        var start = start
        return columns.enumerated().map { index, own in
            let othersNeed = (columns.count - index - 1) * shortest
            let fair = Int(saturating: Double(time) * Double(own) / Double(text))
            let share = othersNeed == 0 ? time : min(max(fair, shortest), time - othersNeed)
            defer {
                start += share
                time -= share
                text = max(text - own, 1)
            }
            return start..<start + share
        }
    }

    /// The same cues, of which the last begins at `latest`, or with the first if that is later.
    /// Each is as long as before.
    static func drawTogether(_ cues: [Range<Int>], lastStart latest: Int) -> [Range<Int>] {
        guard let first = cues.first?.lowerBound, let last = cues.last?.lowerBound,
            last > max(first, latest)
        else { return cues }
        let share = Double(max(first, latest) - first) / Double(last - first)
        return cues.map { cue in
            let start = first + Int(saturating: Double(cue.lowerBound - first) * share)
            return start..<start + cue.count
        }
    }
}
