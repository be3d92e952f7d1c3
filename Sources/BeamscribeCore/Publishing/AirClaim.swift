/// What one of several captioners, of whom one writes at a time, says of whose turn it is.
public struct AirClaim: Equatable, Sendable {
    /// The captioner's log, a lower-case UUID.
    public var session: String
    /// What the log is called, safe to show.
    public var label: String
    /// The captioner's machine, safe to show.
    public var deviceName: String
    /// Whose turn it is: the highest writes; 0 is nobody's who waits.
    public var air: Int
    /// Of two with the same number the one with the lower rank writes; the founder's is 0.
    public var rank: Int
    /// The log to whose writer the captions are handed; nil for nobody's.
    public var handTo: String?
    /// When that was said, by its writer's clock, in seconds since 1970.
    public var time: Double
    /// Whether its writer lets nothing out for now: it has paused, or is off the record.
    public var isWithheld: Bool
    /// When the newest of its lines, or the beginning of one, came, by this machine's clock; nil for none.
    public var lastWord: Duration?
    /// Whether that was heard within the time for which it holds, by this machine's clock.
    public var isFresh: Bool
    /// Whether its writer has said that nothing follows for good.
    public var isOver = false

    /// Whether this one writes rather than another: the same answer at everybody who knows both.
    func precedes(air: Int, rank: Int, session: String) -> Bool {
        if self.air != air { return self.air > air }
        return (self.rank, self.session) < (rank, session)
    }

    /// Whose turn it is of several; nil where it is nobody's.
    static func first(of claims: some Sequence<AirClaim>) -> AirClaim? {
        claims.filter { $0.air > 0 }.min {
            $0.precedes(air: $1.air, rank: $1.rank, session: $1.session)
        }
    }

    /// Who captions in a log's place: somebody who is heard, or, where nobody is, whoever had the turn last
    /// and has ended his captions. Nil where the log's own writer has the turn, or nobody is known.
    package static func standIn(for main: String, among claims: [AirClaim]) -> AirClaim? {
        let heard = first(of: claims.filter(\.isFresh))
        let last = first(of: claims).flatMap { $0.isOver ? $0 : nil }
        return (heard ?? last).flatMap { $0.session == main ? nil : $0 }
    }
}
