import FoundationEssentials

/// Reads back a log that is held for another, to go on with it: what its writer has signed, and
/// nothing else. What a disk gives back counts no more than what a network brings: it is proved
/// in the same way.
///
///     lines ---- damage, or a line that is not the writer's ----> search ---- a line is proven again ----> lines
///
/// Behind damage it goes on where a ``ProofSearch`` finds lines that are proven. The lines between
/// are missing.
///
/// Invariant: the lines that were taken are proven, and lie in the file before ``end``.
public struct HeldRecovery {
    /// Where the proven lines end in the file.
    public private(set) var end: UInt64 = 0
    /// Lines that are missing since the file is damaged, with proven ones behind them.
    public private(set) var damaged: [ClosedRange<Int>] = []
    /// What the proven lines hash to.
    private(set) var chain: LineChain

    /// The last line that is proven; 0 for none.
    public var lastSeq: Int { chain.seq }
    /// The lines behind that of which the writer has told, or that were noted; nil for none.
    public var missingEnd: ClosedRange<Int>? {
        // Before the first line of a run the notes may be those of lines that were withdrawn.
        let isNotedHere = runs.current == 1 || lastSeq > runs.currentBegan
        let told = max(head?.head.seq ?? 0, isNotedHere ? lastNoted : 0)
        let last = min(told, record.lastOfEvent ?? .max)
        return lastSeq < last ? lastSeq + 1...last : nil
    }

    private let record: SessionRecord
    private let log: LogRecord
    private let runs: SessionRuns
    private let lines: LineProof
    private let head: (head: LogHead, payload: Data)?
    /// The writer's first word of these runs, which counts the fewest lines.
    private let first: (head: LogHead, payload: Data)?
    private let transcript: Transcript
    /// The places of the lines that were taken, in the event's order.
    private var places = LinePlaces()
    private var reader = JournalReader()
    /// Whether each line is proved for itself: among many of them one was none of the writer's.
    private var isCareful = false
    private let notes: () -> ChainCheckpoints
    private let lastNoted: Int
    /// The search behind damage that is on; nil for none.
    private var search: ProofSearch?

    /// - Parameters:
    ///   - record: what was kept with the lines.
    ///   - notes: what the lines hash to, as it was noted beside them; asked for where it is
    ///     needed.
    ///   - lastNoted: the last line that was noted; 0 for none.
    ///   - limit: memory for the lines, in bytes, and of its pieces.
    /// - Returns: nil where that is not what the log's writer has signed.
    public init?(
        of record: SessionRecord, limit: Int = Limits.history, chunkSize: Int = Limits.chunk,
        notes: @escaping () -> ChainCheckpoints = { ChainCheckpoints() }, lastNoted: Int = 0,
        by crypto: any LogCrypto
    ) {
        guard let held = record.held, let writer = record.writer, let runs = record.sessionRuns,
            let id = UUID(uuidString: record.session), case .log(let log)? = Self.packet(held.log),
            log.session == record.session,
            let lines = Self.proof(of: log, as: held.log, id, by: writer, crypto)
        else { return nil }
        (self.record, self.log, self.runs, self.lines) = (record, log, runs, lines)
        (self.notes, self.lastNoted) = (notes, lastNoted)
        first = held.first.flatMap { Self.word($0, of: lines, runs) }
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
        guard let payload, let (head, _) = word(payload, of: lines, runs),
            (try? lines.begin(head, runs, after: nil)) != nil
        else {
            lines.begin(runs)
            return nil
        }
        return (head, payload)
    }

    private static func word(
        _ payload: Data, of lines: LineProof, _ runs: SessionRuns
    ) -> (head: LogHead, payload: Data)? {
        guard case .head(let head)? = packet(payload),
            (payload.withUnsafeBytes { try? lines.runs(of: head, as: $0) }) == runs
        else { return nil }
        return (head, payload)
    }

    // MARK: Lines

    /// Takes in bytes of the log, which lie at `offset`; none at its end.
    ///
    /// - Returns: the offset of the bytes wanted next; nil at the end of what is proven.
    public mutating func read(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) -> UInt64? {
        search == nil ? readLines(bytes, at: offset) : readOn(bytes, at: offset)
    }

    private mutating func readLines(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) -> UInt64? {
        // Taken out, since this changes while its lines are taken.
        var reader = reader
        self.reader = JournalReader()
        var isGood = true
        reader.read(bytes) { payload, chunk, seq in
            isGood = isGood && take(payload, chunk, seq)
        }
        self.reader = reader
        isGood = isGood && settle()
        if isGood, !reader.isBroken {
            guard bytes.isEmpty else { return offset + UInt64(clamping: bytes.count) }
            // A length that is damaged makes one long frame of all that follows.
            return reader.damaged > 0 ? beginSearch() : nil
        }
        guard !isCareful, !isGood else { return beginSearch() }
        guard goOn(from: chain) else { return nil }
        isCareful = true
        self.reader = JournalReader(after: chain.seq, at: end)
        return end
    }

    // MARK: Behind damage

    private mutating func beginSearch() -> UInt64? {
        guard goOn(from: chain) else { return nil }
        let (notes, joints) = (notes(), record.held?.joints ?? [])
        let guesses = { (seq: Int) in
            notes.hashes(through: seq)
                + joints.filter { $0.after == seq }.compactMap { LogHash(hex: $0.hash) }
        }
        let (verifier, runs) = (lines.verifier, runs)
        search = ProofSearch(behind: chain, at: end, guessing: guesses, head?.head) {
            verifier.accepts($0, of: LogStatement.line($1, run: runs.run(of: $1.seq)))
        }
        return end
    }

    private mutating func readOn(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) -> UInt64? {
        guard let (found, next) = search?.read(bytes, at: offset) else { return nil }
        guard let found else { return next }
        search = nil
        return take(found)
    }

    /// - Returns: where what is proven ends; nil where it is not proven after all.
    private mutating func take(_ found: ProofSearch.Found) -> UInt64? {
        let missing = chain.seq + 1..<found.joint.seq + 1
        guard let last = found.lines.last, goOn(from: found.joint) else { return nil }
        if !missing.isEmpty {
            transcript.goOn(from: found.joint)
            damaged.append(missing.lowerBound...missing.upperBound - 1)
        }
        for line in found.lines {
            let isHeld: Void? = line.payload.withUnsafeBytes {
                try? lines.hold(line.chunk, as: $0, isKept: true)
            }
            guard isHeld != nil else { return nil }
        }
        guard settle(), lines.isSettled else { return nil }
        end = last.frame.upperBound
        isCareful = false
        reader = JournalReader(after: chain.seq, at: end)
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
        // Where the newest counts lines that are damaged, an older one is as good for readers.
        for (head, payload) in [first, head].compactMap(\.self) {
            payload.withUnsafeBytes { held.keep(head, as: $0) }
        }
        let key = ConnectionSecurity.key(lines.writer, isNew: false)
        var event = JoinedEvent(
            eventName: "", deviceName: device, session: record.session, runs: runs,
            history: held.lastSeq, security: record.hasCode == true ? key.withCode : key)
        (event.isSigned, event.isKept) = (true, true)
        event.isHeld(by: device, for: lines.writer, as: log)
        return HeldLog(
            log: held, event: event, record: log,
            founded: Shelf.Event(log, chain.log, foundedBy: lines.verifier),
            chain: chain, damaged: damaged, missingEnd: missingEnd,
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
    /// Lines that are missing since the file was damaged; those before and behind them are here.
    public let damaged: [ClosedRange<Int>]
    /// Lines that are missing at the end; nil for none.
    public let missingEnd: ClosedRange<Int>?
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
