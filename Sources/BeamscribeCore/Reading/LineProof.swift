import FoundationEssentials

/// What a connection brought of a signed log and is not proven yet: lines wait here until their
/// writer's signature comes, of one of them or behind them, or a head that says the same.
///
/// Invariant: `waiting` are lines that follow one another, from behind what was given out to the end
/// of `chain`; `newest` says how many of them its proof is of, and has the chain as it was behind them.
final class LineProof {
    /// A line, and its packet as it came where somebody wants that.
    struct Line {
        let chunk: LiveChunk
        let payload: [UInt8]
        /// What the lines through this one hash to.
        fileprivate let hash: LogHash
    }

    /// How the writer says that its log stands; nil before it has said so.
    private(set) var head: LogHead?
    /// The head whose signature was found right last, as a packet.
    private var provenHead: [UInt8] = []
    /// What the lines that were given out hash to; nil where only the host has said so.
    private(set) var shown: LineChain?

    private let log: UUID
    /// What the writer has signed so far, whoever has brought it.
    private let signed: SignedHashes
    /// What the log hashes to before its first line.
    let start: LineChain
    /// The starts of the host, as the writer has signed them.
    private(set) var runs = SessionRuns()
    private let crypto: any LogCrypto
    let verifier: any LogVerifier
    /// What the lines hash to that have come.
    private(set) var chain: LineChain
    private var waiting: [Line] = []
    /// Bytes of the packets that wait, and of those behind the newest proof.
    private var (heldBytes, waitingBytes) = (0, 0)
    /// The newest proof among what waits, of how many lines it is; without a signature a head's,
    /// which was judged.
    private var newest: Proof?
    /// What the lines would hash to where what was told of those before them is true, and is not what their
    /// writer has signed of them; nil where it is the same.
    private var other: LineChain?
    /// What was told of the lines before those that came, which a signature behind them proves; nil where that
    /// was known.
    private var told: (seq: Int, hash: LogHash)?

    private struct Proof {
        let count: Int
        let chain: LineChain
        let signature: LogSignature?
        var other: LineChain?
    }

    /// Begins with a log's record. What is signed by its key is proven by what follows; whose key that
    /// is, is to be judged.
    ///
    /// - Parameter writer: the only one who is believed; nil for whoever has signed the record.
    init(
        _ record: LogRecord, as payload: UnsafeRawBufferPointer, of log: UUID,
        by writer: Fingerprint?, comparedWith signed: SignedHashes = SignedHashes(),
        _ crypto: any LogCrypto
    ) throws(GuestViolation) {
        guard let verifier = crypto.verifier(of: Array(record.key)) else {
            throw .record("named a writer whose key is none of P-256")
        }
        guard writer == nil || verifier.writer == writer else {
            throw .record("has the log of another writer")
        }
        guard Self.isSigned(payload, by: verifier, { LogStatement.record(crypto.hash($0)) }) else {
            throw .record("told what the log is, and its writer has not signed that")
        }
        (self.log, self.crypto, self.verifier, self.signed) = (log, crypto, verifier, signed)
        start = LineChain(of: log, by: crypto)
        chain = start
    }

    private static func isSigned(
        _ payload: UnsafeRawBufferPointer, by verifier: any LogVerifier,
        _ statement: (UnsafeRawBufferPointer) -> [UInt8]
    ) -> Bool {
        let signed = SignedPayload(payload)
        return signed.signature.map { verifier.accepts($0, of: statement(signed.body)) } ?? false
    }

    /// Who has signed the log.
    var writer: Fingerprint { verifier.writer }

    /// Whether the writer has told of lines that have not come.
    var lacksLines: Bool { head.map { $0.seq > chain.seq } ?? false }

    /// The next line that is to come.
    var next: Int { chain.seq + 1 }

    /// The runs of the log by its writer's word, in its first head. A holder's is none.
    func runs(
        of head: LogHead, as payload: UnsafeRawBufferPointer
    ) throws(GuestViolation) -> SessionRuns {
        try checkSignature(of: payload)
        guard let runs = SessionRuns(after: head.runs) else {
            throw .record("told of runs that cannot be")
        }
        try compare(head, runs)
        return runs
    }

