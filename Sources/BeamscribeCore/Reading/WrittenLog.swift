/// One of an event's logs that is written here, as it introduces itself to others.
struct WrittenLog {
    let log: EventLog
    /// What it is, by its own record; nil for one that is not signed, which nobody would take from here.
    let title: LogTitle?
    /// The record as a packet; empty without a title.
    let record: [UInt8]
    /// The event of which it is one; empty without a title.
    var event: String { introduction?.event ?? "" }
    /// What the record says; nil without a title.
    let introduction: LogRecord?
    /// Knows what its writer has signed; nil without a title.
    let verifier: (any LogVerifier)?

    init(_ log: EventLog, proving crypto: any LogCrypto) {
        self.log = log
        let packet = Array((log.record ?? []).dropFirst(FrameDecoder.prefixLength))
        guard let record = Self.introduction(log.record),
            let verifier = crypto.verifier(of: Array(record.key))
        else {
            (title, self.record, introduction, verifier) = (nil, [], nil, nil)
            return
        }
        title = LogTitle(record, by: verifier.writer)
        (self.record, introduction, self.verifier) = (packet, record, verifier)
    }

    var session: String { log.session.wireName }

    /// What the frame of a record says; nil where there is none.
    static func introduction(_ frame: [UInt8]?) -> LogRecord? {
        let packet = Array((frame ?? []).dropFirst(FrameDecoder.prefixLength))
        guard case .log(let record)? = packet.withUnsafeBytes({ try? PacketDecoder().packet($0) })
        else { return nil }
        return record
    }

    /// Whether somebody else signs this log with its key: he tells of lines that are not here, or of others,
    /// in the run that is on.
    func isContradicted(
        by head: LogHead, as payload: UnsafeRawBufferPointer, _ crypto: any LogCrypto
    ) -> Bool {
        guard head.runs == log.runs.after, log.runs.current < Limits.runs,
            let verifier = verifier, isSigned(payload, by: verifier, crypto)
        else { return false }
        guard head.seq <= log.lastSeq else { return true }
        guard head.seq > log.runs.currentBegan, let own = log.hash(before: head.seq + 1) else {
            return false
        }
        return own != LogHash(hex: head.hash)
    }

    /// The same, also where he has begun another run with it.
    func isWrittenElsewhere(
        by head: LogHead, as payload: UnsafeRawBufferPointer, _ crypto: any LogCrypto
    ) -> Bool {
        if isContradicted(by: head, as: payload, crypto) { return true }
        guard head.runs.count > log.runs.current, let verifier else { return false }
        return isSigned(payload, by: verifier, crypto)
    }

    private func isSigned(
        _ payload: UnsafeRawBufferPointer, by verifier: any LogVerifier, _ crypto: any LogCrypto
    ) -> Bool {
        let signed = SignedPayload(payload)
        return signed.signature.map {
            verifier.accepts($0, of: LogStatement.head(crypto.hash(signed.body), of: log.session))
        } ?? false
    }
}

extension EventLog {
    /// What it is called among an event's logs, and whose it is; nil for one that is not signed.
    package func title(proving crypto: any LogCrypto) -> LogTitle? {
        WrittenLog(self, proving: crypto).title
    }
}
