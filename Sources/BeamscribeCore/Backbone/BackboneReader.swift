public import FoundationEssentials

/// Reads an event's logs from a server that keeps them, and says what comes as who serves the event does: frames
/// of the wire, with what each log's writer has signed.
///
///     the stream of events ----> record, grant, head ----> frames
///     a log's stream, partials ---- StreamReading ----> in, fullHistory, liveChunk
///
/// Anybody who may write at the server can put anything there, and who may only read can find a
/// way. So everything is skipped that the key of its log has not signed: records, heads, lines and
/// partials.
///
/// The founder's log always has a place. Another one has a place once the founder has let it in, or
/// in an open event by an id that is bound to its key; where those are too many, one that never
/// told how it stands gives way.
///
/// Several keys may have signed a record of the founder's log: that key is the founder's which has
/// signed how the log stands. Once a guest is served it stays so.
///
/// Invariant: of a log lines are given once it was asked for, behind its record and head, each once and in order.
public final class BackboneReader {
    /// The event.
    public let event: UUID
    private let crypto: any LogCrypto
    private let isOpen: Bool
    private var isConnected = false
    private var readings = 0
    /// That of the event's entries.
    private var following: Int?
    private var followedAt: Duration?
    private var isCaughtUp = false
    /// The newest grant that the founder has signed of each log.
    private var admitted: [UUID: Admission] = [:]
    /// Whether something came of other logs before it was known who has founded the event.
    private var hasSkipped = false
    private var logs: [UUID: Known] = [:]
    /// The founder's log by another key than the one that is known, which has signed the newest
    /// record there.
    private var rival: Known?
    /// When it was asked last how the founder's log stands.
    private var headAskedAt: Duration?
    /// Whether the founder is another, so that everything has to be read once more.
    private var isStale = false
    /// Whether a guest was told whose the event is.
    private var hasServed = false
    /// In the order in which they came.
    private var order: [UUID] = []
    /// Whether somebody reads, and what waits for him.
    private var isRead = false
    private var output = ByteQueue()
    /// Of which log the captions are that were given last.
    private var active: UUID?
    private let encoder = FrameEncoder()

    /// The founder's word that lets a log in.
    private struct Admission {
        let number: Int
        /// The key that writes the log, as all its digits.
        let key: String
        let payload: [UInt8]
    }

    private final class Known {
        let record: (said: LogRecord, payload: [UInt8], verifier: any LogVerifier)
        var head: (said: LogHead, payload: [UInt8], runs: SessionRuns)?
        var reading: StreamReading?
        /// Lines before this one are read for what they hash to, and not given.
        var wanted = 1
        var isAnnounced = false
        /// What the lines hash to that were read last.
        var chain: LineChain?
        /// Where its partials come from.
        var listening: Int?
        /// Tells old partials from new ones.
        var partials = PartialOrder()

        init(_ record: LogRecord, _ payload: [UInt8], _ verifier: any LogVerifier) {
            self.record = (record, payload, verifier)
        }
    }

    /// - Parameter isOpen: whether everybody may write in the event, each in a log whose id is bound to his key.
    public init(of event: UUID, isOpen: Bool, proving crypto: any LogCrypto) {
        (self.event, self.isOpen, self.crypto) = (event, isOpen, crypto)
    }

    private var all: [(UUID, Known)] { order.compactMap { id in logs[id].map { (id, $0) } } }

    /// Whether everybody may write in the event.
    private var isEverybodys: Bool { isOpen || logs[event]?.record.said.open == true }

    private func nextReading() -> Int {
        readings += 1
        return readings
    }

    /// The event's main log, once it is known what it is and how it stands.
    var main: (record: LogRecord, head: LogHead, runs: SessionRuns)? {
        guard isCaughtUp, let log = logs[event], let head = log.head else { return nil }
        return (log.record.said, head.said, head.runs)
    }

    /// Whether it was said which lines of the main log follow.
    var isMainAnnounced: Bool { logs[event]?.isAnnounced == true }

    /// Whether the server is there.
    var isReachable: Bool { isConnected }

    // MARK: Frames

