import FoundationEssentials

/// One of an event's logs that another writes, as it is read here.
///
/// Invariant: it is read from `link` alone; what a ``Replica`` keeps of it are its writer's lines.
final class ShelvedLog {
    /// What it is, by the newest record.
    private(set) var title: LogTitle
    /// Its record as it came, and what lets it in; the founder's own need nothing.
    private(set) var record: [UInt8]
    private(set) var grant: [UInt8]?
    /// Who brings it; nil for nobody.
    private(set) var link: Shelf.Link?

    private var newest: LogRecord
    private var reading: LogReading
    private let replica: Replica?
    private var runs: [Int] = []
    private var standing: LogStanding?
    /// Whether lines that come belong to what was asked for before.
    private var awaitsHistory = false
    /// Whether what comes is here up to the next line: it was asked for twice, and is given twice.
    private var isRepeated = false
    /// Whether lines of which its writer has told were asked for again, and none has come since.
    private var hasAskedAgain = false

    init(
        _ record: LogRecord, as payload: UnsafeRawBufferPointer, by writer: Fingerprint,
        grant: [UInt8]?, from start: GuestSession.Start, keeping replica: Replica?,
        proving crypto: any LogCrypto
    ) {
        title = LogTitle(record, by: writer)
        (newest, self.record, self.grant, self.replica) = (record, Array(payload), grant, replica)
        reading = LogReading(from: start, resuming: nil, keeping: replica, proving: crypto)
    }

    /// A log that was kept.
    init(
        _ kept: HeldLog, as title: LogTitle, grant: [UInt8]?, from start: GuestSession.Start,
        proving crypto: any LogCrypto
    ) {
        (self.title, newest, self.grant) = (title, kept.record, grant)
        record = kept.log.heldProofs?.record ?? []
        let replica = Replica(of: kept, limit: Limits.shelvedLog, isStoredFirst: true)
        self.replica = replica
        reading = LogReading(from: start, resuming: nil, keeping: replica, proving: crypto)
    }

    /// Gives readers what was kept.
    func reportKept(now: Moment, _ report: (GuestEvent) -> Void) {
        reading.reportKept(lines: true, now: now, report)
    }

    /// It as an event by itself, for whoever keeps it.
    var event: JoinedEvent? {
        var event = JoinedEvent(of: newest, through: log?.lastSeq ?? 0)
        event?.isWritten(by: title.writer, as: newest)
        return event
    }

    /// What there is of it, for others; nil before anything is proven.
    var log: EventLog? { replica?.log }

    /// Its writer says anew what it is, in another run say.
    func take(_ record: LogRecord, as payload: UnsafeRawBufferPointer) {
        guard record.number > newest.number else { return }
        (newest, self.record) = (record, Array(payload))
        title = LogTitle(record, by: title.writer)
    }

    /// It is let in by this from now on.
    func take(grant: [UInt8]) { self.grant = grant }

    // MARK: Reading

    /// Its writer says how it stands. With the first of a link, and of a run, its reading begins.
    ///
    /// - Returns: what to ask the link for, where reading begins.
    func take(
        _ head: LogHead, as payload: UnsafeRawBufferPointer, from link: Shelf.Link, now: Moment,
        _ report: (GuestEvent) -> Void
    ) throws(GuestViolation) -> ReadRequest? {
        guard self.link == nil || self.link == link else { return nil }
        if self.link == link, head.runs == runs {
            try reading.settle(clockOffset: nil, now: now, report)
            _ = try reading.take(head, as: payload, now: now, report)
            return nil
        }
        try begin(at: head, as: payload, now: now, report)
        (self.link, runs, awaitsHistory) = (link, head.runs, true)
        (hasAskedAgain, isRepeated) = (false, false)
        return request
    }

    private func begin(
        at head: LogHead, as payload: UnsafeRawBufferPointer, now: Moment,
        _ report: (GuestEvent) -> Void
    ) throws(GuestViolation) {
        var blank = Handshake(deviceId: "", displayName: "")
        reading.ask(in: &blank)
        guard let event = JoinedEvent(of: newest, through: head.seq), reading.mayGoOn(in: event)
        else { throw .record("named a log that is none") }
        reading.begin(event, now: now, report)
        let (newest, record) = (newest, record)
        let bytes = record.span.bytes
        try bytes.withUnsafeBytes { bytes throws(GuestViolation) in
            try reading.take(newest, as: bytes)
        }
        guard try reading.take(head, as: payload, now: now, report) != nil else {
            throw .record("did not say how a log stands")
        }
        // Its lines are asked for now, and could not come before.
        reading.forgiveSilence(now: now.uptime)
    }

