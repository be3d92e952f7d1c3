import FoundationEssentials

/// Reads an event's log from one connection after another: knows what is there, what to ask for, and
/// whether what comes fits.
///
/// Invariant: the finals reported so far are the host's lines up to `lastSeq` (less those that were
/// not asked for, the gaps that were told and the lines that were withdrawn), each once, in order,
/// of one session; of a signed log their writer has signed them. What a ``Replica`` keeps is what
/// was taken in here. Lines of a gap that somebody told who holds the log are reported later, once,
/// where the log's host still has them.
struct LogReading {
    /// The session that lines are numbered in, once a host has answered.
    private(set) var session: String?
    /// The event's name and its host's key, as a host has told and proved them in this program.
    private var host: (event: String, key: Fingerprint)?
    /// The newest line taken in, reported or not, and proven where the log is signed; nil before the
    /// first history.
    private(set) var lastSeq: Int?
    /// The last line that is of the event; nil for a log without an end.
    var end: Int?
    /// Lines that were reported.
    private(set) var reportedLines = 0
    /// How late the last live lines came.
    private(set) var latencies = Latencies()

    private let replica: Replica?
    /// Nil for a guest that reads no signed logs.
    private let crypto: (any LogCrypto)?
    /// The machine that serves the log where that is not its writer's, and nothing counts but what is
    /// signed.
    private var holder: String?
    private var isHeld: Bool { holder != nil }
    /// Who has signed the log, once that is known: nobody else's lines can follow.
    private var writer: Fingerprint?
    private var proof = Proof.none
    /// What the writer has signed, by whatever connection it came.
    private let signed = SignedHashes()
    /// Whether its lines are those of another log, in another language.
    private var isTranslation = false
    /// The event that the log has founded, where it has.
    private(set) var founded: Shelf.Event?
    /// The id of the event in which everybody may write, where it is one, also as it was kept.
    private var openEvent: String?
    /// The newest word of the log's writer on how it stands, and when that came.
    private var newest: (head: LogHead, at: Duration)?
    /// Since when lines come for which the newest head is too old; nil where it is not.
    private var headsLackedSince: Duration?
    /// When the last line came, or lines began to be missing.
    private(set) var progressed = Duration.zero
    /// When the last caption came, final or not; nil before the first.
    private var lastWord: Duration?
    /// The places of the lines through `lastSeq` in the event's order.
    private var places = LinePlaces()
    /// What the lines through `lastSeq` hash to, where that was proven.
    private var chain: LineChain?
    /// The run of the session in which `lastSeq` came; nil where that is not known.
    private var run: Int?
    /// Where to begin in an event that nothing is there of: of one that is begun anew all is wanted.
    private var wantedStart: GuestSession.Start
    /// Where to begin, as far as it is known: "the next" is a number once a host has answered.
    private var start: GuestSession.Start
    /// Lines before this one are not reported: nobody asked for them.
    private var firstWanted: Int
    private var history = 0..<0
    /// Lines that those lack who hold the log, as far as that was told, and that its host may have.
    private var lacking: [ClosedRange<Int>] = []
    /// Where the reading was before it went back to lines that are lacking; nil where it is not
    /// behind that.
    private var ahead: (seq: Int, chain: LineChain?)?
    /// What those who hold the log have said of the lines that are due.
    private var gapWords = GapWords()
    /// The position before a gap that nothing signed has shown yet; nil if there is none.
    private var assumed: AssumedGap?

    /// Lines that count as gone by somebody's word. What is signed behind them shows that it knows
    /// the writer's log; until then another connection begins where the reading was before.
    private struct AssumedGap {
        let lastSeq: Int?
        let chain: LineChain?
        let places: LinePlaces
        /// The first line that is missed, and the first that is said to be there.
        let missing: Int
        let first: Int
    }

    /// The newest line taken in, whatever was said to be gone behind it.
    private var shownSeq: Int? { assumed.map(\.lastSeq) ?? lastSeq }
    /// What is only begun, as it was said last.
    private var openLines = OpenLines<String, PartialLine>()
    /// When the last lines were done, by their writer's clock: what was said of them before is history.
    private var done = DoneLines()
    /// Whether readers do not see that: nobody can say whether it is still being said.
    private var hidesOpenLines = false
    private var inputAge = 0.0
    /// Whether the reader is to be told that the event is begun anew.
    private var isBegunAnew = false
    private(set) var inputTrouble: InputTrouble?

    /// What the connection that is on brings with the lines.
    private enum Proof {
        /// Nothing: the log is not signed.
        case none
        /// The log's record is still to come.
        case awaitsRecord(JoinedEvent)
        /// The writer's word on how the log stands is still to come; the record is here as it came.
        case awaitsHead(JoinedEvent, LineProof, record: [UInt8])
        case signed(LineProof)
    }

