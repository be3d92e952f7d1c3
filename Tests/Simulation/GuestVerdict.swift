import BeamscribeCore

/// What a guest may be told, and how it may end.
struct GuestVerdict {
    private let guest: SimulatedGuest
    private var stage: Stage { guest.stage }

    init(_ guest: SimulatedGuest) {
        self.guest = guest
    }

    func fault(of event: GuestEvent, _ run: RunTruth?) -> String? {
        switch event {
        case .trouble(let why): isOrdinary(why) ? nil : "it finds fault with the host: \(why)"
        case .withdrawn(let from, _): run.flatMap { fault(ofWithdrawalFrom: from, $0) }
        default: nil
        }
    }

    /// Every other trouble is a breach of the protocol.
    private func isOrdinary(_ why: String) -> Bool {
        [
            "the host did not answer", "nothing was heard", "It takes no more guests",
            "what answers has another key", "the host's key is another",
            "the host closed the connection",
            "the connection was cut off", "\(Wires.hostAddress):",
        ].contains { why.hasPrefix($0) }
            || guest.tamperings > 0 && (why.contains("the other side") || why.contains("TLS"))
    }

    /// Lines may be withdrawn only where a host has lost them.
    private func fault(ofWithdrawalFrom from: Int, _ run: RunTruth) -> String? {
        let losses = stage.runs.filter { $0.number <= run.number && $0.hasLost }
        if losses.contains(where: { $0.began < from }) { return nil }
        return "lines from \(from) are withdrawn, and no host has lost them"
    }

    func fault(of outcome: GuestOutcome) -> String? {
        switch outcome {
        case .ended where stage.isOver: nil
        case .anotherSession where stage.sessions > 1: nil
        case .refused(.duplicate, _) where guest.sharesDevice || guest.clockWasSet: nil
        case .refused(.full, _) where stage.scenario.maximumGuests < stage.scenario.guests: nil
        case .distrusted where guest.mayGiveUp: nil
        case .protocolViolation where guest.tamperings > 0: nil
        default: "it ends with \(outcome)"
        }
    }
}
