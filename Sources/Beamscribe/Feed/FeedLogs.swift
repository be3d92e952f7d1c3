import BeamscribeCore
import FoundationEssentials

/// The logs that browsers read by one stream: one by itself, or the main one and others.
struct FeedLogs {
    let main: EventLog
    /// Those that are read together with it; nil where it is read by itself.
    var others: [Other]?

    struct Other {
        let log: EventLog
        let title: FeedLog
    }

    /// Whether whoever reads `logs` can go on here: at most others have come behind them.
    func goesOn(from logs: FeedLogs) -> Bool {
        guard main === logs.main, others?.count ?? 0 >= logs.others?.count ?? 0 else {
            return false
        }
        return zip(others ?? [], logs.others ?? []).allSatisfy { $0.log === $1.log }
    }

    /// Where a reader is who has everything.
    func end(epoch: Int) -> FeedPlace {
        FeedPlace(
            main.reader(after: main.lastSeq),
            others?.map { $0.log.reader(after: $0.log.lastSeq) } ?? [],
            epoch: epoch)
    }

    /// Whether there are finals for a reader.
    func hasFinals(beyond place: FeedPlace) -> Bool {
        main.lastSeq >= place.seq
            || zip(others ?? [], place.others).contains { $0.log.lastSeq >= $1.seq }
    }

    /// What follows `place`, at most about `limit` bytes of finals. Of several logs what is of one comes
    /// behind an event that says of which, and behind all finals an id that says how far each was read.
    func batch(
        from place: FeedPlace, by encoder: any FeedEncoder, limit: Int = Limits.feedBatch
    ) -> FeedBatch {
        guard let others else { return main.batch(from: place, by: encoder, limit: limit) }
        var reading = Reading(place, by: encoder, limit: limit)
        for (index, other) in others.enumerated() {
            if index == reading.others.count {
                reading.introduce(part(of: other, after: 0, tail: Limits.feedTail), other.log)
            }
            reading.read(other.log, at: index)
        }
        return reading.end(main, others)
    }

    // MARK: Readers who come

    /// How another log begins for a reader who has its finals up to `seq`.
    func part(of other: Other, after seq: Int, tail: Int?) -> FeedPart {
        FeedPart(other.title, other.log, after: begin(other.log, after: seq, tail: tail))
    }

    /// Behind which final a log begins for a reader who has it up to `seq`, and wants at most `tail` finals;
    /// of several logs those with the `tail` highest places, so that they begin at about the same time.
    func begin(_ log: EventLog, after seq: Int, tail: Int?) -> Int {
        let known = (0...log.lastSeq).contains(seq) ? seq : 0
        guard let tail = tail.map({ max(0, $0) }) else { return known }
        guard let others else { return max(known, log.lastSeq - tail) }
        let highest = ([main] + others.map(\.log)).map { $0.place(of: $0.lastSeq) }.max() ?? 0
        let place = main.place(before: tail, upTo: highest)
        return max(known, log.lastSeq(through: place, tail: tail))
    }
}

/// One look at several logs.
///
/// Invariant: what comes before it is of the main log, and so is what follows its end.
private struct Reading {
    private let start: FeedPlace
    private let encoder: any FeedEncoder
    private let limit: Int
    private(set) var others: [Reader]
    private var bytes: [UInt8] = []
    private var outcome = Reader.Outcome.drained
    /// Whether what was read last is of another log.
    private var isInOther = false

    init(_ place: FeedPlace, by encoder: any FeedEncoder, limit: Int) {
        (start, self.encoder, self.limit, others) = (place, encoder, limit, place.others)
    }

    /// There is one more log.
    mutating func introduce(_ part: FeedPart, _ log: EventLog) {
        others.append(log.reader(after: part.after))
        // Encoding fails for numbers that are not finite only.
        if let json = try? JSONEncoder().encode(part) {
            bytes += EventStreamEncoder.event("log", json: json)
        }
    }

    /// What is told of an event is told by its main log alone.
    mutating func read(_ log: EventLog, at index: Int) {
        var reader = others[index]
        let (items, outcome) = read(log, &reader) { if case .alert = $0 { false } else { true } }
        others[index] = reader
        if outcome == .more { self.outcome = .more }
        guard !items.isEmpty else { return }
        enter(log)
        isInOther = true
        bytes += items
    }

    /// The main log comes last, for it has the event's last word.
    mutating func end(_ main: EventLog, _ logs: [FeedLogs.Other]) -> FeedBatch {
        var reader = start.reader
        if isInOther { enter(main) }
        if outcome != .more {
            let (items, outcome) = read(main, &reader) { _ in true }
            bytes += items
            self.outcome = outcome
        }
        let end = FeedPlace(reader, others, epoch: start.epoch)
        // What follows the last word would come too late.
        if !bytes.isEmpty, start.seqs != end.seqs, outcome != .over {
            bytes += "id: \(marks(at: end, main, logs))\n\n".utf8
        }
        return FeedBatch(start: start, end: end, bytes: bytes, outcome: outcome)
    }

    /// Where there is no other log the main one's number says it.
    private func marks(
        at end: FeedPlace, _ main: EventLog, _ logs: [FeedLogs.Other]
    ) -> String {
        guard !logs.isEmpty else { return "\(end.seq - 1)" }
        let sessions = [main.session.wireName] + logs.map(\.title.session)
        return FeedMarks.text(zip(sessions, end.seqs).map { ($0, $1 - 1) })
    }

    /// What follows is of this log.
    private mutating func enter(_ log: EventLog) {
        let json = #"{"session":"\#(log.session.wireName)"}"#
        bytes += EventStreamEncoder.event("in", json: json.utf8)
    }

    private func read(
        _ log: EventLog, _ reader: inout Reader, _ isWanted: (Reader.Item) -> Bool
    ) -> (items: [UInt8], outcome: Reader.Outcome) {
        var items: [UInt8] = []
        let outcome = reader.read(log, limit: max(0, limit - bytes.count)) { item in
            if isWanted(item) { log.withPlace(item) { encoder.append($0, to: &items) } }
        }
        return (items, outcome)
    }
}

extension FeedPlace {
    /// The number of the next final in each log.
    fileprivate var seqs: [Int] { [seq] + others.map(\.seq) }
}

extension EventLog {
    /// The place before the `count` newest ones up to `highest`. Steps between the runs of this
    /// main log count as none.
    fileprivate func place(before count: Int, upTo highest: Int) -> Int {
        var (place, left) = (highest, count)
        for last in runs.after.reversed() where max(1, firstSeq) <= last && last < lastSeq {
            let first = self.place(of: last + 1)
            guard first - self.place(of: last) >= Limits.runStep else { continue }
            let ofRun = place - first + 1
            if ofRun >= left { break }
            (place, left) = (first - Limits.runStep, left - ofRun)
        }
        return place - left
    }

    /// The newest final that has at most this place; of the last `tail` that have one beyond it, the one
    /// before them.
    fileprivate func lastSeq(through place: Int, tail: Int) -> Int {
        var (low, high) = (max(0, lastSeq - tail), lastSeq)
        while low < high {
            let middle = low + (high - low + 1) / 2
            if self.place(of: middle) <= place { low = middle } else { high = middle - 1 }
        }
        return low
    }
}
