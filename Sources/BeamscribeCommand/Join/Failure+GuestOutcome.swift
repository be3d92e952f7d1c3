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
        case .nothingProven:
            self.init(
                .noHost,
                "who answers\(name) holds this event for its host, and has nothing of it that can be proven: "
                    + "its copy is damaged, or has not come yet. Join the host, or another machine that serves "
                    + "the event.")
        case .lost(let why):
            self.init(
                .hostLost,
                "the host is lost: \(why). Join again, or leave out --no-reconnect to have that done."
            )
        case .refused(let reason, let transport):
            let why = HandshakeResponse.Reason.sentence(reason, over: transport)
            self.init(.refused, "the host refused\(name). \(why) \(Self.advice(on: reason))")
        case .distrusted(let refusal): self.init(refusal)
        case .anotherSession:
            self.init(
                .refused,
                "another event runs now where this one was; join again to see it, with --new where "
                    + "this one is kept.")
        case .forked(let seq):
            self.init(
                .protocolViolation,
                "this event is written twice with one key: line \(seq) was signed with different words. "
                    + "Its state folder was copied and two hosts go on with it, or somebody has its key. "
                    + "Nobody can say which lines are the event's: ask who hosts it.")
        case .protocolViolation(let what):
            self.init(
                .protocolViolation,
                "\(what). This is no beamscribe host, or a broken one: compare the address with the "
                    + "one that the host shows.")
        }
    }

    /// What to do about a host's refusal.
    private static func advice(on reason: HandshakeResponse.Reason?) -> String {
        switch reason {
        case .full: "Try again when somebody has left; --max-guests at the host lets in more."
        case .unsupportedProtocol: "Install the host's version of beamscribe here."
        case .duplicate: "Stop the other guest of this machine first."
        case .encryptionRequired: "Join without --insecure."
        case .behind: "Join the host, or another machine that serves the event."
        default: "Ask whoever runs the host."
        }
    }
}
