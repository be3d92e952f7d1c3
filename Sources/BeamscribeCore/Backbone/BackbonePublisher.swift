public import FoundationEssentials

/// Brings an event's logs to a server that keeps them, so that they can be read beyond one network: what they
/// are, who lets them in, their lines, and how they stand.
///
///     EventLog ----> LogFiller ---- append ----> the log's stream
///     record, grant, head ---- say ----> the stream of events
///
/// Invariant: a head goes there only once all lines that it counts are there.
public final class BackbonePublisher {
    /// What the driver is to do.
    public enum Action: Equatable {
        case ask(BackboneRequest)
        case report(BackboneNews)
    }

    /// A log that is to be there.
    struct Offer {
        let log: EventLog
        /// What lets it in, as a packet; nil for the founder's own.
        let grant: [UInt8]?
        /// Whether it is written here, and by nobody else.
        let isOwn: Bool
        /// Whether others have brought it there, up to what is here; nil where nobody else does.
        var isThere: Bool?
    }

    /// How long others may take to bring a log there before this machine does.
    static let patience = Duration.seconds(5)
    /// The shortest time between two questions whether the server still has the entries.
    static let checkInterval = Duration.seconds(5)
    /// The time between two such questions about logs besides the main one.
    static let checkPause = Duration.milliseconds(250)

    private var event: UUID
    private let hasCode: Bool
    private let timing: Timing
    private let crypto: any LogCrypto
    private var published: [UUID: Published] = [:]
    /// In the order in which they came.
    private var order: [UUID] = []
    /// Since when others have not brought what is here of a log.
    private var lackingSince: [UUID: Duration] = [:]
    private var isConnected = false
    /// Whether the stream of events is there.
    private var isMade = false
    /// Whether it was told that the server is there, and takes the event.
    private var isTold = false
    private var madeAt: Duration?
    private var trouble: String?
    private var wasCodeTold = false
    /// The entries of other logs that this round of questions has not come to yet.
    private var unchecked: ArraySlice<BackboneEntry> = []
    private var roundBegan: Duration?
    private var checkedAt: Duration?
    /// When the server was asked last for the main log's record.
    private var mainCheckedAt: Duration?

    /// One log, and what was said of it.
    private final class Published {
        let filler: LogFiller
        let isOwn: Bool
        var grant: [UInt8]?
        /// What was told, as frames, since there is a connection.
        var toldRecord: [UInt8]?
        var toldGrant: [UInt8]?
        var toldHead: [UInt8]?
        /// A head whose lines are not all there yet, or of which it is being asked whether another one is.
        var head: (frame: [UInt8], seq: Int)?
        var askedAt: Duration?
        /// Whether the log's record was told at any time.
        var wasIntroduced = false

        init(_ offer: Offer, proving crypto: any LogCrypto) {
            filler = LogFiller(offer.log, isOwn: offer.isOwn, proving: crypto)
            (isOwn, grant) = (offer.isOwn, offer.grant)
        }

        func forgetWhatWasTold() {
            (toldRecord, toldGrant, toldHead, head, askedAt) = (nil, nil, nil, nil, nil)
        }
    }

    /// - Parameter hasCode: whether the event's guests have to know a code.
    public init(of event: UUID, hasCode: Bool, _ timing: Timing, proving crypto: any LogCrypto) {
        (self.event, self.hasCode, self.timing, self.crypto) = (event, hasCode, timing, crypto)
    }

    private var all: [Published] { order.compactMap { published[$0] } }

    /// Whether the server has all there is.
    public var isComplete: Bool {
        all.allSatisfy { log in
            log.filler.hasGivenUp || log.filler.isComplete && log.head == nil && log.toldHead != nil
        }
    }

    /// Whether it is known that the server is there.
    public var isReachable: Bool { isConnected }

    /// The event goes on under another id.
    public func move(to event: UUID) {
        self.event = event
        wasCodeTold = false
        all.forEach { $0.forgetWhatWasTold() }
    }

    // MARK: What is here