    /// Whether the writer has signed what a head says of its line, whoever has brought that.
    private func compare(_ head: LogHead, _ runs: SessionRuns) throws(GuestViolation) {
        guard let hash = LogHash(hex: head.hash) else { return }
        try signed.note(head: head.seq, run: runs.run(of: head.seq), hash)
    }

    /// Somebody else than who brings the lines has this head.
    func compare(
        _ head: LogHead, as payload: UnsafeRawBufferPointer
    ) throws(GuestViolation) {
        _ = try runs(of: head, as: payload)
    }

    /// Goes on behind what is here of the log.
    ///
    /// - Parameters:
    ///   - head: the first, which is the writer's.
    ///   - chain: what the lines that are here hash to, where that was proven.
    func begin(
        _ head: LogHead, _ runs: SessionRuns, after chain: LineChain?
    ) throws(GuestViolation) {
        (self.head, self.runs, shown) = (head, runs, chain)
        self.chain = chain ?? start
        if head.seq == self.chain.seq { try compareWithHead() }
    }

    /// Begins with what was read back of a log whose writer's word on how it stands was not.
    func begin(_ runs: SessionRuns) { self.runs = runs }

    /// Whether no line waits for its proof.
    var isSettled: Bool { waiting.isEmpty }

    /// Whether a later proof does as well for what waits: the writer has told of more, which is on its
    /// way, and what waits is little beside what was given out.
    ///
    /// - Parameter history: the lines that are on their way.
    func mayWait(for history: Range<Int>) -> Bool {
        let given = next - waiting.count - history.lowerBound
        return lacksLines && next < history.upperBound && heldBytes < Limits.provenAtOnce
            && waiting.count * Limits.linesProvenPerLineHeld < given
    }

    /// A history follows. What waited before it is gone: nobody will prove it any more.
    func begin(_ history: FullHistory) throws(GuestViolation) {
        (waiting, heldBytes, waitingBytes, newest, other, told) = ([], 0, 0, nil, nil, nil)
        let before = history.from - 1
        if let shown, shown.seq == before {
            let told = history.hash.flatMap(LogHash.init(hex:))
            if let told, told != shown.hash, before > 0 { other = start.from(before, told) }
            return chain = shown
        }
        shown = nil
        if before == 0 { return chain = start }
        guard let hash = history.hash.flatMap(LogHash.init(hex:)) else {
            throw .record("does not say what the lines before line \(history.from) hash to")
        }
        chain = start.from(before, hash)
        told = (before, hash)
        // The writer has said what these lines hash to.
        if let head, head.seq == before {
            try compareWithHead()
            try settle { _ in }
        }
    }

    /// Whether the lines that are next come behind others that nothing signed has shown yet.
    var isBehindUnproven: Bool { told != nil }

    /// Lines that are here come again, up to the next one.
    func repeatLines(_ history: FullHistory) {
        let before = history.from - 1
        let told = before == 0 ? start.hash : history.hash.flatMap(LogHash.init(hex:))
        other = told.map { start.from(before, $0) }
    }

    /// A line that is here came again.
    func skip(_ payload: UnsafeRawBufferPointer) {
        guard other != nil else { return }
        other?.append(SignedPayload(payload))
        if other?.seq == chain.seq, other?.hash == chain.hash { other = nil }
    }

    /// The next line came.
    ///
    /// - Parameter isKept: whether its packet is wanted again.
    func hold(
        _ chunk: LiveChunk, as payload: UnsafeRawBufferPointer, isKept: Bool
    ) throws(GuestViolation) {
        heldBytes += payload.count
        waitingBytes += payload.count
        let signed = SignedPayload(payload)
        if other?.seq == chain.seq { other?.append(signed) } else { other = nil }
        chain.append(signed)
        waiting.append(
            Line(chunk: chunk, payload: isKept ? Array(payload) : [], hash: chain.hash))
        if signed.isSigned {
            guard let signature = signed.signature else { throw .forgedLine(chain.seq) }
            newest = Proof(count: waiting.count, chain: chain, signature: signature, other: other)
            waitingBytes = 0
        } else if chain.seq == head?.seq {
            try compareWithHead()
        }
        guard waitingBytes <= Limits.unprovenBytes else { throw .unproven(bytes: waitingBytes) }
    }

