public import BeamscribeCore

/// What became of a line that was typed.
public enum TypedOutcome: Equatable, Sendable {
    /// It is out, with this number.
    case sent(Int)
    /// It goes out when the event goes on.
    case waits
    /// It went nowhere: the event is off the record.
    case offRecord
    /// It is another's turn to caption: the line went nowhere.
    case offAir
    /// In a mesh: nobody who is here has that name. The line went nowhere.
    case nobody(String)
    /// In a mesh: the name may mean several who are here. The line went nowhere.
    case several([MeshMember])
    /// In a mesh: it begins with a slash, and is nothing that is known. The line went nowhere.
    case unknownCommand(String)
    /// It was not taken: there is no text in it, no such line to correct, too much that waits, or
    /// no event any more.
    case refused
}
