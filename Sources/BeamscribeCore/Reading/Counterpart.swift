/// Who is at the other end of a guest's connection, as far as that is known before anything is said.
public enum Counterpart: Sendable {
    /// The event's host; at a first meeting, whoever is taken for it.
    case host
    /// Somebody at an address that the user has given, whose key is not the host's: nothing is believed
    /// but what the host has signed.
    case unknown
    /// The same of somebody who has announced that he holds the event, or of whom others have told. He
    /// is one of several, and what he does wrong ends nothing but the connection.
    case holder
}