    /// Something was said in the event, or time has passed.
    ///
    /// - Parameters:
    ///   - main: the log that is written here.
    ///   - shelf: has the others; nil where there are none.
    public func look(_ main: EventLog, _ shelf: Shelf?, now: Moment) -> [Action] {
        let own = Offer(log: main, grant: shelf?.grant(of: main.session.wireName), isOwn: true)
        let others = (shelf?.forBackbone(now: now.uptime) ?? []).filter { $0.log !== main }
        offer([own] + others.filter { isWanted($0, now: now.uptime) }, now: now.uptime)
        guard isConnected else { return [] }
        guard isMade else { return make(now: now.uptime) }
        let told = all.flatMap { log in
            perform(log.filler.tick(now: now.uptime), of: log) + tell(log, now: now)
        }
        return told + check(now: now.uptime)
    }

    /// Where all nodes of a mesh reach the server each brings its own log, and those of others who do not.
    private func isWanted(_ offer: Offer, now: Duration) -> Bool {
        let session = offer.log.session
        guard let isThere = offer.isThere, published[session] == nil else { return true }
        guard !isThere else {
            lackingSince[session] = nil
            return false
        }
        let since = lackingSince[session] ?? now
        lackingSince[session] = since
        return now - since >= Self.patience
    }

    private func offer(_ offers: [Offer], now: Duration) {
        let sessions = offers.map(\.log.session)
        for session in order where !sessions.contains(session) { published[session] = nil }
        order = sessions
        for offer in offers {
            if let known = published[offer.log.session], known.filler.log === offer.log {
                known.grant = offer.grant
            } else {
                let new = Published(offer, proving: crypto)
                published[offer.log.session] = new
                if isMade { new.filler.awaits(now: now) }
            }
        }
    }

    // MARK: The server

    private func make(now: Duration) -> [Action] {
        if let madeAt, now - madeAt < LogFiller.requestPatience { return [] }
        madeAt = now
        return [.ask(.make(.events))]
    }

    /// The server has said something.
    public func take(_ event: BackboneEvent, now: Moment) -> [Action] {
        switch event {
        case .connected:
            (isConnected, isMade, madeAt, wasCodeTold) = (true, false, nil, false)
            all.forEach { $0.forgetWhatWasTold() }
            return make(now: now.uptime)
        case .disconnected(let why):
            all.forEach { $0.filler.disconnected() }
            (isConnected, isMade, isTold) = (false, false, false)
            return [.report(.unreachable(why))]
        case .made(.events) where isConnected && !isMade:
            isMade = true
            let news = madeNews()
            return news + tellCode()
                + all.flatMap { perform($0.filler.connected(now: now.uptime), of: $0) }
        case .failed(.events, let why) where isConnected:
            defer { trouble = why }
            return trouble == nil ? [.report(.trouble(log: nil, why))] : []
        case .recalled(let subject, let payload):
            guard let entry = BackboneEntry(subject: subject), entry.event == self.event,
                let log = published[entry.session]
            else { return [] }
            if entry.kind == .head, log.isOwn { return recalled(payload, of: log, now: now) }
            forget(entry.kind, of: log, unlessKept: payload)
            return tell(log, now: now)
        default:
            guard isMade, case .log(let session, _)? = event.stream, let log = published[session]
            else { return [] }
            return perform(log.filler.take(event, now: now.uptime), of: log) + tell(log, now: now)
        }
    }

    private func madeNews() -> [Action] {
        defer { (isTold, trouble) = (true, nil) }
        if !isTold { return [.report(.reachable)] }
        return trouble == nil ? [] : [.report(.recovered(log: nil))]
    }

    private func perform(_ actions: [LogFiller.Action], of log: Published) -> [Action] {
        actions.map { action in
            switch action {
            case .ask(let request): .ask(request)
            case .report(.foreign): .report(.foreign(log: label(of: log)))
            case .report(.fouled): .report(.fouled(log: label(of: log)))
            case .report(.linesGone(let lines)): .report(.linesGone(log: label(of: log), lines))
            case .report(.trouble(let why)): .report(.trouble(log: label(of: log), why))
            case .report(.recovered): .report(.recovered(log: label(of: log)))
            }
        }
    }

    private func label(of log: Published) -> String {
        WrittenLog.introduction(log.filler.log.record)?.label ?? LogRecord.mainLabel
    }

    // MARK: What is said of logs

    private func tellCode() -> [Action] {
        guard hasCode, !wasCodeTold else { return [] }
        wasCodeTold = true
        return [say(Array("1".utf8), .code, of: event)]
    }

