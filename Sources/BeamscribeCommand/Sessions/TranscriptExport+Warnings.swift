import BeamscribeCore

extension TranscriptExport {
    /// What is to be said about the logs that could not be written: a sentence each.
    ///
    /// - Parameter ranges: the lines that are wanted.
    func warnings(ranges: Ranges) -> [String] {
        guard ranges.contains(where: { $0 != nil }) else {
            let name = logs.count == 1 ? logs[0].name : "the event"
            return ["no line of \(name) was said between --from and --to; nothing is written."]
        }
        let written = zip(logs, ranges).flatMap { log, range in
            range.map { log.warnings(range: $0, isAlone: logs.count == 1) } ?? []
        }
        // Their words stand in the place of others', wherever these are.
        return written
            + standing.flatMap { $0.warnings(range: 1...Limits.lineNumber, isAlone: false) }
    }
}

extension ExportedLog {
    /// - Parameter isAlone: whether there is no other, so that nothing is written where it has no lines.
    fileprivate func warnings(range: ClosedRange<Int>, isAlone: Bool) -> [String] {
        [damaged, unproven(in: range), missing(in: range), isAlone ? beyond(range) : nil]
            .compactMap(\.self)
    }

    private func unproven(in range: ClosedRange<Int>) -> String? {
        guard survey.count > 0,
            let lines = source.unproven?.lines(
                in: range, through: survey.lastSeq, isInUse: isInUse), !lines.isEmpty
        else { return nil }
        let (list, verb) = MissingLines.list(lines)
        return
            "\(list) of \(name) \(verb) not as \(verb == "is" ? "its" : "their") captioner signed "
            + "\(verb == "is" ? "it" : "them"): the words may be wrong."
    }

    private var damaged: String? {
        var damage = survey.damage
        // A host may be writing a line now; that is no damage.
        if isInUse, damage.last?.upperBound == survey.size { damage.removeLast() }
        guard !damage.isEmpty else { return nil }
        let bytes = damage.reduce(0) { $0 + $1.count }
        let isTail = damage.count == 1 && damage[0].upperBound == survey.size
        let place = isTail ? "at the end of" : damage.count == 1 ? "within" : "in"
        return
            "\(bytes) bytes \(place) \(name) are no whole line, as a loss of power or a full "
            + "disk leaves them; they are left out."
    }

    private func missing(in range: ClosedRange<Int>) -> String? {
        var gaps = survey.gaps.filter { $0.overlaps(range) }.map { $0.clamped(to: range) }
        // An export to the log's end also lacks the lines that were cut off there.
        if range.upperBound >= survey.lastSeq,
            let end = source.unproven?.cutOff(after: survey.lastSeq, isInUse: isInUse)
        {
            gaps.append(end)
        }
        guard !gaps.isEmpty else { return nil }
        return MissingLines.words(gaps, of: name) + "."
    }

    private func beyond(_ range: ClosedRange<Int>) -> String? {
        if survey.count == 0 { return "\(name) has no lines." }
        guard range.lowerBound > survey.lastSeq else { return nil }
        return "\(name) ends with line \(survey.lastSeq), before --from."
    }
}