    /// Bytes that wait for whoever reads.
    var waitingBytes: Int { output.count }

    /// The frames that wait.
    func takeOutput() -> [UInt8] {
        defer { output = ByteQueue() }
        return Array(output.pending())
    }

    private func queue(_ packet: Packet) {
        // Encoding fails for numbers that are not finite only, and these packets hold none.
        if isRead, let frame = try? encoder.frame(packet) { output.append(frame) }
    }

    private func queue(_ payload: [UInt8]) {
        if isRead { output.append(FrameEncoder.frame(payload)) }
    }

    private func queue(caption payload: [UInt8], of session: UUID) {
        if active != session {
            active = session
            queue(.inLog(LogMention(session.wireName)))
        }
        queue(payload)
    }

    /// Somebody reads from now on, who has nothing of it: what is known is said, the main log first.
    func begin() {
        (isRead, hasServed, active) = (true, true, nil)
        let main = all.filter { $0.0 == event }
        for (id, log) in main + all.filter({ $0.0 != event }) { introduce(id, log) }
    }

    private func introduce(_ id: UUID, _ log: Known) {
        guard let head = log.head else { return }
        queue(log.record.payload)
        if let admission = admitted[id] { queue(admission.payload) }
        queue(head.payload)
    }

    /// Nobody reads any more. What was read, and not proven here, counts no more.
    func end() -> [BackboneRequest] {
        (isRead, output, active) = (false, ByteQueue(), nil)
        return all.flatMap { _, log in
            log.chain = nil
            return leave(log)
        }
    }

    // MARK: Reading

    /// A log's lines are wanted.
    func read(_ request: ReadRequest, now: Duration) -> [BackboneRequest] {
        guard let id = UUID(uuidString: request.session), let log = logs[id], let head = log.head
        else { return [] }
        let left = leave(log)
        active = nil
        let wanted = min(request.after, Limits.lineNumber)
        let after = max(head.runs.valid(through: wanted, of: request.run), 0)
        log.wanted = after + 1
        log.isAnnounced = false
        // What the lines before hash to has to be told, and is known of those that were read.
        let chain = log.chain.flatMap { $0.seq <= after ? $0 : nil }
        var reading = StreamReading(
            of: id, head.runs, after: chain ?? LineChain(of: id, by: crypto), by: head.said,
            signedBy: log.record.verifier, now: now)
        let begun = reading.begin(now: now) + reading.read(now: now, reading: nextReading)
        log.reading = reading
        announce(id, log)
        log.listening = nextReading()
        return left + perform(begun, id, log)
            + [.listen(BackboneEntry.partials(of: id), reading: log.listening ?? 0)]
    }

    /// The lines before those that are wanted are all read.
    private func announce(_ id: UUID, _ log: Known) {
        guard let reading = log.reading else { return }
        announce(id, log, from: reading.next, reading.chain.hash)
    }

    /// - Parameters:
    ///   - next: the line that is given next.
    ///   - hash: what the lines before it hash to.
    private func announce(_ id: UUID, _ log: Known, from next: Int, _ hash: LogHash) {
        guard !log.isAnnounced, next >= log.wanted, let newest = log.reading?.newest else { return }
        log.isAnnounced = true
        let through = min(max(log.head?.said.seq ?? 0, newest, next - 1), Limits.lineNumber)
        active = nil
        queue(
            .fullHistory(
                FullHistory(session: id.wireName, from: next, through: through, hash: hash)))
    }

    /// A log's lines are wanted no more.
    func unread(_ mention: LogMention) -> [BackboneRequest] {
        guard let id = UUID(uuidString: mention.session), let log = logs[id] else { return [] }
        return leave(log)
    }

    private func leave(_ log: Known) -> [BackboneRequest] {
        defer { (log.reading, log.listening) = (nil, nil) }
        let listening = log.listening.map { BackboneRequest.leave(reading: $0) }
        return requests(log.reading?.leave() ?? []) + [listening].compactMap(\.self)
    }

    private func requests(_ actions: [StreamReading.Action]) -> [BackboneRequest] {
        actions.compactMap { if case .ask(let request) = $0 { request } else { nil } }
    }

