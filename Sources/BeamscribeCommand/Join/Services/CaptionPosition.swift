import BeamscribeCore

/// How far a caption service is in an event: what is kept of it, so that another run of the
/// program goes on behind what was taken.
///
/// Invariant: all lines up to `after` need not be sent any more; where `through` is greater, the
/// post `next` has been begun with those up to it, and may have been taken. Of the event's other logs what is
/// in `others` was taken.
struct CaptionPosition: Codable, Equatable, Sendable {
    private(set) var version = 1
    /// The session that the lines are numbered in; empty before the first.
    private(set) var session = ""
    /// The session's run in which the last line came.
    private(set) var run = 1
    private(set) var after = 0
    /// The number of the next post. Meetings go on counting when the event is another one.
    var next = 1
    private(set) var through = 0
    /// The last lines of other logs, by their sessions; nil where there is none.
    private(set) var others: [String: Int]?

    /// Whether this was made by a version that is known, and can be.
    var isSound: Bool {
        let numbers = 0...Limits.lineNumber
        return version == 1 && numbers.contains(after) && numbers.contains(next)
            && numbers.contains(through) && run >= 1
            && others?.values.allSatisfy(numbers.contains) ?? true
    }

    /// What a guest that goes on behind it asks a host for: from the first line on where the post that
    /// had it was not answered.
    var resume: Handshake.Resume? {
        session.isEmpty ? nil : Handshake.Resume(session: session, after: after, run: run)
    }

    /// The last line of the post that an earlier run has begun; nil where there was none.
    var unsettled: Int? { through > after ? through : nil }

    /// Takes in that a host is joined, whose lines of another run may be others.
    ///
    /// - Returns: whether its lines are numbered in the session of this.
    mutating func goesOn(in event: JoinedEvent) -> Bool {
        guard event.session == session else { return false }
        after = event.runs.valid(through: after, of: run)
        through = event.runs.valid(through: through, of: run)
        run = event.runs.current
        return true
    }

    mutating func begin(_ event: JoinedEvent, after line: Int) {
        (session, run, after, through) = (event.session, event.runs.current, line, 0)
        others = nil
    }

    /// The last line of another log that is done with; nil where there is none.
    func last(in log: String) -> Int? { others?[log] }

    mutating func passed(_ other: CaptionPiece.Place) {
        let seq = max(other.seq, last(in: other.session) ?? 0)
        others = (others ?? [:]).merging([other.session: seq]) { $1 }
    }

    mutating func withdraw(from line: Int, in log: String) {
        if let last = last(in: log) { others?[log] = min(last, line - 1) }
    }

    mutating func sends(through line: Int) { through = max(after, line) }

    /// All lines up to this one are done with.
    mutating func passed(_ line: Int) {
        after = max(after, line)
        through = after
    }

    mutating func withdraw(from line: Int) {
        (after, through) = (min(after, line - 1), min(through, line - 1))
    }
}
