extension HostSession {
    /// Bytes came from the input, whether or not they made a line.
    public func inputArrived(now: Moment) {
        lastInput = now
    }

    /// Appends a final to the transcript. Nothing is sent before the driver acts on a
    /// ``Action/sendToAll``, so that a batch of lines costs each guest one send.
    ///
    /// - Returns: the line's number, and actions (news for the operator).
    public func publish(final caption: Caption, now: Moment) -> (seq: Int, actions: [Action]) {
        let seq = transcript.lastSeq + 1
        let line = caption.line ?? takeOpenLine()
        var chunk = LiveChunk(
            final: seq, line: line, text: caption.text, sentTimestamp: now.wall)
        chunk.speaker = caption.speaker
        chunk.lang = caption.lang
        chunk.start = caption.start
        chunk.end = caption.end
        // A correction can only name a line that is there.
        chunk.replaces = caption.replaces.flatMap { (1..<seq).contains($0) ? $0 : nil }
        guard let frame = try? encoder.frame(.liveChunk(chunk)) else { return (seq, []) }
        let actions = makeRoom(for: frame.count)
        transcript.append(frame: frame)
        register.close(line: line)
        return (seq, actions)
    }

    /// Replaces the newest partial of a line. An empty text withdraws it.
    public func publish(partial caption: Caption, now: Moment) {
        let line = caption.line ?? currentOpenLine()
        var chunk = LiveChunk(
            partialOf: line, revision: register.nextRevision(of: line), text: caption.text,
            sentTimestamp: now.wall)
        chunk.speaker = caption.speaker
        chunk.lang = caption.lang
        guard let frame = try? encoder.frame(.liveChunk(chunk)) else { return }
        register.set(line: line, frame: frame)
    }

    /// Tells everybody. What lasts, an input that has ended or a pause, is told to those who come
    /// later, too.
    public func alert(_ kind: Alert.Kind, _ message: String, now: Moment) -> [Action] {
        let alert = Alert(kind, message, sentTimestamp: now.wall)
        switch kind {
        case .inputStalled, .inputEnded, .paused: standingAlert = alert
        case .resumed, .sessionResumed: standingAlert = nil
        default: break
        }
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
        return guests.values.filter(\.isAccepted).flatMap { take(leave: alert, of: $0, now: now) }
    }

    func take(leave alert: Alert, of guest: HostGuest, now: Moment) -> [Action] {
        // Encoding fails for numbers that are not finite only, and an alert holds none.
        guest.farewell = (try? encoder.frame(.alert(alert))) ?? []
        guest.phase = .leaving
        guest.closingSince = now.uptime
        guest.lastProgress = now.uptime
        return [.send(guest.id)]
    }

    /// Makes room in memory for a frame of `size` bytes. Guests that stand in what goes get the
    /// rest of their frame by their own queue and are then told of the gap.
    private func makeRoom(for size: Int) -> [Action] {
        guard transcript.mustEvict(toAppend: size) else { return [] }
        let survivor = transcript.firstSurvivor
        for guest in guests.values where guest.cursor.boundary < survivor.boundary {
            guest.control.prepend(transcript.restOfFrame(at: guest.cursor))
            guest.cursor = survivor
            guest.owesGap = guest.isAccepted || guest.phase == .leaving
        }
        transcript.evictOldest()
        return [.report(.historyTrimmed(firstSeq: transcript.firstSeq))]
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