    /// The head proves all lines that it counts.
    private func compareWithHead() throws(GuestViolation) {
        let hash = head.flatMap { LogHash(hex: $0.hash) }
        guard hash == chain.hash else {
            if let other, other.hash == hash, runs.run(of: chain.seq) < Limits.runs {
                throw .forked(chain.seq - waiting.count)
            }
            throw .forgedLine(chain.seq)
        }
        newest = Proof(count: waiting.count, chain: chain, signature: nil)
        waitingBytes = 0
    }

    /// Gives the lines that are proven by now, by the newest of their proofs.
    func settle(_ give: (borrowing Line) -> Void) throws(GuestViolation) {
        guard let proof = newest else { return }
        let run = runs.run(of: proof.chain.seq)
        if let signature = proof.signature { try check(signature, of: proof, run) }
        if let told { try take(told) }
        (newest, shown, heldBytes) = (nil, proof.chain, waitingBytes)
        (other, told) = (nil, nil)
        var proven = waiting
        waiting = []
        try proven.withUnsafeBufferPointer { lines throws(GuestViolation) in
            for index in 0..<proof.count {
                let seq = proof.chain.seq - proof.count + index + 1
                try signed.note(seq, run: runs.run(of: seq), lines[index].hash)
                give(lines[index])
            }
        }
        proven.removeFirst(proof.count)
        waiting = proven
    }

    /// What was told of the lines before those that came is their writer's word.
    private func take(_ told: (seq: Int, hash: LogHash)) throws(GuestViolation) {
        let run = runs.run(of: told.seq)
        try signed.compare(told.seq, run: run, told.hash)
        try signed.note(told.seq, run: run, told.hash)
    }

    private func check(
        _ signature: LogSignature, of proof: Proof, _ run: Int
    ) throws(GuestViolation) {
        let isSigned = { [verifier] (chain: LineChain) in
            verifier.accepts(signature, of: LogStatement.line(chain, run: run))
        }
        if isSigned(proof.chain) { return }
        // He has signed these lines behind others than those that he has signed before.
        if let other = proof.other, run < Limits.runs, isSigned(other) {
            throw .forked(proof.chain.seq - proof.count)
        }
        throw .forgedLine(proof.chain.seq)
    }

    /// - Throws: where the writer has not signed the partial.
    func check(partial payload: UnsafeRawBufferPointer) throws(GuestViolation) {
        guard
            Self.isSigned(payload, by: verifier, { LogStatement.partial(crypto.hash($0), of: log) })
        else { throw .forgedPartial }
    }

    /// The writer says how its log stands. What is older than what it has said before is no news.
    ///
    /// - Returns: whether it is news.
    func take(
        _ head: LogHead, as payload: UnsafeRawBufferPointer
    ) throws(GuestViolation) -> Bool {
        try compare(head, as: payload)
        guard self.head.map({ head.isNewer(than: $0) }) ?? true else { return false }
        // What is here may be other lines than those of that run: its reading begins anew.
        guard SessionRuns(after: head.runs) == runs else { throw .record("goes on in another run") }
        self.head = head
        if head.seq == chain.seq { try compareWithHead() }
        return true
    }

    /// In a mesh the same head comes by each link.
    private func checkSignature(of head: UnsafeRawBufferPointer) throws(GuestViolation) {
        guard !provenHead.elementsEqual(head) else { return }
        guard Self.isSigned(head, by: verifier, { LogStatement.head(crypto.hash($0), of: log) })
        else { throw .forgedHead }
        provenHead = Array(head)
    }
}

extension LogHead {
    /// Of two heads of a log, whether this is the later one.
    func isNewer(than other: LogHead) -> Bool {
        (runs.count, seq, time) > (other.runs.count, other.seq, other.time)
    }
}
