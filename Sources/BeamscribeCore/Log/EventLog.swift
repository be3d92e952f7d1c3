public import FoundationEssentials

/// An event as everybody may read it: its finals, what is still open, and what everybody is told.
///
/// A ``Publisher`` says lines into it. Whoever reads is a ``Reader``, a place in it that its owner
/// keeps: a ``Room`` serves guests of the wire so, a browser brings its own. What has to have a line
/// before anybody reads it, the file on the disk, is a sink.
///
///     Publisher -> append -> | transcript: 1 2 3 ... lastSeq |
///                                            ^ sinks have this much
///                              readers get no more than that, then the open lines, then the end
///
/// A log with a ``LogWriter`` is signed, batch by batch: what is said waits until ``seal()``, which
/// signs the batch's last final, and with that all before it, and each partial. A log that another has
/// signed is held as it came (``Replica``), with what proves it.
///
/// Invariant: the finals are `1...lastSeq`, each said once and never changed once it may be read;
/// `readableEnd` is as far as every sink is that takes what it is given, and of a signed log the end of
/// a line that this run has signed, or of what was there when it began.
public final class EventLog {
    /// The session's id: the epoch in which finals are numbered.
    public let session: UUID
    /// The starts of a host on this session, the one that is on included.
    public let runs: SessionRuns
    /// The places that the operator has marked, oldest first.
    public private(set) var marks: [SessionRecord.Mark]

    private let transcript: Transcript
    /// Gives lines their place among those of the event's other logs.
    private let order: EventOrder
    /// The places that the lines have there.
    private var places: LinePlaces
    private var word: Word
    /// How far the lines go to sinks and readers.
    private var sealedEnd: UInt64
    private var register = PartialRegister()
    private var head = NewestHead()
    private var sinks = Sinks()
    /// Where readers of the transcript have to stop for now.
    private var readableEnd: UInt64
    /// The newest line that memory has let go before a sink had it; nil once that was asked for.
    private var storageGap: Int?
    private var standing = StandingAlerts()
    private var alerts = AlertHistory()
    private var farewell: [UInt8]?
    private var lastInput: Moment
    private let encoder = FrameEncoder()
    private let packets = PacketDecoder()

    /// Whose word the lines are.
    private enum Word {
        /// Whoever brings them vouches for them.
        case unsigned
        case own(LogWriter)
        case another(HeldProofs)
    }

    /// - Parameters:
    ///   - transcript: what the event's log holds already; empty for a new event.
    ///   - order: that of the event's lines, where it has other logs.
    ///   - writer: signs what is said. A transcript whose lines are not hashed is not signed.
    public init(
        session: UUID, runs: SessionRuns = SessionRuns(), marks: [SessionRecord.Mark] = [],
        transcript: Transcript = Transcript(), in order: EventOrder = EventOrder(),
        signedBy writer: LogWriter? = nil, now: Moment
    ) {
        self.session = session
        self.runs = runs
        self.marks = marks
        (self.transcript, self.order) = (transcript, order)
        word = transcript.chain == nil ? .unsigned : writer.map { .own($0) } ?? .unsigned
        sealedEnd = transcript.endOffset
        readableEnd = sealedEnd
        lastInput = now
        places = LinePlaces()
        // An older version may have followed somebody who said too high a place.
        if lastPlace - lastSeq > Limits.placeStep { correctPlaces() }
        places = LinePlaces(after: lastPlace)
        order.note(lastPlace, isMain: isMain)
    }

    private func correctPlaces() {
        var places = LinePlaces()
        forEachFinal(from: firstSeq) { seq, chunk in
            let place = places.place(of: seq, said: chunk.at)
            if place != chunk.at ?? seq { transcript.correct(placeOf: seq, to: place) }
        }
    }

    /// A log that another has signed, held up to a proven line.
    ///
    /// - Parameters:
    ///   - transcript: hashes its lines.
    ///   - record: the log's record, as it came.
    init(
        session: UUID, runs: SessionRuns, transcript: Transcript, holding record: [UInt8],
        now: Moment
    ) {
        (self.session, self.runs, self.transcript) = (session, runs, transcript)
        (marks, lastInput, order, places) = ([], now, EventOrder(), LinePlaces())
        word = .another(record.withUnsafeBytes { HeldProofs(record: $0) })
        sealedEnd = transcript.endOffset
        readableEnd = sealedEnd
    }

