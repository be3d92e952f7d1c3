public import FoundationEssentials

/// The logs of an event besides its main one, as far as this machine reads or writes them: who has let each
/// in, who brings it, and what has come of it. A node of a mesh has no main one: all are here, that of the
/// event's founder, too.
///
///     link ---- log, grant, head ----> let in? ---- read ----> link
///     link ---- in, fullHistory, liveChunk ----> LogReading, and Replica where others are served
///     EventLog, written here -----------------> let in? ----> others are served
///
/// Invariant: every log that is read or served here is its event's founder's own or was let in by
/// him; it is read from one link at a time, or written here, and there are at most ``Limits/logs``
/// whose writers go on.
public final class Shelf {
    /// A way by which logs come.
    public enum Link: Hashable, Sendable {
        /// A connection from here to whoever serves the event, by a number that whoever dials gives it.
        case dialled(Int)
        /// That of a guest who is served here.
        case guest(ConnectionID)
        /// A server that keeps logs; see ``BackboneReader``.
        case backbone

        /// The guest; nil for a connection from here.
        var guest: ConnectionID? { if case .guest(let id) = self { id } else { nil } }
    }

    /// What came of something that a link has said.
    public enum Outcome: Equatable {
        /// Its lines are not wanted: its writer is not let in.
        case asks(LogTitle)
        /// A writer was let in.
        case letIn(LogTitle)
        /// A guest brings more lines of a log than are taken at once: it is not read for a while.
        case floods(LogTitle)
        /// A writer may write here, and there is no place for this log.
        case refused(LogTitle, WriterRefusal)
        /// For who reads here.
        case event(GuestEvent)
    }

    /// The order of the event's lines, as far as it is known here.
    public let order: EventOrder
    private let crypto: any LogCrypto
    private let isKept: Bool
    /// Whether somebody has what comes on the disk before anybody is shown it; see ``held``.
    package var isStoredFirst = false
    private var start = GuestSession.Start.beginning
    private var event: Event?
    /// The id of the event in which this machine is a node of a mesh; nil for one that has a main log.
    private var meshed: UUID?
    /// Who is let in, by the founder's word.
    private var grants: EventGrants
    private var logs: [String: ShelvedLog] = [:]
    /// The logs' ids in the order in which they came.
    private var names: [String] = []
    /// Records of logs that are not let in, in the order in which they came.
    private var offers: [Offer] = []
    /// The logs that are written here, which are not read back.
    private var written: [WrittenLog] = []
    /// What guests have brought, and whoever reads here has yet to be told.
    private var untold: [GuestEvent] = []
    /// What each writer may bring, in all of their logs.
    private var allowances: [Fingerprint: WriterAllowance] = [:]
    /// How many records and grants each link may say.
    private var introductions: [Link: RateLimit] = [:]
    /// The writers for whose logs there is no place, of whom the operator was told.
    private var toldRefusals: Set<Fingerprint> = []
    /// The logs written here of which somebody was met who writes them, too.
    private var toldForks: Set<String> = []
    /// Of which log the captions are that a link brings.
    private var current: [Link: String] = [:]
    /// With whose keys those write who are at the other ends of links of a mesh, as they have proved.
    private var keys: [Link: Fingerprint] = [:]
    /// What is to be said to links, in that order, and was not taken yet to be said.
    private var unsaid: [(packet: Packet, link: Link)] = []
    /// What lets logs in, for the guests who have asked for that.
    private var unsaidGrants: [(grant: [UInt8], guest: ConnectionID)] = []

    private struct Offer {
        let record: LogRecord
        let payload: [UInt8]
        let title: LogTitle
        let link: Link
    }

    /// The shelf of a reader.
    ///
    /// - Parameters:
    ///   - isKept: whether what comes is kept, to be served to others.
    ///   - start: where to begin in logs of which nothing is there.
    public init(
        proving crypto: any LogCrypto, isKept: Bool, from start: GuestSession.Start = .beginning,
        order: EventOrder = EventOrder()
    ) {
        (self.crypto, self.isKept, self.order) = (crypto, isKept, order)
        grants = EventGrants(proving: crypto)
        // A number is one of the main log's.
        if start == .next { self.start = start }
    }

    /// The shelf of an event's founder.
    ///
    /// - Parameter refused: writers who are not let in, whatever lets in others.
    public init(
        founding event: Event, by signer: any LogSigner, proving crypto: any LogCrypto,
        admitting admission: WriterAdmission, refusing refused: [FingerprintPin] = [],
        order: EventOrder
    ) {
        (self.event, self.crypto, self.order, isKept) = (event, crypto, order, true)
        grants = EventGrants(
            of: event, by: signer, proving: crypto, admitting: admission, refusing: refused)
    }

