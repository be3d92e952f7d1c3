import BeamscribeCore

/// What a guest's reader has been shown, and whether it may have been.
///
/// Invariant: `lines` are in order, and every number from the first wanted to `last` is there or
/// in a gap that was told.
struct GuestView {
    private(set) var session: String?
    /// The lines shown, by their numbers.
    private(set) var lines: [(seq: Int, text: String)] = []
    /// The newest line shown or told to be missing; nil before the first.
    private(set) var last: Int?
    /// What the guest relies on: the run in which it joined last.
    private(set) var run = 1
    private var state = GuestState.searching
    private(set) var open: [(line: String, text: String)] = []
    private var closed: Set<String> = []
    /// The first line that has to be shown; nil before the guest's first answer.
    private(set) var firstWanted: Int?
    private let start: GuestSession.Start
    /// Whether the event was begun anew, of which a reader wants everything.
    private var isAnew = false

    init(_ start: GuestSession.Start) {
        self.start = start
    }

    /// Takes in an event that came over a connection to a run.
    ///
    /// - Returns: what is wrong; nil where nothing is.
    mutating func take(_ event: GuestEvent, from run: RunTruth?) -> String? {
        switch event {
        case .joined(let joined): return join(joined)
        case .line(let line): return run.flatMap { take(line, $0) }
        case .gap(let from, let through): return run.flatMap { takeGap(from, through, $0) }
        case .withdrawn(let from, let through):
            return run.flatMap { withdraw(from, through, $0) }
        case .partial(let partial): return take(partial: partial.line, partial.text)
        case .state(let state):
            self.state = state
            return nil
        case .begunAnew:
            (session, lines, last, open, closed) = (nil, [], nil, [], [])
            isAnew = true
            return nil
        case .alert, .stillLost, .stats, .trouble, .turnedAway, .inLog, .log, .isRead, .isPutOut:
            return nil
        }
    }

    private mutating func join(_ joined: JoinedEvent) -> String? {
        if let session, session != joined.session, last ?? 0 > 0 {
            return "it goes on in another session"
        }
        if session != joined.session { (firstWanted, last) = (nil, nil) }
        session = joined.session
        run = joined.runs.current
        if firstWanted == nil {
            switch isAnew ? .beginning : start {
            case .beginning: firstWanted = 1
            case .line(let seq): firstWanted = seq
            case .next: firstWanted = joined.history + 1
            }
        }
        return nil
    }

    private mutating func take(_ line: TranscriptLine, _ run: RunTruth) -> String? {
        guard run.session == session else { return "it shows a line of another session" }
        guard line.text == run.text(of: line.seq) else {
            return "it shows line \(line.seq) with other words than were said"
        }
        if line.isLate, line.seq <= last ?? 0 { return take(late: line) }
        if let expected, line.seq != expected {
            return "it shows line \(line.seq), where \(expected) is due"
        }
        guard line.latency.isFinite else { return "its latency is no number" }
        lines.append((line.seq, line.text))
        last = line.seq
        open.removeAll { $0.line == line.line }
        closed.insert(line.line)
        return nil
    }

    /// Takes in a line that comes after it was told to be missing.
    private mutating func take(late line: TranscriptLine) -> String? {
        guard !lines.contains(where: { $0.seq == line.seq }) else {
            return "it shows line \(line.seq) once more"
        }
        lines.insert(
            (line.seq, line.text), at: lines.firstIndex { $0.seq > line.seq } ?? lines.count)
        return nil
    }

    /// Whether all that was wanted up to line `seq` was shown, or told to be missing.
    func reaches(_ seq: Int) -> Bool { max(last ?? 0, (firstWanted ?? 1) - 1) >= seq }

    /// Whether lines before its newest are missing.
    var hasGaps: Bool { zip(lines, lines.dropFirst()).contains { $0.seq + 1 < $1.seq } }

    /// The line that must be shown next; nil where that is not known.
    private var expected: Int? {
        guard let firstWanted else { return nil }
        return max((last ?? 0) + 1, firstWanted)
    }

