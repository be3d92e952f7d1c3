import FoundationEssentials

/// One of an event's logs that another writes, as it is read here.
///
///     idle ---- head ----> read from a link ---- its end, a fork ----> left
///      ^------ link gone -----'      '--- too much at once ---> rests ---'
///
/// By which link it is read ``LogSources`` says.
///
/// Invariant: it is read from `link` alone, and not behind `end`; what a ``Replica`` keeps of it are its
/// writer's lines.
final class ShelvedLog {
    /// What it is, by the newest record.
    private(set) var title: LogTitle
    /// Its record as it came, and what lets it in; the founder's own need nothing.
    private(set) var record: [UInt8]
    private(set) var grant: [UInt8]?
    /// The event of which its writer has said last that it is one.
    var event: String { newest.event }
    /// Whether its lines are for this machine alone, and others.
    var isPrivate: Bool { newest.to != nil }
    /// Who brings it; nil for nobody.
    var link: Shelf.Link? { sources.link }

    private var sources = LogSources()
    private var newest: LogRecord
    private var reading: LogReading
    private let replica: Replica?
    private var runs: [Int] = []
    /// The standing and the name that people were told last, and when; nil before.
    private var told: (standing: LogStanding, title: LogTitle, at: Duration)?
    /// Whether lines that come belong to what was asked for before.
    private var awaitsHistory = false
    /// Whether what comes is here up to the next line: it was asked for twice, and is given twice.
    private var isRepeated = false
    /// Whether lines of which its writer has told were asked for again, and none has come since.
    private var hasAskedAgain = false
    /// When whoever has said that lines are gone is asked for them again.
    private var retryAt: Duration?
    /// The last line that is of the event; nil for a log without an end.
    private var end: Int? { reading.end }
    /// Whether its writer has signed different lines with one number.
    private var isForked = false
    /// The head that shows it to whoever has the lines that are here, as it came; nil where none does.
    private(set) var fork: [UInt8]?
    /// What its writer may bring, and whether it is not read for a while as there was more.
    private var allowance: LineAllowance
    /// How often each link may say how it stands.
    private var heads: [Shelf.Link: HeadAllowance] = [:]
    /// The newest partial, where more came than are checked at once; nil once something else was
    /// taken.
    private var waitingPartial: (chunk: LiveChunk, payload: [UInt8])?
    /// Whether connections from here may bring no more than guests.
    private let limitsEverybody: Bool
    private var isResting = false
    private var finals = 0
    private var floodTold: Duration?
    /// Who is to be told that nothing more of it is wanted.
    private var left: Shelf.Link?

    init(
        _ record: LogRecord, as payload: UnsafeRawBufferPointer, by writer: Fingerprint,
        grant: [UInt8]?, end: Int?, from start: GuestSession.Start, keeping replica: Replica?,
        within allowance: WriterAllowance, inMesh isMeshed: Bool = false,
        proving crypto: any LogCrypto
    ) {
        (limitsEverybody, self.allowance) = (isMeshed, LineAllowance(of: allowance))
        title = LogTitle(record, by: writer)
        (newest, self.record, self.grant, self.replica) = (record, Array(payload), grant, replica)
        reading = LogReading(from: start, resuming: nil, keeping: replica, proving: crypto)
        reading.end = end
    }

    /// A log that was kept. Lines behind its end, of a writer who is put out, may be there still.
    init(
        _ kept: HeldLog, as title: LogTitle, grant: [UInt8]?, end: Int?,
        from start: GuestSession.Start, within allowance: WriterAllowance,
        inMesh isMeshed: Bool = false, proving crypto: any LogCrypto, now: Moment
    ) {
        (limitsEverybody, self.allowance) = (isMeshed, LineAllowance(of: allowance))
        (self.title, newest, self.grant) = (title, kept.record, grant)
        record = kept.log.heldProofs?.record ?? []
        let replica = Replica(of: kept, limit: Limits.shelvedLog, isStoredFirst: true)
        self.replica = replica
        reading = LogReading(from: start, resuming: nil, keeping: replica, proving: crypto)
        reading.end = end
        if let end { reading.cut(after: end, now: now) { _ in } }
    }

