/// The difference between the clock of the event's host and ours.
///
/// On its own connection the host tells it by the exchange (``ClockComparison``). On the connection
/// of a holder only the host's signed words tell its time, and the word that came soonest tells it
/// best. A guest that was never connected to the host does not see a delay that all words have.
///
/// Invariant: what is kept counts from our uptime, so that our own clock may be set.
struct WriterClock {
    private var comparison = ClockComparison()
    /// Whether the other side of the connection is the host.
    private var isHosts = false
    /// The host's clock when our uptime was 0, in seconds since 1970; nil while that is unknown.
    private var atStart: Double?

    /// The shortest way to the other side and back, in seconds.
    var roundTrip: Double? { comparison.roundTrip }

    /// Another connection begins. Until ``isConnected(toHost:now:)`` it may be anybody's.
    mutating func begin() { (comparison, isHosts) = (ClockComparison(), false) }

    /// It is known whose connection it is.
    mutating func isConnected(toHost isHosts: Bool, now: Moment) {
        self.isHosts = isHosts
        keep(now: now)
    }

    /// Takes in one exchange with the other side; see ``ClockComparison/add(t1:t2:t3:t4:)``.
    mutating func add(t1: Double, t2: Double, t3: Double, now: Moment) {
        comparison.add(t1: t1, t2: t2, t3: t3, t4: now.wall)
        keep(now: now)
    }

    private mutating func keep(now: Moment) {
        guard isHosts, let offset = comparison.offset else { return }
        atStart = now.wall + offset - now.uptime.seconds
    }

    /// A word came that the host has signed, with its time, in seconds since 1970.
    mutating func heard(_ time: Double, now: Moment) {
        guard !isHosts else { return }
        let candidate = time - now.uptime.seconds
        atStart = max(atStart ?? candidate, candidate)
    }

    /// The host's clock minus ours, in seconds; nil while that is unknown.
    func offset(now: Moment) -> Double? { atStart.map { $0 + now.uptime.seconds - now.wall } }
}
