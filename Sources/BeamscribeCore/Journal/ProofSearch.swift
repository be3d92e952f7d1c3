/// Looks behind damage for lines that can be proven again.
///
/// Of the line that is damaged nobody knows what it hashed to, and so what is behind it hashes to.
/// There are guesses: the notes beside the log (``ChainCheckpoints``), what was told of lines that
/// are missing, the writer's newest head, and the line itself, of which only the signature may be
/// damaged. Each guess is a trial, and a signature behind it shows whether it was right. So nothing
/// depends on who has made the notes.
///
///     ... 198 199 | 200 ||  201   202   203        h(200) is guessed; the signature of 201 or of a later line
///     proven ----'    '- damaged                    proves it, and with it all from 201 to there
///
/// Invariant: each trial's chain is as if its guess were right and all lines from there to the
/// newest were taken in; `lines` are those of the oldest trial.
struct ProofSearch {
    /// A line that was found, and its packet as it is in the file.
    struct Line {
        let chunk: LiveChunk
        let payload: [UInt8]
        let frame: Range<UInt64>
    }

    /// Where the log can be proven again.
    struct Found {
        /// What the lines before the first of `lines` hash to.
        let joint: LineChain
        /// The lines that are proven, one behind the other.
        let lines: [Line]
    }

    private struct Trial {
        /// The guess.
        let joint: LineChain
        var chain: LineChain
    }

    private let proven: LineChain
    private let guesses: (Int) -> [LogHash]
    private let head: LogHead?
    private let accepts: (LogSignature, LineChain) -> Bool
    private var survey: JournalSurvey
    private var trials: [Trial]
    private var lines: [Line] = []
    private var bytes = 0
    /// How many guesses are tried at a time.
    private static let most = 8

    /// - Parameters:
    ///   - proven: what the lines hash to that are proven.
    ///   - end: where these end in the file.
    ///   - guesses: what the lines through one that is not among these may hash to.
    ///   - head: the writer's newest.
    ///   - accepts: whether the writer has signed a line.
    init(
        behind proven: LineChain, at end: UInt64, guessing guesses: @escaping (Int) -> [LogHash],
        _ head: LogHead?, accepts: @escaping (LogSignature, LineChain) -> Bool
    ) {
        (self.proven, self.guesses, self.head, self.accepts) = (proven, guesses, head, accepts)
        survey = JournalSurvey(after: proven.seq, at: end)
        trials = [Trial(joint: proven, chain: proven)]
    }

    /// Takes in bytes of the log, which lie at `offset`; none at its end.
    ///
    /// - Returns: what is proven, once something is; else the offset of the bytes wanted next, nil
    ///   at the end.
    mutating func read(
        _ bytes: UnsafeRawBufferPointer, at offset: UInt64
    ) -> (found: Found?, next: UInt64?) {
        // Taken out, since this changes while its lines are taken.
        var survey = survey
        self.survey = JournalSurvey()
        var found: Found?
        let next = survey.find(in: bytes, at: offset) { line in
            if found == nil { found = take(line) }
        }
        self.survey = survey
        return (found, next)
    }

    private mutating func take(_ found: JournalSurvey.Found) -> Found? {
        // What is missing before it was in no trial.
        trials.removeAll { $0.chain.seq != found.seq - 1 }
        guess(before: found.seq)
        let line = Line(chunk: found.chunk, payload: Array(found.payload), frame: found.frame)
        lines.append(line)
        bytes += line.payload.count
        let signed = SignedPayload(found.payload)
        for index in trials.indices { trials[index].chain.append(signed) }
        if let right = trials.first(where: { isRight($0, at: signed) }) {
            let count = right.chain.seq - right.joint.seq
            return Found(joint: right.joint, lines: lines.suffix(count))
        }
        // A signature that fits nothing may be what is damaged; then the line is lost alone.
        if signed.isSigned || bytes > Limits.unprovenBytes { beginBehindLine() }
        dropLines()
        return nil
    }

    private mutating func guess(before seq: Int) {
        guard seq - 1 > proven.seq else { return }
        var hashes = guesses(seq - 1)
        if let head, head.seq == seq - 1, let hash = LogHash(hex: head.hash) { hashes.append(hash) }
        for hash in hashes where !trials.contains(where: { $0.chain.hash == hash }) {
            let joint = proven.from(seq - 1, hash)
            if trials.count == Self.most { trials.removeLast() }
            trials.append(Trial(joint: joint, chain: joint))
        }
    }

    private func isRight(_ trial: Trial, at line: SignedPayload) -> Bool {
        if line.isSigned { return line.signature.map { accepts($0, trial.chain) } ?? false }
        guard let head, head.seq == trial.chain.seq else { return false }
        return LogHash(hex: head.hash) == trial.chain.hash
    }

    private mutating func beginBehindLine() {
        trials = trials.map { Trial(joint: $0.chain, chain: $0.chain) }
    }

    /// Lets go of lines that are in no trial any more.
    private mutating func dropLines() {
        let kept = trials.map { $0.chain.seq - $0.joint.seq }.max() ?? 0
        for line in lines.dropLast(kept) { bytes -= line.payload.count }
        lines.removeFirst(lines.count - kept)
    }
}
