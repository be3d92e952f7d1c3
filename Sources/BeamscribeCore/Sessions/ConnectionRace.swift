/// Tries all of a host's addresses, a quarter of a second apart, and takes the first that answers
/// (RFC 8305, sections 5 and 8).
///
/// Invariant: each endpoint is tried at most once; after a winner nothing more is started.
public struct ConnectionRace<Endpoint: Hashable & Sendable>: Sendable {
    /// RFC 8305's connection attempt delay.
    public static var attemptDelay: Duration { .milliseconds(250) }

    /// When the next attempt is due, while there is one to start.
    public private(set) var nextAttempt: Duration?
    /// Whether a connection was made.
    public private(set) var isWon = false

    private var waiting: [Endpoint]
    private var running: Set<Endpoint> = []
    private var known: Set<Endpoint>

    /// - Parameter endpoints: in the order of preference; families should alternate.
    public init(_ endpoints: [Endpoint], at now: Duration) {
        known = Set(endpoints)
        var seen: Set<Endpoint> = []
        waiting = endpoints.filter { seen.insert($0).inserted }
        nextAttempt = waiting.isEmpty ? nil : now
    }

    /// Whether every endpoint was tried in vain.
    public var isLost: Bool { !isWon && waiting.isEmpty && running.isEmpty }

    /// Another address of the host came to light.
    public mutating func add(_ endpoint: Endpoint, at now: Duration) {
        guard !isWon, known.insert(endpoint).inserted else { return }
        waiting.append(endpoint)
        if nextAttempt == nil {
            nextAttempt = running.isEmpty ? now : now + Self.attemptDelay
        }
    }

    /// The endpoint to try now, if one is due.
    public mutating func start(at now: Duration) -> Endpoint? {
        guard !isWon, let due = nextAttempt, due <= now, !waiting.isEmpty else { return nil }
        let endpoint = waiting.removeFirst()
        running.insert(endpoint)
        nextAttempt = waiting.isEmpty ? nil : now + Self.attemptDelay
        return endpoint
    }

    /// The attempt at `endpoint` failed: the next need not wait any longer.
    public mutating func failed(_ endpoint: Endpoint, at now: Duration) {
        running.remove(endpoint)
        if nextAttempt != nil { nextAttempt = now }
    }

    /// The attempt at `endpoint` made the connection.
    public mutating func won() {
        isWon = true
        running.removeAll()
        waiting.removeAll()
        nextAttempt = nil
    }
}
