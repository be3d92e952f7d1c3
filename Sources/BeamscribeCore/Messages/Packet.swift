/// One message of the wire, by its `"type"`. docs/PROTOCOL.md describes each.
public enum Packet: Equatable, Sendable {
    case handshake(Handshake)
    case handshakeResponse(HandshakeResponse)
    case codeChallenge(CodeChallenge)
    case codeShare(CodeShare)
    case codeConfirm(CodeConfirm)
    case fullHistory(FullHistory)
    case log(LogRecord)
    case head(LogHead)
    case grant(LogGrant)
    case read(ReadRequest)
    case unread(LogMention)
    case inLog(LogMention)
    case peers(Peers)
    case liveChunk(LiveChunk)
    case alert(Alert)
    case keepAlive(KeepAlive)
    case voice(VoiceMessage)
    /// A type that this version does not know. Ignored: that is how version 1 grows.
    case unknown(String)
}

extension Packet: Codable {
    private enum TypeKey: String, CodingKey { case type }

    /// The names of the packet types on the wire.
    enum TypeName {
        static let handshake = "handshake"
        static let handshakeResponse = "handshake_response"
        static let codeChallenge = "code_challenge"
        static let codeShare = "code_share"
        static let codeConfirm = "code_confirm"
        static let fullHistory = "fullHistory"
        static let log = "log"
        static let head = "head"
        static let grant = "grant"
        static let read = "read"
        static let unread = "unread"
        static let inLog = "in"
        static let peers = "peers"
        static let liveChunk = "liveChunk"
        static let alert = "alert"
        static let keepAlive = "keep_alive"
        static let all = VoiceMessage.typeNames.union([
            handshake, handshakeResponse, codeChallenge, codeShare, codeConfirm, fullHistory,
            log, head, grant, read, unread, inLog, peers, liveChunk, alert, keepAlive,
        ])
    }

    public init(from decoder: any Decoder) throws {
        let type = try decoder.container(keyedBy: TypeKey.self).decode(String.self, forKey: .type)
        switch type {
        case TypeName.liveChunk: self = .liveChunk(try LiveChunk(from: decoder))
        case TypeName.keepAlive: self = .keepAlive(try KeepAlive(from: decoder))
        case TypeName.handshake: self = .handshake(try Handshake(from: decoder))
        case TypeName.handshakeResponse:
            self = .handshakeResponse(try HandshakeResponse(from: decoder))
        case TypeName.codeChallenge: self = .codeChallenge(try CodeChallenge(from: decoder))
        case TypeName.codeShare: self = .codeShare(try CodeShare(from: decoder))
        case TypeName.codeConfirm: self = .codeConfirm(try CodeConfirm(from: decoder))
        case TypeName.fullHistory: self = .fullHistory(try FullHistory(from: decoder))
        case TypeName.log: self = .log(try LogRecord(from: decoder))
        case TypeName.head: self = .head(try LogHead(from: decoder))
        case TypeName.grant: self = .grant(try LogGrant(from: decoder))
        case TypeName.read: self = .read(try ReadRequest(from: decoder))
        case TypeName.unread: self = .unread(try LogMention(from: decoder))
        case TypeName.inLog: self = .inLog(try LogMention(from: decoder))
        case TypeName.peers: self = .peers(try Peers(from: decoder))
        case TypeName.alert: self = .alert(try Alert(from: decoder))
        default:
            self = try VoiceMessage(type, from: decoder).map { .voice($0) } ?? .unknown(type)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: TypeKey.self)
        try container.encode(typeName, forKey: .type)
        switch self {
        case .handshake(let body): try body.encode(to: encoder)
        case .handshakeResponse(let body): try body.encode(to: encoder)
        case .codeChallenge(let body): try body.encode(to: encoder)
        case .codeShare(let body): try body.encode(to: encoder)
        case .codeConfirm(let body): try body.encode(to: encoder)
        case .fullHistory(let body): try body.encode(to: encoder)
        case .log(let body): try body.encode(to: encoder)
        case .head(let body): try body.encode(to: encoder)
        case .grant(let body): try body.encode(to: encoder)
        case .read(let body): try body.encode(to: encoder)
        case .unread(let body): try body.encode(to: encoder)
        case .inLog(let body): try body.encode(to: encoder)
        case .peers(let body): try body.encode(to: encoder)
        case .liveChunk(let body): try body.encode(to: encoder)
        case .alert(let body): try body.encode(to: encoder)
        case .keepAlive(let body): try body.encode(to: encoder)
        case .voice(let message): try message.body.encode(to: encoder)
        case .unknown: break
        }
    }

    /// The packet's `"type"` on the wire.
    public var typeName: String {
        switch self {
        case .handshake: TypeName.handshake
        case .handshakeResponse: TypeName.handshakeResponse
        case .codeChallenge: TypeName.codeChallenge
        case .codeShare: TypeName.codeShare
        case .codeConfirm: TypeName.codeConfirm
        case .fullHistory: TypeName.fullHistory
        case .log: TypeName.log
        case .head: TypeName.head
        case .grant: TypeName.grant
        case .read: TypeName.read
        case .unread: TypeName.unread
        case .inLog: TypeName.inLog
        case .peers: TypeName.peers
        case .liveChunk: TypeName.liveChunk
        case .alert: TypeName.alert
        case .keepAlive: TypeName.keepAlive
        case .voice(let message): message.typeName
        case .unknown(let name): name
        }
    }
}
