public import BeamscribeIO

/// Why a host could not start.
public enum HostError: Error, Equatable {
    case cannotListen(SystemError)
    case cannotReadInput(SystemError)
    /// The session that is to go on cannot be written.
    case cannotResume(SystemError)
}

extension HostError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cannotListen(let error): "\(error)"
        case .cannotReadInput(let error): "\(error)"
        case .cannotResume(let error): "\(error)"
        }
    }
}
