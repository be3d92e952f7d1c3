/// What the operator lets through of what is said.
public enum InputGate: String, Equatable, Sendable {
    /// Everything.
    case open
    /// Nothing for now: the input rests, and what waits in it comes later.
    case paused
    /// Nothing: what comes in is thrown away.
    case offRecord = "off_record"
}
