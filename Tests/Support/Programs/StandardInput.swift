/// Where a program's standard input comes from.
public enum StandardInput: Sendable {
    /// A pipe that ``RunningProgram/write(_:within:)`` fills.
    case pipe
    /// A file, opened for reading.
    case file(String)
    /// `/dev/null`: the end comes at once.
    case null
    /// No descriptor 0 at all, as some service managers start programs.
    case closed
}
