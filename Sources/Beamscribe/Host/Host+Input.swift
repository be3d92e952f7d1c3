import BeamscribeCore
import BeamscribeIO
import BeamscribeInput

extension Host {
    /// Opens the input and begins to read it.
    func readInput() throws(SystemError) {
        let path: String? =
            if case .file(let path) = configuration.input { path } else { nil }
        source = try ByteSource(path: path, size: Limits.inputRead, on: thread.loop) {
            [unowned self] event in
            guard !isFinishing else { return }
            switch event {
            case .bytes(let bytes): publish(parser.feed(bytes))
            case .end: inputEnded(failure: nil)
            case .failed(let error): inputEnded(failure: error)
            }
        }
        inputWatch.begin(at: Clock.uptime)
        watchInput()
        let host = self
        finals.whenDrained { host.drained() }
    }

    func publish(_ events: [InputEvent]) {
        let now = Clock.now
        server.session.inputArrived(now: now)
        noteInput(now: now)
        tellFormat()
        var copies: [Caption] = []
        for event in events {
            switch event {
            case .final(let caption):
                server.session.publish(final: caption, now: now)
                if configuration.copiesFinals { copies.append(caption) }
            case .correction(let caption):
                server.session.publish(correction: caption, now: now)
                if configuration.copiesFinals { copies.append(caption) }
            case .partial(let caption): server.session.publish(partial: caption, now: now)
            // Bad input can be long, and whoever reads the warnings may be slow.
            case .warning(let text): if !news.isFull { news.push([.inputWarning(text)]) }
            }
        }
        store()
        server.sendPublished()
        if !finals.push(copies) { source?.isPaused = true }
    }

    nonisolated func drained() {
        Task { await resumeInput() }
    }

    func resumeInput() {
        source?.isPaused = false
    }

    func tellFormat() {
        guard !announcedFormat, let auto = parser as? AutoParser, let format = auto.decided else {
            return
        }
        announcedFormat = true
        if format != .text { news.push([.inputFormat(format)]) }
    }

    func inputEnded(failure: SystemError?) {
        isInputOver = true
        publish(parser.finish())
        source = nil
        timers.input?.cancel()
        if let failure { news.push([.inputFailed(failure)]) }
        let lines = server.session.transcript.lastSeq
        news.push([.inputEnded(lines: lines)])
        if configuration.endsWithInput {
            stop()
        } else {
            let message = "The input has ended; there may be no more captions."
            server.perform(server.session.alert(.inputEnded, message, now: Clock.now))
        }
    }

    // MARK: Silence

    /// Looks again when the input has been silent for long enough to say so.
    private func watchInput() {
        timers.input?.cancel()
        guard let due = inputWatch.nextLook(configuration.timing) else { return }
        timers.input = thread.loop.schedule(at: due) { [unowned self] in lookAtInput() }
    }

    private func lookAtInput() {
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

    private func noteInput(now: Moment) {
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