    /// The shelf of a node of a mesh, who knows the event by its id alone: that is bound to its founder's key.
    public init(joining event: UUID, proving crypto: any LogCrypto, order: EventOrder) {
        (meshed, self.crypto, self.order, isKept) = (event, crypto, order, true)
        grants = EventGrants(proving: crypto)
    }

    /// Whether it is that of an event in which everybody captions.
    package var isOfMesh: Bool { meshed != nil }

    /// The event's id, as far as it is known.
    private var eventName: String? { (event?.id ?? meshed)?.wireName }

    /// It is known which event this is. What was here of another is let go.
    package func open(_ event: Event) {
        guard !event.isSame(as: self.event) else { return }
        self.event = event
        grants.open(event)
        (logs, names, offers, current) = ([:], [], [], [:])
        (unsaid, unsaidGrants) = ([], [])
    }

    /// A log of the event is written here. It is not read back, and others can be given it once it is let
    /// in.
    public func write(_ log: EventLog) {
        let new = WrittenLog(log, proving: crypto)
        logs[new.session] = nil
        names.removeAll { $0 == new.session }
        written.removeAll { $0.session == new.session }
        written.append(new)
        if let record = new.introduction, let founder = new.verifier {
            isFounded(record, by: founder)
        }
    }

    /// The event in which this is a node is another from now on, in which its founder's record has not come
    /// yet. Logs that are here count again once their writers have said so; their lines stay.
    func move(to event: UUID) {
        (meshed, self.event) = (event, nil)
        grants = EventGrants(proving: crypto)
        (offers, current, unsaid, unsaidGrants) = ([], [:], [], [])
        written.map(\.log).forEach(write)
    }

    /// Whether the event is open to everybody, and on: one of its writers is there, and proves that he is. What its
    /// founder has signed anybody can say again, for ever.
    ///
    /// - Parameters:
    ///   - name: the event's name, as its founder says it.
    ///   - link: by which it was told of.
    func isOpenEvent(called name: String, byWord link: Link) -> Bool {
        guard let event, event.isOpen, let log = logs[event.id.wireName]?.joinedEvent,
            let key = keys[link]
        else { return false }
        return ofEvent.contains { $0.title.writer == key } && EventName.isSame(log.eventName, name)
    }

    /// Whether the log is here of who has founded the event in which this is a node, so that others can be shown
    /// that everybody may write in it.
    var isFounded: Bool {
        guard let name = event?.id.wireName else { return false }
        return logs[name]?.log?.heldHead != nil || written.contains { $0.session == name }
    }

    /// A log may be that of the founder of the event in which this is a node.
    ///
    /// - Returns: whether it is, and that is news.
    @discardableResult
    private func isFounded(_ record: LogRecord, by founder: any LogVerifier) -> Bool {
        guard let meshed, event == nil, record.session == meshed.wireName,
            let event = Event(record, meshed, foundedBy: founder), event.isOpen
        else { return false }
        self.event = event
        grants.open(event)
        return true
    }

    // MARK: Places

    /// Whether one more log may be written here.
    package var hasRoom: Bool { refusal(of: nil, isPrivate: false) == nil }

    /// Returns why there is no place for one more log; nil where there is one.
    ///
    /// Logs that have an end in the event, for their writers were put out, take no place of others.
    /// Logs for few have places of their own.
    ///
    /// - Parameter writer: its writer; nil where it does not matter how many that one has.
    private func refusal(of writer: Fingerprint?, isPrivate: Bool) -> WriterRefusal? {
        guard names.count + written.count < 4 * Limits.logs else { return .noPlace }
        let open = all.filter {
            $0.isPrivate == isPrivate && grants.end(of: $0.title.session) == nil
        }
        let own = isPrivate ? 0 : written.count
        guard open.count + own < Limits.logs else { return .noPlace }
        // How many logs one key has is up to whoever lets it in.
        guard let writer, grants.isFounders || meshed != nil, writer != event?.founder.writer else {
            return nil
        }
        let most =
            isPrivate ? Limits.audiences : meshed == nil ? Limits.logsOfWriter : Limits.logsOfNode
        return open.count { $0.title.writer == writer } < most ? nil : .tooManyOfWriter
    }

    /// Returns why a log that asks to be let in has no place; nil where it has one.
    public func refusal(of title: LogTitle) -> WriterRefusal? {
        if let original = language(of: title.translates), let lang = title.lang,
            LanguageRange.isSame(lang, as: original)
        {
            return .sameLanguage
        }
        if isOpen, let original = title.translates, writer(of: original) != title.writer {
            return .anothersWords
        }
        return refusal(of: title.writer, isPrivate: title.isPrivate)
    }

    /// The writer of one of the event's logs; nil for a log that is not here.
    private func writer(of session: String) -> Fingerprint? {
        if session == event?.id.wireName { return event?.founder.writer }
        let own = written.first { $0.session == session }?.title
        return (own ?? logs[session]?.title)?.writer
    }

