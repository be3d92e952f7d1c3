/// The reader's next step after a sender says that it lacks lines of a log.
enum GapResponse: Equatable {
    /// Other holders of the log are asked.
    case askOthers
    /// The same sender is asked again after a pause.
    case askAgain(after: Duration)
    /// The lines count as gone at once.
    case accept
}
