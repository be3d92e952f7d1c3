import FoundationEssentials

/// Reads back a log that is held for another, to go on with it: what its writer has signed, and
/// nothing behind that. What a disk gives back counts no more than what a network brings: it is proved
/// in the same way.
///
/// Invariant: the lines that were taken are proven, and lie in the file before ``end``.
public struct HeldRecovery {
    /// Where the proven lines end in the file.
    public private(set) var end: UInt64 = 0
    /// What the proven lines hash to.
    private(set) var chain: LineChain

    private let record: SessionRecord
    private let log: LogRecord
    private let runs: SessionRuns
    private let lines: LineProof
    private let head: (head: LogHead, payload: Data)?
    private let transcript: Transcript
    /// The places of the lines that were taken, in the event's order.
    private var places = LinePlaces()
    private var reader = JournalReader()
    /// Whether each line is proved for itself: among many of them one was none of the writer's.
    private var isCareful = false

    /// - Parameters:
    ///   - record: what was kept with the lines.
    ///   - limit: memory for the lines, in bytes, and of its pieces.
    /// - Returns: nil where that is not what the log's writer has signed.
    public init?(
        of record: SessionRecord, limit: Int = Limits.history, chunkSize: Int = Limits.chunk,
        by crypto: any LogCrypto
    ) {
        guard let held = record.held, let writer = record.writer, let runs = record.sessionRuns,
            let id = UUID(uuidString: record.session), case .log(let log)? = Self.packet(held.log),
            log.session == record.session,
            let lines = Self.proof(of: log, as: held.log, id, by: writer, crypto)
        else { return nil }
        (self.record, self.log, self.runs, self.lines) = (record, log, runs, lines)
        head = Self.begin(lines, held.head, runs)
        chain = lines.start
        transcript = Transcript(limit: limit, chunkSize: chunkSize, hashing: lines.start)
    }

    private static func packet(_ payload: Data) -> Packet? {
        payload.withUnsafeBytes { try? PacketDecoder().packet($0) }
    }

    private static func proof(
        of log: LogRecord, as payload: Data, _ id: UUID, by writer: Fingerprint,
        _ crypto: any LogCrypto
    ) -> LineProof? {
        payload.withUnsafeBytes { try? LineProof(log, as: $0, of: id, by: writer, crypto) }
    }

    /// A head that is none, or of other runs, counts for nothing.
    private static func begin(
        _ lines: LineProof, _ payload: Data?, _ runs: SessionRuns
    ) -> (LogHead, Data)? {
        guard let payload, case .head(let head)? = packet(payload),
            (payload.withUnsafeBytes { try? lines.runs(of: head, as: $0) }) == runs,
            (try? lines.begin(head, runs, after: nil)) != nil
        else {
            lines.begin(runs)
            return nil
        }
        return (head, payload)
    }

    // MARK: Lines

    /// Takes in bytes of the log, which lie at `offset`; none at its end.
    ///
    /// - Returns: the offset of the bytes wanted next; nil at the end of what is proven.
    public mutating func read(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) -> UInt64? {
        // Taken out, since this changes while its lines are taken.
        var reader = reader
        self.reader = JournalReader()
        var isGood = true
        reader.read(bytes) { payload, chunk, seq in
            isGood = isGood && take(payload, chunk, seq)
        }
        self.reader = reader
        isGood = isGood && settle()
        if isGood {
            return bytes.isEmpty || reader.isBroken ? nil : offset + UInt64(clamping: bytes.count)
        }
        guard !isCareful, goOn(from: chain) else { return nil }
        isCareful = true
        self.reader = JournalReader(after: chain.seq, at: end)
        return end
    }

    private mutating func take(
        _ payload: UnsafeRawBufferPointer, _ chunk: LiveChunk, _ seq: Int
    ) -> Bool {
        guard seq == lines.next || skip(to: seq),
            (try? lines.hold(chunk, as: payload, isKept: true)) != nil
        else { return false }
        return !isCareful || settle()
    }

    /// Lines may be missing where that was noted as they were kept.
    private mutating func skip(to seq: Int) -> Bool {
        guard settle(), lines.isSettled,
            let joint = record.held?.joints?.last(where: { $0.after == seq - 1 }),
            let chain = chain.behind(joint), goOn(from: chain)
        else { return false }
        transcript.goOn(from: chain)
        return true
    }

    private func goOn(from chain: LineChain) -> Bool {
        let history = FullHistory(
            session: record.session, from: chain.seq + 1, through: chain.seq, hash: chain.hash)
        return (try? lines.begin(history)) != nil
    }

    private mutating func settle() -> Bool {
        let (transcript, before) = (transcript, end)
        var (end, places) = (before, places)
        let isGood: Void? = try? lines.settle { line in
            let seq = line.chunk.seq ?? 0
            line.payload.withUnsafeBytes { transcript.restore(payload: $0, seq: seq) }
            let place = places.place(of: seq, said: line.chunk.at)
            if place != line.chunk.at ?? seq { transcript.correct(placeOf: seq, to: place) }
            while transcript.isOverLimit { transcript.evictOldest() }
            end += UInt64(clamping: FrameDecoder.prefixLength + line.payload.count)
        }
        self.places = places
        if end > before, let shown = lines.shown { (self.end, chain) = (end, shown) }
        return isGood != nil
    }

    /// The log as it is proven, to go on with it.
    ///
    /// - Parameters:
    ///   - device: this machine, for people.
    ///   - now: what the clock says.
    public consuming func log(heldBy device: String, now: Moment) -> HeldLog {
        let held = EventLog(
            session: chain.log, runs: runs, transcript: transcript,
            holding: Array(record.held?.log ?? Data()),
            now: now)
        if let head { head.payload.withUnsafeBytes { held.keep(head.head, as: $0) } }
        let key = ConnectionSecurity.key(lines.writer, isNew: false)
        var event = JoinedEvent(
            eventName: "", deviceName: device, session: record.session, runs: runs,
            history: held.lastSeq, security: record.hasCode == true ? key.withCode : key)
        (event.isSigned, event.isKept) = (true, true)
        event.isHeld(by: device, for: lines.writer, as: log)
        return HeldLog(
            log: held, event: event, record: log,
            founded: Shelf.Event(log, chain.log, foundedBy: lines.verifier),
            chain: chain,
            newest: head.map {
                ($0.head, now.uptime - .seconds(saturating: max(0, now.wall - $0.head.time)))
            })
    }
}

/// A log that is held for another, as it was read back from where it was kept.
public struct HeldLog {
    /// The lines, through the last that is proven.
    public let log: EventLog
    /// What the writer says of its event, and who holds it.
    public let event: JoinedEvent
    /// What the log is, by its writer.
    let record: LogRecord
    /// The event that it has founded; nil where that was another log.
    package let founded: Shelf.Event?
    /// What the lines hash to.
    package var hash: LogHash { chain.hash }
    let chain: LineChain
    /// The writer's newest word on how it stands, and when it said so; nil where that was not kept.
    let newest: (head: LogHead, at: Duration)?

    /// The highest place that a line of it has among those of all the event's logs.
    var place: Int {
        let last = log.lastPlace
        return max(last, min(newest?.head.at ?? 0, last + Limits.placeStep))
    }

    /// Whether its writer has ended the event.
    public var isOver: Bool { newest?.head.state == LogHead.State.ended.rawValue }
}
