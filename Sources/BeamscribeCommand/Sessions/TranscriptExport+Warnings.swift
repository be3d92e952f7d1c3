import BeamscribeCore

extension TranscriptExport {
    /// What is to be said about the log that could not be written: a sentence each.
    ///
    /// - Parameter range: the lines that are wanted; nil where no line was said at those times.
    func warnings(range: ClosedRange<Int>?) -> [String] {
        guard let range else {
            return [
                "no line of \(source.name) was said between --from and --to; nothing is written."
            ]
        }
        return [damaged, missing(in: range), beyond(range)].compactMap(\.self)
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
            "\(bytes) bytes \(place) \(source.name) are no whole line, as a loss of power or a full "
            + "disk leaves them; they are left out."
    }

    private func missing(in range: ClosedRange<Int>) -> String? {
        let gaps = survey.gaps.filter { $0.overlaps(range) }.map { $0.clamped(to: range) }
        guard !gaps.isEmpty else { return nil }
        return MissingLines.words(gaps, of: source.name) + "."
    }

    private func beyond(_ range: ClosedRange<Int>) -> String? {
        if survey.count == 0 { return "\(source.name) has no lines." }
        guard range.lowerBound > survey.lastSeq else { return nil }
        return "\(source.name) ends with line \(survey.lastSeq), before --from."
    }
}