    private func perform(
        _ actions: [StreamReading.Action], _ id: UUID, _ log: Known
    ) -> [BackboneRequest] {
        let given = actions.compactMap { action -> (payload: [UInt8], hash: LogHash)? in
            if case .give(let payload, let hash) = action { (payload, hash) } else { nil }
        }
        guard let reading = log.reading else { return requests(actions) }
        for line in given.suffix(Self.notedFinals) {
            if let chunk = Self.chunk(line.payload) { log.partials.take(final: chunk) }
        }
        for (line, next) in zip(given, (reading.next - given.count)...) {
            log.chain = LineChain(of: id, after: next, line.hash, by: crypto)
            if log.isAnnounced {
                queue(caption: line.payload, of: id)
            } else {
                announce(id, log, from: next + 1, line.hash)
            }
        }
        return requests(actions)
    }

    private func change(
        _ id: UUID, _ log: Known, _ body: (inout StreamReading) -> [StreamReading.Action]
    ) -> [BackboneRequest] {
        guard var reading = log.reading else { return [] }
        let actions = body(&reading)
        log.reading = reading
        return perform(actions, id, log)
    }

    // MARK: The server

    private func follow(now: Duration) -> [BackboneRequest] {
        let left = following.map { BackboneRequest.leave(reading: $0) }
        (following, followedAt, isStale) = (nextReading(), now, false)
        return [left].compactMap(\.self)
            + [.follow(BackboneEntry.all(of: event), reading: following ?? 0)]
    }

    /// The server has said something.
    public func take(_ event: BackboneEvent, now: Duration) -> [BackboneRequest] {
        switch event {
        case .connected:
            isConnected = true
            return follow(now: now)
                + all.flatMap { id, log -> [BackboneRequest] in
                    guard log.reading != nil else { return [] }
                    let left = log.listening.map { BackboneRequest.leave(reading: $0) }
                    log.listening = nextReading()
                    return [left].compactMap(\.self)
                        + change(id, log) {
                            $0.begin(now: now) + $0.read(now: now, reading: nextReading)
                        }
                        + [.listen(BackboneEntry.partials(of: id), reading: log.listening ?? 0)]
                }
        case .disconnected: isConnected = false
        case .message(following, let subject, _, let payload):
            guard let entry = BackboneEntry(subject: subject), entry.event == self.event else {
                break
            }
            return take(payload, as: entry, now: now)
        case .caughtUp(following):
            guard hasSkipped, logs[self.event] != nil else {
                isCaughtUp = true
                break
            }
            // Now it is known who lets others in.
            hasSkipped = false
            return follow(now: now)
        case .recalled(let subject, let payload):
            guard let entry = BackboneEntry(subject: subject), entry.event == self.event else {
                break
            }
            return take(payload, as: entry, now: now)
        case .broken(following, _): following = nil
        case .message(let reading, _, let number, let payload):
            guard
                let (id, log) = all.first(where: {
                    $0.1.reading?.reading == reading || $0.1.listening == reading
                })
            else { break }
            if log.listening == reading {
                take(partial: payload, of: id, log)
                break
            }
            return change(id, log) {
                $0.take(number, payload, now: now, reading: nextReading)
            }
        case .broken(let reading, _):
            for (_, log) in all where log.reading?.reading == reading { log.reading?.broken() }
        case .found(.log(let id, let part), _, _), .missing(.log(let id, let part)):
            guard let log = logs[id] else { break }
            let found: (Int, [UInt8])? =
                if case .found(_, let count, let newest) = event { (count, newest) } else { nil }
            let requests = change(id, log) {
                $0.take(part: part, found, now: now, reading: nextReading)
            }
            announce(id, log)
            return requests
        default: break
        }
        return []
    }

    /// The number of lines, of those that come at once, whose times are noted.
    private static let notedFinals = 16

    private static func chunk(_ payload: [UInt8]) -> LiveChunk? {
        guard payload.count <= Limits.journalFramePayload,
            case .liveChunk(let chunk)? = payload.withUnsafeBytes({
                try? PacketDecoder().packet($0)
            })
        else { return nil }
        return chunk
    }