    private func say(_ payload: [UInt8], _ kind: BackboneEntry.Kind, of session: UUID) -> Action {
        .ask(.say(BackboneEntry(kind, of: session, in: event).subject, payload))
    }

    /// Says what a log is, who lets it in, and how it stands once its lines are there.
    private func tell(_ log: Published, now: Moment) -> [Action] {
        var actions: [Action] = []
        // Until the stream was looked at, a copied folder may be the one that writes the log.
        if !log.isOwn || log.filler.stored != nil
            || log.wasIntroduced && !log.filler.hasGivenUp
        {
            actions += tellCode() + introduce(log)
        }
        guard let stored = log.filler.stored else { return actions }
        let source = log.filler.log
        if log.head == nil, let frame = source.newestHead(timing, now: now), frame != log.toldHead,
            let head = Self.head(frame)
        {
            log.head = (frame, head.seq)
        }
        guard let head = log.head, head.seq <= stored else { return actions }
        // Of another's log somebody else may bring the same.
        guard log.isOwn else { return actions + tellHead(of: log) }
        if let askedAt = log.askedAt, now.uptime - askedAt < LogFiller.requestPatience {
            return actions
        }
        log.askedAt = now.uptime
        let entry = BackboneEntry(.head, of: source.session, in: event)
        return actions + [.ask(.recall(entry.subject))]
    }

    private func introduce(_ log: Published) -> [Action] {
        let source = log.filler.log
        var actions: [Action] = []
        if let record = source.record, record != log.toldRecord {
            (log.toldRecord, log.wasIntroduced) = (record, true)
            actions.append(say(Self.payload(record), .log, of: source.session))
        }
        if let grant = log.grant, grant != log.toldGrant {
            log.toldGrant = grant
            actions.append(say(grant, .grant, of: source.session))
        }
        return actions
    }

    // MARK: What others put in their place

    /// Asks whether the server still has what was told, one entry after another.
    ///
    /// Somebody who may use the server may have put something else in its place: that hides a log
    /// from those who come, or lets in a writer who was put out.
    private func check(now: Duration) -> [Action] {
        checkMain(now: now) + checkOthers(now: now)
    }

    private func checkMain(now: Duration) -> [Action] {
        guard published[event]?.toldRecord != nil else { return [] }
        guard now - (mainCheckedAt ?? now) >= Self.checkInterval else {
            mainCheckedAt = mainCheckedAt ?? now
            return []
        }
        mainCheckedAt = now
        return [.ask(.recall(BackboneEntry(.log, of: event, in: event).subject))]
    }

    private func checkOthers(now: Duration) -> [Action] {
        if unchecked.isEmpty {
            guard now - (roundBegan ?? now) >= Self.checkInterval else {
                roundBegan = roundBegan ?? now
                return []
            }
            roundBegan = now
            unchecked = all.flatMap { told(of: $0) }[...]
        }
        guard now - (checkedAt ?? .zero) >= Self.checkPause, let entry = unchecked.popFirst()
        else { return [] }
        checkedAt = now
        return [.ask(.recall(entry.subject))]
    }

    /// The entries of a log that are to be there, but for the main log's record.
    private func told(of log: Published) -> [BackboneEntry] {
        let session = log.filler.log.session
        var kinds: [BackboneEntry.Kind] = []
        if log.toldGrant != nil { kinds.append(.grant) }
        if log.toldRecord != nil, session != event { kinds.append(.log) }
        // Heads of logs that are written here are told again anyway.
        if log.toldHead != nil, !log.isOwn { kinds.append(.head) }
        return kinds.map { BackboneEntry($0, of: session, in: event) }
    }

    /// Tells an entry again that is not there any more, unless a newer one has taken its place.
    private func forget(
        _ kind: BackboneEntry.Kind, of log: Published, unlessKept payload: [UInt8]
    ) {
        switch kind {
        case .log:
            guard let told = log.toldRecord, Self.payload(told) != payload,
                !isNewer(record: payload, than: log)
            else { return }
            log.toldRecord = nil
        case .grant:
            guard let told = log.toldGrant, told != payload,
                !isNewer(grant: payload, than: told, of: log)
            else { return }
            log.toldGrant = nil
        case .head:
            guard let told = log.toldHead, Self.payload(told) != payload,
                !isNewer(head: payload, than: told, of: log)
            else { return }
            log.toldHead = nil
        case .code: break
        }
    }

