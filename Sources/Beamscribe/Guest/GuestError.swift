public import BeamscribeIO
public import BeamscribeTLS

/// Why a guest could not start.
public enum GuestError: Error, Equatable {
    /// The system has no thread or descriptor left.
    case cannotBegin(SystemError)
    case cannotSecure(TLSError)
}

extension GuestError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cannotBegin(let error): "\(error)"
        case .cannotSecure(let error): "encryption cannot be set up: \(error)"
        }
    }
}