    private func language(of session: String?) -> String? {
        guard let session else { return nil }
        if session == event?.id.wireName { return event?.lang }
        let own = written.first { $0.session == session }?.title
        return (own ?? logs[session]?.title)?.lang
    }

    /// A log has no place: the operator is told once of each writer.
    private func refuse(_ title: LogTitle, _ why: WriterRefusal) -> [Outcome] {
        grants.isFounders && toldRefusals.insert(title.writer).inserted
            ? [.refused(title, why)] : []
    }

    /// One more record or grant comes by a link. Each costs the check of a signature. A server has
    /// what others have put there, and is asked for it.
    private func countIntroduction(by link: Link, now: Duration) throws(GuestViolation) {
        guard link != .backbone else { return }
        let limit = RateLimit(
            perSecond: Limits.introductionsPerSecond, atOnce: Limits.introductionsAtOnce)
        guard introductions[link, default: limit].admits(now: now) else {
            throw .record("says what logs there are more often than anybody can follow")
        }
    }

    private func allowance(of writer: Fingerprint) -> WriterAllowance {
        if let known = allowances[writer] { return known }
        let new = WriterAllowance(freeLines: meshed == nil ? nil : Limits.freeLines)
        allowances[writer] = new
        return new
    }

    // MARK: Who is let in

    /// A link says what a log is.
    func take(
        _ record: LogRecord, as payload: UnsafeRawBufferPointer, from link: Link, now: Moment
    ) throws(GuestViolation) -> [Outcome] {
        try countIntroduction(by: link, now: now.uptime)
        guard payload.count <= Limits.logRecord else { throw .record("said too much of a log") }
        guard record.event == eventName, isShelved(record.session, of: record.event),
            !written.contains(where: { $0.session == record.session }),
            let id = UUID(uuidString: record.session),
            id.wireName == record.session
        else { return [] }
        guard record.to == nil || isForUs(record, from: link) else { return [] }
        // The same record came before, by another link say, and was checked then.
        if let log = logs[record.session], log.record.elementsEqual(payload) {
            return tellGrantOfUnserved(log, to: link)
        }
        // The founder of a mesh cannot close it by a later record.
        guard meshed == nil || record.session != record.event || record.open == true else {
            return []
        }
        guard !isOpen || BoundSession.isOwn(record, by: crypto) else {
            throw .record("has a log whose id is bound to another key")
        }
        let proof = try LineProof(record, as: payload, of: id, by: nil, crypto)
        let writer = proof.writer
        let isFounders = isFounded(record, by: proof.verifier)
        if let log = logs[record.session] {
            guard log.title.writer == writer else { throw .record("has the log of another writer") }
            log.take(record, as: payload)
            return tellGrantOfUnserved(log, to: link)
        }
        let offer = Offer(
            record: record, payload: Array(payload), title: LogTitle(record, by: writer), link: link
        )
        if grants.mayBeLetIn(offer.title), let why = refusal(of: offer.title) {
            // It is let in once somebody makes room.
            _ = keep(offer)
            return refuse(offer.title, why)
        }
        guard grants.isLetIn(offer.title) else { return keep(offer) }
        return [letIn(offer)] + (isFounders ? letInOffers() : [])
    }

    /// A log may have been let in for another who asks for its writer, and is served once there is
    /// something of it.
    private func tellGrantOfUnserved(_ log: ShelvedLog, to link: Link) -> [Outcome] {
        if log.log == nil { tellGrant(of: log.title.session, to: link) }
        return []
    }

    /// Whether a log that is not for everybody is for this machine, and comes from who writes it.
    private func isForUs(_ record: LogRecord, from link: Link) -> Bool {
        guard meshed != nil, let to = record.to, to.count <= Limits.audience,
            let own = written.first?.title?.writer, to.contains(own.hex),
            let writer = crypto.verifier(of: Array(record.key))?.writer
        else { return false }
        return keys[link] == writer
    }

    /// The other side of a link says with whose key it writes.
    func prove(
        _ link: Link, by proof: LinkProof?, as role: LinkProof.Role, over exporter: [UInt8]?
    ) {
        keys[link] = exporter.flatMap { proof?.writer(as: role, over: $0, crypto) }
    }

    /// The keys of those at the other ends of links, as far as they have proved them.
    func key(of link: Link) -> Fingerprint? { keys[link] }

    /// Whether a log of the event is none that whoever reads here reads by itself.
    private func isShelved(_ session: String, of event: String) -> Bool {
        meshed != nil || session != event
    }

    /// Whether everybody may write in the event.
    private var isOpen: Bool { event?.isOpen ?? (meshed != nil) }