    /// Nil where another has signed the lines, or nobody.
    private var writer: LogWriter? { if case .own(let writer) = word { writer } else { nil } }
    /// Whether another has signed the lines, whose log this only holds.
    var isHeld: Bool { if case .another = word { true } else { false } }

    /// Whether it is the log that has founded its event.
    private var isMain: Bool { writer?.isMain ?? true }

    /// Whether what is said here are the lines of another log in another language, which `of` counts in.
    var isTranslation: Bool { writer?.isTranslation ?? false }
    /// The highest place in the event's order that is known here, which no line's number is above.
    var highestPlace: Int { order.highest }

    /// The newest final; 0 while there is none.
    public var lastSeq: Int { transcript.lastSeq }
    /// The oldest final that can still be had.
    public var firstSeq: Int { transcript.firstSeq }
    /// Bytes of finals in memory.
    public var byteCount: Int { Int(clamping: transcript.endOffset - transcript.startOffset) }
    /// Whether its lines are signed by their writer.
    public var isSigned: Bool { if case .unsigned = word { false } else { true } }
    /// What keeps words from coming in; nil where nothing does.
    var trouble: InputTrouble? { isOver ? .ended : head.trouble }
    /// Whether the last word was said: nothing follows.
    public var isOver: Bool { farewell != nil }

    // MARK: Saying

    /// Appends the final `lastSeq + 1`, and closes its line.
    ///
    /// - Returns: false where it holds a number that JSON cannot say; nothing is said then.
    func append(_ chunk: LiveChunk) -> Bool {
        var chunk = chunk
        let place = order.next(
            in: &places, of: lastSeq + 1, isMain: isMain,
            beginsRun: isMain && lastSeq > 0 && lastSeq == runs.currentBegan)
        chunk.at = place == lastSeq + 1 ? nil : place
        guard let frame = try? encoder.frame(.liveChunk(chunk)) else { return false }
        transcript.append(frame: frame)
        register.close(line: chunk.line)
        wasSaid()
        return true
    }

    /// In another of the event's logs a line has this place: what is said here next comes behind it.
    func noteOther(place: Int, isMain: Bool) { order.note(place, isMain: isMain) }

    /// Appends a final as another log had it, byte for byte.
    ///
    /// - Parameter place: the one that it has in the event's order, by ``LinePlaces``.
    func restore(
        final chunk: LiveChunk, seq: Int, at place: Int, payload: UnsafeRawBufferPointer
    ) {
        transcript.restore(payload: payload, seq: seq)
        if place != chunk.at ?? seq { transcript.correct(placeOf: seq, to: place) }
        register.close(line: chunk.line)
        wasSaid()
    }

    /// Readers hold what is not proven yet, and no more of it than ``Limits/unprovenBytes``.
    private func wasSaid() {
        guard writer == nil || transcript.endOffset - sealedEnd > Limits.unsealedBytes else {
            return
        }
        seal()
    }

    /// Ends a batch: signs what was said since the last one, and lets sinks have it, and then readers.
    /// Whoever gives out what was said calls this first; where signing fails, for want of memory say,
    /// it all waits for the next call.
    public func seal() {
        sealFinals()
        register.seal { frame in writer.map { $0.signed(partial: frame) } ?? frame }
    }

    private func sealFinals() {
        guard sealedEnd < transcript.endOffset else { return }
        if let writer, let chain = transcript.chain {
            guard let signature = writer.signature(of: chain) else { return }
            transcript.sign(signature)
        }
        sealedEnd = transcript.endOffset
        sinksHaveMoved()
    }

    /// The revision that the next partial of `line` carries.
    func nextRevision(of line: String) -> Int { register.nextRevision(of: line) }

    /// The lines that are open.
    var openLines: [String] { register.openLines }

