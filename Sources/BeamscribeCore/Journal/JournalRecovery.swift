/// Reads a session's log back into memory, for a host that goes on in it: all that is whole in it,
/// also behind damage. What is damaged stays where it is, since nothing is known of it; only behind
/// the last line it may be cut off, where a write that was cut short has left it.
public struct JournalRecovery {
    private let transcript: Transcript
    private var survey: JournalSurvey
    private var signatures = Signatures()

    /// The newest signature among lines that are hashed, and what it would be of.
    private struct Signatures {
        var newest: (chain: LineChain, signature: LogSignature)?
        /// Whether one was met that is none.
        var isBroken = false

        mutating func note(_ line: SignedPayload, at chain: LineChain) {
            guard line.isSigned else { return }
            newest = line.signature.map { (chain, $0) }
            if newest == nil { isBroken = true }
        }
    }

    /// - Parameters:
    ///   - transcript: an empty one, which gets the newest lines that it may hold.
    ///   - boundaries: which lines may stand where, as the session's record knows it.
    public init(into transcript: Transcript, within boundaries: RunBoundaries = .init()) {
        self.transcript = transcript
        survey = JournalSurvey(within: boundaries)
    }

    /// Takes in bytes of the log, which lie at `offset`; none at its end.
    ///
    /// - Parameter line: gets each line once, in order; its payload is valid during the call.
    /// - Returns: the offset of the bytes wanted next; nil at the end.
    public mutating func read(
        _ bytes: UnsafeRawBufferPointer, at offset: UInt64,
        _ line: JournalSurvey.Take = { _, _ in }
    ) -> UInt64? {
        // Taken out, since the survey changes while its lines are taken.
        var signatures = signatures
        defer { self.signatures = signatures }
        return survey.read(bytes, at: offset) { [transcript] payload, seq in
            transcript.restore(payload: payload, seq: seq)
            if let chain = transcript.chain { signatures.note(SignedPayload(payload), at: chain) }
            while transcript.isOverLimit { transcript.evictOldest() }
            line(payload, seq)
        }
    }

    /// Rows of lines that the log lacks.
    public var gaps: [ClosedRange<Int>] { survey.gaps }

    /// The bytes behind the last whole line.
    public var tail: Range<UInt64> {
        (survey.stretches.last?.bytes.upperBound ?? 0)..<survey.size
    }

    /// Whether these are the lines that their writer has signed, as far as the newest signature goes:
    /// a disk may give back other bytes than it was given, and still a line's. What is behind that
    /// signature nobody has been shown yet.
    ///
    /// Whoever reads the lines may stop at any signature: none may be damaged so that it is none.
    ///
    /// - Parameter runs: those in which the lines were said.
    public func isSigned(by verifier: any LogVerifier, in runs: SessionRuns) -> Bool {
        guard !signatures.isBroken else { return false }
        guard let (chain, signature) = signatures.newest else { return true }
        let statement = LogStatement.line(chain, run: runs.run(of: chain.seq))
        return verifier.accepts(signature, of: statement)
    }

    /// The transcript, to go on in it.
    ///
    /// - Parameter size: how long the log is now: new lines come behind.
    public consuming func transcript(logSize size: UInt64) -> Transcript {
        transcript.unreadable = size - transcript.endOffset
        return transcript
    }
}
