import BeamscribeCore

extension Failure {
    /// Nil where a guest ended well.
    init?(_ outcome: GuestOutcome, host: String?) {
        let name = host.map { " (\($0))" } ?? ""
        switch outcome {
        case .ended, .anotherEvent: return nil
        case .noAnswer(let why):
            self.init(
                .noHost,
                "no answer from the host\(name): \(why). Is it running, and does a "
                    + "firewall let its port through?")
        case .lost(let why): self.init(.hostLost, "the host is lost: \(why).")
        case .refused(_, let message): self.init(.refused, "the host refused: \(message)")
        case .distrusted(let refusal): self.init(refusal)
        case .anotherSession:
            self.init(
                .refused, "another event runs now where this one was; join again to see it.")
        case .protocolViolation(let what):
            self.init(
                .protocolViolation, "\(what). This is no beamscribe host, or a broken one.")
        }
    }
}
