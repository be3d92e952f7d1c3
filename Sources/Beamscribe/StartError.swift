public import BeamscribeIO
public import BeamscribeTLS

/// Why a host or a guest could not start.
public enum StartError: Error, Equatable {
    /// The system has no thread or descriptor left, or a session that is to go on cannot be read.
    case cannotBegin(SystemError)
    case cannotSecure(TLSError)
    case cannotListen(SystemError)
    case cannotReadInput(SystemError)
    /// The session that is to go on cannot be written.
    case cannotResume(SystemError)
}

extension StartError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cannotSecure(let error): "encryption cannot be set up: \(error)"
        case .cannotBegin(let error), .cannotListen(let error), .cannotReadInput(let error),
            .cannotResume(let error):
            "\(error)"
        }
    }
}
