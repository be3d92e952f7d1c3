/// When the lines of an event's logs were said, by one clock: each writer's own may be wrong.
///
/// The order of the lines is known whatever the clocks say (``MergedLines``). Where a line stands
/// in it, each log's clock gives an interval: from the log's last line before to its first line
/// behind. The time that most of these intervals have is taken for right (Marzullo's algorithm, as
/// in NTP). Of two times with as many logs that of the main log counts, or of the log that is named
/// first.
///
///     order     A1    B1    A2    C1    B2    A3
///     A         10:00       10:02             10:05
///     B               10:01             10:04            with A: right
///     C                           +1 day                 outside of what A and B say: wrong, and put between A2 and B2
///
/// A line whose time is right keeps it, to the bit. One whose time is wrong is moved by its log's
/// offset, which is chosen so that all lines that follow one another with it stand between their
/// neighbours.
///
/// Where there is a main log, a line of another log whose time is behind the main log's next line
/// is put before the next line whose time the main log confirms: else it would push what follows
/// it. A line whose time is before the main log's line in front of it is put next to that: else the
/// event would begin with it, and all other lines would come later.
///
/// Invariant: a line that is moved is never before the newest right line in front of it, nor behind
/// the next one.
public struct EventTimes: Sendable {
    /// A line of a log.
    public struct Line: Sendable {
        /// Its number.
        public var seq: Int
        /// Its place in the event.
        public var at: Int
        /// Its writer's clock, in seconds since 1970: any number.
        public var sent: Double

        /// A line as its writer has timed it.
        public init(seq: Int, at: Int, sent: Double) {
            // Beyond that nothing is left of the seconds.
            let sent = sent.isNaN ? 0 : min(max(sent, -EventTimes.farthest), EventTimes.farthest)
            (self.seq, self.at, self.sent) = (seq, at, sent)
        }

        /// The same of a line of the transcript.
        public init(_ line: TranscriptLine) {
            self.init(seq: line.seq, at: line.at, sent: line.sentTimestamp)
        }
    }

    /// How far right clocks may differ, in seconds: a minute is told to people as a wrong clock.
    static let tolerance = 60.0
    /// The longest pause, in seconds, after which one log begins where another ends for good.
    /// Clocks that say more differ.
    static let longestPause = 43_200.0
    /// The longest time, in seconds, that a line may be behind the next one of the main log, or
    /// before the last one.
    static let confirmation = 2.0
    /// The farthest time that is told from others, in seconds before or after 1970: 31,700 years.
    private static let farthest = 1e12

    /// By their logs; nil where all clocks are right.
    private var times: [[Moved]]?
    private let logs: [[Line]]

    private struct Moved {
        let seq: Int
        let time: Double
    }

    /// - Parameters:
    ///   - logs: the lines of each in their order.
    ///   - sessions: the logs' ids.
    ///   - main: which of them is the main one; nil where there is none.
    ///   - founded: when the main log was begun, by its writer's clock; nil where that is unknown.
    public init(of logs: [[Line]], sessions: [String], main: Int?, founded: Double? = nil) {
        self.logs = logs
        guard logs.count > 1 else { return }
        let order = Self.order(logs, sessions)
        let main = main.flatMap { logs.indices.contains($0) ? $0 : nil }
        var isMainRight = true
        if !Self.isPlausible(order, logs, founded) {
            let rank = Self.ranks(logs.count, main)
            let start = main.flatMap { log in founded.map { (log: log, time: $0) } }
            let verdicts = Self.judge(order, logs, rank: rank, start)
            let isAnyKnown = verdicts.contains { $0.contains { $0.isRight == true } }
            let first = logs.indices.filter { !logs[$0].isEmpty }.min { rank[$0] < rank[$1] }
            times = logs.indices.map { log in
                Self.moved(
                    verdicts[log], of: logs[log], isReference: !isAnyKnown && log == first)
            }
            isMainRight = main.map { !verdicts[$0].contains { $0.isRight == false } } ?? false
        }
        if let main, isMainRight { keepBetween(order, main) }
    }