    /// Gives readers what was kept.
    func reportKept(now: Moment, _ report: (GuestEvent) -> Void) {
        reading.reportKept(lines: true, now: now, report)
    }

    /// It as an event by itself, for whoever keeps it.
    var joinedEvent: JoinedEvent? {
        var event = JoinedEvent(of: newest, through: log?.lastSeq ?? 0)
        event?.isWritten(by: title.writer, as: newest)
        return event
    }

    /// What there is of it, for others; nil before anything is proven.
    var log: EventLog? { replica?.log }

    /// Whether a link has told of all that is here, or a moment ago of all but that its writer is still there. Of a
    /// forked log it may have told the other half.
    func isTold(by link: Shelf.Link, now: Duration) -> Bool {
        guard !isForked, let told = sources.offer(of: link), let here = log?.heldHead else {
            return false
        }
        return !here.isNewer(than: told.head)
            || here.saysTheSame(as: told.head) && now - told.heard < Limits.headsPassedOn
    }

    /// Its writer says anew what it is, in another run say.
    func take(_ record: LogRecord, as payload: UnsafeRawBufferPointer) {
        guard record.mayFollow(newest) else { return }
        (newest, self.record) = (record, Array(payload))
        replica?.keep(record: payload)
        title = LogTitle(record, by: title.writer)
    }

    /// It is let in by this from now on, up to a line where it has an end.
    func take(grant: [UInt8]?, end: Int?, now: Moment, _ report: (GuestEvent) -> Void) {
        (self.grant, reading.end) = (grant, end)
        replica?.end(false)
        if let end { reading.cut(after: end, now: now, report) }
        leaveAtEnd(report)
    }

    // MARK: Leaving it

    /// Whether all of it is here that is of the event.
    var isComplete: Bool { end.map { lastSeq >= $0 } ?? false }

    /// The newest line of it that is here.
    var lastSeq: Int { reading.position?.after ?? 0 }

    private func leaveAtEnd(_ report: (GuestEvent) -> Void) {
        guard isComplete else { return }
        replica?.end(true)
        leave(report)
    }

    /// Nothing more of it is wanted.
    private func leave(_ report: (GuestEvent) -> Void) {
        left = link ?? left
        close(report)
    }

    /// Who was left, to be told so; once.
    func takeLeft() -> Shelf.Link? {
        defer { left = nil }
        return left
    }

    /// Does what may show that the log is forked, which nobody is to be blamed for but its writer.
    ///
    /// - Parameter head: the line and the packet of a head by which that is done; nil for what is none.
    private func judging<Answer>(
        _ head: (seq: Int, payload: UnsafeRawBufferPointer)?, _ report: (GuestEvent) -> Void,
        _ body: () throws(GuestViolation) -> Answer?
    ) throws(GuestViolation) -> Answer? {
        do throws(GuestViolation) {
            return try body()
        } catch .forked {
            isForked = true
            // Of lines that are not here it would be a promise.
            if let head, head.seq <= lastSeq { fork = Array(head.payload) }
            leave(report)
            return nil
        }
    }

    // MARK: Too much at once

    /// Counts what has come: whether it is more than its writer may bring.
    func isOverAllowance(now: Duration) -> Bool {
        allowance.writer.lines.take(finals, now: now)
        finals = 0
        return allowance.writer.isSpent
    }

    /// More has come than its writer may bring, of this log or another: it rests.
    ///
    /// - Returns: whether that is to be told.
    func rest(now: Duration, _ report: (GuestEvent) -> Void) -> Bool {
        guard isLimited, !isResting else { return false }
        (isResting, awaitsHistory, left, waitingPartial) = (true, true, link, nil)
        reading.withdrawOpenLines(report)
        let isNews = floodTold.map { now - $0 > Limits.floodTold } ?? true
        floodTold = now
        return isNews
    }

