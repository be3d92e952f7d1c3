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
            case .bytes(let bytes): receive(bytes)
            case .end: inputEnded(failure: nil)
            case .failed(let error): inputEnded(failure: error)
            }
        }
        inputWatch.begin(at: Clock.uptime)
        watchInput()
        let host = self
        finals.whenDrained { host.drained() }
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        let events = parser.feed(bytes)
        let now = Clock.now
        server.session.inputArrived(now: now)
        noteInput(now: now)
        take(events)
        awaitQuiet()
    }

    /// Sends what the parser has found, now or when it is time.
    func take(_ events: [InputEvent]) {
        tellFormat()
        if pacer == nil { return publish(events) }
        pacer?.add(events, now: Clock.uptime)
        releasePaced()
    }

    func publish(_ events: [InputEvent]) {
        let now = Clock.now
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
        if !finals.push(copies) { isCopyBehind = true }
        restOrRead()
    }

    nonisolated func drained() {
        Task { await resumeInput() }
    }

    func resumeInput() {
        isCopyBehind = false
        restOrRead()
    }

    func restOrRead() {
        source?.isPaused = isCopyBehind || pacer?.isFull ?? false
    }

    private func tellFormat() {
        guard !announcedFormat, configuration.inputFormat == .auto, let format = parser.format
        else { return }
        announcedFormat = true
        news.push([.inputFormat(format)])
    }

    func inputEnded(failure: SystemError?) {
        ending = InputEnding(failure: failure)
        source = nil
        timers.quiet?.cancel()
        let rest = parser.finish()
        pacer?.add(rest, now: Clock.uptime)
        pacer?.finish()
        if pacer == nil { publish(rest) }
        tellFormat()
        releasePaced()
    }

    /// Tells that the input has ended, once everything in it has been sent.
    func tellEnded() {
        isInputOver = true
        timers.input?.cancel()
        if let failure = ending?.failure { news.push([.inputFailed(failure)]) }
        let lines = server.session.transcript.lastSeq
        news.push([.inputEnded(lines: lines)])
        if configuration.endsWithInput {
            stop()
        } else {
            let message = "The input has ended; there may be no more captions."
            server.perform(server.session.alert(.inputEnded, message, now: Clock.now))
        }
    }
}