    private func letIn(_ offer: Offer) -> Outcome {
        toldRefusals.remove(offer.title.writer)
        logs[offer.title.session] = offer.payload.withUnsafeBytes {
            ShelvedLog(
                offer.record, as: $0, by: offer.title.writer,
                grant: grants.payload(of: offer.title.session),
                end: grants.end(of: offer.title.session), from: start,
                keeping: isKept
                    ? Replica(limit: Limits.shelvedLog, isStoredFirst: isStoredFirst) : nil,
                within: allowance(of: offer.title.writer), inMesh: meshed != nil, proving: crypto)
        }
        names.append(offer.title.session)
        tellGrant(of: offer.title.session, to: offer.link)
        return .letIn(offer.title)
    }

    /// Who asks for somebody else has nothing to be read before he lets him in, too.
    private func tellGrant(of session: String, to link: Link) {
        guard case .guest(let id) = link, let grant = grants.payload(of: session) else { return }
        unsaidGrants.append((grant, id))
    }

    /// A log that was kept is here again, before anybody brings it.
    ///
    /// - Parameter grant: the packet that lets it in.
    /// - Returns: false for one of another event, or that is not let in.
    package func takeUp(_ kept: HeldLog, letInBy grant: [UInt8]?, now: Moment) -> Bool {
        let session = kept.record.session
        guard let event, kept.record.event == event.id.wireName,
            isShelved(session, of: kept.record.event),
            !written.contains(where: { $0.session == session }), logs[session] == nil,
            let writer = kept.event.writer,
            refusal(of: nil, isPrivate: kept.record.to != nil) == nil
        else { return false }
        let title = LogTitle(kept.record, by: writer)
        // Lines that are for some alone came by a mesh, and are nothing for the readers of anything
        // else.
        guard meshed != nil || !title.isPrivate else { return false }
        if let grant { grants.takeUp(grant, of: session, through: kept.log.lastSeq) }
        guard grants.isLetIn(title) else { return false }
        logs[session] = ShelvedLog(
            kept, as: title, grant: grants.payload(of: session), end: grants.end(of: session),
            from: start, within: allowance(of: writer), inMesh: meshed != nil, proving: crypto,
            now: now)
        names.append(session)
        // A reader is given its lines, which take their places then.
        if grants.isFounders { order.note(kept.place, lines: kept.log.lastSeq) }
        return true
    }

    /// Gives readers what was kept of the logs that are here again.
    func reportKept(now: Moment) -> [Outcome] {
        var outcomes: [Outcome] = []
        for log in all { log.reportKept(now: now) { note($0, of: log, &outcomes) } }
        return outcomes
    }

    /// A log may be let in later.
    private func keep(_ offer: Offer) -> [Outcome] {
        let isNews = !offers.contains { $0.title.writer == offer.title.writer }
        // A writer asks for one log; in a mesh, where all wait for the founder's record, for
        // several. Only the writer's own key replaces a request: anybody can name a session.
        offers.removeAll {
            $0.title.writer == offer.title.writer
                && ($0.title.session == offer.title.session
                    || meshed == nil && $0.link == offer.link)
        }
        // Whoever asks again and again takes nobody else's place.
        var counts: [Link: Int] = [offer.link: 1]
        for offer in offers { counts[offer.link, default: 0] += 1 }
        let mostByOne = meshed == nil ? Limits.logsAskedFor : Limits.logs
        if counts[offer.link, default: 0] > mostByOne {
            removeOldestOffer(from: offer.link)
        } else if offers.count >= Limits.logs, let most = counts.values.max(),
            let crowded = offers.first(where: { counts[$0.link] == most })
        {
            removeOldestOffer(from: crowded.link)
        }
        offers.append(offer)
        return grants.isFounders && isNews ? [.asks(offer.title)] : []
    }

    private func removeOldestOffer(from link: Link) {
        if let oldest = offers.firstIndex(where: { $0.link == link }) { offers.remove(at: oldest) }
    }

    /// The founder says that a log is let in, or no more.
    ///
    /// - Throws: where he has not signed that.
    func take(
        _ grant: LogGrant, as payload: UnsafeRawBufferPointer, from link: Link, now: Moment
    ) throws(GuestViolation) -> [Outcome] {
        try countIntroduction(by: link, now: now.uptime)
        let end = grants.end(of: grant.session)
        guard try grants.take(grant, as: payload) else { return [] }
        if written.contains(where: { $0.session == grant.session }) {
            // The founder's head may have told it before.
            return end == grants.end(of: grant.session) ? [] : follow(grant.session, now: now)
        }
        return follow(grant.session, now: now) + letInOffers()
    }

    /// The founder's head names logs whose writers were put out.
    func take(_ putOut: [LogHead.PutOutLog], now: Moment) -> [Outcome] {
        grants.take(putOut).flatMap { follow($0, now: now) }
    }

    /// The logs whose writers were put out, for the founder's heads; none on other machines.
    var putOut: [LogHead.PutOutLog] { grants.putOut }

