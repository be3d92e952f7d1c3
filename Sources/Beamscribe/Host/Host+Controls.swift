import BeamscribeCore
import BeamscribeIO
import BeamscribeInput

/// What an operator does while the event is under way.
extension Host {
    // MARK: What gets out

    /// Lets the input rest, and tells guests. Nothing is lost: what waits goes out with
    /// ``resume()``. An event that is off the record stays so.
    public func pause() {
        guard publisher.gate == .open else { return }
        set(.paused)
    }

    /// Throws away what comes in from now on, what waits in a paused input too, and tells guests.
    /// Nobody gets it, and it is not kept. Lines that are open are taken back.
    public func goOffRecord() {
        guard publisher.gate != .offRecord else { return }
        _ = typing.release()
        offRecord.begin()
        set(.offRecord)
    }

    /// Goes on after ``pause()`` or ``goOffRecord()``. A line that was begun off the record does not
    /// come out, its end neither.
    public func resume() {
        guard publisher.gate != .open else { return }
        offRecord.end()
        inputWatch.begin(anewAt: now.uptime)
        set(.open)
        let waiting = typing.release()
        if !waiting.isEmpty { enter(waiting.map { .final($0) }) }
        releasePaced()
        if typing.hasEnded {
            typing.hasEnded = false
            inputEnded(failure: nil)
        } else if isInputOver {
            tellInputEnded()
        }
    }

    private func set(_ gate: InputGate) {
        guard !isFinishing else { return }
        say { $0.set(gate, now: now) }
        if gate == .paused {
            restReasons.insert(.isPaused)
            pacer?.stop(at: now.uptime)
        } else {
            restReasons.remove(.isPaused)
            pacer?.goOn(at: now.uptime)
        }
        watchInput()
        news.push([.gate(gate)])
    }

    /// Marks this place in the event: guests are told, and the session's record keeps it. The same
    /// place is marked once.
    public func mark() {
        guard !isFinishing, let seq = say({ $0.mark(now: now) }) else { return }
        journal.noteMarks()
        news.push([.marked(after: seq)])
    }

    /// Ends the event, whatever its input does: guests get all that was said, and leave.
    public func endEvent() {
        guard !isFinishing else { return }
        if pacer == nil { send(offRecord.pass(parser.finish()), now: now) }
        isInputOver = true
        stop()
    }

    // MARK: Typed captions

    /// Shows guests what is being typed; an empty text takes it back. While the event is paused, or
    /// off the record, they see nothing of it.
    public func type(partial text: String, speaker: String? = nil) {
        guard mayType, publisher.gate == .open || isOwnLine else { return }
        send(typed: .partial(typing.caption(text, speaker)))
    }

    /// Sends the line that was being typed, or another.
    @discardableResult
    public func type(_ text: String, speaker: String? = nil) -> TypedOutcome {
        let caption = typing.caption(text, speaker)
        guard mayType || publisher.gate == .offRecord, !isFinishing,
            caption.text.contains(where: { !$0.isWhitespace })
        else { return .refused }
        switch publisher.gate {
        case .offRecord: return .offRecord
        case .paused where !isOwnLine:
            guard typing.hold(caption) else { return .refused }
            typing.begin()
            return .waits
        case .open, .paused:
            send(typed: .final(caption))
            typing.begin()
            return .sent(log.lastSeq)
        }
    }

    /// There is nothing more to be typed, where the captions are: the input has ended.
    public func endTyping() {
        guard case .typed = configuration.input, !isInputOver, !isFinishing else { return }
        if publisher.gate == .paused {
            typing.hasEnded = true
        } else {
            inputEnded(failure: nil)
        }
    }

    /// Says line `seq` anew for everybody. Also while nothing else gets out: what is corrected is
    /// out already.
    ///
    /// - Parameter speaker: who speaks; nil for the same as before.
    @discardableResult
    public func correct(
        _ seq: Int, text: String, speaker: String? = nil
    ) -> TypedOutcome {
        guard !isFinishing,
            let number = say({ $0.correct(seq, text: text, speaker: speaker, now: now) })
        else { return .refused }
        if configuration.copiesFinals, !finals.push([Caption(text: text, speaker: speaker)]) {
            restReasons.insert(.readerIsBehind)
        }
        news.push([.corrected(line: seq, seq: number)])
        return .sent(number)
    }

    private var mayType: Bool {
        guard !isFinishing, publisher.gate != .offRecord else { return false }
        if case .typed = configuration.input { return !isInputOver && !typing.hasEnded }
        return true
    }

    /// Whether what is typed is the operator's own, beside an input that may rest.
    private var isOwnLine: Bool {
        if case .typed = configuration.input { false } else { true }
    }

    private func send(typed event: InputEvent) {
        if isOwnLine { send([event], now: now) } else { enter([event]) }
    }

    /// What is typed is the input.
    private func enter(_ events: [InputEvent]) {
        noteInput()
        send(events, now: now)
    }

    // MARK: What there is to see

    /// How the event stands.
    ///
    /// - Parameter withGuests: whether to tell of each guest; of a full room that is a lot.
    public func view(withGuests: Bool = false) -> HostView {
        let now = now
        var view = HostView(
            lines: Array(publisher.recent.newest), open: publisher.recent.open,
            lineCount: log.lastSeq, counts: room.counts, gate: publisher.gate)
        view.guests = withGuests ? room.guestReports(now: now) : []
        view.inputAge = isInputOver || !inputWatch.hasSpoken ? nil : inputWatch.age(now.uptime)
        view.isInputOver = isInputOver
        view.linesPerMinute = publisher.throughput.linesPerMinute(at: now.uptime)
        view.wordsPerMinute = publisher.throughput.wordsPerMinute(at: now.uptime)
        view.phones = feed == nil ? nil : phoneCount
        view.waitingLines = typing.waiting.count
        return view
    }
}
