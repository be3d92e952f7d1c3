import BeamscribeCore
import BeamscribeTLS

/// Why what a host says is not signed: nobody else can serve it then, and guests believe the host
/// because of the connection alone.
public enum UnsignedReason: Sendable, Equatable {
    /// The host's key is of another kind than P-256.
    case otherKindOfKey
    /// Guests without encryption are let in, who know no key.
    case allowsPlain
    /// What is there of the event was not signed.
    case begunUnsigned
    /// What is there of the event was signed by another key.
    case otherKey
    /// The event's log has lost lines, or has others than were signed: what they hash to is not known.
    case damagedLog
    /// The library that signs has no memory.
    case noMemory
}

/// Whether a run of a host signs its log, which is decided once.
struct HostSigning {
    /// What can be said before the log is read.
    private let reason: UnsignedReason?
    private let key: WriterKey?
    private let hasher: LogSHA256
    private let configuration: HostConfiguration

    init(_ configuration: HostConfiguration) throws(TLSError) {
        self.configuration = configuration
        hasher = try LogSHA256()
        key = WriterKey(configuration.security.key)
        reason =
            configuration.security.allowsPlain
            ? .allowsPlain : key == nil ? .otherKindOfKey : Self.reason(configuration)
    }

    private static func reason(_ configuration: HostConfiguration) -> UnsignedReason? {
        guard case .resumed(let stored) = configuration.storage,
            let writer = stored.record.writer
        else { return nil }
        return writer == configuration.security.fingerprint ? nil : .otherKey
    }

    /// The transcript of a log before its first line.
    func emptyTranscript() -> Transcript {
        Transcript(
            limit: configuration.history, chunkSize: configuration.chunk,
            hashing: reason == nil ? LineChain(of: configuration.session, by: hasher) : nil)
    }

    /// Knows what earlier runs have signed; nil where this one does not sign.
    var verifier: (any LogVerifier)? {
        reason == nil ? key.flatMap { hasher.verifier(of: $0.publicKey) } : nil
    }

    /// The event's log, as this run begins.
    ///
    /// - Parameters:
    ///   - transcript: what was said in earlier runs.
    ///   - isProven: whether that is what they have signed.
    func log(
        holding transcript: Transcript, isProven: Bool, in order: EventOrder, now: Moment
    ) -> (EventLog, unsigned: UnsignedReason?) {
        var (runs, created) = (SessionRuns(), configuration.mesh?.created ?? now.wall)
        var marks: [SessionRecord.Mark] = []
        var reason = reason
        if case .resumed(let stored) = configuration.storage {
            runs = stored.record.sessionRuns ?? SessionRuns()
            runs.begin(after: transcript.lastSeq)
            marks = stored.record.marks ?? []
            if configuration.mesh == nil { created = stored.record.runs.first?.started ?? created }
            if stored.record.writer == nil, transcript.lastSeq > 0 {
                reason = reason ?? .begunUnsigned
            }
        }
        if reason == nil, !transcript.isHashed || !isProven { reason = .damagedLog }
        let writer = reason == nil ? writer(runs, since: created) : nil
        let log = EventLog(
            session: configuration.session, runs: runs, marks: marks, transcript: transcript,
            in: order, signedBy: writer, now: now)
        return (log, writer == nil ? reason ?? .noMemory : nil)
    }

    /// The logs of others in the event that this host founds; nil where nobody else can write one.
    func shelf(in order: EventOrder) -> Shelf? {
        guard reason == nil, configuration.contribution == nil, let key, let verifier else {
            return nil
        }
        if let mesh = configuration.mesh {
            return Shelf(joining: mesh.event, proving: hasher, order: order)
        }
        var (admission, refused) = (configuration.writers, configuration.refusedWriters)
        if case .resumed(let stored) = configuration.storage {
            refused += (stored.record.refused ?? []).compactMap { FingerprintPin($0) }
            if case .keys(let named) = admission {
                refused.removeAll { pin in named.contains { $0.isSame(as: pin) } }
            }
            admission = admission.union(WriterAdmission(of: stored.record.writers ?? []))
        }
        return Shelf(
            founding: Shelf.Event(
                configuration.session, foundedBy: verifier,
                lang: configuration.inputOptions.language), by: key, proving: hasher,
            admitting: admission, refusing: refused, order: order)
    }

