/// Why no more captions follow.
public enum ReaderEnding: Sendable {
    case eventOver
    case hostLost
    case refused
    case anotherEvent

    var sentence: String {
        switch self {
        case .eventOver: "The event has ended."
        case .hostLost: "The host is lost."
        case .refused: "The host has refused this guest."
        case .anotherEvent: "Another event runs here now."
        }
    }

    /// The same where there is little room.
    var word: String {
        switch self {
        case .eventOver: "Ended"
        case .hostLost: "Lost"
        case .refused: "Refused"
        case .anotherEvent: "Ended"
        }
    }
}
