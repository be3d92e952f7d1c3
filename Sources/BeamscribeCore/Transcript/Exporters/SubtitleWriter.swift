/// Writes lines as cues of SubRip or WebVTT.
///
/// A cue has at most two rows; a longer line becomes several cues. An end that is not known is
/// guessed from the reading time of the text. Where the next line is known, as in an export,
/// a cue ends when that begins; where it is not, as in a broadcast, it may still be on the screen.
///
/// A cue waits until the cue before it was there for a second, but no longer than
/// ``CueTimes/longestLag``, or ``CueTimes/longestLagOfOneLog``. If more is said than that leaves
/// room for, cues overlap.
///
/// Invariant: cues are numbered from 1 and last a second or more. Their starts never go back.
public struct SubtitleWriter: Codable, Sendable {
    private let isVTT: Bool
    private var clock = CaptionClock()
    private var count = 0
    /// The time at which the next cue may begin if there is room, in milliseconds.
    private var earliest = 0
    /// The beginning of the newest cue, in milliseconds; nil before the first.
    private var newestStart: Int?
    /// When the newest line was spoken, in milliseconds; nil before the first. In one log alone the
    /// later cues of a long line count, too.
    private var newestTime: Int?
    /// The clocks of the event's other logs, by their sessions; nil before one of these has a line.
    private var others: [String: CaptionClock]?
    /// When the first line of all logs came; nil where there is one log.
    private var origin: Double?
    /// When the reader had the first line, if that is another log's; nil otherwise.
    private var begun: Double?
    /// The newest line of all logs, by the clock that counts, and when the reader had it; nil
    /// before the first.
    private var newest: Newest?
    /// The most seconds that the main log's clock is ahead of the reader's, as far as its lines
    /// have shown; nil before the first.
    private var mainAhead: Double?
    /// The seconds that are taken off the times of logs whose clocks are wrong, by their sessions;
    /// the main one's is "".
    private var offsets: [String: Double]?

    private struct Newest: Codable, Sendable {
        var time: Double
        var received: Double
    }

    /// - Parameter isVTT: WebVTT, or else SubRip.
    public init(isVTT: Bool) {
        self.isVTT = isVTT
    }

    /// The text before the first cue.
    public var header: String { isVTT ? "WEBVTT\n\n" + escaping.mark + "\n\n" : "" }

    private var escaping: SubtitleEscaping { isVTT ? .webVTT : .subRip }

    /// The cues of `line`, each with the blank line behind it, while what follows is not known.
    public mutating func cues(_ line: TranscriptLine) -> String {
        let line = timed(line, of: "")
        if clock.firstSent == nil { begin(with: line) }
        let span = clock.span(of: line)
        return cues(
            line, spoken: shifted(span, of: line, by: clock), next: nil,
            isAmongOthers: others != nil)
    }

    /// The cues of a line of another log of the event.
    ///
    /// - Parameter next: when the main log's next line was sent, by its writer's clock; nil where
    ///   that is not known.
    public mutating func cues(
        _ line: TranscriptLine, of log: LogTitle, before next: Double? = nil
    ) -> String {
        let line = timed(line, of: log.session, before: next)
        if origin == nil, clock.firstSent == nil { begun = line.receivedTimestamp }
        origin = origin ?? clock.firstSent ?? line.sentTimestamp
        let span = others.tick(line, of: log)
        return cues(
            line, spoken: shifted(span, of: line, by: others?[log.session] ?? clock), next: nil,
            isAmongOthers: true)
    }

