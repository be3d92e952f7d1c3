/// Looks for lines of an event as readers see them, from the newest to the oldest, a stretch of the
/// log at a time. Among captions translations are left out.
///
/// Corrections come behind what they correct, so that whoever walks backwards has met all that
/// became of a line before the line itself.
///
/// Invariant: `wordings` are of lines that were not met yet.
public struct LineSearch: Equatable, Sendable {
    /// What the lines hold, or the number of one; empty for any.
    private let wanted: String
    /// The number of the one line that is looked for, where there is a line of that number.
    private var number: Int?
    /// Lines that have this place among those of the event's logs, or come behind it, are passed over.
    private let limit: Int
    /// The newest wording of a line that is still to come.
    private var wordings: [Int: LiveChunk] = [:]
    /// Before which line to go on; nil at the end of what there is.
    private var next: Int?
    /// What was found, the newest first.
    public private(set) var found: [RecentLines.Line] = []

    /// - Parameters:
    ///   - wanted: words that the line holds, whether capital or small, or its number.
    ///   - limit: only lines before this place among those of the event's logs.
    public init(for wanted: String, before limit: Int = .max) {
        self.wanted = wanted
        self.limit = limit
        next = .max
    }

    /// Whether all lines were looked at.
    public var isOver: Bool { next == nil }
    /// All lines that have this place or come behind it were looked at.
    private(set) var reached = Int.max

    /// Looks at the next stretch of `log`.
    public mutating func look(at log: EventLog, lines: Int = Limits.searchedLines) {
        guard let place = next else { return }
        if place == .max { number = Int(bounded: wanted).flatMap { $0 <= log.lastSeq ? $0 : nil } }
        let areTranslations = log.isTranslation
        next = log.eachFinal(before: min(place, log.lastSeq + 1), limit: lines) { seq, chunk in
            reached = chunk.at ?? seq
            if areTranslations || chunk.of == nil { take(seq, chunk) }
        }
    }

    private mutating func take(_ seq: Int, _ chunk: LiveChunk) {
        let newest = wordings.removeValue(forKey: seq)
        if let target = chunk.replaces, (1..<seq).contains(target) {
            if wordings[target] == nil { wordings[target] = newest ?? chunk }
            return
        }
        guard chunk.at ?? seq < limit else { return }
        var line = RecentLines.Line(
            seq: seq, at: chunk.at, text: chunk.text, speaker: chunk.speaker)
        if let newest { line.correct(by: newest) }
        if isWanted(line) { found.append(line) }
    }

    private func isWanted(_ line: RecentLines.Line) -> Bool {
        if let number { return line.seq == number }
        return wanted.isEmpty || line.spokenText.lowercased().contains(wanted.lowercased())
    }
}
