/// The proof of the event's code, before the host lets the guest in (docs/PROTOCOL.md, "The event's
/// code"). The driver computes; what is said when is decided here.
extension GuestSession {
    /// What the host's answer was worth.
    public enum CodeVerdict: Equatable, Sendable {
        /// The host knows the code; this proves to it that the guest does.
        case proven(confirm: [UInt8])
        /// It does not, or somebody sits in between.
        case wrong
        /// It was no answer.
        case broken
    }

    func take(
        _ challenge: CodeChallenge, now: Moment, _ actions: inout [Action]
    ) throws(GuestViolation) {
        guard codeStep == .none else { throw .outOfTurn(Packet.TypeName.codeChallenge) }
        guard let salt = challenge.saltBytes else { throw .security("sent a salt that is none") }
        guard configuration.hasCode else { return actions += refused(.codeNeeded, now: now) }
        codeStep = .asked
        phase = .handshaking(since: now.uptime)
        actions.append(.proveCode(salt: salt))
    }

    /// The driver has made the guest's share; nil where that failed, for want of memory say.
    public func codeShare(_ share: [UInt8]?, now: Moment) -> [Action] {
        guard case .handshaking = phase, codeStep == .asked else { return [] }
        guard let share else {
            let trouble = ConnectionTrouble(.networkLost, "this machine cannot prove the code")
            return [.disconnect] + retryLater(trouble, now: now)
        }
        codeStep = .shared
        phase = .handshaking(since: now.uptime)
        return send(.codeShare(CodeShare(share: share)))
    }

    func take(
        _ answer: CodeShare, now: Moment, _ actions: inout [Action]
    ) throws(GuestViolation) {
        guard codeStep == .shared, let confirm = answer.confirm else {
            throw .outOfTurn(Packet.TypeName.codeShare)
        }
        codeStep = .answered
        actions.append(.judgeCode(share: Array(answer.share), confirm: Array(confirm)))
    }

    /// The driver has judged the host's answer.
    public func codeJudged(_ verdict: CodeVerdict, now: Moment) -> [Action] {
        guard case .handshaking = phase, codeStep == .answered else { return [] }
        switch verdict {
        case .wrong: return refused(.wrongCode, now: now)
        case .broken: return violated(.security("sent a proof of the code that is none"), now: now)
        case .proven(let confirm):
            codeStep = .proven
            security = security.withCode
            phase = .handshaking(since: now.uptime)
            return send(
                .codeConfirm(
                    CodeConfirm(confirm: confirm, resume: position, timestamp: now.wall)))
        }
    }
}
