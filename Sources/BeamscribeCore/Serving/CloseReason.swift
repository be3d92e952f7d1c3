/// Why a host ends a guest's connection, in words for a log.
public enum CloseReason: Equatable, Sendable {
    case frame(FrameError)
    case packet(PacketError)
    case handshakeTimeout(Duration)
    case notAHandshake(String)
    /// A step of the code's proof that is not due, or has been taken.
    case outOfTurn(String)
    case silent(Duration)
    case stuck(Duration)
    case tooTalkative
    case controlQueueFull
    case rejected(HandshakeResponse.Reason)
    case tooManyConnections
    case lingered
    case overtaken
    /// What it brings of its own log is none of it, in words.
    case badLog(String)
    /// What is served is another log now, in which its place is another.
    case anotherLog
}

extension CloseReason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .frame(let error): "\(error)"
        case .packet(let error): "\(error)"
        case .handshakeTimeout(let limit):
            "did not finish its handshake within \(Int(saturating: limit.seconds)) s"
        case .notAHandshake(let type): "sent \"\(type)\" before its handshake"
        case .outOfTurn(let type): "sent \"\(type)\" out of turn"
        case .silent(let limit): "was silent for \(Int(saturating: limit.seconds)) s"
        case .stuck(let limit): "took nothing for \(Int(saturating: limit.seconds)) s"
        case .tooTalkative:
            "sent over \(Limits.guestBytesPerWindow) bytes in "
                + "\(Int(saturating: Limits.guestBytesWindow.seconds)) s, more than a guest has to say"
        case .controlQueueFull: "let too many answers wait"
        case .rejected(let reason): "was refused (\(reason.rawValue))"
        case .tooManyConnections: "came while too many connections were open"
        case .overtaken: "was late: the same device has said hello later, and is here"
        case .anotherLog: "has to begin again, as the host was started anew"
        case .badLog(let what): what
        case .lingered: "did not close its side in time"
        }
    }
}