    /// - Parameters:
    ///   - start: where to begin in an event that nothing is there of.
    ///   - resume: what is there already, from an earlier run.
    ///   - replica: keeps what is taken in; nil where nobody wants it again.
    ///   - crypto: proves a signed log's lines; nil to read every log as one that is not signed.
    init(
        from start: GuestSession.Start, resuming resume: Handshake.Resume?,
        keeping replica: Replica?, proving crypto: (any LogCrypto)?
    ) {
        self.crypto = crypto
        wantedStart = start
        self.start = start
        if case .line(let seq) = start { firstWanted = seq } else { firstWanted = 1 }
        session = resume?.session
        lastSeq = resume?.after
        run = resume?.run
        self.replica = replica
        if lastSeq ?? 0 > 0 { places.beginAmidst() }
        if let kept = replica?.kept { takeUp(kept, after: resume) }
    }

    /// What is kept is here already. A reader who has some of it needs the rest.
    private mutating func takeUp(_ kept: HeldLog, after resume: Handshake.Resume?) {
        (session, lastSeq, run) = (kept.event.session, kept.log.lastSeq, kept.log.runs.current)
        (chain, writer, newest) = (kept.chain, kept.event.writer, kept.newest)
        if kept.event.isOpen { openEvent = kept.event.session }
        lacking = Array(kept.damaged.prefix(Limits.lackingGaps))
        host = writer.map { (kept.event.eventName, $0) }
        holder = kept.event.holder
        places = LinePlaces(after: kept.log.lastPlace)
        noteSigned(kept.log)
        guard let resume, resume.session.lowercased() == kept.event.session else { return }
        let valid = kept.log.runs.valid(through: resume.after, of: resume.run)
        firstWanted = max(firstWanted, valid + 1)
    }

    /// Notes the hashes of the newest lines that were kept: their writer may sign others.
    private func noteSigned(_ log: EventLog) {
        let first = max(log.firstSeq, log.lastSeq - Limits.comparedLines + 1)
        guard first <= log.lastSeq else { return }
        var chain: LineChain?
        log.forEachPayload(from: first, through: log.lastSeq) { seq, payload in
            if chain?.seq != seq - 1 { chain = log.chain(before: seq) }
            chain?.append(SignedPayload(payload))
            // No head has come yet that could say something else.
            if let chain { try? signed.note(seq, run: log.runs.run(of: seq), chain.hash) }
        }
    }

    /// Reports what was kept.
    ///
    /// - Parameter lines: whether somebody reads them.
    mutating func reportKept(
        lines wantsLines: Bool, now: Moment, _ report: (GuestEvent) -> Void
    ) {
        guard let kept = replica?.kept, let log = replica?.log else { return }
        report(.joined(kept.event))
        guard wantsLines, start != .next else { return }
        var due = firstWanted
        log.forEachFinal(from: firstWanted) { seq, chunk in
            if seq > due { report(.gap(from: due, through: seq - 1)) }
            due = seq + 1
            reportedLines += 1
            let place = log.correctedPlace(of: seq) ?? chunk.at ?? seq
            var line = Self.line(
                seq, chunk, isTranslation: isTranslation, clockOffset: nil, now: now)
            line.at = place
            report(.line(line))
        }
    }

    /// The newest line taken in, and the session that it counts in.
    var position: Handshake.Resume? {
        guard let session, let shownSeq else { return nil }
        return Handshake.Resume(session: session, after: shownSeq, run: run)
    }

    /// A connection stands. Lines that were lacking are asked for, and with them what follows,
    /// which is reported once all the same. Whoever serves the log on goes back to the host alone:
    /// others may have less than is served.
    mutating func connected(toHost isHost: Bool) {
        takeBackAssumedGap()
        done.forgetWhatWasTakenBack()
        if let (seq, chain) = ahead, replica?.log?.lastSeq ?? seq >= seq {
            (lastSeq, self.chain, ahead) = (seq, chain, nil)
            places.goBack(to: replica?.log?.place(of: seq) ?? places.last)
        }
        guard isHost || replica == nil && gapWords.isEmpty, readsProofs, let newest = lastSeq,
            let first = lacking.first?.lowerBound, first <= newest,
            isHost || newest - first < Limits.linesReadAgain
        else { return }
        ahead = ahead ?? (newest, chain)
        (lastSeq, chain) = (first - 1, nil)
        places.goBack(to: replica?.log?.place(of: first - 1))
    }

    /// Whether it reads signed logs.
    var readsProofs: Bool { crypto != nil }

