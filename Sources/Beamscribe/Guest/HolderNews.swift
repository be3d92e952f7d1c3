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
