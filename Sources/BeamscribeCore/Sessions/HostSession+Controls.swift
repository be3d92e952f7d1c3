/// What the operator does with the event.
extension HostSession {
    /// Lets everything through, nothing for now, or nothing at all, and tells everybody. Whoever
    /// drives this rests the input, or throws away what comes in.
    public func set(_ gate: InputGate, now: Moment) -> [Action] {
        guard gate != self.gate else { return [] }
        self.gate = gate
        switch gate {
        case .paused: return alert(.paused, "The host has paused the captions.", now: now)
        case .offRecord:
            withdrawOpenLines(now: now)
            let message = "Off the record: what is said now is not sent, and not kept."
            return alert(.offRecord, message, now: now)
        case .open:
            // Nobody should be told how long nothing came in that was not wanted.
            lastInput = now
            return alert(.resumed, "The captions go on.", now: now)
        }
    }

    /// Readers must not go on looking at what may become words that are not for them.
    private func withdrawOpenLines(now: Moment) {
        for partial in recent.open {
            publish(partial: Caption(text: "", line: partial.line), now: now)
        }
    }

    /// Marks this place in the event for everybody.
    public func mark(now: Moment) -> [Action] {
        let last = recent.newest.last.map { ": \"\(SafeText.label($0.spokenText, bytes: 80))\"" }
        let place =
            transcript.lastSeq == 0
            ? "before the first line" : "after line \(transcript.lastSeq)\(last ?? "")"
        return alert(.mark, "The host has marked this place, \(place)", now: now)
    }

    /// Says line `seq` anew.
    ///
    /// - Parameter speaker: who speaks; nil for the same as before.
    /// - Returns: the correction's number; nil where there is no such line, or no words.
    public func correct(
        _ seq: Int, text: String, speaker: String? = nil, now: Moment
    ) -> Int? {
        let text = SafeText.label(text, bytes: Limits.lineBytes)
        guard (1...max(1, transcript.lastSeq)).contains(seq), transcript.lastSeq > 0,
            text.contains(where: { !$0.isWhitespace })
        else { return nil }
        // A line of its own: the one that the input has open stays so.
        let caption = Caption(
            text: text, line: "edit-\(transcript.lastSeq + 1)",
            speaker: speaker.map { SafeText.label($0, bytes: Limits.labelBytes) },
            replaces: recent.root(of: seq))
        return publish(final: caption, now: now)
    }

    /// Takes in the newest lines of a session that goes on.
    func recallRecentLines() {
        let first = max(transcript.firstSeq, transcript.lastSeq - Limits.recentLines + 1)
        var cursor = transcript.cursor(before: first)
        while cursor.seq <= transcript.lastSeq {
            let frames = transcript.bytes(at: cursor)
            guard frames.count > FrameDecoder.prefixLength else { return }
            let length = Int(UInt32(bigEndian: frames.loadUnaligned(as: UInt32.self)))
            let end = FrameDecoder.prefixLength + length
            let payload = UnsafeRawBufferPointer(rebasing: frames[FrameDecoder.prefixLength..<end])
            if case .liveChunk(let chunk)? = try? packets.packet(payload) {
                recent.note(cursor.seq, chunk)
            }
            transcript.advance(&cursor, by: end)
        }
    }
}
