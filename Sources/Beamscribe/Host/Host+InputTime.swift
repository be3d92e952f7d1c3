import BeamscribeCore
import BeamscribeIO
import BeamscribeInput

/// What passing time does to the input: it settles what is open, is due, or is too long.
extension Host {
    // MARK: Time

    /// Lets the parser know when nothing has come for a second, where that says something.
    func awaitQuiet() {
        guard parser.awaitsQuiet else {
            timers.quiet?.cancel()
            timers.quiet = nil
            return
        }
        guard timers.quiet == nil else { return }
        timers.quiet = thread.loop.schedule(at: Clock.uptime + .seconds(1)) { [unowned self] in
            timers.quiet = nil
            guard !isFinishing else { return }
            take(parser.settle())
            awaitQuiet()
        }
    }

    /// Sends the captions whose time has come.
    func releasePaced() {
        timers.pace?.cancel()
        timers.pace = nil
        guard !isFinishing else { return }
        if let events = pacer?.release(now: Clock.uptime), !events.isEmpty { publish(events) }
        restOrRead()
        if let next = pacer?.nextRelease {
            timers.pace = thread.loop.schedule(at: next) { [unowned self] in releasePaced() }
        } else if ending != nil, !isInputOver {
            tellEnded()
        }
    }

    // MARK: Silence

    /// Looks again when the input has been silent for long enough to say so.
    func watchInput() {
        timers.input?.cancel()
        guard let due = inputWatch.nextLook(configuration.timing) else { return }
        timers.input = thread.loop.schedule(at: due) { [unowned self] in lookAtInput() }
    }

    private func lookAtInput() {
        // What waits for its time is not late.
        if let pacer, !pacer.isEmpty {
            noteInput(now: Clock.now)
            return watchInput()
        }
        switch inputWatch.look(at: Clock.uptime, configuration.timing) {
        case .neverSaidAnything(let time): news.push([.inputSilent(time)])
        case .stalled(let time):
            news.push([.inputStalled(time)])
            let message =
                "Nothing has come in for \(Int(time.seconds)) s: nobody speaks, or the "
                + "recogniser hangs."
            server.perform(server.session.alert(.inputStalled, message, now: Clock.now))
        case nil: break
        }
        watchInput()
    }

    func noteInput(now: Moment) {
        let isFirst = !inputWatch.hasSpoken
        if inputWatch.arrived(at: now.uptime) { inputResumed(now: now) }
        if isFirst { watchInput() }
    }

    private func inputResumed(now: Moment) {
        news.push([.inputResumed])
        server.perform(server.session.alert(.resumed, "Captions come in again.", now: now))
        watchInput()
    }
}