    /// Replaces the newest partial of a line; an empty text withdraws it.
    ///
    /// - Returns: the line that has given way to it; nil where there was room.
    func set(partial chunk: LiveChunk) -> String? {
        guard let frame = try? encoder.frame(.liveChunk(chunk)) else { return nil }
        return set(partial: chunk, frame)
    }

    /// Replaces the newest partial of a line as another log had it, byte for byte.
    func restore(partial chunk: LiveChunk, payload: UnsafeRawBufferPointer) {
        _ = nextRevision(of: chunk.line)
        set(partial: chunk, FrameEncoder.frame(payload))
    }

    /// With too many open lines the oldest gives way, and whoever shows it is told: what pushes it
    /// out may be gone itself before they have read of it.
    @discardableResult
    private func set(partial chunk: LiveChunk, _ frame: [UInt8]) -> String? {
        let isWithdrawal = chunk.text.isEmpty
        let oldest = isWithdrawal ? nil : register.displaced(by: chunk.line)
        if let oldest { withdraw(oldest) }
        register.set(line: chunk.line, frame: frame, isWithdrawal: isWithdrawal)
        if writer == nil { seal() }
        return oldest
    }

    /// Takes back what is open.
    func withdrawOpenLines() { register.openLines.forEach(withdraw) }

    /// Takes back a line, where it is open.
    func takeBack(_ line: String) {
        if register.openLines.contains(line) { withdraw(line) }
    }

    /// Nobody has to sign that nothing is said: of another's log a word of ours does.
    private func withdraw(_ line: String) {
        _ = set(
            partial: LiveChunk(
                partialOf: line, revision: nextRevision(of: line), text: "",
                sentTimestamp: lastInput.wall))
    }

    /// Tells everybody. What lasts, an input that has ended say, is told to those who come later,
    /// too.
    public func tell(_ kind: Alert.Kind, _ message: String, now: Moment) {
        let alert = Alert(kind, message, sentTimestamp: now.wall)
        if let frame = try? encoder.frame(.alert(alert)) { tell(kind, frame) }
    }

    /// Tells everybody what another log has told.
    func restore(alert kind: Alert.Kind?, payload: UnsafeRawBufferPointer) {
        let frame = FrameEncoder.frame(payload)
        if kind == .ended { farewell = frame } else { tell(kind, frame) }
    }

    private func tell(_ kind: Alert.Kind?, _ frame: [UInt8]) {
        head.note(kind)
        standing.take(frame, kind)
        alerts.add(frame)
    }

    /// Marks a place for everybody.
    func mark(_ message: String, now: Moment) {
        marks = (marks + [.init(after: lastSeq, time: now.wall)]).suffix(Limits.marks)
        tell(.mark, message, now: now)
    }

    /// The last word, which each reader gets behind everything else.
    ///
    /// - Parameter kind: ``Alert/Kind/ended`` or ``Alert/Kind/hostDisconnected``.
    public func end(_ kind: Alert.Kind, _ message: String, now: Moment) {
        seal()
        head.note(kind)
        // Encoding fails for numbers that are not finite only, and a clock's are.
        farewell = (try? encoder.frame(.alert(Alert(kind, message, sentTimestamp: now.wall)))) ?? []
    }

    /// Whose turn the captions are, by ``Air``, and to which log's writer they are handed.
    public func set(air: Int, handTo session: String? = nil) {
        head.note(air: air, handTo: session)
    }

    /// Which other logs of the event that this log has founded have an end.
    func set(putOut logs: [LogHead.PutOutLog]) { head.note(putOut: logs) }

    /// The number of other logs of its event that everybody can be given.
    func set(logs count: Int) { head.note(logs: count) }

    /// Something came from what the event is made of, whether or not it made a line.
    public func inputArrived(now: Moment) { lastInput = now }

    /// How long ago that was, or the log was opened.
    public func inputAge(_ now: Duration) -> Duration { now - lastInput.uptime }

    // MARK: Reading