    /// Returns the line as a clock that is right has it. Lines that follow cannot help to tell.
    ///
    /// A wrong line stands next to the newest of all logs, as far behind it as the reader waited.
    /// A line is wrong if it is half a day and more from the newest, besides that wait. It is also
    /// wrong if it is another log's and comes from the future, by the clocks of the reader and the
    /// main log, or if either it or the newest line comes from the future and the other does not.
    ///
    /// Nobody sends a line after the reader has it, nor after the main log's next line. A line of
    /// another log that says so gets that time. Lines that follow it are not moved by that.
    private mutating func timed(
        _ line: TranscriptLine, of log: String, before next: Double? = nil
    ) -> TranscriptLine {
        var line = line
        line.sentTimestamp -= offsets?[log] ?? 0
        if let newest, hasOther(than: log) {
            let passed = max(0, line.receivedTimestamp - newest.received)
            let gap = abs(line.sentTimestamp - newest.time)
            if gap > EventTimes.longestPause + passed
                || gap > EventTimes.tolerance && isWrong(ahead(line), newest, log)
            {
                let time = newest.time + min(passed, EventTimes.longestPause)
                offsets = offsets ?? [:]
                offsets?[log, default: 0] += line.sentTimestamp - time
                line.sentTimestamp = time
            }
        }
        if log.isEmpty {
            let shown = mainAhead(by: line)
            mainAhead = max(mainAhead ?? shown, shown)
        } else if let mainAhead, ahead(line) > mainAhead + Self.clockError {
            line.sentTimestamp = line.receivedTimestamp + mainAhead
        }
        if let next = next.map({ $0 - (offsets?[""] ?? 0) }),
            line.sentTimestamp > next + EventTimes.confirmation
        {
            line.sentTimestamp = next
        }
        let isNewer = newest.map { line.sentTimestamp >= $0.time } ?? true
        if isNewer { newest = Newest(time: line.sentTimestamp, received: line.receivedTimestamp) }
        return line
    }

    /// The main log has its first line. If another log's line came before it, that was sent at the
    /// latest when it came.
    private mutating func begin(with line: TranscriptLine) {
        guard let origin, let begun else { return }
        let passed = max(0, line.receivedTimestamp - begun) - max(0, line.latency)
        if line.sentTimestamp - origin < passed - Self.clockError {
            self.origin = line.sentTimestamp - passed
        }
    }

    /// How far the writer's clock is ahead of the reader's, in seconds, if the line is new.
    private func ahead(_ line: TranscriptLine) -> Double {
        line.sentTimestamp - line.receivedTimestamp
    }

    /// The seconds that the main log's clock is ahead of the reader's by one line. A line that is
    /// new shows it by itself. Otherwise the comparison of the two clocks counts, if there was one.
    private func mainAhead(by line: TranscriptLine) -> Double {
        max(ahead(line), line.latency == 0 ? 0 : ahead(line) + line.latency)
    }

    /// The seconds by which two equal clocks may seem to differ: the time that packets
    /// take.
    private static let clockError = 1.0

    private func isWrong(_ ahead: Double, _ newest: Newest, _ log: String) -> Bool {
        if !log.isEmpty, ahead > max(0, mainAhead ?? 0) + EventTimes.tolerance { return true }
        let both = [ahead, newest.time - newest.received]
        return both.contains { abs($0) <= EventTimes.tolerance }
            && both.contains { $0 > EventTimes.tolerance }
    }

    /// A log by itself has its own times.
    private func hasOther(than log: String) -> Bool {
        !log.isEmpty && clock.firstSent != nil || others?.keys.contains { $0 != log } ?? false
    }

    /// All times count from the first line of all logs, as the machines' clocks had it.
    private func shifted(
        _ span: CaptionSpan, of line: TranscriptLine, by clock: CaptionClock
    ) -> CaptionSpan {
        guard let origin, let first = clock.firstSent else { return span }
        let came = line.sentTimestamp - origin
        guard line.start != nil else { return CaptionSpan(start: came, end: nil) }
        return span.moved(by: first - origin).begun(by: came)
    }

