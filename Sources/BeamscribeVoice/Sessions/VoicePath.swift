import BeamscribeCore

/// By which way a guest's packets go: UDP, or its connection where the host does not seem to answer.
///
/// Invariant: what is sent by the connection is sent as long as nothing has come by UDP.
struct VoicePath {
    /// What is to be sent now.
    enum Due {
        case nothing
        /// A report, by the way that is used.
        case report
        /// A report by the way that is used, and one by UDP, to see whether that works again.
        case probe
    }

    private static let firstPatience: Duration = .seconds(2)
    private static let patience: Duration = .seconds(5)
    private static let probing: Duration = .seconds(10)
    private static let reporting: Duration = .seconds(1)
    private static let idleReporting: Duration = .seconds(2)

    /// Whether packets go by the connection.
    private(set) var isTunnelled = false
    private var since: Duration
    private var lastHeard: Duration?
    private var lastReport: Duration?
    private var lastProbe: Duration?

    /// The guest is on its channels.
    init(now: Duration) { since = now }

    /// A datagram of the host's came.
    ///
    /// - Returns: whether packets go by UDP again.
    mutating func heard(now: Duration) -> Bool {
        lastHeard = now
        defer { isTunnelled = false }
        return isTunnelled
    }

    /// Time has passed.
    ///
    /// - Parameter isHearing: whether there is something to be told of what others say.
    /// - Returns: whether packets go by the connection from now on, and what is to be sent.
    mutating func tick(isHearing: Bool, now: Duration) -> (isNews: Bool, due: Due) {
        let limit = lastHeard == nil ? Self.firstPatience : Self.patience
        let isLost = !isTunnelled && now - (lastHeard ?? since) >= limit
        if isLost {
            isTunnelled = true
            lastProbe = now
        }
        let pause = isHearing ? Self.reporting : Self.idleReporting
        guard isLost || lastReport.map({ now - $0 >= pause }) ?? true else {
            return (isLost, .nothing)
        }
        lastReport = now
        guard isTunnelled, now - (lastProbe ?? since) >= Self.probing else {
            return (isLost, .report)
        }
        lastProbe = now
        return (isLost, .probe)
    }

    /// The guest was not there for a while: that nothing was heard says nothing.
    mutating func forgiveAbsence(now: Duration) {
        if let lastHeard { self.lastHeard = max(lastHeard, now - Self.firstPatience) }
        since = max(since, now - .seconds(1))
    }
}
