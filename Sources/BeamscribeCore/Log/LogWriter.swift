public import FoundationEssentials

/// Signs what is said in a log by the key of the one who writes it.
///
/// Invariant: no line of this run is signed with two hashes, as long as `run` is a run of its own.
public struct LogWriter {
    /// The log's record, as a frame.
    let record: [UInt8]
    /// Whether its lines are those of another log in another language.
    let isTranslation: Bool

    /// Whether it is the log that has founded its event.
    let isMain: Bool
    private let log: UUID
    private let run: Int
    private let signer: any LogSigner
    private let hasher: any LogHasher
    private let encoder = FrameEncoder()

    /// - Parameters:
    ///   - run: the number of the run that is on, from 1.
    ///   - record: what the log is; its key is filled in here.
    /// - Returns: nil where nothing can be signed, for want of memory say.
    public init?(
        of log: UUID, run: Int, as record: LogRecord, by signer: any LogSigner,
        hashing hasher: any LogHasher
    ) {
        (self.log, self.run, self.signer, self.hasher) = (log, run, signer, hasher)
        var record = record
        record.key = Data(signer.publicKey)
        isTranslation = record.kind == LogRecord.translation
        isMain = record.event == record.session
        guard let frame = try? encoder.frame(.log(record)),
            let signed = Self.signed(frame, by: signer, { LogStatement.record(hasher.hash($0)) })
        else { return nil }
        self.record = signed
    }

    /// The signature of the newest line; nil where that fails.
    func signature(of chain: LineChain) -> LogSignature? {
        signer.sign(LogStatement.line(chain, run: run))
    }

    /// The frame of a partial, signed; nil where that fails.
    func signed(partial frame: [UInt8]) -> [UInt8]? {
        Self.signed(frame, by: signer) { LogStatement.partial(hasher.hash($0), of: log) }
    }

    /// A head as a frame, signed; nil where that fails.
    func frame(of head: LogHead) -> [UInt8]? {
        guard let frame = try? encoder.frame(.head(head)) else { return nil }
        return Self.signed(frame, by: signer) { LogStatement.head(hasher.hash($0), of: log) }
    }

    private static func signed(
        _ frame: [UInt8], by signer: any LogSigner, _ statement: (UnsafeRawBufferPointer) -> [UInt8]
    ) -> [UInt8]? {
        let payload = frame[FrameDecoder.prefixLength...]
        let signature = payload.withUnsafeBytes { signer.sign(statement(SignedPayload($0).body)) }
        return signature.map { FrameEncoder.frame(SignedPayload.signed(payload, by: $0)) }
    }
}
