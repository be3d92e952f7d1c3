/// Why there is no place in an event for a log whose writer may write there.
public enum WriterRefusal: Equatable, Sendable {
    /// The event has as many logs as it can have: ``Limits/logs``.
    case noPlace
    /// Its writer has as many as one key may have: ``Limits/logsOfWriter``.
    case tooManyOfWriter
    /// It translates a log into the language of that log, and would be read in its place.
    case sameLanguage
    /// It translates what another has said, in an event in which nobody lets anybody in.
    case anothersWords
}