    /// A log that is here is let in, or put out, in another way.
    private func follow(_ session: String, now: Moment) -> [Outcome] {
        if written.contains(where: { $0.session == session }) {
            return [.event(.isPutOut(through: grants.end(of: session)))]
        }
        guard let log = logs[session] else { return [] }
        var outcomes: [Outcome] = []
        log.take(grant: grants.payload(of: session), end: grants.end(of: session), now: now) {
            note($0, of: log, &outcomes)
        }
        say(nil, of: log)
        return outcomes + news(of: log, now: now.uptime)
    }

    /// Lets in those of whom it is said now.
    private func letInOffers() -> [Outcome] {
        var outcomes: [Outcome] = []
        for offer in offers where grants.mayBeLetIn(offer.title) {
            if let why = refusal(of: offer.title) {
                outcomes += refuse(offer.title, why)
            } else if grants.isLetIn(offer.title) {
                outcomes.append(letIn(offer))
            }
        }
        offers.removeAll { logs[$0.title.session] != nil }
        return outcomes
    }

    /// The founder's operator lets a writer in, with all logs of his, also one who was put out.
    public func admit(_ admission: WriterAdmission, now: Moment) -> [Outcome] {
        grants.admit(admission).flatMap { follow($0, now: now) } + letInOffers()
    }

    /// The founder's operator takes nothing more from a writer. What he has said stays.
    public func putOut(_ writer: Fingerprint, now: Moment) -> [Outcome] {
        offers.removeAll { $0.title.writer == writer }
        toldRefusals.remove(writer)
        let ended = grants.putOut(writer) { logs[$0]?.lastSeq ?? 0 }
        return ended.flatMap { follow($0, now: now) } + letInOffers()
    }

    /// The logs of others that are let in, and whether their writers are put out by now.
    public var writers: [(title: LogTitle, isPutOut: Bool)] {
        all.filter { $0.title.writer != event?.founder.writer }.map {
            ($0.title, grants.end(of: $0.title.session) != nil)
        }
    }

    /// What lets a log in, as a packet; nil for the founder's own, which need nothing, and where it is not
    /// known.
    func grant(of session: String) -> [UInt8]? { grants.payload(of: session) }

    /// Those who ask to be let in, the oldest first.
    public var asking: [LogTitle] { offers.map(\.title) }

    /// The logs for the other side of a link: of a mesh those of which it has not said itself how they stand,
    /// else those that are read from guests, which nobody else may have.
    func served(to link: Link, now: Duration) -> [Served] {
        guard meshed != nil else {
            return all.filter { $0.link?.guest != nil }.compactMap { Served($0) }
        }
        return ownServed.filter { $0.to?.contains(keys[link]?.hex ?? "") ?? true }.map(\.served)
            + ofEvent.filter { !$0.isPrivate && !$0.isTold(by: link, now: now) }
            .compactMap { Served($0) }
    }

    /// How long the other sides of links need not be told again that a writer is still there.
    var headPause: Duration { meshed == nil ? .zero : Limits.headsPassedOn }

    /// What guests want to be let in, for whoever may do that; the oldest first.
    var askedForByGuests: [PassedAsks.Ask] {
        meshed != nil
            ? []
            : offers.compactMap { offer in
                guard case .guest(let guest) = offer.link else { return nil }
                return PassedAsks.Ask(
                    session: offer.title.session, record: offer.payload, guest: guest)
            }
    }

    // MARK: What is said to links

    /// What is to be said to whoever serves the event at a link's other end: which logs are read from there,
    /// and which are no more.
    func takeUnsaid(to link: Link) -> [Packet] { takeUnsaid { $0 == link }.map(\.packet) }

    /// The same, for guests who are served here.
    func takeUnsaidToGuests() -> [(packet: Packet, guest: ConnectionID)] {
        takeUnsaid { $0.guest != nil }.compactMap { unsaid in
            unsaid.link.guest.map { (unsaid.packet, $0) }
        }
    }

    /// What lets in the logs for which guests have asked who are served here, as packets.
    func takeUnsaidGrants() -> [(grant: [UInt8], guest: ConnectionID)] {
        defer { unsaidGrants = [] }
        return unsaidGrants
    }

    private func takeUnsaid(where isWanted: (Link) -> Bool) -> [(packet: Packet, link: Link)] {
        guard !unsaid.isEmpty else { return [] }
        defer { unsaid.removeAll { isWanted($0.link) } }
        return unsaid.filter { isWanted($0.link) }
    }

    /// Who was left is told so, and who brings the log from now on is asked for it.
    private func say(_ request: ReadRequest?, of log: ShelvedLog) {
        if let left = log.takeLeft() {
            unsaid.append((.unread(LogMention(log.title.session)), left))
        }
        if let request, let link = log.link { unsaid.append((.read(request), link)) }
    }

