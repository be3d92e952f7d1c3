import BeamscribeCore
import BeamscribeIO
import BeamscribeInput

/// What passing time does to the input: it settles what is open, is due, or is too long.
extension Host {
    // MARK: Time

    /// Lets the parser know when nothing has come for a second, where that says something.
    func awaitQuiet() {
        guard parser.awaitsQuiet else {
            timers.quiet = nil
            return
        }
        guard timers.quiet == nil else { return }
        timers.quiet = loop.schedule(after: Limits.inputQuiet) { [unowned self] in
            timers.quiet = nil
            guard !isFinishing else { return }
            let settled = parser.settle()
            if take(pacer == nil ? offRecord.pass(settled) : settled) { giveOut() }
            awaitQuiet()
        }
    }

    /// Sends the captions whose time has come. While the event is paused, time stands still for
    /// them; what comes to be said off the record is thrown away.
    func releasePaced() {
        timers.pace = nil
        guard !isFinishing, pacer == nil || publisher.gate != .paused else { return }
        let due = pacer?.release(now: now.uptime) ?? []
        if publisher.gate == .open { send(due, now: now) }
        if pacer?.isFull ?? false {
            restReasons.insert(.muchWaits)
        } else {
            restReasons.remove(.muchWaits)
        }
        if let next = pacer?.nextRelease {
            timers.pace = loop.schedule(at: next) { [unowned self] in releasePaced() }
        } else if ending != nil, !isInputOver {
            tellEnded()
        }
    }

    // MARK: Silence

    /// Looks again when the input has been silent for long enough to say so.
    func watchInput() {
        timers.input?.cancel()
        guard publisher.gate == .open, source != nil else { return }
        guard let due = inputWatch.nextLook(configuration.timing) else { return }
        timers.input = loop.schedule(at: due) { [unowned self] in lookAtInput() }
    }

    private func lookAtInput() {
        // What waits for its time is not late.
        if let pacer, !pacer.isEmpty {
            noteInput()
            return watchInput()
        }
        switch inputWatch.look(at: now.uptime, configuration.timing) {
        case .neverSaidAnything(let time): news.push([.inputSilent(time)])
        case .stalled(let time):
            news.push([.inputStalled(time)])
            let message =
                "Nothing has come in for \(Int(time.seconds)) s: nobody speaks, or the "
                + "recogniser hangs."
            log.tell(.inputStalled, message, now: now)
            publish()
        case nil: break
        }
        watchInput()
    }

    /// Something came, whoever may see it.
    func noteInput() {
        let now = now
        log.inputArrived(now: now)
        let isFirst = !inputWatch.hasSpoken
        let endsStall = inputWatch.arrived(at: now.uptime)
        // Guests know of a reason already why nothing comes, and will be told when it is over.
        guard publisher.gate == .open else { return }
        if endsStall { inputResumed(now: now) }
        if isFirst { watchInput() }
    }

    private func inputResumed(now: Moment) {
        news.push([.inputResumed])
        log.tell(.resumed, "Captions come in again.", now: now)
        publish()
        watchInput()
    }
}
