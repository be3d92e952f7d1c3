/// Decides about strangers: connections that have not finished the TLS handshake. Nothing costs
/// much before it is earned.
///
///     arrived --> silent --began--> speaking --admitted--> a guest's connection
///     (a descriptor)     (memory and time)
///
/// Where there are too many, room is made by sending strangers away rather than by refusing
/// newcomers: the one that has been there longest of the source (address) that holds the most. A
/// flood from one machine so throws out its own, and even its own quick newcomers get through. A
/// handshake that goes on is left alone for a moment where nobody is to blame for the crowd, as when
/// a whole room comes back at once: then newcomers wait their turn.
///
/// Whoever is sent away or overdue is out of the reception when the call returns; the
/// driver closes the connection. ``left(_:)`` of a connection that is not here does nothing.
///
/// Invariant: each stranger is either silent or speaking; at most ``Limits/silentConnections`` are
/// silent and ``Limits/halfOpenHandshakes`` speak.
public struct Reception: Sendable {
    /// Whether a handshake may begin.
    public enum Beginning: Equatable, Sendable {
        /// It may; another has to go for it where there are too many.
        case now(sendingAway: ConnectionID?)
        /// Too many are under way: to be asked again when one of them is over, or at a time.
        case later(Duration)
    }

    private let timeout: Duration
    private var silent: StrangerQueue
    private var speaking: StrangerQueue

    /// - Parameters:
    ///   - timeout: from a stranger's arrival to the end of its handshake.
    ///   - silent: how many may be silent at once.
    ///   - speaking: how many may speak at once.
    public init(
        timeout: Duration, silent: Int = Limits.silentConnections,
        speaking: Int = Limits.halfOpenHandshakes
    ) {
        self.timeout = timeout
        self.silent = StrangerQueue(limit: silent)
        self.speaking = StrangerQueue(limit: speaking)
    }

    /// Strangers that have said nothing.
    public var silentCount: Int { silent.count }
    /// Strangers whose handshake has begun.
    public var speakingCount: Int { speaking.count }

    // MARK: Strangers

    /// A connection came in.
    ///
    /// - Parameter source: what is held against whom: an address without its port.
    /// - Returns: who has to go for it where there are too many.
    public mutating func arrived(
        _ id: ConnectionID, from source: String, now: Duration
    ) -> ConnectionID? {
        left(id)
        let stranger = Stranger(id: id, source: source, deadline: now + timeout)
        return silent.add(stranger)?.id
    }

    /// A stranger wants to begin its handshake. That it goes on is no news, nor is that of a
    /// connection which is not here.
    public mutating func begin(_ id: ConnectionID, now: Duration) -> Beginning {
        guard let stranger = silent.find(id) else { return .now(sendingAway: nil) }
        if let crowd = speaking.crowd(for: stranger.source) {
            let patience = patience(with: crowd)
            guard crowd.first.began + patience <= now else {
                return .later(crowd.first.began + patience)
            }
        }
        silent.remove(id)
        var begun = stranger
        begun.began = now
        return .now(sendingAway: speaking.add(begun)?.id)
    }

    /// How long the one who would have to go is left alone. A source that crowds others out is given
    /// no time at the cost of theirs; one that has most of the places gets a little.
    private func patience(with crowd: StrangerQueue.Crowd) -> Duration {
        if crowd.most > crowd.own { return .zero }
        return crowd.most > speaking.limit / 2
            ? Limits.handshakePatience : Limits.handshakePatienceInARoom
    }

    /// A stranger's handshake is complete.
    public mutating func admitted(_ id: ConnectionID) { left(id) }

    /// A connection is gone.
    public mutating func left(_ id: ConnectionID) {
        if speaking.remove(id) == nil { silent.remove(id) }
    }

    /// The door was closed to a source: the time of its strangers is over.
    public mutating func hurry(_ source: String, now: Duration) {
        silent.hurry(source, to: now)
        speaking.hurry(source, to: now)
    }

    // MARK: Time

    /// When ``overdue(now:)`` is worth calling; nil while there are no strangers.
    public var nextDeadline: Duration? {
        [silent.nextDeadline, speaking.nextDeadline].compactMap(\.self).min()
    }

    /// Those whose time is over, the ones longest here first, and those to whose source the door
    /// was closed. They are out.
    public mutating func overdue(now: Duration) -> [ConnectionID] {
        (speaking.removeOverdue(now: now) + silent.removeOverdue(now: now)).map(\.id)
    }

    /// What is wrong with the reception's state; nil where nothing is. Looks at everybody: for
    /// tests.
    package var brokenInvariant: String? {
        if let broken = silent.brokenInvariant ?? speaking.brokenInvariant { return broken }
        if !silent.ids.isDisjoint(with: speaking.ids) { return "a stranger is silent and speaks" }
        return nil
    }
}