    // MARK: What comes

    // What has come of it counts, also where the rest shows who brings it to break a rule: a line that is given
    // out does not come again. So `outcomes` are not returned.

    /// A link says how a log stands.
    func take(
        _ head: LogHead, as payload: UnsafeRawBufferPointer, from link: Link, now: Moment,
        _ outcomes: inout [Outcome]
    ) throws(GuestViolation) {
        guard let log = logs[head.session] else { return outcomes += compare(head, as: payload) }
        let request = try log.take(head, as: payload, from: link, now: now) {
            note($0, of: log, &outcomes)
        }
        say(request, of: log)
        outcomes += news(of: log, now: now.uptime)
    }

    /// Somebody brings a word of ours. Whoever has our key, and says what we have not said, writes our log,
    /// too.
    private func compare(_ head: LogHead, as payload: UnsafeRawBufferPointer) -> [Outcome] {
        let own = written.first { $0.session == head.session }
        guard let title = own?.title, own?.isContradicted(by: head, as: payload, crypto) == true,
            toldForks.insert(head.session).inserted
        else { return [] }
        return [.event(.log(title, .forked))]
    }

    /// The captions that a link brings from now on are of this log.
    func take(_ mention: LogMention, from link: Link) { current[link] = mention.session }

    /// Whether the captions that a link brings are of the main log.
    func isMain(_ link: Link) -> Bool {
        current[link].map { $0 == event?.id.wireName } ?? true
    }

    /// A link says which lines of a log follow.
    ///
    /// - Parameter response: what to do where it says that lines are gone.
    /// - Throws: also where it is others who are to be asked.
    func take(
        _ history: FullHistory, from link: Link, onGap response: GapResponse, now: Moment,
        _ outcomes: inout [Outcome]
    ) throws(GuestViolation) {
        guard let log = logs[history.session], log.link == link else { return }
        try log.take(history, onGap: response, now: now) {
            note($0, of: log, &outcomes)
        }
    }

    func take(
        _ chunk: LiveChunk, as payload: UnsafeRawBufferPointer, from link: Link, now: Moment,
        _ outcomes: inout [Outcome]
    ) throws(GuestViolation) {
        guard let log = current[link].flatMap({ logs[$0] }), log.link == link else { return }
        try log.take(chunk, as: payload, now: now) { note($0, of: log, &outcomes) }
        say(nil, of: log)
    }

    /// Gives out what is proven by now of what a link has brought.
    func settle(
        _ link: Link, mayWait: Bool, now: Moment, _ outcomes: inout [Outcome]
    ) throws(GuestViolation) {
        for log in all where log.link == link {
            try log.settle(mayWait: mayWait, now: now) { note($0, of: log, &outcomes) }
            outcomes += limit(log, on: link, now: now.uptime)
            say(nil, of: log)
        }
    }

    /// A guest who brings more lines than anybody can read is not read for a while.
    private func limit(_ log: ShelvedLog, on link: Link, now: Duration) -> [Outcome] {
        guard meshed != nil || link.guest != nil else { return [] }
        var outcomes: [Outcome] = []
        guard log.isOverAllowance(now: now) else { return outcomes }
        var isNews = false
        for own in all where own.title.writer == log.title.writer {
            let isFirst = own.rest(now: now) { note($0, of: own, &outcomes) }
            isNews = isNews || isFirst && own === log
            say(nil, of: own)
        }
        return isNews ? outcomes + [.floods(log.title)] : outcomes
    }

    /// A link is gone: what it has brought and not proven is, too.
    func ended(_ link: Link, now: Moment) -> [Outcome] {
        var outcomes: [Outcome] = []
        (current[link], keys[link], introductions[link]) = (nil, nil, nil)
        offers.removeAll { $0.link == link }
        for log in all {
            let wasRead = log.link == link
            if wasRead {
                try? log.settle(mayWait: false, now: now) { note($0, of: log, &outcomes) }
            }
            log.ended(link) { note($0, of: log, &outcomes) }
            if wasRead { outcomes += look(after: log, now: now) }
        }
        unsaid.removeAll { $0.link == link }
        unsaidGrants.removeAll { .guest($0.guest) == link }
        return outcomes
    }

    /// Nothing comes any more.
    func close() -> [Outcome] {
        var outcomes: [Outcome] = []
        for log in all { log.close { note($0, of: log, &outcomes) } }
        (unsaid, unsaidGrants) = ([], [])
        return outcomes
    }

    /// Time has passed: how the logs stand may be news, and where they are to be read.
    func tick(now: Moment) -> [Outcome] { all.flatMap { look(after: $0, now: now) } }

