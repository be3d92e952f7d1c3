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
/// A source with too many wrong codes finds the door closed for a while. Its other strangers are
/// ``overdue(now:)`` at once, so that trying many codes at a time gains nothing.
///
/// Whoever is sent away, overdue or has failed is out of the reception when the call returns; the
/// driver closes the connection. ``left(_:)`` of a connection that is not here does nothing.
///
/// Invariant: each stranger is either silent or speaking; at most ``Limits/silentConnections`` are
/// silent and ``Limits/halfOpenHandshakes`` speak.
public struct Reception: Sendable {
    /// What becomes of a connection that came in.
    public enum Arrival: Equatable, Sendable {
        /// It may stay; another has to go for it where there are too many.
        case wait(sendingAway: ConnectionID?)
        /// The door is closed to its source.
        case refuse
    }

    /// Whether a handshake may begin.
    public enum Beginning: Equatable, Sendable {
        /// It may; another has to go for it where there are too many.
        case now(sendingAway: ConnectionID?)
        /// Too many are under way: to be asked again when one of them is over, or at a time.
        case later(Duration)
    }

    /// How a source's door stands after a wrong code.
    public enum DoorState: Equatable, Sendable {
        /// It stays as it was, after so many wrong codes within ``Limits/wrongCodesWindow``.
        case open(failures: Int)
        /// This code has closed it, until a time. Said once each time: for the operator.
        case closed(until: Duration)
    }

    /// Wrong codes so far, of all sources.
    public private(set) var wrongCodes = 0

    private let timeout: Duration
    private var silent: StrangerQueue
    private var speaking: StrangerQueue
    private var doors = SourceDoors()

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

    /// Whether a source's door is closed by its wrong codes.
    public func isClosed(_ source: String, now: Duration) -> Bool {
        doors.isClosed(source, now: now)
    }

    // MARK: Strangers

    /// A connection came in.
    ///
    /// - Parameter source: what is held against whom: an address without its port.
    public mutating func arrived(
        _ id: ConnectionID, from source: String, now: Duration
    ) -> Arrival {
        guard !doors.isClosed(source, now: now) else { return .refuse }
        left(id)
        let stranger = Stranger(id: id, source: source, deadline: now + timeout)
        return .wait(sendingAway: silent.add(stranger))
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
        return .now(sendingAway: speaking.add(begun))
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

    /// A stranger had the wrong code, and is out. Of a connection that is not here this is no news.
    public mutating func failedCode(_ id: ConnectionID, now: Duration) -> DoorState {
        guard let stranger = speaking.remove(id) ?? silent.remove(id) else {
            return .open(failures: 0)
        }
        wrongCodes += 1
        let state = doors.failed(stranger.source, now: now)
        if case .closed = state {
            silent.hurry(stranger.source, to: now)
            speaking.hurry(stranger.source, to: now)
        }
        return state
    }

    // MARK: Time

    /// When ``overdue(now:)`` is worth calling; nil while there are no strangers.
    public var nextDeadline: Duration? {
        [silent.nextDeadline, speaking.nextDeadline].compactMap(\.self).min()
    }

    /// Those whose time is over, the ones longest here first, and those to whose source the door
    /// was closed. They are out.
    public mutating func overdue(now: Duration) -> [ConnectionID] {
        speaking.removeOverdue(now: now) + silent.removeOverdue(now: now)
    }

    /// What is wrong with the reception's state; nil where nothing is. Looks at everybody: for
    /// tests.
    package var brokenInvariant: String? {
        if let broken = silent.brokenInvariant ?? speaking.brokenInvariant { return broken }
        if !silent.ids.isDisjoint(with: speaking.ids) { return "a stranger is silent and speaks" }
        return doors.brokenInvariant
    }
}
