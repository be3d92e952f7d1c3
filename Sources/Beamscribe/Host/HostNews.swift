public import BeamscribeCore
public import BeamscribeIO
public import BeamscribeInput

/// What a ``Host`` tells while it runs.
public enum HostNews: Sendable, Equatable {
    /// It listens; guests can join at these addresses (the likeliest first).
    case listening([Endpoint])
    /// This machine's addresses have changed; guests can now join at these.
    case addressesChanged([Endpoint])
    /// Browsers see the event under this name.
    case announced(name: String)
    /// Browsers cannot see it for now.
    case announcementFailed(String)
    /// A guest came or went, and how many there are now.
    case guests(HostEvent, GuestCounts)
    /// What the input was taken for.
    case inputFormat(InputFormat)
    /// Something in the input could not be used.
    case inputWarning(String)
    /// The input is a pipe or terminal and has given nothing for this long, from the start.
    case inputSilent(Duration)
    case inputEnded(lines: Int)
    case inputFailed(SystemError)
    /// Nobody can be let in for a moment.
    case acceptFailed(SystemError)
    /// The host is at its end, but this many guests have not taken everything yet.
    case waitingForGuests(Int)
    /// The host is done.
    case finished(lines: Int)
}