    private func look(after log: ShelvedLog, now: Moment) -> [Outcome] {
        var outcomes: [Outcome] = []
        say(log.takeWaiting(now: now) { note($0, of: log, &outcomes) }, of: log)
        say(log.goOver(now: now) { note($0, of: log, &outcomes) }, of: log)
        return outcomes + news(of: log, now: now.uptime)
    }

    /// Asks a link again for lines that do not come of which their writers have told.
    ///
    /// - Parameters:
    ///   - time: for how long none has come.
    ///   - requests: what it was asked so far.
    /// - Throws: where it keeps them back.
    func requestLacking(
        from link: Link, for time: Duration, _ requests: RequestsUnderWay, now: Moment
    ) throws(GuestViolation) {
        let arrived = requests.arrived(now: now.uptime)
        for log in all where log.link == link {
            let again = try log.requestLacking(for: time, since: arrived, now: now.uptime)
            say(again, of: log)
        }
    }

    /// Nobody was listening to a link until now.
    func forgiveSilence(of link: Link, now: Duration) {
        for log in all where log.link == link { log.forgiveSilence(now: now) }
    }

    private func news(of log: ShelvedLog, now: Duration) -> [Outcome] {
        log.newStanding(now: now).map { [.event(.log(log.title, $0))] } ?? []
    }

    private func note(_ event: GuestEvent, of log: ShelvedLog, _ outcomes: inout [Outcome]) {
        switch event {
        case .line, .partial, .gap, .withdrawn:
            outcomes.append(.event(.inLog(log.title, placed(event, isMain: false))))
        default: break
        }
    }

    /// A line takes its place among those of all logs. What comes behind one that it belongs before is
    /// late.
    ///
    /// - Parameter isMain: whether it is of the main log.
    func placed(_ event: GuestEvent, isMain: Bool) -> GuestEvent {
        switch event {
        case .line(let line):
            let isLate = line.at < order.highest
            order.note(line.at, isMain: isMain)
            return isLate ? .line(late(line)) : event
        case .begunAnew: order.goBack(to: 0)
        // Where there are others, what they said behind it stands.
        case .withdrawn(let from, _) where names.isEmpty: order.goBack(to: from - 1)
        default: break
        }
        return event
    }

    private func late(_ line: TranscriptLine) -> TranscriptLine {
        var line = line
        line.isLate = true
        return line
    }

    /// A guest has brought this: whoever reads here is told, too. The founder only serves.
    func leave(_ event: GuestEvent) { if !grants.isFounders { untold.append(event) } }

    /// What guests have brought since.
    func takeUntold() -> [GuestEvent] {
        defer { untold = [] }
        return untold
    }

    // MARK: What there is to see

    private var all: [ShelvedLog] { names.compactMap { logs[$0] } }

    /// Those of the event that is on: the writers of others have yet to come over to it.
    private var ofEvent: [ShelvedLog] {
        guard meshed != nil else { return all }
        let name = eventName
        return all.filter { $0.event == name }
    }

    /// Whether a session is that of another log than the main one, as far as is known. Of one that is written
    /// here lines may come yet which were asked for before.
    func has(_ session: String) -> Bool {
        logs[session] != nil
            || written.contains { $0.session == session && isShelved(session, of: $0.event) }
    }

    /// Returns the number of logs that the event's host offers to everybody and that have not
    /// come.
    ///
    /// - Parameter offered: how many it offers besides the main one.
    func lackedLogs(of offered: Int) -> Int {
        guard hasRoom else { return 0 }
        let refused = offers.count { !$0.title.isPrivate && grants.mayBeLetIn($0.title) }
        let known = all.count { !$0.isPrivate && $0.isKnown }
        let own = ownServed.count { $0.to == nil }
        return max(0, min(offered, 4 * Limits.logs) - known - own - refused)
    }

    /// Whether anything is read from a link.
    func reads(from link: Link) -> Bool { all.contains { $0.link == link } }

    /// Whether lines that their writers have told of are still to come by a link, of what is read from there.
    func lacksLines(from link: Link) -> Bool {
        all.contains { $0.link == link && $0.lacksLines }
    }

    /// Returns the number of logs of which a link brings the head alone, and no line.
    func logsWithoutLines(from link: Link) -> Int {
        all.count { $0.link == link && $0.lastSeq == 0 && $0.lacksLines }
    }

    /// Returns what tells a writer at the event's end how far its logs have come.
    func lastRequests(to link: Link) -> [Packet] {
        all.filter { $0.link == link && !$0.isComplete }.map { log in
            var request = log.request
            request.over = true
            return .read(request)
        }
    }

    /// Tells which of these lines are missing where no more come by the link.
    func linesNotBrought(by link: Link) -> [Outcome] {
        var outcomes: [Outcome] = []
        for log in all where log.link == link {
            guard let lines = log.linesNotBrought else { continue }
            note(.gap(from: lines.lowerBound, through: lines.upperBound), of: log, &outcomes)
        }
        return outcomes
    }