    /// Asks a host for what is not there yet.
    mutating func ask(in handshake: inout Handshake) {
        // What an earlier connection brought and did not prove is gone with it.
        proof = .none
        if readsProofs { handshake.logs = Handshake.currentLogs }
        // What is kept for others is wanted whole, whatever is shown.
        guard lastSeq == nil, replica == nil else { return }
        switch start {
        case .beginning: break
        case .line(let seq): handshake.from = seq
        case .next: handshake.history = Handshake.noHistory
        }
    }

    /// Whether its lines could follow what is there, or the event's own host has begun it anew.
    func mayGoOn(in event: JoinedEvent) -> Bool {
        session.map { $0.lowercased() == event.session } ?? true || lastSeq ?? 0 == 0
            || isSuccessor(event)
    }

    private func isSuccessor(_ event: JoinedEvent) -> Bool {
        guard let host, let key = event.security.fingerprint else { return false }
        return host == (event.eventName, key)
    }

    /// A host has let us in: what follows is this event's log.
    mutating func begin(_ event: JoinedEvent, now: Moment, _ report: (GuestEvent) -> Void) {
        takeBackAssumedGap()
        if session?.lowercased() != event.session { beginAnew() }
        session = event.session
        proof = event.isSigned ? .awaitsRecord(event) : .none
        (inputAge, inputTrouble, holder) = (0, nil, nil)
        headsLackedSince = nil
        guard !event.isSigned else { return }
        tellBegunAnew(report)
        beginAtNext(of: event)
        host = event.security.fingerprint.map { (event.eventName, $0) }
        forgetWhatTheHostLost(event.runs, report)
        replica?.begin(event, through: lastSeq ?? 0, now: now)
    }

    /// "The next" is a number from now on; of a signed log by its writer's word.
    private mutating func beginAtNext(of event: JoinedEvent) {
        guard start == .next, lastSeq == nil || replica?.kept?.event.session == event.session else {
            return
        }
        firstWanted = event.history + 1
        start = .line(firstWanted)
    }

    /// Where a reader has something of the old session, all of the new one is news to it.
    private mutating func beginAnew() {
        if lastSeq ?? 0 > 0 {
            (wantedStart, firstWanted, isBegunAnew) = (.beginning, 1, true)
        }
        (lastSeq, run, chain, newest, start) = (nil, nil, nil, nil, wantedStart)
        places = LinePlaces()
        (lacking, ahead) = ([], nil)
        signed.forget()
        gapWords.forget()
    }

    /// The reader is told once it is known whose log the new one is.
    private mutating func tellBegunAnew(_ report: (GuestEvent) -> Void) {
        if isBegunAnew { report(.begunAnew) }
        isBegunAnew = false
    }

    /// A host that came back after a loss of power may lack the last lines that are here.
    private mutating func forgetWhatTheHostLost(
        _ runs: SessionRuns, _ report: (GuestEvent) -> Void
    ) {
        defer { run = runs.current }
        guard let last = lastSeq else { return }
        let newest = max(last, ahead?.seq ?? 0)
        let valid = runs.valid(through: newest, of: run)
        guard valid < newest else { return }
        (lastSeq, chain) = (min(last, valid), nil)
        places.goBack(to: replica?.log?.place(of: min(last, valid)))
        if ahead != nil { ahead = (valid, nil) }
        lacking = lacking.compactMap { gap in
            gap.lowerBound > valid ? nil : gap.lowerBound...min(gap.upperBound, valid)
        }
        gapWords.forget()
        let from = max(valid + 1, firstWanted)
        if from <= newest { report(.withdrawn(from: from, through: newest)) }
    }

    // MARK: What comes

    /// What the log is, before anything of it.
    ///
    mutating func take(
        _ record: LogRecord, as payload: UnsafeRawBufferPointer
    ) throws(GuestViolation) {
        guard case .awaitsRecord(var event) = proof, record.session == session,
            let crypto, let log = UUID(uuidString: record.session)
        else { return }
        let lines: LineProof
        do throws(GuestViolation) {
            lines = try LineProof(
                record, as: payload, of: log, by: writer, comparedWith: signed, crypto)
        } catch {
            // The nodes of a mesh go over to an event that another has founded.
            throw openEvent.map { $0 != record.session } == true ? .wentOver : error
        }
        event.isWritten(by: lines.writer, as: record)
        isTranslation = record.kind == LogRecord.translation
        founded = Shelf.Event(record, log, foundedBy: lines.verifier) ?? founded
        if founded?.isOpen == true { openEvent = founded?.id.wireName }
        (writer, host, holder) = (lines.writer, (event.eventName, lines.writer), event.holder)
        proof = .awaitsHead(event, lines, record: Array(payload))
    }

