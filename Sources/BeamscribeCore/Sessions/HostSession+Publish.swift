extension HostSession {
    /// Bytes came from the input, whether or not they made a line.
    public func inputArrived(now: Moment) {
        lastInput = now
    }

    /// How long ago the last input came, or the session began.
    public func inputAge(_ now: Duration) -> Duration { now - lastInput.uptime }

    /// Appends a final to the transcript. Nothing may be sent before ``store(now:_:)``; that is
    /// called once for a batch of lines, and so is what sends them.
    ///
    /// - Returns: the line's number.
    @discardableResult
    public func publish(final caption: Caption, now: Moment) -> Int {
        let seq = transcript.lastSeq + 1
        let line = caption.line ?? takeOpenLine()
        var chunk = LiveChunk(
            final: seq, line: line, text: masked(caption.text), sentTimestamp: now.wall)
        if chunk.text != caption.text { chunk.original = caption.text }
        chunk.speaker = caption.speaker.map { SafeText.name($0, bytes: Limits.labelBytes) }
        chunk.lang = caption.lang
        chunk.start = caption.start
        chunk.end = caption.end
        // A correction can only name a line that is there.
        chunk.replaces = caption.replaces.flatMap { (1..<seq).contains($0) ? $0 : nil }
        guard let frame = try? encoder.frame(.liveChunk(chunk)) else { return seq }
        transcript.append(frame: frame)
        register.close(line: line)
        recent.note(seq, chunk)
        if chunk.replaces == nil { throughput.note(caption.text, at: now.uptime) }
        // An id of the host's own is not known to the input, which could correct it.
        if let id = caption.line { finals.note(seq, line: id, replacing: chunk.replaces) }
        return seq
    }

    /// Appends a new wording of the newest final whose line has the id `caption.line`; a line of its
    /// own where that is not known any more.
    ///
    /// - Returns: the new line's number.
    @discardableResult
    public func publish(correction caption: Caption, now: Moment) -> Int {
        var caption = caption
        caption.replaces = caption.line.flatMap { finals.number(of: $0) }
        return publish(final: caption, now: now)
    }

    /// Replaces the newest partial of a line. An empty text withdraws it.
    public func publish(partial caption: Caption, now: Moment) {
        let line = caption.line ?? currentOpenLine()
        var chunk = LiveChunk(
            partialOf: line, revision: register.nextRevision(of: line),
            text: masked(caption.text), sentTimestamp: now.wall)
        chunk.speaker = caption.speaker.map { SafeText.name($0, bytes: Limits.labelBytes) }
        chunk.lang = caption.lang
        guard let frame = try? encoder.frame(.liveChunk(chunk)) else { return }
        register.set(line: line, frame: frame, isWithdrawal: caption.text.isEmpty)
        recent.note(
            partial: PartialLine(
                line: line, text: caption.text, speaker: caption.speaker, lang: caption.lang))
    }

    /// Tells everybody. What lasts, an input that has ended say, is told to those who come later,
    /// too.
    public func alert(_ kind: Alert.Kind, _ message: String, now: Moment) -> [Action] {
        let alert = Alert(kind, message, sentTimestamp: now.wall)
        standing.take(alert, kind)
        if let frame = try? encoder.frame(.alert(alert)) { alerts.add(frame) }
        guests.values.filter(\.isAccepted).forEach { queue(.alert(alert), for: $0) }
        return [.sendToAll]
    }

    /// Says goodbye to everybody: each guest gets the rest of the transcript and the alert, then
    /// the connection ends; so does a guest whose handshake is still under way. Done when
    /// ``hasConnections`` is false.
    ///
    /// - Parameter kind: ``Alert/Kind/ended`` or ``Alert/Kind/hostDisconnected``.
    public func finish(_ kind: Alert.Kind, _ message: String, now: Moment) -> [Action] {
        let alert = Alert(kind, message, sentTimestamp: now.wall)
        farewell = alert
        return guestsInOrder.filter(\.isAccepted).flatMap { take(leave: alert, of: $0, now: now) }
    }

    func take(leave alert: Alert, of guest: HostGuest, now: Moment) -> [Action] {
        // Encoding fails for numbers that are not finite only, and an alert holds none.
        guest.farewell = (try? encoder.frame(.alert(alert))) ?? []
        leaveSeat(guest.id)
        guest.phase = .leaving
        guest.closingSince = now.uptime
        guest.lastProgress = now.uptime
        return [.send(guest.id)]
    }

    /// Lets the oldest lines go from memory where there are too many. To be called after a batch
    /// was sent, so that only a guest that lags can miss something. Guests that stand in what goes
    /// get the rest of their frame by their own queue and are then told of the gap.
    public func trim() -> [Action] {
        guard transcript.isOverLimit else { return [] }
        while transcript.isOverLimit {
            let survivor = transcript.firstSurvivor
            for guest in guests.values where guest.cursor.boundary < survivor.boundary {
                guest.control.prepend(transcript.restOfFrame(at: guest.cursor))
                guest.cursor = survivor
                guest.owesGap = guest.isAccepted || guest.phase == .leaving
            }
            journal?.skip(to: survivor)
            transcript.evictOldest()
        }
        return [.report(.historyTrimmed(firstSeq: transcript.firstSeq))] + tellStorageGap()
    }

    private func masked(_ text: String) -> String {
        configuration.wordMask?.masked(text) ?? text
    }

    private func currentOpenLine() -> String {
        if let openLine { return openLine }
        lineCount += 1
        let line = "l-\(lineCount)"
        openLine = line
        return line
    }

    private func takeOpenLine() -> String {
        defer { openLine = nil }
        return currentOpenLine()
    }
}