    /// Puts each line that is too late for the main log's next one before the next that is not, and
    /// each that is too early for the main log's last one next to that.
    private mutating func keepBetween(_ order: [Place], _ main: Int) {
        let shown = order.map { place in
            let line = logs[place.log][place.index]
            return time(of: line.seq, in: place.log) ?? line.sent
        }
        var before = [Double](repeating: -.infinity, count: order.count)
        var newest = -Double.infinity
        for (index, place) in order.enumerated() {
            if place.log == main { newest = shown[index] }
            before[index] = newest
        }
        var next = Double.infinity
        // The first line of each log up to the main log's next, of those that it confirms.
        var following: [Int: Double] = [:]
        var held: [(log: Int, seq: Int, time: Double)] = []
        for (index, place) in order.enumerated().reversed() {
            if place.log == main {
                (next, following) = (shown[index], [:])
            } else if shown[index] > next + Self.confirmation {
                let bound = following.reduce(next) {
                    $1.key == place.log ? $0 : min($0, $1.value)
                }
                let seq = logs[place.log][place.index].seq
                held.append((place.log, seq, max(bound, min(before[index], next))))
            } else if shown[index] >= before[index] - Self.confirmation {
                following[place.log] = shown[index]
            } else {
                let seq = logs[place.log][place.index].seq
                held.append((place.log, seq, before[index]))
            }
        }
        guard !held.isEmpty else { return }
        var all = (times ?? logs.map { _ in [] }).map { moved in
            Dictionary(moved.map { ($0.seq, $0.time) }) { $1 }
        }
        for line in held { all[line.log][line.seq] = line.time }
        times = all.map { own in
            own.map { Moved(seq: $0.key, time: $0.value) }.sorted { $0.seq < $1.seq }
        }
    }

    /// Of no lines.
    public init() { logs = [] }

    /// When a line was said; nil where its writer's own clock tells it.
    public func time(of seq: Int, in log: Int) -> Double? {
        guard let times, log < times.count else { return nil }
        let moved = times[log]
        var (low, high) = (0, moved.count)
        while low < high {
            let middle = (low + high) / 2
            if moved[middle].seq < seq { low = middle + 1 } else { high = middle }
        }
        return low < moved.count && moved[low].seq == seq ? moved[low].time : nil
    }

    /// When the first line of a log was said; nil for one without lines.
    public func first(of log: Int) -> Double? {
        guard log < logs.count else { return nil }
        return logs[log].first.map { time(of: $0.seq, in: log) ?? $0.sent }
    }

    /// When the event's first and last lines were said.
    public var bounds: ClosedRange<Double>? {
        var bounds: ClosedRange<Double>?
        for (log, lines) in logs.enumerated() {
            for line in [lines.first, lines.last].compactMap(\.self) {
                let time = time(of: line.seq, in: log) ?? line.sent
                bounds =
                    min(bounds?.lowerBound ?? time, time)...max(bounds?.upperBound ?? time, time)
            }
        }
        return bounds
    }

    // MARK: The order

    private struct Place {
        let log: Int
        let index: Int
    }

    private static func order(_ logs: [[Line]], _ sessions: [String]) -> [Place] {
        var places: [Place] = []
        places.reserveCapacity(logs.reduce(0) { $0 + $1.count })
        var next = Array(repeating: 0, count: logs.count)
        let bySession = logs.indices.sorted { (sessions[$0], $0) < (sessions[$1], $1) }
        while true {
            var first: Int?
            for log in bySession where next[log] < logs[log].count {
                if let best = first, logs[best][next[best]].at <= logs[log][next[log]].at {
                    continue
                }
                first = log
            }
            guard let first else { return places }
            places.append(Place(log: first, index: next[first]))
            next[first] += 1
        }
    }

    /// Whether time goes on through all lines, as right clocks have it.
    private static func isPlausible(
        _ order: [Place], _ logs: [[Line]], _ founded: Double?
    ) -> Bool {
        if let founded, let first = order.first,
            logs[first.log][first.index].sent < founded - tolerance
        {
            return false
        }
        var newest: (time: Double, log: Int)?
        for place in order {
            let sent = logs[place.log][place.index].sent
            if let newest {
                guard sent >= newest.time - tolerance,
                    place.log == newest.log || sent <= newest.time + longestPause
                else { return false }
            }
            newest = (max(sent, newest?.time ?? sent), place.log)
        }
        return true
    }

    private static func ranks(_ count: Int, _ main: Int?) -> [Int] {
        (0..<count).map { $0 == main ? 0 : $0 + 1 }
    }

    // MARK: Judging

    /// What the others' clocks say of a line.
    private struct Verdict {
        /// From when until when it was said.
        var earliest = -Double.infinity
        var latest = Double.infinity
        /// Whether that is what its writer's clock says; nil where the others cannot tell.
        var isRight: Bool?