    /// - Parameter acceptsGap: whether one word is enough for lines that are gone.
    mutating func take(
        _ history: FullHistory, acceptsGap: Bool = false, now: Moment,
        _ report: (GuestEvent) -> Void
    ) throws(GuestViolation) {
        progressed = now.uptime
        takeBackAssumedGap()
        guard history.session.lowercased() == session else { throw .wrongSession }
        guard history.from >= 1, history.through >= history.from - 1 else {
            throw .historyGoesBack(expected: (lastSeq ?? 0) + 1, from: history.from)
        }
        guard history.through <= Limits.lineNumber else {
            throw .lineNumberTooLarge(history.through)
        }
        let expected = lastSeq.map { $0 + 1 } ?? min(firstWanted, history.through + 1)
        guard history.from >= expected || lastSeq == nil else {
            throw .historyGoesBack(expected: expected, from: history.from)
        }
        if isHeld, let ahead, history.through < ahead.seq {
            throw .linesLacking(from: history.through + 1, through: ahead.seq)
        }
        let wanted = max(firstWanted, (ahead?.seq ?? 0) + 1)
        let missing = max(expected, min(wanted, history.through + 1))
        try judge(history, missing: missing, acceptsGap: acceptsGap)
        let gap = AssumedGap(
            lastSeq: lastSeq, chain: chain, places: places, missing: missing, first: history.from)
        let isAssumed = isHeld && history.from > expected
        if !isAssumed { take(gap, report) }
        // The finals of open lines may be among what is gone; the host sends those still open again.
        if history.from > expected { withdrawOpenLines(report) }
        switch proof {
        case .none: chain = nil
        case .awaitsRecord: throw .record("did not say who has written the log")
        case .awaitsHead: throw .record("did not say how the log stands")
        case .signed(let lines):
            try lines.begin(history)
            chain = lines.shown
            replica?.goOn(from: lines.chain)
        }
        if lastSeq == nil, history.from > 1 { places.beginAmidst() }
        lastSeq = history.from - 1
        self.history = history.from..<history.through + 1
        if isAssumed {
            assumed = gap
            showAssumedGap(report)
        }
    }

    private mutating func take(_ gap: AssumedGap, _ report: (GuestEvent) -> Void) {
        noteLacking(gap.missing, gap.first)
        if gap.first > gap.missing { report(.gap(from: gap.missing, through: gap.first - 1)) }
    }

    /// The gap is told once something that is signed has shown what is behind it.
    private mutating func showAssumedGap(_ report: (GuestEvent) -> Void) {
        // Without the first check each line copies it.
        guard assumed != nil, let gap = assumed, case .signed(let lines) = proof,
            !lines.isBehindUnproven
        else {
            return
        }
        assumed = nil
        take(gap, report)
    }

    private mutating func takeBackAssumedGap() {
        guard let gap = assumed else { return }
        (assumed, lastSeq, chain, places) = (nil, gap.lastSeq, gap.chain, gap.places)
    }

    /// Lines that are here come again, by who is asked for the log from now on.
    func repeatLines(_ history: FullHistory) {
        if case .signed(let lines) = proof { lines.repeatLines(history) }
    }

    /// A line that is here came again.
    func skip(_ payload: UnsafeRawBufferPointer) {
        if case .signed(let lines) = proof { lines.skip(payload) }
    }

    /// Of lines that who holds the log lacks the host may be asked; of those that it lacks itself
    /// nobody.
    private mutating func noteLacking(_ missing: Int, _ first: Int) {
        if !isHeld {
            lacking = lacking.compactMap { gap in
                gap.upperBound < first ? nil : max(gap.lowerBound, first)...gap.upperBound
            }
        } else if first > missing, lacking.count < Limits.lackingGaps {
            lacking.append(missing...first - 1)
        }
    }

    /// Others may hold what one lacks, or keeps back: what is gone is gone by several words.
    private mutating func judge(
        _ history: FullHistory, missing: Int, acceptsGap: Bool
    ) throws(GuestViolation) {
        guard isHeld, history.from > missing, !acceptsGap else { return gapWords.forget() }
        guard gapWords.areGone(before: history.from) else {
            throw .linesLacking(from: missing, through: history.from - 1)
        }
    }