    /// Whether the log's own key has signed another record of it, with a higher number.
    private func isNewer(record payload: [UInt8], than log: Published) -> Bool {
        let own = WrittenLog(log.filler.log, proving: crypto)
        guard let number = own.introduction?.number,
            case .log(let record)? = Self.packet(payload), record.number > number,
            record.session == own.session, record.event == own.event
        else { return false }
        return isSigned(payload, by: own.verifier) { LogStatement.record($0) }
    }

    /// Whether the event's founder has signed another grant of the log, with a higher number.
    private func isNewer(grant payload: [UInt8], than told: [UInt8], of log: Published) -> Bool {
        guard case .grant(let old)? = Self.packet(told),
            case .grant(let grant)? = Self.packet(payload),
            grant.session == old.session, grant.number > old.number
        else { return false }
        let founder = published[event].map { WrittenLog($0.filler.log, proving: crypto) }
        return isSigned(payload, by: founder?.verifier) { LogStatement.grant($0, to: event) }
    }

    /// Whether the log's own key has signed a newer head of it.
    private func isNewer(head payload: [UInt8], than told: [UInt8], of log: Published) -> Bool {
        let session = log.filler.log.session
        guard let old = Self.head(told), case .head(let head)? = Self.packet(payload),
            head.session == session.wireName, head.isNewer(than: old)
        else { return false }
        let writer = WrittenLog(log.filler.log, proving: crypto).verifier
        return isSigned(payload, by: writer) { LogStatement.head($0, of: session) }
    }

    private func isSigned(
        _ payload: [UInt8], by verifier: (any LogVerifier)?, _ statement: (LogHash) -> [UInt8]
    ) -> Bool {
        payload.withUnsafeBytes { bytes in
            let signed = SignedPayload(bytes)
            guard let verifier, let signature = signed.signature else { return false }
            return verifier.accepts(signature, of: statement(crypto.hash(signed.body)))
        }
    }

    // MARK: Heads

    private func tellHead(of log: Published) -> [Action] {
        guard let head = log.head else { return [] }
        (log.toldHead, log.head, log.askedAt) = (head.frame, nil, nil)
        return [say(Self.payload(head.frame), .head, of: log.filler.log.session)]
    }

    /// What is there of how a log stands, before another is put in its place.
    private func recalled(_ payload: [UInt8], of log: Published, now: Moment) -> [Action] {
        guard log.askedAt != nil, !log.filler.hasGivenUp else { return [] }
        let own = WrittenLog(log.filler.log, proving: crypto)
        let isForeign = payload.withUnsafeBytes { bytes in
            guard case .head(let head)? = try? PacketDecoder().packet(bytes) else { return false }
            return own.isWrittenElsewhere(by: head, as: bytes, crypto)
        }
        if payload.isEmpty, log.toldHead != nil {
            // The stream of events is gone.
            isMade = false
            all.forEach { $0.forgetWhatWasTold() }
            return make(now: now.uptime)
        }
        guard isForeign else { return tellHead(of: log) }
        log.filler.giveUp()
        return [.report(.foreign(log: label(of: log)))]
    }

    private static func payload(_ frame: [UInt8]) -> [UInt8] {
        Array(frame.dropFirst(FrameDecoder.prefixLength))
    }

    private static func packet(_ payload: [UInt8]) -> Packet? {
        payload.withUnsafeBytes { try? PacketDecoder().packet($0) }
    }

    private static func head(_ frame: [UInt8]) -> LogHead? {
        if case .head(let head)? = packet(payload(frame)) { head } else { nil }
    }
}

/// What becomes of an event at a server that keeps it. Logs are named by their labels.
public enum BackboneNews: Equatable, Sendable {
    /// The server is there, and takes the event.
    case reachable
    /// It is not, for now.
    case unreachable(String)
    /// It does not take a log, or for nil anything, for now.
    case trouble(log: String?, String)
    /// It does again.
    case recovered(log: String?)
    /// Somebody else writes a log with the same key: it does not go there any more.
    case foreign(log: String)
    /// Somebody who may use the server, and has not its key, has written into a log's stream: it
    /// continues behind that, and readers skip it.
    case fouled(log: String)
    /// Lines that the server would need are gone from memory: the log does not go there any more.
    case linesGone(log: String, ClosedRange<Int>)
}
