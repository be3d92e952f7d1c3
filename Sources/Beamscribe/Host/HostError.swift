public import BeamscribeIO
public import BeamscribeTLS

/// Why a host could not start.
public enum HostError: Error, Equatable {
    /// The system has no thread or descriptor left, or a session that is to go on cannot be read.
    case cannotBegin(SystemError)
    case cannotSecure(TLSError)
    case cannotListen(SystemError)
    case cannotReadInput(SystemError)
    /// The session that is to go on cannot be written.
    case cannotResume(SystemError)
}

extension HostError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cannotBegin(let error): "\(error)"
        case .cannotSecure(let error): "encryption cannot be set up: \(error)"
        case .cannotListen(let error): "\(error)"
        case .cannotReadInput(let error): "\(error)"
        case .cannotResume(let error): "\(error)"
        }
    }
}