    /// Signs on in a log of a mesh, in another event.
    func writer(of log: EventLog, in event: UUID) -> LogWriter? {
        guard let key, let mesh = configuration.mesh else { return nil }
        // The newest record is to count.
        let number = max(log.recordNumber, log.runs.current) + 1
        var record = record(number: number, since: mesh.created)
        (record.event, record.open) = (event.wireName, event == log.session ? true : nil)
        record.code = event == log.session ? configuration.security.hasCode : nil
        return LogWriter(
            of: log.session, run: log.runs.current, as: record, by: key, hashing: hasher)
    }

    /// Signs what this node of a mesh proves to others.
    var signer: (any LogSigner)? { key }

    /// A log of a node of a mesh that is not for everybody, before its first line.
    ///
    /// - Parameters:
    ///   - readers: whose keys it is for.
    ///   - created: when it is begun, in seconds since 1970; another for each log.
    func log(
        for readers: [Fingerprint], as label: String, in event: UUID, begunAt created: Double,
        _ order: EventOrder, now: Moment
    ) -> EventLog? {
        guard let key,
            let session = BoundSession.id(of: key.publicKey, begunAt: created, by: hasher)
        else { return nil }
        return EventLog(
            session: session, transcript: Transcript(hashing: LineChain(of: session, by: hasher)),
            in: order,
            signedBy: writer(
                of: session, for: readers, as: label, in: event, begunAt: created, number: 1),
            now: now)
    }

    /// What a log that is written here is called.
    func title(of log: EventLog) -> LogTitle? { log.title(proving: hasher) }

    /// Signs such a log.
    func writer(
        of session: UUID, for readers: [Fingerprint], as label: String, in event: UUID,
        begunAt created: Double, number: Int
    ) -> LogWriter? {
        guard let key else { return nil }
        var record = LogRecord(
            session.wireName, of: event.wireName, as: label, lang: nil,
            eventName: configuration.eventName, deviceName: configuration.deviceName,
            created: created, number: number)
        record.to = readers.map(\.hex).sorted()
        return LogWriter(of: session, run: 1, as: record, by: key, hashing: hasher)
    }

    private func record(number: Int, since created: Double) -> LogRecord {
        let session = configuration.session.wireName
        if let mesh = configuration.mesh {
            var record = LogRecord(
                founding: session, as: mesh.label, eventName: configuration.eventName,
                deviceName: configuration.deviceName, created: created, number: number,
                isOpen: mesh.event == configuration.session)
            record.event = mesh.event.wireName
            if record.open == true { record.code = configuration.security.hasCode }
            return record
        }
        guard let contribution = configuration.contribution else {
            var record = LogRecord(
                founding: session, eventName: configuration.eventName,
                deviceName: configuration.deviceName, created: created, number: number)
            record.code = configuration.security.hasCode
            return record
        }
        guard let translated = contribution.of else {
            return LogRecord(
                session, of: contribution.event, as: contribution.label, lang: contribution.lang,
                eventName: configuration.eventName, deviceName: configuration.deviceName,
                created: created, number: number, standingInFor: contribution.standsInFor)
        }
        return LogRecord(
            session, translating: translated, of: contribution.event, as: contribution.label,
            lang: contribution.lang, eventName: configuration.eventName,
            deviceName: configuration.deviceName, created: created, number: number)
    }

    private func writer(_ runs: SessionRuns, since created: Double) -> LogWriter? {
        let record = record(number: runs.current, since: created)
        return key.flatMap {
            LogWriter(
                of: configuration.session, run: runs.current, as: record, by: $0, hashing: hasher)
        }
    }
}
