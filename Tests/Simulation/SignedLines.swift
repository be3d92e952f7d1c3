import BeamscribeTLS

@testable import BeamscribeCore

/// What a run's lines hash to, and whether their writer has signed them.
///
/// Invariant: `chain` is that of the lines up to the newest that was looked at; `hashes` has what the
/// lines hash to up to each that was.
struct SignedLines {
    private var chain: LineChain
    private var hashes: [Int: LogHash] = [:]
    private let verifier: any LogVerifier
    private let run: Int

    /// - Parameter log: a signed one, as the run begins.
    init(of log: EventLog, run: Int) {
        let crypto = try! LogSHA256()
        self.run = run
        verifier = crypto.verifier(of: WriterKey(Identities.hostKey)!.publicKey)!
        chain = LineChain(
            of: log.session, after: log.lastSeq, log.hash(before: log.lastSeq + 1)!, by: crypto)
        hashes[chain.seq] = chain.hash
    }

    /// Whether the lines that this run begins with are those that another has said.
    func goesOn(from other: SignedLines) -> Bool {
        let (known, found) = (other.hashes[chain.seq], chain.hash)
        return known == nil || known == found
    }

    /// What is wrong with what may be sent now; nil where nothing is.
    mutating func fault(in log: EventLog) -> String? {
        skipForgotten(of: log)
        let before = chain.seq
        var signature: LogSignature?
        log.forEachPayload(from: chain.seq + 1) { seq, payload in
            let line = SignedPayload(payload)
            chain.append(line)
            hashes[seq] = chain.hash
            signature = line.signature
        }
        guard chain.seq > before else { return nil }
        let isSigned = signature.map {
            verifier.accepts($0, of: LogStatement.line(chain, run: run))
        }
        return isSigned ?? false ? nil : "line \(chain.seq) may be sent, and nobody has signed it"
    }

    /// Lines that are gone from memory before anybody looked at them.
    private mutating func skipForgotten(of log: EventLog) {
        guard log.firstSeq > chain.seq + 1, let hash = log.hash(before: log.firstSeq) else {
            return
        }
        chain = chain.from(log.firstSeq - 1, hash)
    }
}
