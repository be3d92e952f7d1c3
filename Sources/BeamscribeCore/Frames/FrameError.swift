/// Why a stream of bytes is not a stream of frames.
public enum FrameError: Error, Equatable {
    /// A length of 0: a frame holds at least one byte.
    case empty
    /// The mark that nothing follows, where such a mark is used.
    case end
    /// A length over the receiver's limit, with the first four bytes that said so.
    case tooLong(length: Int, limit: Int, foreign: ForeignProtocol?)
}

extension FrameError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .empty: "sent a frame of length 0"
        case .end: "closed the connection"
        case .tooLong(_, _, let foreign?): "\(foreign) (beamscribe's own frames are expected)"
        case .tooLong(let length, let limit, nil):
            "sent a frame of \(length) bytes, over the limit of \(limit)"
        }
    }
}

/// Another protocol, told by the first four bytes of a connection, which it is read from as a
/// length far over any limit. Naming it tells the operator what was pointed at the port.
public enum ForeignProtocol: Sendable, Equatable {
    case tls
    case http
    case text

    init?(lengthField: UInt32) {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: lengthField >> (24 - 8 * $0)) }
        let methods = ["GET ", "POST", "HEAD", "PUT ", "OPTI", "CONN", "DELE", "PRI "]
        if bytes[0] == 0x16, bytes[1] == 0x03 {
            self = .tls
        } else if methods.contains(String(decoding: bytes, as: UTF8.self)) {
            self = .http
        } else if bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) {
            self = .text
        } else {
            return nil
        }
    }
}

extension ForeignProtocol: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tls: "speaks TLS at a plain port"
        case .http: "speaks HTTP"
        case .text: "speaks another protocol"
        }
    }
}
