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
        case .begunAnew:
            stage.identities == nil || stage.sessions < 2 ? "it follows a host that is none" : nil
        case .withdrawn where guest.hasMetTwin: nil
        case .withdrawn(let from, _): run.flatMap { stage.fault(ofWithdrawalFrom: from, $0) }
        default: nil
        }
    }

    /// Every other trouble is a breach of the protocol.
    private func isOrdinary(_ why: String) -> Bool {
        [
            "the host did not answer", "nothing was heard", "It takes no more guests",
            "what answers has another key", "the host's key is another",
            "the host closed the connection",
            "the connection was cut off",
        ].contains { why.hasPrefix($0) } || why.prefix(1).allSatisfy(\.isNumber)
            || isMeddledWith(why) || isOfAStranger(why) || isOfAHolder(why) || isOfATwin(why)
    }

    /// Who has the host's fingerprint hears others, too, and believes what the host has signed.
    private func isOfAStranger(_ why: String) -> Bool {
        guest.hasMetStrangers
            && (why.hasSuffix("has nothing that its host has signed")
                || why == "what answers asks for no code")
    }

    /// One of several who have the event, more of it or less. Whoever lies is found out, in many words.
    private func isOfAHolder(_ why: String) -> Bool {
        stage.scenario.holding != nil
            && (why.hasPrefix("It holds the event for its host, and has")
                || why.hasPrefix("the machine that answers holds the event without")
                || guest.wasLiedTo
                || why.hasPrefix("the machine that answers holds another event"))
    }

    /// The same run of a log has less at one of two who write it, until there is enough to compare.
    private func isOfATwin(_ why: String) -> Bool {
        guest.hasMetTwin
            && (why.hasPrefix("the machine that answers has an older log than was here")
                || why.hasPrefix("the machine that answers offered history from line"))
    }

    /// TLS notices who changes a byte on the way, before anything is read of a log.
    private func isMeddledWith(_ why: String) -> Bool {
        guest.tamperings > 0 && (why.contains("the other side") || why.contains("TLS"))
    }

    /// A guest that was started anew may find its own place taken: without TLS nobody knows it again.
    private var isTight: Bool {
        let isKnownAgain = stage.identities != nil
        let mostPlaces =
            isKnownAgain ? stage.scenario.guests : stage.guests.reduce(0) { $0 + $1.starts }
        return stage.scenario.maximumGuests <= mostPlaces
    }

    func fault(of outcome: GuestOutcome) -> String? {
        switch outcome {
        case .ended where stage.isOver: nil
        case .forked where guest.hasMetTwin: nil
        case .protocolViolation(let why) where isOfATwin(why): nil
        // Of those who hold the event, whom it knows alone, none has come to the new session yet.
        case .protocolViolation(let why)
        where guest.firstAddress != EventWires.firstAddress && stage.sessions > 1
            && why.hasPrefix("the machine that answers holds another event"):
            nil
        case .anotherSession where stage.sessions > 1:
            stage.identities != nil && guest.hasMetHost ? "it does not follow its host" : nil
        case .refused(.duplicate, _) where guest.sharesDevice || guest.clockWasSet: nil
        case .refused(.full, _) where isTight: nil
        case .distrusted where !guest.hasMetHost && guest.wasLiedTo: nil
        case .distrusted where guest.mayGiveUp || !guest.mayCome: nil
        case .protocolViolation(let why) where isMeddledWith(why): nil
        // Its user has sent it to somebody who lies.
        case .protocolViolation
        where guest.wasLiedTo && guest.firstAddress != EventWires.firstAddress:
            nil
        case .protocolViolation(let why) where isOfAStranger(why) && guest.mayGiveUp: nil
        default: "it ends with \(outcome)"
        }
    }
}