        /// Whether a time that lies at one end of all others is no more than a pause away.
        func isNear(_ sent: Double) -> Bool {
            let from = earliest.isFinite ? earliest - tolerance : latest - longestPause
            let through = latest.isFinite ? latest + tolerance : earliest + longestPause
            return from <= sent && sent <= through || !earliest.isFinite && !latest.isFinite
        }

        /// Of those who agree the nearest lines count.
        mutating func tighten(to votes: [Vote]) {
            let from = votes.map(\.from).max() ?? -.infinity
            let through = votes.map(\.through).min() ?? .infinity
            (earliest, latest) = (min(from, through), max(from, through))
        }
    }

    /// First each clock has a vote, and then those that were found right: where few speak, one that
    /// is wrong elsewhere would else count as much as another. What the first look took for wrong
    /// counts again once the second has found it right.
    private static func judge(
        _ order: [Place], _ logs: [[Line]], rank: [Int], _ start: (log: Int, time: Double)?
    ) -> [[Verdict]] {
        var counted = logs.map { Array(repeating: true, count: $0.count) }
        var verdicts = look(order, logs, counting: counted, rank, start, hasOwnVote: true)
        for _ in 0..<2 {
            counted = verdicts.map { verdicts in
                let right = verdicts.count { $0.isRight == true }
                let wrong = verdicts.count { $0.isRight == false }
                return verdicts.map { wrong <= right && $0.isRight != false }
            }
            verdicts = look(order, logs, counting: counted, rank, start, hasOwnVote: false)
        }
        return verdicts
    }

    /// Hears of each line what the other logs' clocks say, by the lines that count.
    private static func look(
        _ order: [Place], _ logs: [[Line]], counting counted: [[Bool]], _ rank: [Int],
        _ start: (log: Int, time: Double)?, hasOwnVote: Bool
    ) -> [[Verdict]] {
        var verdicts = logs.map { Array(repeating: Verdict(), count: $0.count) }
        let following = zip(logs, counted).map { whatFollows($0, counting: $1) }
        var (next, before) = (
            Array(repeating: 0, count: logs.count), [Double?](repeating: nil, count: logs.count)
        )
        if let start { before[start.log] = start.time }
        for place in order {
            next[place.log] += 1
            let sent = logs[place.log][place.index].sent
            var votes = logs.indices.compactMap { log in
                log == place.log
                    ? nil : Vote(before[log], following[log][next[log]], rank: rank[log])
            }
            let others = votes
            if hasOwnVote, let own = Vote(sent, sent, rank: rank[place.log]) { votes.append(own) }
            verdicts[place.log][place.index] = verdict(on: sent, by: votes, of: others)
            if counted[place.log][place.index] { before[place.log] = sent }
        }
        return verdicts
    }

    private static func verdict(on sent: Double, by votes: [Vote], of others: [Vote]) -> Verdict {
        guard let best = Vote.best(votes) else { return Verdict() }
        let agreeing = others.filter { $0.holds(best.from, best.through) }
        let isInside = (best.from - tolerance...best.through + tolerance).contains(sent)
        var verdict = Verdict()
        verdict.tighten(to: agreeing)
        // Who has nothing to say before, or behind, cannot tell how long that was.
        verdict.isRight = isInside ? (agreeing.contains(where: \.isBounded) ? true : nil) : false
        return verdict
    }

    /// For each line of a log, and its end, when the first that counts from there on was said.
    private static func whatFollows(
        _ lines: [Line], counting counted: [Bool]
    ) -> [Double?] {
        var next = [Double?](repeating: nil, count: lines.count + 1)
        for index in lines.indices.reversed() {
            next[index] = counted[index] ? lines[index].sent : next[index + 1]
        }
        return next
    }

    /// A log's interval.
    private struct Vote {
        let from: Double
        let through: Double
        let rank: Int

        /// A clock that goes backwards has its bounds the other way round.
        ///
        /// - Returns: nil for a log that says nothing.
        init?(_ before: Double?, _ behind: Double?, rank: Int) {
            switch (before, behind) {
            case (let before?, let behind?):
                (from, through) = (min(before, behind), max(before, behind))
            case (let before?, nil): (from, through) = (before, .infinity)
            case (nil, let behind?): (from, through) = (-.infinity, behind)
            case (nil, nil): return nil
            }
            self.rank = rank
        }

