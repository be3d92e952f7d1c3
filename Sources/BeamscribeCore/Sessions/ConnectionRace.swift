/// Tries all of the ways to a host, a quarter of a second apart, and takes the first that answers
/// (RFC 8305, sections 5 and 8). Fallbacks are ways that are worse: they are tried once the others
/// have failed, or have not answered for three seconds.
///
/// Invariant: each destination is tried at most once; after a winner nothing more is started.
public struct ConnectionRace<Destination: Hashable & Sendable>: Sendable {
    /// RFC 8305's connection attempt delay.
    public static var attemptDelay: Duration { .milliseconds(250) }
    /// How long the fallbacks wait for the others.
    public static var fallbackDelay: Duration { .seconds(3) }

    /// Whether a connection was made.
    public private(set) var isWon = false

    private var waiting: [Destination]
    private var fallbacks: [Destination]
    private var running: Set<Destination> = []
    private var known: Set<Destination>
    private var earliest: Duration
    private var fallbacksDue: Duration

    /// - Parameter destinations: in the order of preference; families should alternate.
    public init(
        _ destinations: [Destination], fallbacks: [Destination] = [], at now: Duration
    ) {
        known = []
        waiting = []
        self.fallbacks = []
        earliest = now
        fallbacksDue = now + Self.fallbackDelay
        waiting = destinations.filter { known.insert($0).inserted }
        self.fallbacks = fallbacks.filter { known.insert($0).inserted }
    }

    /// When the next attempt is due, while there is one to start.
    public var nextAttempt: Duration? {
        if isWon { return nil }
        if !waiting.isEmpty { return earliest }
        if fallbacks.isEmpty { return nil }
        return running.isEmpty ? earliest : max(earliest, fallbacksDue)
    }

    /// Whether every destination was tried in vain.
    public var isLost: Bool { !isWon && waiting.isEmpty && fallbacks.isEmpty && running.isEmpty }

    /// Another way to the host came to light.
    public mutating func add(_ destination: Destination, at now: Duration) {
        guard !isWon, known.insert(destination).inserted else { return }
        if waiting.isEmpty { earliest = running.isEmpty ? now : now + Self.attemptDelay }
        waiting.append(destination)
    }

    /// Another fallback came to light.
    public mutating func add(fallback destination: Destination, at now: Duration) {
        guard !isWon, known.insert(destination).inserted else { return }
        fallbacks.append(destination)
    }

    /// The destination to try now, if one is due.
    public mutating func start(at now: Duration) -> Destination? {
        guard let due = nextAttempt, due <= now else { return nil }
        let destination = waiting.isEmpty ? fallbacks.removeFirst() : waiting.removeFirst()
        running.insert(destination)
        earliest = now + Self.attemptDelay
        return destination
    }

    /// The attempt failed: the next need not wait any longer.
    public mutating func failed(_ destination: Destination, at now: Duration) {
        running.remove(destination)
        earliest = min(earliest, now)
    }

    /// An attempt made the connection.
    public mutating func won() {
        isWon = true
        running.removeAll()
    }
}
