/// Why a frame's payload is not a packet.
public enum PacketError: Error, Equatable {
    /// Not a JSON object.
    case notJSON
    /// A JSON object of the wrong shape; the key's path is named.
    case wrongShape(key: String)
    /// A packet of a known type that is larger than any of its type.
    case tooLarge(bytes: Int)

    init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, _): self = .wrongShape(key: SafeText.line(key.stringValue))
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            self = path.isEmpty ? .notJSON : .wrongShape(key: SafeText.line(path))
        case .dataCorrupted(let context):
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            self = path.isEmpty ? .notJSON : .wrongShape(key: SafeText.line(path))
        @unknown default: self = .notJSON
        }
    }
}

extension PacketError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notJSON: "sent something that is not a JSON object"
        case .wrongShape(let key): "sent a JSON object whose \"\(key)\" is missing or unusable"
        case .tooLarge(let bytes):
            "sent a packet of \(bytes) bytes, over the limit of \(Limits.packetPayload)"
        }
    }
}