        var isBounded: Bool { from.isFinite && through.isFinite }

        func holds(_ from: Double, _ through: Double) -> Bool {
            from >= self.from - EventTimes.tolerance
                && through <= self.through + EventTimes.tolerance
        }

        /// The interval that most votes have, and of several that of the highest rank.
        static func best(_ votes: [Vote]) -> (from: Double, through: Double)? {
            let slack = EventTimes.tolerance
            var best: (count: Int, rank: Int, from: Double, through: Double)?
            // Each candidate begins where some vote does.
            for start in votes {
                let with = votes.filter {
                    $0.from - slack <= start.from && start.from <= $0.through + slack
                }
                let rank = with.map(\.rank).min() ?? .max
                if let best, (best.count, -best.rank) >= (with.count, -rank) { continue }
                let from = with.map(\.from).max() ?? start.from
                let through = with.map(\.through).min() ?? start.through
                best = (with.count, rank, min(from, through), max(from, through))
            }
            return best.map { ($0.from, $0.through) }
        }
    }

    // MARK: Moving

    private static func moved(
        _ verdicts: [Verdict], of lines: [Line], isReference: Bool
    ) -> [Moved] {
        var moved: [Moved] = []
        var run = Run()
        for (index, isWrong) in wrong(verdicts, lines, isReference: isReference).enumerated() {
            guard isWrong else {
                moved += run.end()
                continue
            }
            if !run.add(lines[index], verdicts[index]) {
                moved += run.end()
                _ = run.add(lines[index], verdicts[index])
            }
        }
        return moved + run.end()
    }

    /// Wrong lines that follow one another, which one offset puts between their neighbours.
    private struct Run {
        private var lines: [(line: Line, from: Double, through: Double)] = []
        private var offsets = 0.0...0.0
        /// Whether there is a line with neighbours on both sides.
        private var isBetween = false
        /// Whether those with neighbours on one side alone have them behind.
        private var isBefore = false

        /// - Returns: whether it fits.
        mutating func add(_ line: Line, _ verdict: Verdict) -> Bool {
            var (from, through) = (verdict.earliest, verdict.latest)
            switch (from.isFinite, through.isFinite) {
            case (true, true): break
            case (true, false): through = from + EventTimes.longestPause
            case (false, true): from = through - EventTimes.longestPause
            case (false, false): (from, through) = (line.sent, line.sent)
            }
            let own = (line.sent - through)...(line.sent - from)
            guard !lines.isEmpty else {
                (lines, offsets) = ([(line, from, through)], own)
                (isBetween, isBefore) = (
                    verdict.earliest.isFinite && verdict.latest.isFinite, verdict.latest.isFinite
                )
                return true
            }
            guard offsets.overlaps(own) else { return false }
            let both = offsets.clamped(to: own)
            // Of a clock that stands all lines would stand at one end.
            let width = { (range: ClosedRange<Double>) in range.upperBound - range.lowerBound }
            guard width(both) >= min(1, width(own), width(offsets)) else { return false }
            lines.append((line, from, through))
            offsets = both
            isBetween = isBetween || verdict.earliest.isFinite && verdict.latest.isFinite
            return true
        }

        /// The lines as they are moved: in the middle of what fits, or next to the neighbours where
        /// there are some on one side alone.
        mutating func end() -> [Moved] {
            defer { self = Run() }
            let (low, high) = (offsets.lowerBound, offsets.upperBound)
            let offset = isBetween ? low / 2 + high / 2 : isBefore ? low : high
            return lines.map { line, from, through in
                Moved(seq: line.seq, time: min(max(line.sent - offset, from), through))
            }
        }
    }

    /// Which lines are wrong: of those whose neighbours cannot tell those that follow a wrong one,
    /// or come before it.
    ///
    /// - Parameter isReference: whether it is the log that the others are compared with where none
    ///   is known to be right.
    private static func wrong(
        _ verdicts: [Verdict], _ lines: [Line], isReference: Bool
    ) -> [Bool] {
        let known = verdicts.map(\.isRight)
        guard let first = known.firstIndex(where: { $0 != nil }) else {
            return zip(verdicts, lines).map { !isReference && !$0.isNear($1.sent) }
        }
        var last = known[first] ?? true
        return known.indices.map { index in
            last = known[index] ?? last
            return !last || known[index] == nil && !verdicts[index].isNear(lines[index].sent)
        }
    }
}