    /// A reader that begins behind line `seq`, or with what there is where that is gone. A number
    /// beyond the newest is of another session: such a reader has nothing.
    public func reader(after seq: Int) -> Reader {
        // The end of a line that is still to be signed is no place to stand at.
        seal()
        let next = (0...lastSeq).contains(seq) ? seq + 1 : 1
        var cursor = transcript.cursor(before: next)
        // Where that line is gone, the first look tells of the gap.
        cursor.seq = min(cursor.seq, next)
        return Reader(at: cursor)
    }

    /// The frames from `cursor` on that may be read: empty when there are none. Valid until the next
    /// change of the log.
    func frames(at cursor: TranscriptCursor) -> UnsafeRawBufferPointer {
        let frames = transcript.bytes(at: cursor)
        guard cursor.offset + UInt64(clamping: frames.count) > readableEnd else { return frames }
        guard cursor.offset < readableEnd else { return Self.nothing }
        return UnsafeRawBufferPointer(
            rebasing: frames[..<Int(clamping: readableEnd - cursor.offset)])
    }

    /// The rest of the frame that `cursor` has begun to read; empty between two frames.
    func restOfFrame(at cursor: TranscriptCursor) -> UnsafeRawBufferPointer {
        transcript.restOfFrame(at: cursor)
    }

    /// Moves `cursor` over `count` bytes of frames.
    func advance(_ cursor: inout TranscriptCursor, by count: Int) {
        transcript.advance(&cursor, by: count)
    }

    /// Whether `cursor` has every final that was said.
    func isDrained(by cursor: TranscriptCursor) -> Bool { cursor.offset == transcript.endOffset }

    /// Whether finals can be missing where `cursor` stands.
    func mayHaveGap(at cursor: TranscriptCursor) -> Bool { transcript.mayHaveGap(at: cursor) }

    /// Moves `cursor` over finals that are missing where it stands, and says which: they are gone
    /// from memory, or were lost.
    func skipGap(_ cursor: inout TranscriptCursor) -> ClosedRange<Int>? {
        transcript.skipGap(&cursor)
    }

    /// The newest partials, as frames, that a reader who has seen up to `stamp` is owed.
    func partials(after stamp: UInt64) -> [[UInt8]] { register.frames(after: stamp) }
    var newestPartial: UInt64 { register.newestStamp }

    /// What was told since `stamp`, as frames; to somebody who looks for the first time what holds.
    func alerts(after stamp: UInt64?) -> [[UInt8]] {
        stamp.map { Array(alerts.frames(after: $0)) } ?? standing.frames
    }
    var newestAlert: UInt64 { alerts.newestStamp }

    /// The last word, as a frame; nil while there is more to come.
    package var lastWord: [UInt8]? { farewell }

    // MARK: Proofs

    /// The number of the record that counts; 0 for a log that is not signed.
    public var recordNumber: Int { WrittenLog.introduction(record)?.number ?? 0 }

    /// Its writer says anew what it is: of another event, say. What was signed stays as it was.
    ///
    /// - Parameter writer: the same, in the same run.
    public func reintroduce(by writer: LogWriter) {
        if case .own = word { word = .own(writer) }
    }

    /// The record of a signed log, as a frame; nil for one that is not signed.
    var record: [UInt8]? {
        switch word {
        case .unsigned: nil
        case .own(let writer): writer.record
        case .another(let proofs): proofs.record
        }
    }

    /// What the lines before line `seq` hash to; nil where nobody has to know it.
    package func hash(before seq: Int) -> LogHash? { isSigned ? transcript.hash(before: seq) : nil }

    /// The chain of a signed log before line `seq`; nil where that is not known.
    func chain(before seq: Int) -> LineChain? { isSigned ? transcript.chain(before: seq) : nil }

    /// The first lines that are missing between others; nil for none.
    package var firstGap: ClosedRange<Int>? { transcript.firstGap }

    /// Whether a line is missing, with others behind it.
    package func lacks(_ seq: Int) -> Bool { seq <= lastSeq && final(seq) == nil }

    /// Where another's log goes on behind lines that are missing.
    var joints: [LineJoint] { transcript.joints }

