/// Why there is no QR code of a text.
public enum QRCodeError: Error, Equatable, Sendable {
    case empty
    case tooLong(bytes: Int, limit: Int)
    /// libqrencode could not do it, which only happens when memory is short.
    case outOfMemory
}

extension QRCodeError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .empty: "cannot make a QR code of nothing; give it an address"
        case .tooLong(let bytes, let limit):
            "cannot make a QR code of \(bytes) bytes, it holds \(limit) at most; "
                + "use a shorter address"
        case .outOfMemory: "cannot make a QR code: there is not enough memory"
        }
    }
}
