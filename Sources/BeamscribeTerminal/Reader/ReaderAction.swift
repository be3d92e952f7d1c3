/// What a key in a ``ReaderView`` asks of the program around it.
public enum ReaderAction: Equatable, Sendable {
    /// The reader has read enough.
    case leave
    /// The lines so far are to be written to a file.
    case save
    /// A shell is to have the terminal for a while.
    case suspend
    /// These settings are wanted from now on, and are in use already.
    case keep(ReaderSettings)
}