    private func take(partial payload: [UInt8], of id: UUID, _ log: Known) {
        guard log.isAnnounced, let chunk = Self.chunk(payload), !chunk.isFinal else { return }
        let isNews =
            isWhole(log) && log.partials.admits(chunk)
            && isSigned(
                payload, by: log.record.verifier,
                { LogStatement.partial(crypto.hash($0), of: id) })
        if isNews { log.partials.take(partial: chunk) }
        // Nobody has to sign that nothing is said.
        if isNews || chunk.text.isEmpty { queue(caption: payload, of: id) }
    }

    /// Whether all lines are here that the writer has told of. Before that nobody knows which
    /// partials are old.
    private func isWhole(_ log: Known) -> Bool {
        guard let reading = log.reading, let head = log.head else { return false }
        return reading.next > head.said.seq
    }

    private func take(_ payload: [UInt8], as entry: BackboneEntry, now: Duration)
        -> [BackboneRequest]
    {
        guard payload.count <= Limits.packetPayload,
            let packet = payload.withUnsafeBytes({ try? PacketDecoder().packet($0) })
        else { return [] }
        switch (entry.kind, packet) {
        case (.log, .log(let record)):
            let requests = take(record, payload, as: entry, now: now)
            guard hasSkipped, isCaughtUp, logs[event] != nil else { return requests }
            hasSkipped = false
            return requests + follow(now: now)
        case (.grant, .grant(let grant)) where grant.session == entry.session.wireName:
            return take(grant, payload, of: entry.session)
        case (.head, .head(let head)) where head.session == entry.session.wireName:
            return take(head, payload, of: entry.session, now: now)
        default: break
        }
        return []
    }

    private func take(
        _ record: LogRecord, _ payload: [UInt8], as entry: BackboneEntry, now: Duration
    ) -> [BackboneRequest] {
        guard record.session == entry.session.wireName, record.event == event.wireName,
            record.to == nil, payload.count <= Limits.logRecord, hasPlace(record, entry.session),
            let verifier = crypto.verifier(of: Array(record.key)),
            admitted[entry.session].map({ $0.key == verifier.writer.hex }) ?? true,
            isSigned(payload, by: verifier, { LogStatement.record(crypto.hash($0)) })
        else { return [] }
        if let known = logs[entry.session] {
            guard known.record.verifier.writer == verifier.writer else {
                return contest(known, by: Known(record, payload, verifier), now: now)
            }
            guard record.mayFollow(known.record.said) else { return [] }
            let new = Known(record, payload, verifier)
            (new.head, new.reading) = (known.head, known.reading)
            (new.wanted, new.isAnnounced, new.chain) = (
                known.wanted, known.isAnnounced, known.chain
            )
            (new.listening, new.partials) = (known.listening, known.partials)
            logs[entry.session] = new
            if known.head != nil { queue(payload) }
        } else {
            if entry.session != event { makePlace() }
            logs[entry.session] = Known(record, payload, verifier)
            order.append(entry.session)
        }
        return []
    }

    // MARK: Whose the event is

    /// Two keys have signed a record of the founder's log. Somebody may have put one of them over
    /// the other.
    private func contest(_ known: Known, by new: Known, now: Duration) -> [BackboneRequest] {
        guard new.record.said.session == event.wireName, !hasServed,
            !BoundSession.isOwn(known.record.said, by: crypto)
        else { return [] }
        rival = new
        // The head that its key has signed may have come before its record.
        guard now - (headAskedAt ?? now - .seconds(1)) >= .seconds(1) else { return [] }
        headAskedAt = now
        return [.recall(BackboneEntry(.head, of: event, in: event).subject)]
    }

    /// Whether the rival has signed this head: the event is that key's then.
    private func isRivals(_ payload: [UInt8], of id: UUID) -> Bool {
        guard id == event, !hasServed, let rival,
            isSigned(
                payload, by: rival.record.verifier,
                { LogStatement.head(crypto.hash($0), of: id) })
        else { return false }
        (logs, order, admitted) = ([event: rival], [event], [:])
        (self.rival, isStale) = (nil, true)
        return true
    }

