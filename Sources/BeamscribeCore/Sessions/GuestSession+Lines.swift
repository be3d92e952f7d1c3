/// The lines of the event, as the host sends them.
extension GuestSession {
    func take(
        _ history: FullHistory, _ actions: inout [Action]
    ) throws(GuestViolation) {
        guard history.session.lowercased() == session else { throw .wrongSession }
        guard history.from >= 1, history.through >= history.from - 1 else {
            throw .historyGoesBack(expected: (lastSeq ?? 0) + 1, from: history.from)
        }
        guard history.through <= Limits.lineNumber else {
            throw .lineNumberTooLarge(history.through)
        }
        let expected = lastSeq.map { $0 + 1 } ?? min(firstWanted, history.through + 1)
        guard history.from >= expected || lastSeq == nil else {
            throw .historyGoesBack(expected: expected, from: history.from)
        }
        let missing = max(expected, min(firstWanted, history.through + 1))
        if history.from > missing {
            actions.append(.report(.gap(from: missing, through: history.from - 1)))
        }
        // The finals of open lines may be among what is gone; the host sends those still open again.
        if history.from > expected { actions += withdrawOpenLines() }
        lastSeq = history.from - 1
        historyStart = history.from
        historyEnd = history.through
    }

    func take(
        _ chunk: LiveChunk, now: Moment, _ actions: inout [Action]
    ) throws(GuestViolation) {
        guard chunk.text.utf8.count <= Limits.lineBytes else {
            throw .lineTooLong(bytes: chunk.text.utf8.count)
        }
        let labels = [chunk.line, chunk.speaker ?? "", chunk.lang ?? ""]
        guard labels.allSatisfy({ $0.utf8.count <= Limits.labelBytes }) else {
            throw .labelTooLong
        }
        inputAge = 0
        guard chunk.isFinal else {
            take(partial: chunk, &actions)
            return
        }
        guard let seq = chunk.seq else { throw .lineWithoutNumber }
        let expected = (lastSeq ?? 0) + 1
        guard seq == expected else { throw .lineOutOfOrder(expected: expected, got: seq) }
        lastSeq = seq
        let name = openLines.isEmpty ? "" : Self.label(chunk.line)
        let wasOpen = openLines.contains(name)
        if wasOpen { openLines.removeAll { $0 == name } }
        guard seq >= firstWanted else {
            // The final that would end it on the reader's screen is not shown.
            if wasOpen { actions.append(.report(.partial(PartialLine(withdrawing: name)))) }
            return
        }
        let line = line(seq, chunk, now: now)
        // The age of a line from the history is no latency.
        if seq > historyEnd { latencies.add(line.latency) }
        reportedLines += 1
        actions.append(.report(.line(line)))
    }

    /// What becomes visible in a text takes more room; the limits hold for what a reader gets.
    private static func text(_ text: String) -> String {
        SafeText.label(text, bytes: Limits.lineBytes)
    }

    private static func name(_ speaker: String) -> String {
        SafeText.name(speaker, bytes: Limits.labelBytes)
    }

    private static func label(_ text: String) -> String {
        SafeText.label(text, bytes: Limits.labelBytes)
    }

    private func line(_ seq: Int, _ chunk: LiveChunk, now: Moment) -> TranscriptLine {
        TranscriptLine(
            seq: seq, line: Self.label(chunk.line), text: Self.text(chunk.text),
            speaker: chunk.speaker.map(Self.name), lang: chunk.lang.map(Self.label),
            start: chunk.start, end: chunk.end, replaces: chunk.replaces,
            sentTimestamp: chunk.sentTimestamp, receivedTimestamp: now.wall,
            latency: bounded(now.wall + (clock.offset ?? 0) - chunk.sentTimestamp))
    }

    private func take(partial chunk: LiveChunk, _ actions: inout [Action]) {
        let name = Self.label(chunk.line)
        openLines.removeAll { $0 == name }
        if !chunk.text.isEmpty { openLines.append(name) }
        if openLines.count > Limits.openLines {
            let oldest = openLines.removeFirst()
            actions.append(.report(.partial(PartialLine(withdrawing: oldest))))
        }
        actions.append(
            .report(
                .partial(
                    PartialLine(
                        line: name, text: Self.text(chunk.text),
                        speaker: chunk.speaker.map(Self.name), lang: chunk.lang.map(Self.label)))))
    }
}
