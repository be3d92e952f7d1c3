/// Whether the other side of a connection may not have got yet what was asked of it: a request can lie behind
/// a whole history on a slow way, and who has not got it keeps nothing back.
///
/// Each keep-alive that comes says which of ours was the newest to arrive (`echo`), and all that went before
/// that one has arrived, too.
///
///     none ---- asked ----> asked ---- a keep-alive follows ----> marked ---- it is echoed ----> none
///                             ^------------ asked ------------------'
///
/// Invariant: who echoes nothing has ``patience``, however often he is asked, and little is remembered of it.
struct RequestsUnderWay {
    /// For how long who echoes nothing is taken for one whom nothing has reached.
    static let patience = Duration.seconds(60)

    /// How many of the newest keep-alives are remembered: more are sent only to who echoes nothing in time.
    static let kept = 32

    /// When it was last known that all had arrived; nil before anything was asked.
    private var arrivedAt: Duration?
    /// Whether something was asked behind the newest keep-alive.
    private var isUnmarked = false
    /// When keep-alives were sent behind the newest request, as they say it.
    private var marks: [Double] = []
    /// When the first keep-alive followed something that may not have arrived since.
    private var waitsSince: Duration?

    /// Something was asked.
    mutating func asked() { (isUnmarked, marks) = (true, []) }

    /// A keep-alive was sent.
    mutating func sent(_ timestamp: Double, now: Duration) {
        guard isUnmarked || !marks.isEmpty else { return }
        isUnmarked = false
        marks.append(timestamp)
        if marks.count > Self.kept { marks.removeFirst() }
        waitsSince = waitsSince ?? now
    }

    /// A keep-alive has come that says which of ours was the newest to arrive.
    mutating func heard(echo: Double?, now: Duration) {
        guard let echo, marks.contains(echo) else { return }
        (marks, waitsSince, arrivedAt) = ([], nil, now)
    }

    /// Since when the other side can have answered; nil while it may not be able to.
    func arrived(now: Duration) -> Duration? {
        guard isUnmarked || !marks.isEmpty else { return arrivedAt ?? .zero }
        guard let waitsSince, now - waitsSince >= Self.patience else { return nil }
        return waitsSince
    }
}
