/// What a guest who serves the event asks for those whom it serves: that their logs be let in.
///
/// Each is asked for when it is new, and again as long as it stands, for who may let it in keeps few of one
/// connection. Who asks for one after the other takes nobody else's place: of each connection a new one goes on
/// now and then.
///
/// Invariant: only what stands is remembered.
struct PassedAsks {
    /// Somebody who is served here wants a log to be let in.
    struct Ask {
        let session: String
        /// The log's record, as a packet.
        let record: [UInt8]
        /// Who brings it.
        let guest: ConnectionID
    }

    /// How long after a connection's last one its next new one goes on.
    static let pause = Duration.seconds(10)
    /// When what stands is asked for again.
    static let repetition = Duration.seconds(30)

    /// When each was asked for last, by its log's session.
    private var passed: [String: Duration] = [:]
    private var newest: [ConnectionID: Duration] = [:]

    /// - Parameter standing: all that stand, the oldest first.
    /// - Returns: those that are to be asked for now.
    mutating func due(_ standing: [Ask], now: Duration) -> [Ask] {
        guard !standing.isEmpty || !passed.isEmpty else { return [] }
        let (sessions, guests) = (Set(standing.map(\.session)), Set(standing.map(\.guest)))
        passed = passed.filter { sessions.contains($0.key) }
        newest = newest.filter { guests.contains($0.key) }
        return standing.filter { isDue($0, now) }
    }

    private mutating func isDue(_ ask: Ask, _ now: Duration) -> Bool {
        if let last = passed[ask.session] {
            guard now - last >= Self.repetition else { return false }
        } else {
            if let last = newest[ask.guest], now - last < Self.pause { return false }
            newest[ask.guest] = now
        }
        passed[ask.session] = now
        return true
    }
}
