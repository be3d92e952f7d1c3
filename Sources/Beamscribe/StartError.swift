public import BeamscribeIO
public import BeamscribeTLS

/// Why a host or a guest could not start.
public enum StartError: Error, Equatable {
    /// The system has no thread or descriptor left, or a session that is to go on cannot be read.
    case cannotBegin(SystemError)
    /// OpenSSL refuses what encryption needs.
    case cannotSecure(TLSError)
    /// The port, or an address, cannot be had.
    case cannotListen(SystemError)
    /// The input cannot be opened.
    case cannotReadInput(SystemError)
    /// The session that is to go on cannot be written.
    case cannotResume(SystemError)
    /// There can be no voices.
    case cannotOfferVoices(IntercomError)
    /// What was kept of an event is no use to go on with.
    case cannotTakeUp(KeepingTrouble)
}

extension StartError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cannotOfferVoices(let error): "\(error)"
        case .cannotTakeUp: "what was kept of the event cannot be gone on with"
        case .cannotSecure(let error): "encryption cannot be set up: \(error)"
        case .cannotBegin(let error), .cannotListen(let error), .cannotReadInput(let error),
            .cannotResume(let error):
            "\(error)"
        }
    }
}

/// What a start needs, or why that cannot be had.
@discardableResult
func needed<Value, Failure: Error>(
    _ value: @autoclosure () throws(Failure) -> Value, orElse reason: (Failure) -> StartError
) throws(StartError) -> Value {
    do throws(Failure) {
        return try value()
    } catch {
        throw reason(error)
    }
}