    /// - Returns: what to ask for where it has rested for long enough.
    private func restIsOver(now: Duration) -> ReadRequest? {
        guard isResting, allowance.writer.hasRecovered(now: now) else { return nil }
        isResting = false
        reading.forgiveSilence(now: now)
        return request
    }

    /// Whether whoever brings it may bring so much and no more.
    private var isLimited: Bool { limitsEverybody || link?.guest != nil }

    // MARK: Reading

    /// Its writer says how it stands. With the first of a link, and of a run, its reading begins.
    ///
    /// - Returns: what to ask the link for, where reading begins.
    func take(
        _ head: LogHead, as payload: UnsafeRawBufferPointer, from link: Shelf.Link, now: Moment,
        _ report: (GuestEvent) -> Void
    ) throws(GuestViolation) -> ReadRequest? {
        guard !isForked, !isComplete,
            try heads[link, default: HeadAllowance()].admits(head, as: payload, now: now.uptime)
        else { return nil }
        return try check(head, as: payload, from: link, now: now, report)
    }

    private func check(
        _ head: LogHead, as payload: UnsafeRawBufferPointer, from link: Shelf.Link, now: Moment,
        _ report: (GuestEvent) -> Void
    ) throws(GuestViolation) -> ReadRequest? {
        try judging((head.seq, payload), report) { () throws(GuestViolation) in
            try read(head, as: payload, from: link, now: now, report)
        }
    }

    /// Takes in what came too often to be checked at once, the newest of it.
    ///
    /// - Returns: what to ask the link for, where reading begins.
    func takeWaiting(now: Moment, _ report: (GuestEvent) -> Void) -> ReadRequest? {
        if let waiting = waitingPartial, allowance.writer.partials.admits(now: now.uptime) {
            waitingPartial = nil
            waiting.payload.withUnsafeBytes { payload in
                try? reading.take(
                    waiting.chunk, as: payload, clockOffset: nil, now: now, report)
            }
        }
        var request: ReadRequest?
        for link in Array(heads.keys) {
            guard !isForked, !isComplete,
                let waiting = heads[link]?.takeDue(now: now.uptime)
            else { continue }
            do throws(GuestViolation) {
                let bytes = waiting.payload.span.bytes
                let wanted = try bytes.withUnsafeBytes { bytes throws(GuestViolation) in
                    try check(waiting.head, as: bytes, from: link, now: now, report)
                }
                request = wanted ?? request
            } catch {
                sources.remove(link)
            }
        }
        return request
    }

    private func read(
        _ head: LogHead, as payload: UnsafeRawBufferPointer, from link: Shelf.Link, now: Moment,
        _ report: (GuestEvent) -> Void
    ) throws(GuestViolation) -> ReadRequest? {
        switch self.link {
        case link? where head.runs == runs:
            try reading.settle(clockOffset: nil, now: now, report)
            _ = try reading.take(head, as: payload, now: now, report)
        // Who holds an older run than is here has nothing to give, and may not know better.
        case nil where reading.isOlder(head): return nil
        case nil, link?: return try begin(by: link, at: head, as: payload, now: now, report)
        default:
            try reading.compare(head, as: payload)
            if reading.isOlder(head) { return nil }
        }
        sources.note(head, as: payload, from: link, now: now.uptime, isShort: reading.isShort)
        return nil
    }

