/// Says when lines were spoken, in seconds since their session's beginning.
///
/// A line's own `start` and `end` tell it; a line without them was spoken when it came, counted
/// from the session's first line. A recogniser that is started anew begins at 0 again, as after
/// `host --resume`: a start far before the newest line's, or beyond all that subtitles can say, is
/// taken for such a beginning, and from there on all starts count from that line's arrival.
public struct CaptionClock: Codable, Sendable {
    /// When the session's first line came; nil before that.
    private(set) var firstSent: Double?
    private var latestStart = 0.0
    private var latestSent = 0.0
    /// What is added to the starts and ends that lines tell.
    private var shift = 0.0

    /// How far lines of one recording may be out of order, in seconds: two speakers at a time.
    private static let disorder = 30.0
    /// The latest time that subtitles can say, in seconds.
    static let limit = 3_599_999.0

    /// A clock that has seen no line.
    public init() {}

    /// When `line` was spoken. All lines of the session must be asked about, in order.
    public mutating func span(of line: TranscriptLine) -> CaptionSpan {
        let first = firstSent ?? line.sentTimestamp
        if firstSent == nil { latestSent = first }
        firstSent = first
        let span = self.span(of: line, first: first)
        latestStart = span.start
        latestSent = line.sentTimestamp
        return span
    }

    private mutating func span(of line: TranscriptLine, first: Double) -> CaptionSpan {
        guard let start = line.start else {
            return CaptionSpan(start: limited(line.sentTimestamp - first), end: nil)
        }
        let arrival = limited(latestStart + max(0, line.sentTimestamp - latestSent))
        let isCorrection = line.replaces != nil
        let earliest = isCorrection ? latestStart : latestStart - Self.disorder
        if !(earliest...max(earliest, Self.limit)).contains(start + shift) {
            // The times of a correction are those of the words that it corrects.
            if isCorrection { return CaptionSpan(start: arrival, end: nil) }
            shift = arrival - start
        }
        return CaptionSpan(
            start: limited(start + shift), end: line.end.map { limited($0 + shift) })
    }

    private func limited(_ seconds: Double) -> Double { min(max(seconds, 0), Self.limit) }
}

/// When something was spoken, in seconds.
public struct CaptionSpan: Equatable, Sendable {
    /// Where the words begin.
    public var start: Double
    /// Where they end, if that is known.
    public var end: Double?

    /// The same span as another clock has it.
    func moved(by seconds: Double) -> CaptionSpan {
        CaptionSpan(start: start + seconds, end: end.map { $0 + seconds })
    }

    /// The same span, moved back where it begins after `latest`: nobody's words are said after
    /// their line was sent.
    func begun(by latest: Double) -> CaptionSpan {
        start > latest ? moved(by: latest - start) : self
    }
}