    /// A log that can be served, with what introduces it as packets.
    struct Served {
        let record: [UInt8]
        let grant: [UInt8]?
        let log: EventLog
        /// What shows that the log is forked, as a packet; nil for nothing.
        var fork: [UInt8]?
    }

    /// The logs that are written here, as far as they are of this event and let in.
    private var ownServed: [(title: LogTitle, served: Served, to: [String]?)] {
        written.compactMap { own in
            guard let event, let title = own.title, own.event == event.id.wireName,
                isShelved(own.session, of: own.event), grants.wasLetIn(title) == true
            else { return nil }
            let grant = grants.payload(of: title.session)
            let served = Served(record: own.record, grant: grant, log: own.log)
            return (title, served, own.introduction?.to)
        }
    }

    /// What others can be given.
    var served: [Served] {
        ownServed.filter { $0.to == nil }.map(\.served)
            + ofEvent.filter { !$0.isPrivate }.compactMap { Served($0) }
    }

    /// What a server is to have that keeps logs, but for what is read from there.
    func forBackbone(now: Duration) -> [BackbonePublisher.Offer] {
        ownServed.filter { $0.to == nil }.map {
            BackbonePublisher.Offer(log: $0.served.log, grant: $0.served.grant, isOwn: true)
        }
            + ofEvent.filter { !$0.isPrivate && $0.link != .backbone }.compactMap { shelved in
                shelved.log.map {
                    BackbonePublisher.Offer(
                        log: $0, grant: shelved.grant, isOwn: false,
                        isThere: meshed == nil ? nil : shelved.isTold(by: .backbone, now: now))
                }
            }
    }

    /// A log that others can be given, for whoever keeps it on a disk.
    package struct Held {
        package let session: String
        package let log: EventLog
        /// What lets it in, as a packet.
        package let grant: [UInt8]?
        private let shelved: ShelvedLog
        /// Its label among the logs of its event.
        package var label: String { shelved.title.label }
        /// It as an event by itself.
        package var event: JoinedEvent? { shelved.joinedEvent }

        fileprivate init?(_ shelved: ShelvedLog) {
            guard let log = shelved.log else { return nil }
            (session, self.log, self.shelved) = (shelved.title.session, log, shelved)
            grant = shelved.grant
        }
    }

    /// What whoever keeps the logs has to store. With ``isStoredFirst`` nobody reads what has come until he
    /// has said, by the log's ``SinkName/disk``, that he has it, or that he can't.
    package var held: [Held] { all.compactMap(Held.init) }

    /// The log of a session that everybody can be given.
    package func log(of session: String) -> EventLog? {
        if let log = logs[session] { return log.isPrivate ? nil : log.log }
        return ownServed.first { $0.title.session == session && $0.to == nil }?.served.log
    }

    /// The logs that everybody can be given: those that are written here, and the others in the order in which
    /// they came.
    package var titles: [LogTitle] {
        ownServed.filter { $0.to == nil }.map(\.title)
            + ofEvent.filter { $0.log != nil && !$0.isPrivate }.map(\.title)
    }

    /// Why nothing comes into a log, and for how long its writer was not heard, where that is too long;
    /// nil for a log that is not here.
    package func standing(
        of session: String, now: Duration
    ) -> (trouble: InputTrouble?, unheardFor: Duration?)? {
        if let own = written.first(where: { $0.session == session }) {
            return (own.log.trouble, nil)
        }
        return logs[session]?.trouble(now: now)
    }

    /// What those say of whose turn it is who stand in for a log's writer, and he himself.
    ///
    /// - Parameter session: the log's; only the main one has others to stand in for it.
    package func airClaims(besides own: String, around session: String, now: Duration) -> [AirClaim]
    {
        guard session == event?.id.wireName else { return [] }
        return all.filter { log in
            log.title.session != own
                && (log.title.session == session || log.title.standsInFor == session)
        }.compactMap { log in
            log.airClaim(rank: grants.rank(of: log.title), now: now)
        }
    }

    /// What is wrong; nil where nothing is.
    var brokenInvariant: String? {
        if Set(names) != Set(logs.keys) || names.count > 4 * Limits.logs {
            return "a log has no place"
        }
        for own in written where logs[own.session] != nil {
            return "\(own.session) is written here and read"
        }
        for log in ofEvent where event != nil && grants.wasLetIn(log.title) != true {
            return "\(log.title.label) was not let in"
        }
        return all.lazy.compactMap(\.brokenInvariant).first
    }
}

extension Shelf.Served {
    /// What there is of a log that another writes; nil before anything is proven.
    fileprivate init?(_ shelved: ShelvedLog) {
        guard let log = shelved.log else { return nil }
        self.init(record: shelved.record, grant: shelved.grant, log: log, fork: shelved.fork)
    }
}
