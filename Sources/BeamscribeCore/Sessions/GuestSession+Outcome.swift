/// What follows: another try, or the end.
extension GuestSession {
    /// The connection is lost: tell the reader, and come back or give up.
    func retryLater(_ trouble: ConnectionTrouble, now: Moment) -> [Action] {
        startPausesOver(now)
        var actions = withdrawOpenLines()
        let loss = currentLoss(after: trouble, now: now)
        // Before the first answer a session of nobody's has been lost.
        let wasConnected = session != nil
        guard configuration.reconnects || !wasConnected else {
            phase = .finished
            lossIsToldAt = nil
            return actions + change(to: .ended) + [.finish(.lost(why: loss.why))]
        }
        phase = .waiting(retryAt: now.uptime + backoff.next(using: &generator))
        actions.append(.report(.trouble(trouble.why)))
        guard wasConnected else { return actions + change(to: .searching) }
        if self.loss == nil { lossIsToldAt = now.uptime + configuration.timing.lossTold }
        self.loss = loss
        return actions + change(to: .reconnecting(loss))
    }

    /// A host that said goodbye is gone in good order, whatever the tries to reach it find.
    private func currentLoss(after trouble: ConnectionTrouble, now: Moment) -> ConnectionLoss {
        let since = loss?.since ?? now.wall
        guard saidGoodbye else {
            return ConnectionLoss(trouble.cause, why: trouble.why, since: since)
        }
        return ConnectionLoss(.hostGone, why: "the host has stopped", since: since)
    }

    func finish(_ outcome: GuestOutcome) -> [Action] {
        let actions = withdrawOpenLines()
        phase = .finished
        lossIsToldAt = nil
        return actions + change(to: .ended) + [.disconnect, .finish(outcome)]
    }

    /// The host broke the protocol. A fresh connection may heal that; three in a row do not.
    func violated(_ violation: GuestViolation, now: Moment) -> [Action] {
        violations += 1
        guard violations < Self.toleratedViolations, configuration.reconnects else {
            return finish(.protocolViolation("\(violation)"))
        }
        return [.disconnect] + retryLater(ConnectionTrouble(.hostLost, "\(violation)"), now: now)
    }

    /// Violations in a row at which the guest gives up.
    static let toleratedViolations = 3

    func change(to new: GuestState) -> [Action] {
        guard new != state else { return [] }
        state = new
        return [.report(.state(new))]
    }

    func send(_ packet: Packet) -> [Action] {
        // Encoding fails for numbers that are not finite only, and these packets hold none.
        (try? encoder.frame(packet)).map { [.send($0)] } ?? []
    }

    func withdrawOpenLines() -> [Action] {
        defer { openLines = [] }
        return openLines.map { .report(.partial(PartialLine(withdrawing: $0))) }
    }
}
