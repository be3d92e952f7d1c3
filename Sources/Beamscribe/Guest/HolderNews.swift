public import BeamscribeCore
public import BeamscribeIO

/// What a ``Guest`` tells of serving its event to others.
public enum HolderNews: Sendable, Equatable {
    /// Others can read the event here (the likeliest address first).
    case listening([Endpoint])
    /// A reader came or went, and how many there are now.
    case readers(HostEvent, GuestCounts)
    /// Others cannot find that for now, but by the address.
    case announcementFailed(String)
    /// Nobody can be let in for a moment.
    case acceptFailed(SystemError)
    /// The event is kept on the disk, too, as this session.
    case keeping(session: String)
    /// What was kept of it is here again.
    case takenUp(TakenUp)
    /// The event is in memory alone.
    case notKept(KeepingTrouble)
    /// The disk fails, or does not any more.
    case storage(HostEvent)
    /// The disk takes nothing of the event's other logs, and why, or does again.
    case othersUnsaved(String?)
    /// One of them, by its label, stays in memory, and why.
    case otherNotKept(log: String, KeepingTrouble)
    /// One of the event's other logs, by its label, is damaged on the disk.
    case otherDamaged(log: String, OtherLogDamage)
    /// The event is not served.
    case unserved(Reason)

    /// Why a guest does not serve its event to others.
    public enum Reason: Sendable, Equatable {
        /// The event's host does not sign what it says: nobody would believe it from another machine.
        case notSigned
        /// There is no port for it, say.
        case cannotServe(StartError)
    }
}

/// What was kept of an event, as it is gone on with.
public struct TakenUp: Sendable, Equatable {
    /// Whose event it is; kept where nobody has let the guest in yet.
    public let event: JoinedEvent
    /// When its host has begun it, in seconds since 1970.
    public let begun: Double
    /// How many lines its host has signed.
    public let lines: Int
    /// Lines that are damaged on the disk, with others behind them that are not.
    public let damaged: [ClosedRange<Int>]
    /// Lines that are missing at the end; nil for none.
    public let missingEnd: ClosedRange<Int>?
    /// Bytes behind them, which are not its host's word; nil for none.
    public let tail: KeptTail?

    init(_ kept: KeptLog, isMet: Bool) {
        var event = kept.held.event
        event.isKept = !isMet
        self.event = event
        begun = kept.stored.record.runs[0].started
        damaged = kept.held.damaged
        missingEnd = kept.held.missingEnd
        lines = kept.held.log.lastSeq - damaged.reduce(0) { $0 + $1.count }
        tail = kept.tail
    }
}

/// Why one of an event's other logs is not served from this disk, or not all of it.
public enum OtherLogDamage: Error, Sendable, Equatable {
    /// Its record is not what its writer has signed: nothing of it is served from here.
    case notProven
    /// The packet that let it into the event is damaged: nothing of it is served before that packet
    /// comes again.
    case notLetIn
    /// These lines are damaged or missing at the end; all others are served. The bytes behind the
    /// last one prove nothing.
    case lines(damaged: [ClosedRange<Int>], missingEnd: ClosedRange<Int>?, tail: KeptTail?)
    /// The host has written it itself, and its lines are not as the host has signed them: it is not
    /// served, and what follows goes into a new log.
    case writtenAnew
    /// This machine has written it: nothing of it is served before the program runs that writes it.
    case own
    /// The system refuses to read it.
    case system(SystemError)
}

/// What was behind the last line that is proven in a log that was kept, and what became of it.
public struct KeptTail: Sendable, Equatable {
    /// How much that is.
    public let bytes: UInt64
    /// Where it is now.
    public let fate: TailFate
}

/// Why an event is not kept on the disk, or what was kept of it is no use.
public enum KeepingTrouble: Error, Sendable, Equatable {
    /// This machine hosts it, and has it on the disk already.
    case ownEvent
    /// Another program on this machine keeps it.
    case inUse
    /// What is there is not what its host has signed.
    case notProven(session: String)
    /// Its host is not to be trusted any more, by what is known of it.
    case distrusted(SecurityRefusal)
    /// The system refuses it.
    case system(SystemError)
}