    private mutating func takeGap(_ from: Int, _ through: Int, _ run: RunTruth) -> String? {
        defer { last = through }
        let inMemory = max(from, run.firstInMemory)...max(through, run.firstInMemory, from)
        if let there = inMemory.first(where: { $0 <= through && run.text(of: $0) != nil }) {
            return "it is told that lines \(from) to \(through) are gone, "
                + "but line \(there) is in memory"
        }
        if from > through || from <= last ?? 0 { return "its gap \(from) to \(through) is none" }
        if let firstWanted, from < firstWanted { return "it is told of a gap that it did not want" }
        if let expected, from > expected { return "a gap begins at \(from), not at \(expected)" }
        return nil
    }

    // MARK: History

    /// It goes on behind `seq`: what it lacks up to there is to be fetched.
    mutating func skip(through seq: Int) { last = max(last ?? 0, seq) }

    /// Takes in lines that it had skipped, `nil` for those that are told to be missing.
    mutating func fill(_ range: ClosedRange<Int>, _ texts: [Int: String], from run: RunTruth)
        -> String?
    {
        for seq in range {
            guard let text = texts[seq] else {
                if seq >= run.firstInMemory, run.text(of: seq) != nil {
                    return "it is told that line \(seq) is gone, but it is in memory"
                }
                continue
            }
            guard text == run.text(of: seq) else {
                return "it fetches line \(seq) with other words than were said"
            }
            guard !lines.contains(where: { $0.seq == seq }) else {
                return "it fetches line \(seq), which it has"
            }
            lines.insert((seq, text), at: lines.firstIndex { $0.seq > seq } ?? lines.count)
        }
        return nil
    }

    private mutating func withdraw(_ from: Int, _ through: Int, _ run: RunTruth) -> String? {
        guard let last, from <= through, through == last else {
            return "lines \(from) to \(through) are withdrawn, where it has \(last ?? 0)"
        }
        lines.removeAll { $0.seq >= from }
        self.last = from > firstWanted ?? 1 ? from - 1 : nil
        return nil
    }

    private mutating func take(partial line: String, _ text: String) -> String? {
        open.removeAll { $0.line == line }
        guard !text.isEmpty else { return nil }
        if line.hasPrefix("u"), closed.contains(line) {
            return "it shows a partial of line \(line), which is done"
        }
        open.append((line, text))
        return nil
    }

    /// The view of a new program, which shows no partials.
    var restarted: GuestView {
        var view = self
        view.open = []
        // It does not know any more where it began; lines before that come only if a host lost
        // those that it has.
        if start == .next, last != nil { view.firstWanted = 1 }
        // Nor that its host had begun anew: what it was not asked for it does not answer for.
        if isAnew, case .line(let seq) = start {
            view.firstWanted = seq
            view.lines.removeAll { $0.seq < seq }
        }
        view.isAnew = false
        return view
    }

    /// What is wrong with it at the end, where nothing is missing any more.
    ///
    /// - Parameters:
    ///   - speech: what the input has said.
    ///   - trouble: what the host has last said of its input.
    func fault(
        comparedTo truth: RunTruth, _ speech: Speech, _ trouble: InputTrouble?
    ) -> String? {
        guard session == truth.session else { return "it is in another session" }
        for line in lines {
            guard let text = truth.text(of: line.seq), text != line.text else { continue }
            return "line \(line.seq) is not what the log holds"
        }
        if let firstWanted, firstWanted <= truth.lastSeq, last ?? 0 != truth.lastSeq {
            return "it has line \(last ?? 0) of \(truth.lastSeq)"
        }
        if let fault = speech.fault(ofShowing: open) { return fault }
        return isRight(trouble) ? nil : "its state is \(state.name)"
    }

    /// Whether it tells its reader that nothing is amiss.
    var isCurrent: Bool {
        switch state {
        case .live, .silent, .stalled: true
        default: false
        }
    }

    private func isRight(_ trouble: InputTrouble?) -> Bool {
        switch state {
        case .live, .silent: trouble == nil
        case .stalled(let shown): trouble == shown
        case .searching, .connecting, .syncing, .unheard, .reconnecting, .ended: false
        }
    }
}
