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

    /// Whether its writer may write.
    var isOnAir: Bool { isFresh && air > 0 }

    /// Whether this one writes rather than another: the same answer at everybody who knows both.
    func precedes(air: Int, rank: Int, session: String) -> Bool {
        if self.air != air { return self.air > air }
        return (self.rank, self.session) < (rank, session)
    }
}