    /// What is lacking of it.
    private var request: ReadRequest {
        ReadRequest(
            title.session, after: reading.position?.after ?? 0, run: reading.position?.run)
    }

    /// - Returns: what to ask for again, where lines were missing that another look may bring.
    func take(
        _ history: FullHistory, now: Moment, _ report: (GuestEvent) -> Void
    ) throws(GuestViolation) -> ReadRequest? {
        try reading.settle(clockOffset: nil, now: now, report)
        isRepeated = history.from >= 1 && history.from <= reading.position?.after ?? 0
        guard !isRepeated else {
            awaitsHistory = false
            return nil
        }
        do throws(GuestViolation) {
            try reading.take(history, now: now, report)
            awaitsHistory = false
            return nil
        } catch .linesLacking {
            awaitsHistory = true
            return request
        }
    }

    func take(
        _ chunk: LiveChunk, as payload: UnsafeRawBufferPointer, now: Moment,
        _ report: (GuestEvent) -> Void
    ) throws(GuestViolation) {
        guard !awaitsHistory else { return }
        if isRepeated, let seq = chunk.seq {
            guard seq >= reading.next else { return }
            isRepeated = false
        }
        try reading.take(chunk, as: payload, clockOffset: nil, now: now, report)
        hasAskedAgain = false
    }

    func settle(
        mayWait: Bool, now: Moment, _ report: (GuestEvent) -> Void
    ) throws(GuestViolation) {
        try reading.settle(mayWait: mayWait, clockOffset: nil, now: now, report)
    }

    /// Lines of which its writer has told and that do not come are asked for again, once.
    ///
    /// - Parameter time: for how long none has come.
    /// - Throws: where they still do not come.
    func requestLacking(
        for time: Duration, now: Duration
    ) throws(GuestViolation) -> ReadRequest? {
        guard reading.lacksLines(for: time, now: now) else { return nil }
        guard !hasAskedAgain else { throw .linesKeptBack }
        hasAskedAgain = true
        reading.forgiveSilence(now: now)
        return request
    }

    /// Nobody was listening until now: no line is kept back.
    func forgiveSilence(now: Duration) { reading.forgiveSilence(now: now) }

    /// Nobody brings it any more.
    func linkEnded(_ report: (GuestEvent) -> Void) {
        link = nil
        reading.withdrawOpenLines(report)
    }

    // MARK: How it stands

    /// How its writer stands, where that is news.
    func newStanding(now: Duration) -> LogStanding? {
        let standing: LogStanding
        if reading.hasLeft {
            standing = .ended
        } else if reading.unheard(now: now) != nil {
            standing = .stale
        } else {
            standing = reading.toldTrouble == .offAir ? .standby : .live
        }
        guard standing != self.standing, !runs.isEmpty else { return nil }
        self.standing = standing
        return standing
    }

    /// Why nothing comes in, and for how long its writer was not heard, where that is too long.
    func trouble(now: Duration) -> (trouble: InputTrouble?, unheardFor: Duration?) {
        let trouble = reading.toldTrouble
        return (trouble, trouble == .ended ? nil : reading.unheard(now: now))
    }

    /// What its writer says of whose turn it is.
    func airClaim(rank: Int, now: Duration) -> AirClaim? {
        reading.airClaim((title.label, title.deviceName), rank: rank, now: now)
    }

    /// What is wrong with it; nil where nothing is.
    var brokenInvariant: String? { reading.brokenInvariant ?? log?.brokenInvariant }
}

extension JoinedEvent {
    /// One of an event's logs, as a log by itself.
    ///
    /// - Returns: nil for a session that is none.
    fileprivate init?(of record: LogRecord, through seq: Int) {
        guard let session = UUID(uuidString: record.session)?.wireName, session == record.session
        else { return nil }
        self.init(
            eventName: SafeText.name(record.eventName, bytes: Limits.eventNameBytes),
            deviceName: SafeText.name(record.deviceName, bytes: Limits.deviceNameBytes),
            session: session, history: min(max(seq, 0), Limits.lineNumber))
        isSigned = true
    }
}
