import FoundationEssentials

/// The newest head of a signed log, and when the next is due.
///
/// Invariant: the times of the heads rise, whatever the clock does.
struct NewestHead {
    /// Who is told of it, each by a way of its own.
    enum Audience: Hashable {
        /// Those who read the log here.
        case readers
        /// Whoever serves the event of which it is one.
        case event
    }

    private struct Made {
        let frame: [UInt8]
        let seq: Int
        let standing: Standing
    }

    /// What everybody is to know at once.
    private struct Standing: Equatable {
        var state = LogHead.State.live
        var air = 1
        var handTo: String?
        var putOut: [LogHead.PutOutLog] = []
        var logs: Int?
    }

    private var standing = Standing()
    private var newest: Made?
    /// When the newest was told everybody of an audience, and what it said.
    private var told: [Audience: (standing: Standing, at: Duration)] = [:]
    private var time = 0.0

    /// Everybody was told something.
    mutating func note(_ kind: Alert.Kind?) {
        switch kind {
        case .paused: standing.state = .paused
        case .offRecord: standing.state = .offRecord
        case .inputEnded: standing.state = .inputEnded
        case .resumed: standing.state = .live
        case .hostDisconnected: standing.state = .stopped
        case .ended: standing.state = .ended
        default: break
        }
    }

    /// Whose turn the captions are, by ``Air``, and to which log's writer they are handed.
    mutating func note(air: Int, handTo session: String?) {
        (standing.air, standing.handTo) = (air, session)
    }

    /// Which logs of the event have an end, for their writers were put out.
    mutating func note(putOut logs: [LogHead.PutOutLog]) { standing.putOut = logs }

    /// The number of other logs that the event's host offers to everybody.
    mutating func note(logs count: Int) { standing.logs = count }

    /// What keeps words from coming in; nil where nothing does.
    var trouble: InputTrouble? {
        standing.state.trouble(air: standing.air)
    }

    /// Whether everybody is to be told again: the log stands in another way, or it is time.
    ///
    /// - Parameter interval: see ``Timing/headInterval``.
    func isDue(for audience: Audience, every interval: Duration, now: Duration) -> Bool {
        guard let told = told[audience] else { return true }
        return told.standing != standing || now - told.at >= interval
    }

    /// The head is told everybody.
    mutating func wasTold(to audience: Audience, now: Duration) { told[audience] = (standing, now) }

    /// The one that was made last; nil before the first.
    var newestFrame: [UInt8]? { newest?.frame }

    /// The head of a log, made anew where it has changed or is told again.
    ///
    /// - Parameter isNew: whether it has to be a new one, with the time of now.
    /// - Returns: nil where it cannot be signed.
    mutating func frame(
        of chain: LineChain, _ runs: SessionRuns, at place: Int, by writer: LogWriter,
        inputAge: Duration,
        next: Duration, isNew: Bool, now: Moment
    ) -> [UInt8]? {
        if !isNew, let newest, newest.seq == chain.seq, newest.standing == standing {
            return newest.frame
        }
        time = max(now.wall, time + 0.001)
        let head = LogHead(
            session: chain.log.wireName, runs: runs.after, seq: chain.seq, hash: chain.hash.hex,
            at: max(place, chain.seq), air: standing.air, handTo: standing.handTo,
            state: standing.state.rawValue, inputAge: inputAge.seconds, time: time,
            next: next.seconds, putOut: standing.putOut.isEmpty ? nil : standing.putOut,
            logs: standing.logs)
        newest = writer.frame(of: head).map {
            Made(frame: $0, seq: chain.seq, standing: standing)
        }
        return newest?.frame
    }
}