    /// - Parameters:
    ///   - payload: the packet as it came.
    ///   - clockOffset: the host's clock minus ours, in seconds, where that is known.
    mutating func take(
        _ chunk: LiveChunk, as payload: UnsafeRawBufferPointer, clockOffset: Double?, now: Moment,
        _ report: (GuestEvent) -> Void
    ) throws(GuestViolation) {
        guard chunk.text.utf8.count <= Limits.lineBytes else {
            throw .lineTooLong(bytes: chunk.text.utf8.count)
        }
        guard !chunk.hasLongLabel else { throw .labelTooLong }
        // A larger packet could not be stored and read again.
        guard payload.count <= Limits.journalFramePayload else {
            throw .captionTooLarge(bytes: payload.count)
        }
        switch proof {
        case .none, .signed: break
        // Whoever keeps back what would prove it could say anything.
        case .awaitsRecord, .awaitsHead:
            throw .record("sent captions before it said how the log stands")
        }
        if !chunk.isFinal, chunk.text.isEmpty, case .signed = proof {
            try settle(clockOffset: clockOffset, now: now, report)
            // It may be anybody's, and is no sign that the writer speaks.
            return takeBack(chunk.line, report)
        }
        inputAge = 0
        lastWord = now.uptime
        replica?.inputArrived(now: now)
        guard chunk.isFinal else {
            try settle(clockOffset: clockOffset, now: now, report)
            if case .signed(let lines) = proof { try lines.check(partial: payload) }
            // Its writer has signed it, and who holds the log may say it again at any time.
            if isHeld, done.isOld(chunk) || isHistory(chunk) { return }
            done.note(open: chunk)
            replica?.keep(partial: chunk, as: payload)
            return take(partial: chunk, report)
        }
        guard let seq = chunk.seq else { throw .lineWithoutNumber }
        guard seq == next else { throw .lineOutOfOrder(expected: next, got: seq) }
        progressed = now.uptime
        guard case .signed(let lines) = proof else {
            return take(final: seq, chunk, as: payload, clockOffset: clockOffset, now: now, report)
        }
        try lines.hold(chunk, as: payload, isKept: replica != nil)
    }

    /// Whether a partial was said before its writer went off the record: then no line is open.
    private func isHistory(_ partial: LiveChunk) -> Bool {
        guard let head = newest?.head, head.trouble == .offRecord else { return false }
        return partial.sentTimestamp < head.time
    }

    /// The line that is to come next.
    var next: Int {
        if case .signed(let lines) = proof { lines.next } else { (lastSeq ?? 0) + 1 }
    }

    /// Gives out what is proven by now. To be called before anything but captions is taken in, and at
    /// the end of what came: of many lines at once the last signature proves all.
    ///
    /// - Parameter mayWait: whether to leave it for what follows at once, where there is such.
    mutating func settle(
        mayWait: Bool = false, clockOffset: Double?, now: Moment, _ report: (GuestEvent) -> Void
    ) throws(GuestViolation) {
        guard case .signed(let lines) = proof else { return }
        if mayWait, lines.mayWait(for: history) { return }
        try lines.settle { line in
            // It has proven those before it.
            guard !isAtEnd else { return }
            showAssumedGap(report)
            line.payload.withUnsafeBytes {
                take(
                    final: (lastSeq ?? 0) + 1, line.chunk, as: $0, clockOffset: clockOffset,
                    now: now, report)
            }
        }
        chain = isAtEnd && lines.shown?.seq != lastSeq ? nil : lines.shown
        showAssumedGap(report)
    }

    /// Whether the last line is here that is of the event.
    private var isAtEnd: Bool { end.map { (lastSeq ?? 0) >= $0 } ?? false }

    /// The writer of a signed log says how that stands.
    ///
    /// - Returns: with the first of a connection the event, as its writer calls it.
    mutating func take(
        _ head: LogHead, as payload: UnsafeRawBufferPointer, now: Moment,
        _ report: (GuestEvent) -> Void
    ) throws(GuestViolation) -> JoinedEvent? {
        guard head.session == session else { return nil }
        var joined: JoinedEvent?
        switch proof {
        case .none, .awaitsRecord: return nil
        case .awaitsHead(let event, let lines, let record):
            joined = try begin(event, lines, record, head, as: payload, now: now, report)
        case .signed(let lines):
            if !lines.lacksLines { progressed = now.uptime }
            guard try lines.take(head, as: payload) else { return nil }
        }
        heard(head, now: now.uptime)
        replica?.keep(head, as: payload)
        return joined
    }

    /// Somebody who does not bring the lines has this word of the writer.
    ///
    /// - Throws: where it is not the writer's, or he has signed something else before.
    func compare(_ head: LogHead, as payload: UnsafeRawBufferPointer) throws(GuestViolation) {
        guard case .signed(let lines) = proof else { return }
        try lines.compare(head, as: payload)
    }