    // MARK: Logs and how they stand

    /// The founder lets a log in: what is kept of it may have been skipped before.
    private func take(
        _ grant: LogGrant, _ payload: [UInt8], of session: UUID
    ) -> [BackboneRequest] {
        guard let founder = logs[event]?.record.verifier else {
            hasSkipped = true
            return []
        }
        // Anybody can say an older one again, which lets in a writer who was put out.
        let known = admitted[session]
        guard known != nil || admitted.count < Limits.logs,
            grant.number > known?.number ?? .min,
            isSigned(payload, by: founder, { LogStatement.grant(crypto.hash($0), to: event) })
        else { return [] }
        admitted[session] = Admission(
            number: grant.number, key: grant.key.lowercased(), payload: payload)
        if let log = logs[session] {
            if log.head != nil { queue(payload) }
            return []
        }
        guard known == nil else { return [] }
        return [BackboneEntry.Kind.log, .grant, .head].map {
            .recall(BackboneEntry($0, of: session, in: event).subject)
        }
    }

    /// Whether a log is one of the event's.
    private func hasPlace(_ record: LogRecord, _ session: UUID) -> Bool {
        if logs[session] != nil || session == event {
            let isBound = isOpen || record.open == true
            return !isBound || BoundSession.isOwn(record, by: crypto)
        }
        guard isOpen || logs[event] != nil else {
            hasSkipped = true
            return false
        }
        return isEverybodys
            ? BoundSession.isOwn(record, by: crypto) && !isFull : admitted[session] != nil
    }

    /// How many logs there are besides the founder's at most.
    private var others: Int { logs.count - (logs[event] == nil ? 0 : 1) }

    /// Whether there is room for one more log, or one that never told how it stands.
    private var isFull: Bool {
        others >= Limits.logs && !order.contains { $0 != event && logs[$0]?.head == nil }
    }

    private func makePlace() {
        guard others >= Limits.logs,
            let index = order.firstIndex(where: { $0 != event && logs[$0]?.head == nil })
        else { return }
        logs[order.remove(at: index)] = nil
    }

    private func isSigned(
        _ payload: [UInt8], by verifier: any LogVerifier,
        _ statement: (UnsafeRawBufferPointer) -> [UInt8]
    ) -> Bool {
        payload.withUnsafeBytes { bytes in
            let signed = SignedPayload(bytes)
            return signed.signature.map { verifier.accepts($0, of: statement(signed.body)) }
                ?? false
        }
    }

    private func take(
        _ head: LogHead, _ payload: [UInt8], of id: UUID, now: Duration
    ) -> [BackboneRequest] {
        guard let known = logs[id], let runs = SessionRuns(after: head.runs),
            BackboneStream.messages.contains(head.seq),
            head.runs.allSatisfy(BackboneStream.messages.contains)
        else { return [] }
        let isNews =
            known.head.map({ head.isNewer(than: $0.said) }) ?? true
            && isSigned(
                payload, by: known.record.verifier,
                { LogStatement.head(crypto.hash($0), of: id) })
        guard isNews || isRivals(payload, of: id), let log = logs[id] else { return [] }
        let old = log.head
        log.head = (head, payload, runs)
        log.partials.take(head)
        guard old != nil else {
            introduce(id, log)
            return []
        }
        queue(payload)
        guard old?.runs == runs else {
            // Lines of the old run may have others in their place: whoever wants these asks again.
            log.chain = nil
            return leave(log)
        }
        return change(id, log) { $0.told(head) }
    }

    // MARK: Time

    /// Time has passed.
    public func tick(now: Duration) -> [BackboneRequest] {
        guard isConnected else { return [] }
        var requests: [BackboneRequest] = []
        if following == nil || isStale, now - (followedAt ?? .zero) >= .seconds(1) {
            requests += follow(now: now)
        }
        return requests
            + all.flatMap { id, log in
                change(id, log) { $0.tick(now: now, reading: nextReading) }
            }
    }
}