    /// What proves another's log, as packets: its record, and the newest head of which all lines are here.
    var heldProofs: (record: [UInt8], head: [UInt8]?)? {
        guard case .another(let proofs) = word else { return nil }
        let prefix = FrameDecoder.prefixLength
        return (
            Array(proofs.record.dropFirst(prefix)),
            proofs.coveredFrame(through: lastSeq).map { Array($0.dropFirst(prefix)) }
        )
    }

    /// No line of the event follows in another's log, or again some may. Where the last one is
    /// signed, any head of its writer's introduces the log.
    func end(_ isOver: Bool) {
        guard case .another(var proofs) = word else { return }
        var isSigned = false
        if isOver, lastSeq > 0 {
            forEachPayload(from: lastSeq, through: lastSeq) {
                isSigned = SignedPayload($1).isSigned
            }
        }
        proofs.isWhole = isSigned
        word = .another(proofs)
    }

    /// Takes over the proofs of the log as it was before.
    func takeProofs(of old: EventLog) { word = old.word }

    /// How many lines its writer's newest word counts of which all are here; all, where the log is written here
    /// or is not signed.
    var countedLines: Int {
        guard case .another(let proofs) = word else { return lastSeq }
        return proofs.countedLines(through: lastSeq) ?? lastSeq
    }

    /// Another's log goes on behind a line whose hash is told, whatever is missing before it.
    func goOn(from chain: LineChain) { transcript.goOn(from: chain) }

    /// The writer of a log that is held has said how it stands.
    func keep(_ head: LogHead, as payload: UnsafeRawBufferPointer) {
        guard case .another(var proofs) = word else { return }
        proofs.take(head, as: payload, through: lastSeq)
        word = .another(proofs)
    }

    /// The writer of a log that is held says anew what it is.
    func keep(record payload: UnsafeRawBufferPointer) {
        guard case .another(var proofs) = word else { return }
        proofs.take(record: payload)
        word = .another(proofs)
    }

    /// How a signed log stands, as a frame; nil for one that is not signed.
    func head(_ timing: Timing, now: Moment) -> [UInt8]? { head(timing, isNew: false, now: now) }

    /// The same, where it is time to tell everybody.
    func dueHead(
        _ timing: Timing, for audience: NewestHead.Audience = .readers, now: Moment
    ) -> [UInt8]? {
        if case .another(var proofs) = word {
            defer { word = .another(proofs) }
            return proofs.dueFrame(through: lastSeq, for: audience)
        }
        let pause = timing.headPause(inputAge: inputAge(now.uptime))
        guard writer != nil, head.isDue(for: audience, every: pause, now: now.uptime),
            let frame = head(timing, isNew: true, now: now)
        else { return nil }
        head.wasTold(to: audience, now: now.uptime)
        return frame
    }

    /// The newest that whoever serves the event is told, each of several by a way of his own: the log's writer
    /// makes another where it is time.
    func newestHead(_ timing: Timing, now: Moment) -> [UInt8]? {
        if case .another(let proofs) = word { return proofs.frame(through: lastSeq) }
        return dueHead(timing, for: .event, now: now) ?? head.newestFrame
    }

    private func head(_ timing: Timing, isNew: Bool, now: Moment) -> [UInt8]? {
        if case .another(let proofs) = word { return proofs.frame(through: lastSeq) }
        seal()
        guard let writer, let chain = transcript.chain else { return nil }
        let inputAge = inputAge(now.uptime)
        return head.frame(
            of: chain, runs, at: order.highest, by: writer, inputAge: inputAge,
            next: timing.headPause(inputAge: inputAge), isNew: isNew, now: now)
    }

    /// Notes whether the event of another's log is over. The log's newest head is then given out
    /// even if lines that the head counts are missing.
    func set(isOfOverEvent isOver: Bool) {
        guard case .another(var proofs) = word, proofs.isLast != isOver else { return }
        proofs.isLast = isOver
        word = .another(proofs)
    }

    /// How another's log stands by the newest word of its writer of which all is here; nil for none.
    var heldHead: LogHead? {
        if case .another(let proofs) = word { proofs.said(through: lastSeq) } else { nil }
    }

