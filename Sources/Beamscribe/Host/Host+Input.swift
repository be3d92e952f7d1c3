import BeamscribeCore
import BeamscribeIO
import BeamscribeInput

extension Host {
    func readInput() throws(SystemError) {
        let host = self
        finals.whenDrained { host.drained() }
        let path: String?
        switch configuration.input {
        case .standardInput: path = nil
        case .file(let file): path = file
        case .typed:
            inputWatch.begin(at: now.uptime)
            return
        }
        source = try surroundings.openInput(path) {
            [unowned self] bytes in
            // A name of its own: Swift 6.3's check of isolation does not understand the parameter.
            let bytes = bytes
            return receive(bytes)
        } ended: { [unowned self] failure in
            if !isFinishing { inputEnded(failure: failure) }
        }
        inputWatch.begin(at: now.uptime)
        watchInput()
    }

    /// Takes as much of what has come as a turn of the loop has time for, and gives it out together:
    /// guests are to be served, however much there is.
    ///
    /// - Returns: how many bytes that is.
    private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        noteInput()
        var slice = InputSlice(of: bytes, at: now.uptime)
        var isNews = false
        repeat {
            if take(read(slice.next())) { isNews = true }
        } while slice.goesOn(at: now.uptime) && !isSated
        if isNews { giveOut() }
        awaitQuiet()
        return slice.taken
    }

    /// Whether no more can be passed on for now.
    private var isSated: Bool { !restReasons.isEmpty || pacer?.isFull ?? false }

    /// What is said off the record is read all the same, so that the line that is open then does
    /// not come out in half.
    private func read(_ bytes: UnsafeRawBufferPointer) -> [InputEvent] {
        // What waits for its time is held against the record when that comes.
        let isFiltered = offRecord.isActive && pacer == nil
        return isFiltered ? offRecord.take(bytes, by: &parser) : parser.feed(bytes)
    }

    /// Publishes what the parser has found, or keeps it until it is time.
    ///
    /// - Returns: whether something is to be given out.
    func take(_ events: [InputEvent]) -> Bool {
        tellFormat()
        if pacer == nil { pass(events, now: now) }
        pacer?.add(events, now: now.uptime)
        return !events.isEmpty
    }

    /// Gives out what was taken, as far as its time has come.
    func giveOut() {
        if pacer == nil { publish() } else { releasePaced() }
    }

    /// Gives out what was said, whoever said it.
    func send(_ events: [InputEvent], now: Moment) {
        guard !events.isEmpty else { return }
        pass(events, now: now)
        publish()
    }

    /// Says it into the log.
    private func pass(_ events: [InputEvent], now: Moment) {
        var copies: [Caption] = []
        for event in events {
            switch event {
            case .final(let caption):
                publisher.publish(final: caption, now: now)
                if configuration.copiesFinals { copies.append(caption) }
            case .correction(let caption):
                publisher.publish(correction: caption, now: now)
                if configuration.copiesFinals { copies.append(caption) }
            case .partial(let caption): publisher.publish(partial: caption, now: now)
            // Bad input can be long, and whoever reads the warnings may be slow.
            case .warning(let text): if !news.isFull { news.push([.inputWarning(text)]) }
            }
        }
        if !finals.push(copies) { restReasons.insert(.readerIsBehind) }
    }

    nonisolated func drained() {
        surroundings.perform { self.assumeIsolated { $0.resumeInput() } }
    }

    func resumeInput() {
        restReasons.remove(.readerIsBehind)
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
        tellFormat()
        if pacer == nil {
            send(offRecord.pass(rest), now: now)
        } else {
            pacer?.add(rest, now: now.uptime)
            pacer?.finish()
        }
        releasePaced()
    }

    /// Tells that the input has ended, once everything in it has been sent.
    func tellEnded() {
        isInputOver = true
        timers.input?.cancel()
        if let failure = ending?.failure { news.push([.inputFailed(failure)]) }
        let lines = log.lastSeq
        news.push([.inputEnded(lines: lines)])
        if configuration.endsWithInput {
            stop()
        } else if publisher.gate == .open {
            tellInputEnded()
        }
    }

    /// Guests learn it once nothing else is to be said of the input.
    func tellInputEnded() {
        let message = "The input has ended; there may be no more captions."
        log.tell(.inputEnded, message, now: now)
        publish()
    }
}