    /// Goes over to who has told of more than comes from where it is read, or that is gone.
    ///
    /// - Returns: what to ask him for.
    func goOver(now: Moment, _ report: (GuestEvent) -> Void) -> ReadRequest? {
        guard !isForked, !isComplete, !isResting,
            let offer = sources.due(
                progressed: reading.progressed, now: now.uptime, isShort: reading.isShort)
        else { return nil }
        left = link ?? left
        waitingPartial = nil
        reading.withdrawOpenLines(report)
        do throws(GuestViolation) {
            let payload = offer.payload.span.bytes
            return try payload.withUnsafeBytes { payload throws(GuestViolation) in
                try judging((offer.head.seq, payload), report) { () throws(GuestViolation) in
                    try begin(by: offer.link, at: offer.head, as: payload, now: now, report)
                }
            }
        } catch {
            [link, offer.link].compactMap(\.self).forEach { sources.remove($0) }
            return nil
        }
    }

    private func begin(
        by link: Shelf.Link, at head: LogHead, as payload: UnsafeRawBufferPointer, now: Moment,
        _ report: (GuestEvent) -> Void
    ) throws(GuestViolation) -> ReadRequest? {
        try begin(at: head, as: payload, now: now, report)
        sources.read(by: link, at: head, as: payload, now: now.uptime)
        (runs, awaitsHistory, hasAskedAgain, isRepeated) = (head.runs, true, false, false)
        allowance.begin(after: lastSeq, through: head.seq)
        retryAt = nil
        // Whoever comes back goes on where he was.
        isResting =
            isLimited && (isResting || allowance.writer.isSpent)
            && !allowance.writer.hasRecovered(now: now.uptime)
        if isResting { return nil }
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
    var request: ReadRequest {
        ReadRequest(
            title.session, after: lastSeq, run: reading.position?.run)
    }

    /// - Parameter response: what to do where the sender says that lines are gone.
    /// - Throws: also where it is others who are to be asked.
    func take(
        _ history: FullHistory, onGap response: GapResponse, now: Moment,
        _ report: (GuestEvent) -> Void
    ) throws(GuestViolation) {
        try reading.settle(clockOffset: nil, now: now, report)
        // Each answer is one word on what is gone, however many gaps it tells of.
        guard !isResting, retryAt == nil else { return }
        isRepeated = history.from >= 1 && history.from <= lastSeq
        guard !isRepeated else {
            reading.repeatLines(history)
            return awaitsHistory = false
        }
        do throws(GuestViolation) {
            try reading.take(
                history, acceptsGap: response == .accept, now: now, report)
            awaitsHistory = false
        } catch {
            guard case .linesLacking = error, case .askAgain(let pause) = response else {
                throw error
            }
            (awaitsHistory, retryAt) = (true, now.uptime + pause)
        }
    }

    func take(
        _ chunk: LiveChunk, as payload: UnsafeRawBufferPointer, now: Moment,
        _ report: (GuestEvent) -> Void
    ) throws(GuestViolation) {
        guard !awaitsHistory, chunk.isFinal || !isAtEnd else { return }
        if isRepeated, let seq = chunk.seq {
            guard seq >= reading.next else { return reading.skip(payload) }
            isRepeated = false
        }
        if chunk.isFinal {
            // A packet may be larger than its text.
            if isLimited, allowance.counts(chunk.seq ?? .max) {
                finals += 1 + payload.count / Limits.lineBytes
            }
            waitingPartial = nil
        } else if isLimited {
            allowance.writer.partialFlood.take(1, now: now.uptime)
            waitingPartial = nil
            // That an open line is taken back is not signed.
            guard chunk.text.isEmpty || allowance.writer.partials.admits(now: now.uptime) else {
                return waitingPartial = (chunk, Array(payload))
            }
        }
        _ = try judging(nil, report) { () throws(GuestViolation) -> Void? in
            try reading.take(chunk, as: payload, clockOffset: nil, now: now, report)
        }
        hasAskedAgain = false
    }

    /// Whether what is begun now is behind the last line of the event: it is said to nobody.
    private var isAtEnd: Bool { end.map { reading.next > $0 } ?? false }

    func settle(
        mayWait: Bool, now: Moment, _ report: (GuestEvent) -> Void
    ) throws(GuestViolation) {
        _ = try judging(nil, report) { () throws(GuestViolation) -> Void? in
            try reading.settle(mayWait: mayWait, clockOffset: nil, now: now, report)
        }
        leaveAtEnd(report)
    }

    /// Lines of which its writer has told and that do not come are asked for again, once.
    ///
    /// - Parameters:
    ///   - time: for how long none has come.
    ///   - arrived: since when whoever brings it knows what was asked of him; nil where he may not.
    /// - Throws: where they still do not come.
    func requestLacking(
        for time: Duration, since arrived: Duration?, now: Duration
    ) throws(GuestViolation) -> ReadRequest? {
        if isResting { return restIsOver(now: now) }
        if let retryAt {
            guard retryAt <= now else { return nil }
            self.retryAt = nil
            return request
        }
        guard let arrived, reading.lacksLines(for: time, since: arrived, now: now) else {
            return nil
        }
        guard !hasAskedAgain else { throw .linesKeptBack }
        hasAskedAgain = true
        reading.forgiveSilence(now: now)
        return request
    }

    /// Nobody was listening until now: no line is kept back.
    func forgiveSilence(now: Duration) { reading.forgiveSilence(now: now) }

    /// A link is gone.
    func ended(_ link: Shelf.Link, _ report: (GuestEvent) -> Void) {
        if self.link == link {
            reading.withdrawOpenLines(report)
            waitingPartial = nil
        }
        heads[link] = nil
        sources.remove(link)
    }

    /// Nobody brings it any more.
    func close(_ report: (GuestEvent) -> Void) {
        reading.withdrawOpenLines(report)
        waitingPartial = nil
        heads = [:]
        sources.removeAll()
    }

    // MARK: How it stands

    /// Whether its writer has said how it stands, or nothing of it is wanted.
    var isKnown: Bool { !runs.isEmpty || isComplete || isForked }

    /// Whether whoever brings it has told of more than is here.
    var lacksLines: Bool {
        link.flatMap { sources.offer(of: $0) }.map { reading.isShort(of: $0.head) } ?? false
    }

    /// The lines at its end that whoever brings it has told of, and has not brought; nil for none.
    var linesNotBrought: ClosedRange<Int>? {
        let head = link.flatMap { sources.offer(of: $0) }?.head
        return head.flatMap { reading.linesNotBrought(before: $0) }
    }

    /// How its writer stands, where that is news.
    func newStanding(now: Duration) -> LogStanding? {
        let standing: LogStanding
        if isForked {
            standing = .forked
        } else if isComplete || reading.hasLeft {
            standing = .ended
        } else if reading.unheard(now: now) != nil {
            standing = .stale
        } else {
            standing = reading.toldTrouble == .offAir ? .standby : .live
        }
        guard !runs.isEmpty, standing != told?.standing || isRenamed(now: now) else { return nil }
        told = (standing, title, now)
        return standing
    }

    /// Whether it has had another name for so long that people are told.
    private func isRenamed(now: Duration) -> Bool {
        told.map { $0.title != title && now - $0.at >= Limits.recordsPassedOn } ?? false
    }

    /// Why nothing comes in, and for how long its writer was not heard, where that is too long.
    func trouble(now: Duration) -> (trouble: InputTrouble?, unheardFor: Duration?) {
        let trouble = reading.toldTrouble
        return (trouble, trouble == .ended ? nil : reading.unheard(now: now))
    }

    /// What its writer says of whose turn it is.
    func airClaim(rank: Int, now: Duration) -> AirClaim? {
        guard end == nil, !isForked else { return nil }
        return reading.airClaim((title.label, title.deviceName), rank: rank, now: now)
    }

    /// What is wrong with it; nil where nothing is.
    var brokenInvariant: String? {
        if let end, lastSeq > end, link != nil { return "it is read behind line \(end)" }
        return reading.brokenInvariant ?? log?.brokenInvariant
    }
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