    /// The cues of a line that was spoken at a time which another clock has told.
    ///
    /// - Parameters:
    ///   - next: when the next line begins, in seconds; infinity for the last one, nil where that
    ///     is not known.
    ///   - isAmongOthers: whether the lines are those of several logs. Then a long line does not
    ///     keep the others waiting.
    public mutating func cues(
        _ line: TranscriptLine, spoken: CaptionSpan, next: Double?, isAmongOthers: Bool
    ) -> String {
        let cues = CaptionRows.cues(of: isVTT ? line.text : line.spokenText)
        guard !cues.isEmpty else { return "" }
        let columns = cues.map { $0.reduce(0) { $0 + CaptionWidth.columns(of: $1) } }
        let times = times(of: columns, spoken, next, isAmongOthers: isAmongOthers)
        let last = times[times.count - 1]
        newestStart = last.lowerBound
        earliest = next == nil ? last.lowerBound + CueTimes.shortest : last.upperBound
        let voice = isVTT ? line.speaker.map { "<v \(SubtitleEscaping.voiceName($0))>" } ?? "" : ""
        return zip(cues, times).map { cue($0, $1, voice) }.joined()
    }

    private mutating func times(
        of columns: [Int], _ spoken: CaptionSpan, _ next: Double?, isAmongOthers: Bool
    ) -> [Range<Int>] {
        let natural = Self.milliseconds(spoken.start)
        let lag = isAmongOthers ? CueTimes.longestLag : CueTimes.longestLagOfOneLog
        let newest = max(natural, Self.bounded(newestTime))
        let latest = max(newest + lag, Self.bounded(newestStart))
        let start = max(natural, min(Self.bounded(earliest), latest))
        let reading = columns.reduce(0) { $0 + CueTimes.readingTime(columns: $1) }
        // A broadcast that lags behind its speaker catches up.
        let guessed = (next == nil ? natural : start) + reading
        let end = spoken.end.map(Self.milliseconds) ?? guessed
        let following = next.map(Self.milliseconds)
        let times = CueTimes.divide(columns, from: start, to: min(end, following ?? end))
        let length = times[times.count - 1].lowerBound - start
        let due = isAmongOthers ? newest : max(newest, natural + length)
        newestTime = due
        return CueTimes.drawTogether(times, lastStart: max(due, following ?? 0) + lag)
    }

    /// Takes any number, for a file may have any.
    private static func bounded(_ time: Int?) -> Int { min(max(time ?? 0, 0), latest) }

    /// A thousand years.
    private static let latest = 31_557_600_000_000

    private static func milliseconds(_ seconds: Double) -> Int {
        Int(saturating: (min(max(seconds, 0), CaptionClock.limit) * 1_000).rounded())
    }

    private mutating func cue(_ rows: [String], _ time: Range<Int>, _ voice: String) -> String {
        count += 1
        let mark = count == 1 && !isVTT ? escaping.mark : ""
        return "\(count)\n\(timestamp(time.lowerBound)) --> \(timestamp(time.upperBound))" + mark
            + "\n" + voice + rows.map(escaping.escaped).joined(separator: "\n") + "\n\n"
    }

    private func timestamp(_ milliseconds: Int) -> String {
        let (hours, minutes) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60)
        let seconds = padded(milliseconds / 1_000 % 60, to: 2)
        let rest = padded(milliseconds % 1_000, to: 3)
        return padded(hours, to: 2) + ":" + padded(minutes, to: 2) + ":" + seconds
            + (isVTT ? "." : ",") + rest
    }

    private func padded(_ number: Int, to width: Int) -> String {
        var digits = String(number)
        while digits.utf8.count < width { digits = "0" + digits }
        return digits
    }
}

extension [String: CaptionClock]? {
    /// When a line was spoken by its log's clock, of which there is one from then on.
    fileprivate mutating func tick(_ line: TranscriptLine, of log: LogTitle) -> CaptionSpan {
        var clocks = self ?? [:]
        defer { self = clocks }
        return clocks[log.session, default: CaptionClock()].span(of: line)
    }
}