    /// Gives the finals from line `seq` on that are in memory, whoever may read them yet.
    func forEachFinal(from seq: Int, _ body: (Int, LiveChunk) -> Void) {
        forEachPayload(from: seq) { number, payload in
            if case .liveChunk(let chunk)? = try? packets.packet(payload) { body(number, chunk) }
        }
    }

    /// Gives the payloads of those finals, valid during the call.
    package func forEachPayload(
        from first: Int = 1, through last: Int = .max, _ body: (Int, UnsafeRawBufferPointer) -> Void
    ) {
        var cursor = transcript.cursor(before: first)
        while true {
            _ = transcript.skipGap(&cursor)
            let frames = transcript.bytes(at: cursor)
            guard !frames.isEmpty, cursor.seq <= last else { return }
            var walk = FrameWalk(frames)
            while cursor.seq <= last, let payload = walk.next() {
                body(cursor.seq, payload)
                transcript.advance(&cursor, by: FrameDecoder.prefixLength + payload.count)
            }
        }
    }

    /// How many of the finals in memory are other words of others of them: corrections, and translations.
    var rewordingCount: Int {
        let isOther = isTranslation
        var count = 0
        forEachPayload { seq, payload in
            guard payload.containsBytes(of: #""replaces":"#) || payload.containsBytes(of: #""of":"#)
            else { return }
            if case .liveChunk(let chunk)? = try? packets.packet(payload),
                [chunk.replaces, isOther ? nil : chunk.of].contains(where: {
                    (1..<seq).contains($0 ?? 0)
                })
            {
                count += 1
            }
        }
        return count
    }

    /// Gives each of the finals before line `seq` that are in memory, at most `limit` of them and the
    /// newest first.
    ///
    /// - Returns: before which line to go on; nil where there is none.
    func eachFinal(before seq: Int, limit: Int, _ body: (Int, LiveChunk) -> Void) -> Int? {
        var finals: [(Int, LiveChunk)] = []
        forEachPayload(from: max(1, seq - limit), through: seq - 1) { number, payload in
            if case .liveChunk(let chunk)? = try? packets.packet(payload) {
                finals.append((number, chunk))
            }
        }
        for (number, chunk) in finals.reversed() { body(number, chunk) }
        return seq - limit > firstSeq ? seq - limit : nil
    }

    /// The place of a final among those of all of the event's logs.
    package func place(of seq: Int) -> Int {
        transcript.correctedPlaces[seq] ?? final(seq)?.at ?? seq
    }

    /// The place of a final where that is another than its writer says; see ``LinePlaces``.
    package func correctedPlace(of seq: Int) -> Int? { transcript.correctedPlaces[seq] }

    /// That of the newest; 0 for none.
    package var lastPlace: Int { place(of: lastSeq) }

    /// Final `seq`; nil where that is not in memory.
    package func final(_ seq: Int) -> LiveChunk? {
        var final: LiveChunk?
        forEachPayload(from: seq, through: seq) { _, payload in
            if case .liveChunk(let chunk)? = try? packets.packet(payload) { final = chunk }
        }
        return final
    }

    // MARK: Forgetting

    /// Lets the oldest finals go from memory where there are too many. Only a reader that lags can
    /// miss something, and is told of the gap.
    ///
    /// - Parameter leaving: gets where what stays begins, before the rest is gone.
    func trim(_ leaving: (TranscriptCursor) -> Void) -> [HostEvent] {
        guard transcript.isOverLimit else { return [] }
        seal()
        var events: [HostEvent] = []
        while transcript.isOverLimit {
            let survivor = transcript.firstSurvivor
            leaving(survivor)
            events += sinks.skip(to: survivor)
            transcript.evictOldest()
        }
        for case .storageGap(_, let last) in events { storageGap = last }
        sinksHaveMoved()
        return [.historyTrimmed(firstSeq: transcript.firstSeq)] + events
    }

    // MARK: Sinks

    /// From now on nobody reads what this sink has not taken. It holds all that there is.
    public func add(_ sink: SinkName) {
        seal()
        sinks.add(sink, holding: transcript)
        sinksHaveMoved()
    }

    /// The same of a sink that holds the lines through `seq`, and whose next one belongs at `fileOffset`.
    package func add(_ sink: SinkName, through seq: Int, at fileOffset: UInt64) {
        seal()
        sinks.add(sink, holding: transcript, through: seq, at: fileOffset)
        sinksHaveMoved()
    }

    /// This sink is waited for no longer, whatever it lacks.
    package func remove(_ sink: SinkName) {
        sinks.remove(sink)
        sinksHaveMoved()
    }

    /// The newest line that a sink will never get, where there is one since this was asked last.
    package func takeStorageGap() -> Int? {
        defer { storageGap = nil }
        return storageGap
    }

    /// Hands a sink what it does not have yet, piece by piece. Where it fails, the event goes on from
    /// memory and everybody is told; the next call tries again.
    ///
    /// - Parameter write: gets bytes that are valid during the call and where in the sink's file they
    ///   belong, and returns how many it has taken.
    public func feed<Failure: Error>(
        _ sink: SinkName, now: Moment,
        _ write: (UnsafeRawBufferPointer, UInt64) throws(Failure) -> Int
    ) -> [HostEvent] {
        seal()
        // A copy, for whoever writes may ask meanwhile how the sink is.
        var sinks = sinks
        let events = sinks.feed(sink, from: transcript, through: sealedEnd, write)
        self.sinks = sinks
        return tell(events, now: now)
    }

    /// A sink cannot take anything, or could not confirm what it took: it is given that again.
    public func failed(_ sink: SinkName, _ why: String, now: Moment) -> [HostEvent] {
        tell(sinks.fail(sink, why, in: transcript), now: now)
    }

    /// Where a sink stands that has not confirmed all it took, to be given to ``confirmed(_:_:)``.
    public func unconfirmed(_ sink: SinkName) -> SinkPlace? { sinks[sink]?.unconfirmed }

    /// The newest line that a sink has for good; 0 for none.
    package func confirmedSeq(of sink: SinkName) -> Int { sinks[sink]?.confirmed.lastSeq ?? 0 }

    /// A sink has for good what it had taken at `place`.
    public func confirmed(_ sink: SinkName, _ place: SinkPlace) { sinks.confirm(sink, place) }

    /// Whether there is something that a sink could not take.
    public func isFailing(_ sink: SinkName) -> Bool { sinks[sink]?.failure != nil }

    /// How much a sink holds; nil where there is no such sink.
    public func place(of sink: SinkName) -> SinkPlace? { sinks[sink]?.written }

    /// Tells everybody what becomes of what is kept, of this log or of another of its event. How a holder fares with
    /// another's log is no news of the event.
    ///
    /// - Returns: the same.
    package func tell(_ events: [HostEvent], now: Moment) -> [HostEvent] {
        for event in events where !isHeld {
            switch event {
            case .storageFailed:
                let message =
                    "The host cannot save the transcript at the moment; the captions go on."
                tell(.storageFailed, message, now: now)
            case .storageRestored:
                tell(.storageRestored, "The host saves the transcript again.", now: now)
            default: continue
            }
        }
        sinksHaveMoved()
        return events
    }

    private func sinksHaveMoved() {
        readableEnd = sinks.front(of: sealedEnd)
        assert(brokenEnd == nil, brokenEnd ?? "")
    }

    private var brokenEnd: String? {
        readableEnd <= sealedEnd && sealedEnd <= transcript.endOffset
            ? nil : "more may be read than was said, or signed"
    }

    /// What is wrong with the log; nil where nothing is. Looks at every frame: for tests.
    package var brokenInvariant: String? {
        brokenEnd ?? transcript.brokenInvariant ?? sinks.brokenInvariant(in: transcript)
    }

    private static var nothing: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: nil, count: 0)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes of `text` are among these.
    fileprivate func containsBytes(of text: StaticString) -> Bool {
        let wanted = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard count >= wanted.count, let first = wanted.first else { return false }
        for start in 0...(count - wanted.count) where self[start] == first {
            if self[start..<start + wanted.count].elementsEqual(wanted) { return true }
        }
        return false
    }
}
