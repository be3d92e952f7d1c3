/// What happens to what a program writes to its standard output.
public enum StandardOutput: Sendable {
    /// It is read continuously and kept.
    case collected
    /// It goes into a pipe that nobody reads until ``RunningProgram/startReading()``: the program
    /// meets a full pipe, as with a stuck reader.
    case unread
    /// A file, created or emptied first (`/dev/full` is the full disk).
    case file(String)
    /// No descriptor 1 at all.
    case closed
}