    /// What its writer says behind this line is none of the event's.
    mutating func cut(after seq: Int, now: Moment, _ report: (GuestEvent) -> Void) {
        takeBackAssumedGap()
        guard let newest = lastSeq, newest > seq, let session, let id = UUID(uuidString: session),
            let crypto
        else { return }
        (lastSeq, chain, ahead) = (seq, nil, nil)
        places.goBack(to: replica?.log?.place(of: seq))
        lacking.removeAll { $0.upperBound > seq }
        replica?.cut(after: seq, LineChain(of: id, by: crypto), now: now)
        let from = max(seq + 1, firstWanted)
        if from <= newest { report(.withdrawn(from: from, through: newest)) }
    }

    /// The runs of a log are its writer's to tell: what is withdrawn follows from them.
    private mutating func begin(
        _ event: JoinedEvent, _ lines: LineProof, _ record: [UInt8],
        _ head: LogHead, as payload: UnsafeRawBufferPointer, now: Moment,
        _ report: (GuestEvent) -> Void
    ) throws(GuestViolation) -> JoinedEvent {
        let told = try lines.runs(of: head, as: payload)
        guard !isOlder(head) else { throw .record("has an older log than was here") }
        var event = event
        // Whoever serves the log could say any number.
        event.history = min(max(head.seq, 0), Limits.lineNumber)
        tellBegunAnew(report)
        beginAtNext(of: event)
        forgetWhatTheHostLost(told, report)
        try lines.begin(head, told, after: chain)
        proof = .signed(lines)
        event.runs = told
        replica?.begin(event, through: lastSeq ?? 0, by: (record, lines.start), now: now)
        return event
    }

    /// What was heard before is not heard anew, whoever says it again.
    private mutating func heard(_ head: LogHead, now: Duration) {
        if let newest, !head.isNewer(than: newest.head) { return }
        (newest, headsLackedSince) = ((head, now), nil)
        if isHeld { inputTrouble = head.trouble }
        if head.trouble == .offRecord { done.endOpenLines() }
    }

    /// The logs whose writers were put out, where the log has founded the event.
    var putOut: [LogHead.PutOutLog] { newest?.head.putOut ?? [] }

    /// The number of other logs that the event's host offers to everybody, if the log has founded
    /// the event; nil if the host does not say.
    var offeredLogs: Int? { newest?.head.logs }

    /// Whether its writer has ended the event.
    var isToldOver: Bool { newest?.head.state == LogHead.State.ended.rawValue }

    /// Whether its writer has ended the event, and all of it is here.
    var isOver: Bool { isToldOver && shownSeq ?? 0 >= newest?.head.seq ?? 0 }

    /// The event is over by its writer's word.
    func end(_ message: String, now: Moment) { replica?.end(message, now: now) }

    private mutating func take(
        final seq: Int, _ chunk: LiveChunk, as payload: UnsafeRawBufferPointer,
        clockOffset: Double?, now: Moment, _ report: (GuestEvent) -> Void
    ) {
        lastSeq = seq
        let isLate = takeLate(seq)
        let isReadAgain = isReadAgain(seq)
        if isHeld {
            done.note(chunk)
            noteHeadsLacked(by: chunk, now: now.uptime)
        }
        let place = places.place(of: seq, said: chunk.at)
        replica?.keep(final: chunk, seq: seq, at: place, as: payload)
        let name = openLines.entries.isEmpty ? "" : Self.label(chunk.line)
        let wasOpen = openLines.close(name) != nil
        guard seq >= firstWanted, isLate || !isReadAgain else {
            // The final that would end it on the reader's screen is not shown.
            if wasOpen, !hidesOpenLines { report(.partial(PartialLine(withdrawing: name))) }
            return
        }
        var line = Self.line(
            seq, chunk, isTranslation: isTranslation, clockOffset: clockOffset, now: now)
        (line.at, line.isLate) = (place, isLate)
        // The age of a line from the history is no latency.
        if seq >= history.upperBound { latencies.add(line.latency) }
        reportedLines += 1
        report(.line(line))
    }

    /// Whether the reader has the line from before the reading went back.
    private mutating func isReadAgain(_ seq: Int) -> Bool {
        guard ahead != nil, let newest = ahead?.seq else { return false }
        if seq >= newest { ahead = nil }
        return seq <= newest
    }

    /// A line has come.
    ///
    /// - Returns: whether it was told to be missing.
    private mutating func takeLate(_ seq: Int) -> Bool {
        guard let last = lacking.last, seq <= last.upperBound,
            let index = lacking.firstIndex(where: { $0.contains(seq) })
        else { return false }
        let gap = lacking[index]
        lacking.remove(at: index)
        if seq < gap.upperBound { lacking.insert(seq + 1...gap.upperBound, at: index) }
        return true
    }

