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
        let state: LogHead.State
    }

    private var state = LogHead.State.live
    private var newest: Made?
    /// When the newest was told everybody of an audience, and in which state.
    private var told: [Audience: (state: LogHead.State, at: Duration)] = [:]
    private var time = 0.0

    /// Everybody was told something.
    mutating func note(_ kind: Alert.Kind?) {
        switch kind {
        case .paused: state = .paused
        case .offRecord: state = .offRecord
        case .inputEnded: state = .inputEnded
        case .resumed: state = .live
        case .hostDisconnected: state = .stopped
        case .ended: state = .ended
        default: break
        }
    }

    /// What keeps words from coming in; nil where nothing does.
    var trouble: InputTrouble? { state.trouble }

    /// Whether everybody is to be told again: the state is another one, or it is time.
    ///
    /// - Parameter interval: see ``Timing/headInterval``.
    func isDue(for audience: Audience, every interval: Duration, now: Duration) -> Bool {
        guard let told = told[audience] else { return true }
        return told.state != state || now - told.at >= interval
    }

    /// The head is told everybody.
    mutating func wasTold(to audience: Audience, now: Duration) { told[audience] = (state, now) }

    /// The head of a log, made anew where it has changed or is told again.
    ///
    /// - Parameter isNew: whether it has to be a new one, with the time of now.
    /// - Returns: nil where it cannot be signed.
    mutating func frame(
        of chain: LineChain, _ runs: SessionRuns, at place: Int, by writer: LogWriter,
        inputAge: Duration,
        next: Duration, isNew: Bool, now: Moment
    ) -> [UInt8]? {
        if !isNew, let newest, newest.seq == chain.seq, newest.state == state {
            return newest.frame
        }
        time = max(now.wall, time + 0.001)
        let head = LogHead(
            session: chain.log.wireName, runs: runs.after, seq: chain.seq, hash: chain.hash.hex,
            at: max(place, chain.seq), air: 1, state: state.rawValue, inputAge: inputAge.seconds,
            time: time,
            next: next.seconds)
        newest = writer.frame(of: head).map { Made(frame: $0, seq: chain.seq, state: state) }
        return newest?.frame
    }
}
