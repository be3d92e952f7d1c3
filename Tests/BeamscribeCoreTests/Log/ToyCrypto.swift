import FoundationEssentials

@testable import BeamscribeCore

/// Hashes and signatures that cost next to nothing and are worth as much: whoever has not the key's
/// bytes in hand signs nothing that is taken for the key's, and nothing more is asked of them here. They
/// are others in each run of the tests.
struct ToyCrypto: LogCrypto, LogSigner {
    /// The private key, and the public one.
    let publicKey: [UInt8]

    init(_ name: String = "writer") { publicKey = Array(name.utf8) }

    /// Who signs, as a connection proves it.
    var security: ConnectionSecurity { .key(ToyVerifier(crypto: self).writer, isNew: false) }

    func hash(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
    ) -> LogHash {
        var hasher = Hasher()
        hasher.combine(bytes: first)
        hasher.combine(bytes: second)
        let number = withUnsafeBytes(of: hasher.finalize()) { Array($0) }
        return LogHash(bytes: number + number + number + number)!
    }

    func sign(_ statement: [UInt8]) -> LogSignature? {
        let signed: [UInt8] = publicKey + [0] + statement
        let hash: LogHash = signed.withUnsafeBytes { self.hash($0) }
        return LogSignature(bytes: hash.bytes + hash.bytes.reversed())
    }

    func verifier(of publicKey: [UInt8]) -> (any LogVerifier)? {
        publicKey.isEmpty
            ? nil : ToyVerifier(crypto: ToyCrypto(String(decoding: publicKey, as: UTF8.self)))
    }

    /// A log before its first line, whose writer this is.
    func log(
        _ session: UUID, _ runs: SessionRuns = SessionRuns(), limit: Int = Limits.history,
        chunkSize: Int = Limits.chunk, now: Moment
    ) -> EventLog {
        let chain = LineChain(of: session, by: self)
        return log(
            session, runs, now: now,
            holding: Transcript(limit: limit, chunkSize: chunkSize, hashing: chain))
    }

    /// One more log of an event, before its first line.
    func log(
        _ session: UUID, _ runs: SessionRuns = SessionRuns(), of event: UUID, as label: String,
        lang: String? = nil, holding transcript: Transcript? = nil,
        in order: EventOrder = EventOrder(), now: Moment
    ) -> EventLog {
        let record = LogRecord(
            session.wireName, of: event.wireName, as: label, lang: lang, eventName: "Town Hall",
            deviceName: "balcony", created: now.wall, number: runs.current)
        let writer = LogWriter(of: session, run: runs.current, as: record, by: self, hashing: self)
        return EventLog(
            session: session, runs: runs,
            transcript: transcript ?? Transcript(hashing: LineChain(of: session, by: self)),
            in: order, signedBy: writer, now: now)
    }

    /// A log that translates one that has founded its event, before its first line.
    func log(
        _ session: UUID, translating event: UUID, into lang: String, in order: EventOrder,
        now: Moment
    ) -> EventLog {
        let record = LogRecord(
            session.wireName, translating: event.wireName, of: event.wireName, as: lang, lang: lang,
            eventName: "Town Hall", deviceName: "stage", created: now.wall, number: 1)
        return EventLog(
            session: session, transcript: Transcript(hashing: LineChain(of: session, by: self)),
            in: order,
            signedBy: LogWriter(of: session, run: 1, as: record, by: self, hashing: self), now: now)
    }

    func log(
        _ session: UUID, _ runs: SessionRuns, now: Moment, holding transcript: Transcript,
        in order: EventOrder = EventOrder()
    ) -> EventLog {
        let record = LogRecord(
            founding: session.wireName, eventName: "Town Hall", deviceName: "stage",
            created: now.wall, number: runs.current)
        let writer = LogWriter(of: session, run: runs.current, as: record, by: self, hashing: self)
        return EventLog(
            session: session, runs: runs, transcript: transcript, in: order, signedBy: writer,
            now: now)
    }
}

extension ToyCrypto {
    /// A packet's frame with this one's signature under a statement about its body.
    func signedFrame(
        _ frame: [UInt8], _ statement: (LogHash) -> [UInt8]
    ) -> [UInt8] {
        let payload = frame[FrameDecoder.prefixLength...]
        let signature = payload.withUnsafeBytes { sign(statement(hash(SignedPayload($0).body)))! }
        return FrameEncoder.frame(SignedPayload.signed(payload, by: signature))
    }

    /// The founder's word that lets a writer's log into the event, as a packet.
    ///
    /// - Parameter seq: the last line that is of the event; nil for good.
    func grant(
        _ session: UUID, of writer: ToyCrypto, in event: UUID, number: Int = 1,
        until seq: Int? = nil
    ) -> [UInt8] {
        let grant = LogGrant(
            event: event, session: session.wireName, key: ToyVerifier(crypto: writer).writer.hex,
            number: number, until: seq)
        let frame = signedFrame(try! FrameEncoder().frame(.grant(grant))) {
            LogStatement.grant($0, to: event)
        }
        return Array(frame.dropFirst(FrameDecoder.prefixLength))
    }
}

struct ToyVerifier: LogVerifier {
    let crypto: ToyCrypto

    var writer: Fingerprint {
        Fingerprint(bytes: crypto.publicKey.withUnsafeBytes { crypto.hash($0) }.bytes)!
    }

    func accepts(_ signature: LogSignature, of statement: [UInt8]) -> Bool {
        crypto.sign(statement) == signature
    }
}