    /// Nobody has to sign that nothing is said, where something was: whoever serves the log could keep back
    /// what is.
    private mutating func takeBack(_ line: String, _ report: (GuestEvent) -> Void) {
        let label = Self.label(line)
        guard openLines.close(label) != nil else { return }
        done.takeBack(line)
        replica?.takeBack(line)
        if !hidesOpenLines { report(.partial(PartialLine(withdrawing: label))) }
    }

    private mutating func take(partial chunk: LiveChunk, _ report: (GuestEvent) -> Void) {
        let partial = PartialLine(
            line: Self.label(chunk.line), text: Self.text(chunk.text),
            speaker: chunk.speaker.map(Self.name), lang: chunk.lang.map(Self.label))
        let report = hidesOpenLines ? { _ in } : report
        if chunk.text.isEmpty {
            openLines.close(partial.line)
        } else if let oldest = openLines.renew(partial.line, partial) {
            report(.partial(PartialLine(withdrawing: oldest.id)))
        }
        report(.partial(partial))
    }

    /// - Returns: which of the contract's kinds it is; nil for a later version's.
    mutating func take(
        _ alert: Alert, as payload: UnsafeRawBufferPointer, _ report: (GuestEvent) -> Void
    ) -> Alert.Kind? {
        let name = SafeText.label(alert.kind, bytes: 40)
        let message = SafeText.label(alert.message ?? name, bytes: Limits.messageBytes)
        report(.alert(kind: name, message: message))
        let kind = Alert.Kind(rawValue: name)
        switch kind {
        case .inputStalled: inputTrouble = .stalled
        case .inputEnded: inputTrouble = .ended
        case .paused: inputTrouble = .paused
        case .offRecord: inputTrouble = .offRecord
        case .offAir: inputTrouble = .offAir
        case .resumed: inputTrouble = nil
        default: break
        }
        replica?.keep(kind, as: payload)
        return kind
    }

    /// The other side lives. How old the event's last input is counts by the writer's word alone.
    mutating func take(_ keepAlive: KeepAlive, now: Moment) {
        inputAge = max(0, Self.bounded(signedInputAge(now.uptime) ?? keepAlive.inputAge ?? 0))
        let since = now.uptime - .seconds(saturating: inputAge)
        replica?.inputArrived(now: Moment(uptime: since, wall: now.wall - inputAge))
    }

    /// The age of the last input in seconds, by the writer's newest head or a line behind it; nil
    /// on the writer's own connection.
    private func signedInputAge(_ now: Duration) -> Double? {
        guard isHeld, let newest else { return nil }
        let told = newest.head.inputAge + (now - newest.at).seconds
        guard shownSeq ?? 0 > newest.head.seq, let lastWord else { return told }
        return min(told, (now - lastWord).seconds)
    }

    /// Takes back what is open: the connection that would have closed it is gone.
    mutating func withdrawOpenLines(_ report: (GuestEvent) -> Void) {
        hideOpenLines(true, report)
        openLines.closeAll()
        hidesOpenLines = false
        replica?.withdrawOpenLines()
    }

    /// Takes what is open off readers' screens for as long as nothing is heard of who says it, or puts it
    /// back, as it is then.
    mutating func hideOpenLines(_ hides: Bool, _ report: (GuestEvent) -> Void) {
        guard hides != hidesOpenLines else { return }
        hidesOpenLines = hides
        for line in openLines.entries {
            report(.partial(hides ? PartialLine(withdrawing: line.id) : line.value))
        }
    }

    /// Whether lines of which the writer has told are kept back: none has come for that long.
    ///
    /// - Parameter askable: since when they could come.
    func lacksLines(
        for time: Duration, since askable: Duration = .zero, now: Duration
    ) -> Bool {
        guard case .signed(let lines) = proof, lines.lacksLines else { return false }
        return now - max(progressed, askable) >= time
    }

    /// A writer signs a head every few seconds. By the clock of the writer, this line is from a time when
    /// the newest head that came was too old.
    private mutating func noteHeadsLacked(by chunk: LiveChunk, now: Duration) {
        guard headsLackedSince == nil, let head = newest?.head,
            chunk.sentTimestamp > head.time + head.freshness.seconds
        else { return }
        headsLackedSince = now
    }

    /// Whether heads are kept back: the writer's lines have come without one for too long.
    func lacksHeads(now: Duration) -> Bool {
        guard let headsLackedSince, let head = newest?.head else { return false }
        return now - headsLackedSince >= head.freshness
    }

    /// Nobody was reading until now: no head is kept back.
    mutating func forgiveLackOfHeads() { headsLackedSince = nil }

    /// Whether a head of the writer's is of an earlier run than was read here.
    func isOlder(_ head: LogHead) -> Bool { head.runs.count < run ?? 1 }

    /// Whether a head of the writer's tells of more than is here.
    func isShort(of head: LogHead) -> Bool {
        newest.map { head.isNewer(than: $0.head) } ?? true || shownSeq ?? 0 < head.seq
    }

    /// The lines behind the newest one here that a head of the writer's tells of; nil for none.
    func linesNotBrought(before head: LogHead) -> ClosedRange<Int>? {
        let first = (shownSeq ?? 0) + 1
        return first <= head.seq ? first...head.seq : nil
    }

    /// Nobody was reading until now, or a line is on its way, slowly: no line is kept back.
    mutating func forgiveSilence(now: Duration) { progressed = now }

    /// What a reader can be told of where the event is.
    func state(silentAfter: Duration, now: Duration) -> GuestState {
        let received = lastSeq ?? 0
        if received + 1 < history.upperBound {
            return .syncing(received: received - history.lowerBound + 1, total: history.count)
        }
        if let holder, let age = unheard(now: now) {
            return .unheard(via: holder, headAge: age.seconds)
        }
        if let inputTrouble { return .stalled(inputTrouble) }
        return inputAge >= silentAfter.seconds ? .silent(inputAge: inputAge) : .live
    }

    /// How long ago the log's writer was last heard, where that is too long by its own word. Whoever
    /// reads from a holder learns by that alone that the writer is gone.
    func unheard(now: Duration) -> Duration? {
        guard let newest else { return nil }
        let age = now - newest.at
        return newest.head.isFarewell || age > newest.head.freshness ? age : nil
    }

    /// What the log's writer says of whose turn it is.
    func airClaim(_ title: (label: String, deviceName: String), rank: Int, now: Duration)
        -> AirClaim?
    {
        guard let session, let head = newest?.head else { return nil }
        let isOver = head.state == LogHead.State.ended.rawValue
        return AirClaim(
            session: session, label: title.label, deviceName: title.deviceName, air: head.air,
            rank: rank, handTo: head.handTo, time: head.time,
            isWithheld: [.paused, .offRecord].contains(head.trouble), lastWord: lastWord,
            isFresh: !isOver && unheard(now: now) == nil, isOver: isOver)
    }

    /// The highest place among those of the event's lines that its writer has told of, as far as
    /// their own next line could have it.
    var place: Int { min(newest?.head.at ?? 0, places.last + Limits.placeStep) }

    /// What keeps words from coming into it, by its writer's word.
    var toldTrouble: InputTrouble? { isOver ? .ended : newest?.head.trouble }

    /// Whether its writer has said that nothing follows, for now or for good, and all that was said is
    /// here.
    var hasLeft: Bool {
        guard let head = newest?.head, isOver || head.isFarewell else { return false }
        return shownSeq ?? 0 >= head.seq
    }

    /// What is wrong; nil where nothing is.
    var brokenInvariant: String? {
        // Until a new event's log has begun the replica has the old one's.
        guard let log = replica?.log, log.session.wireName == session?.lowercased(),
            case let kept = log.lastSeq, kept > max(lastSeq ?? 0, ahead?.seq ?? 0)
        else { return nil }
        return "the replica has line \(kept), and \(lastSeq ?? 0) was taken in"
    }

    // MARK: What a reader gets

    /// A line as a reader gets it, but for its place among those of other logs.
    private static func line(
        _ seq: Int, _ chunk: LiveChunk, isTranslation: Bool, clockOffset: Double?, now: Moment
    ) -> TranscriptLine {
        var line = TranscriptLine(
            seq: seq, line: label(chunk.line), text: text(chunk.text),
            replaces: chunk.replaces, sentTimestamp: chunk.sentTimestamp,
            receivedTimestamp: now.wall,
            latency: bounded(now.wall + (clockOffset ?? 0) - chunk.sentTimestamp))
        // The lines of another log may go on farther than this one's.
        let end = isTranslation ? Limits.lineNumber + 1 : seq
        line.of = chunk.of.flatMap { (1..<end).contains($0) ? $0 : nil }
        line.details = chunk.details.mapped(SafeText.limited)
        return line
    }

    /// What becomes visible in a text takes more room; the limits hold for what a reader gets.
    private static func text(_ text: String) -> String {
        SafeText.label(text, bytes: Limits.lineBytes)
    }

    private static func name(_ speaker: String) -> String {
        SafeText.name(speaker, bytes: Limits.labelBytes)
    }

    private static func label(_ text: String) -> String {
        SafeText.label(text, bytes: Limits.labelBytes)
    }

    /// A host may say any number; a reader has to be able to show it, in milliseconds too.
    private static func bounded(_ seconds: Double) -> Double {
        min(max(seconds, -Limits.seconds), Limits.seconds)
    }
}
