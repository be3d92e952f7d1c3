public import BeamscribeCore
import BeamscribeDiscovery
public import BeamscribeIO
import BeamscribeInput
import BeamscribeTLS

/// Sends the text that comes in to everybody who joins.
///
/// ```swift
/// let security = HostSecurity(.key(try HostKey()))
/// let host = try Host(
///     HostConfiguration(
///         eventName: "Town Hall", deviceName: "stage", security: security))
/// try await host.start()
/// for await batch in host.news { ... }
/// ```
public actor Host {
    /// What happens, until the host is done.
    public nonisolated let news = EventBuffer<HostNews>(limit: Limits.waitingEvents)
    /// The finals, where ``HostConfiguration/copiesFinals`` asks for them.
    public nonisolated let finals = EventBuffer<Caption>(limit: Limits.waitingEvents)

    nonisolated let surroundings: any Surroundings
    /// What everybody reads; the simulation measures a host by it.
    let log: EventLog
    private let configuration: HostConfiguration
    private let captions: HostCaptions
    /// Tells the guest by whom the log goes to its event, where it is somebody else's, that it has changed.
    private var contributed: () -> Void = {}
    /// Offers the log to that event.
    private var offerLog: () -> Void = {}
    private let room: Room
    private let server: HostServer
    /// Who forwards voices; nil where there are none.
    private var forwarder: VoiceForwarder?
    private let journal: HostJournal
    /// Of the event's other logs; nil where nobody keeps them.
    private let others: ShelfJournal?
    private let sides: SideLogs
    /// Nil where there is none that everybody may hear.
    private let floorSound: FloorSound?
    private let announcement: HostAnnouncement
    private let recovered: RecoveredTranscript?
    /// Why the log is not signed; nil where it is.
    private let unsigned: UnsignedReason?
    private let battery: BatteryLookout
    /// What readers get who are no guests.
    private let pages: EventFeed
    private let ending: HostEnding
    /// Whose turn the captions are; nil where nobody else can be believed to have them.
    private let air: HostAir?
    /// Links to others, where this is a node of a mesh, and what comes of them.
    private let mesh: MeshLinks?
    /// Brings the event to a server that keeps it; nil for none.
    private let backbone: HostBackbone?
    private let shelf: Shelf?
    /// Of a node of a mesh what everybody says in the event, also here.
    public nonisolated let captionsOfAll = EventBuffer<GuestEvent>(limit: Limits.waitingEvents)
    private var shownOwn = 0
    /// The event's id, which may change where this is a node of a mesh.
    private(set) var event: UUID
    private let signing: HostSigning
    /// What is said here and not to everybody; nil where this is no node of a mesh.
    private let audiences: AudienceLogs?
    /// What others are saying, by log and line.
    private var openOfOthers = OpenLines<String, String>()
    /// A host that was started lives until it is done: the loop calls it.
    private var lifeline: Host?

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        surroundings.asUnownedSerialExecutor()
    }

    private nonisolated var network: any Network { surroundings.network }
    private nonisolated var now: Moment { network.loop.now }

    /// - Parameter thread: the loop to run on; one of the host's own by default.
    /// - Throws: when a session's transcript cannot be read, or TLS cannot be had.
    public init(
        _ configuration: HostConfiguration, on thread: LoopThread? = nil
    ) throws(StartError) {
        try self.init(configuration, in: try .system(on: thread))
    }

    package init(
        _ configuration: HostConfiguration, in surroundings: any Surroundings
    ) throws(StartError) {
        self.configuration = configuration
        self.surroundings = surroundings
        floorSound = configuration.voices.flatMap { FloorSound($0) }
        let signing = try needed(HostSigning(configuration), orElse: StartError.cannotSecure)
        let transcript = signing.emptyTranscript()
        recovered = try needed(
            RecoveredTranscript.load(
                configuration, into: transcript, provenBy: signing.verifier),
            orElse: StartError.cannotBegin)
        let order = EventOrder()
        (log, unsigned) = signing.log(
            holding: recovered?.transcript ?? transcript,
            isProven: recovered?.isProven ?? true, in: order, now: surroundings.network.loop.now)
        let shelf = unsigned == nil ? signing.shelf(in: order) : nil
        sides = try SideLogs(configuration, on: shelf, in: surroundings)
        captions = HostCaptions(
            configuration, into: log, sides, telling: news, copying: finals, in: surroundings)
        self.shelf = shelf
        var mesh: MeshLinks?
        var audiences: AudienceLogs?
        if let membership = configuration.mesh, let shelf, let signer = signing.signer {
            audiences = AudienceLogs(by: signing, on: shelf)
            mesh = try needed(
                MeshLinks(
                    membership, of: configuration, on: shelf, signing: signer, in: surroundings),
                orElse: StartError.cannotSecure)
        }
        (self.mesh, self.signing, self.audiences) = (mesh, signing, audiences)
        event = configuration.mesh?.event ?? configuration.session
        if mesh != nil { shelf?.write(log) }
        // What nobody has signed nobody would believe from there.
        backbone =
            unsigned == nil
            ? try Self.backbone(configuration, log, shelf, of: event, in: surroundings) : nil
        air =
            unsigned == nil && mesh == nil
            ? HostAir(configuration, of: log, captions, on: surroundings.network.loop) : nil
        air?.heard = { shelf?.airClaims(besides: $0, around: $1, now: $2.uptime) ?? [] }
        // Readers of a mesh have its founder's log as their main one, once that is here.
        let isFoundedHere = configuration.mesh.map { $0.event == configuration.session } ?? true
        var main = log
        if !isFoundedHere, let event = configuration.mesh?.event {
            main = EventLog(session: event, now: surroundings.network.loop.now)
        }
        let room = Room(
            configuration.room, serving: main, others: shelf, linking: mesh?.session.links,
            seed: surroundings.seed())
        pages = EventFeed(log, others: shelf, on: surroundings.network.loop)
        room.holders.admission = configuration.pageAdmission
        self.room = room
        announcement = HostAnnouncement(of: configuration, in: surroundings)
        battery = BatteryLookout(configuration, in: surroundings)
        server = try needed(
            HostServer(room, configuration.security, in: surroundings),
            orElse: StartError.cannotSecure)
        journal = HostJournal(log, configuration, in: surroundings)
        others = try needed(
            Self.others(configuration, shelf, in: surroundings), orElse: StartError.cannotSecure)
        ending = HostEnding(
            of: log, room, captions, server, journal, sides, others: others, announcement,
            linger: configuration.linger, telling: news, on: surroundings.network.loop)
    }

    private static func backbone(
        _ configuration: HostConfiguration, _ log: EventLog, _ shelf: Shelf?, of event: UUID,
        in surroundings: any Surroundings
    ) throws(StartError) -> HostBackbone? {
        guard let server = configuration.backbone else { return nil }
        return try HostBackbone(
            server, bringing: log, shelf, of: event, hasCode: configuration.security.hasCode,
            inMesh: configuration.mesh != nil, configuration.timing, in: surroundings)
    }

    /// What was kept of them is there again, before anybody comes.
    private static func others(
        _ configuration: HostConfiguration, _ shelf: Shelf?, in surroundings: any Surroundings
    ) throws(TLSError) -> ShelfJournal? {
        guard let shelf, let store = configuration.otherLogs else { return nil }
        var keeping = HeldLogJournal.Keeping(
            store: store, age: configuration.keep?.seconds, deviceName: configuration.deviceName,
            timing: configuration.timing)
        guard case .resumed(let stored) = configuration.storage else {
            return try ShelfJournal(of: shelf, keeping, in: surroundings)
        }
        keeping.age = keeping.age ?? stored.record.keep
        let others = try ShelfJournal(of: shelf, keeping, in: surroundings)
        others.takeUp(configuration.session.wireName)
        return others
    }

    /// What belongs to the loop goes on its thread.
    isolated deinit {}

    // MARK: Starting

    /// Listens, announces the event and begins to read the input.
    ///
    /// - Throws: when no port can be had, the input cannot be opened, or the session that is to go
    ///   on cannot be written.
    public func start() throws(StartError) {
        lifeline = self
        connect()
        do throws(StartError) {
            try begin()
        } catch {
            giveUp()
            throw error
        }
    }

    private func begin() throws(StartError) {
        let listening = try listen()
        try openVoices(at: listening)
        try needed(captions.open(), orElse: StartError.cannotReadInput)
        do throws(SystemError) {
            try beginStoring(port: listening.first?.port)
        } catch {
            captions.close()
            throw .cannotResume(error)
        }
        if let mesh {
            shownOwn = log.lastSeq
            mesh.begin(at: listening, joinable: joinable(at: listening))
        } else if configuration.contribution == nil {
            announcement.begin(
                at: listening, joinable: joinable(at: listening), channelPSM: listenForChannels())
        }
        battery.look()
        air?.begin()
        backbone?.begin()
        server.tellOfOthers()
    }

    private func listen() throws(StartError) -> [Endpoint] {
        guard configuration.contribution == nil else { return [] }
        let listening = try needed(
            server.listen(on: configuration.port, at: configuration.addresses),
            orElse: StartError.cannotListen)
        places = joinable(at: listening)
        news.push([.listening(places)])
        return listening
    }

    private func openVoices(at listening: [Endpoint]) throws(StartError) {
        guard let wanted = configuration.voices else { return }
        guard VoiceLibraries.areHere else { throw .cannotOfferVoices(.notBuilt) }
        guard !configuration.security.allowsPlain else {
            throw .cannotOfferVoices(.withoutEncryption)
        }
        if let path = wanted.floor?.input.raw?.path {
            try needed(ByteSource.check(path: path), orElse: StartError.cannotReadInput)
        }
        let voices = try needed(
            HostVoices(
                wanted, at: listening, timeout: configuration.timing.handshakeTimeout,
                in: surroundings,
                give: { [weak self, surroundings] actions in
                    surroundings.perform { [weak self] in
                        self?.assumeIsolated { $0.carryOut(actions) }
                    }
                }, news: { [news] in news.push([.floor($0)]) }),
            orElse: StartError.cannotListen)
        server.offer(voices)
        forwarder = voices.forwarder
        news.push([.voices(voices.offer)])
    }

    /// What voices have to say to guests is said, what is heard becomes captions.
    private func carryOut(_ actions: [VoiceForwarder.Voices.Action]) {
        server.carryOut(actions)
        for case .hear(let voice) in actions {
            captions.hear(voice)
            floorSound?.take(voice)
        }
    }

    private func joinable(at listening: [Endpoint]) -> [Endpoint] {
        JoinAddresses.of(listening, on: network.interfaceAddresses())
    }

    /// Takes back what was begun. Nobody reads the finals of a host that has not started, and they
    /// know their host.
    private func giveUp() {
        server.stopListening()
        finals.finish()
        captionsOfAll.finish()
        lifeline = nil
    }

    /// It was the last that it did.
    private func end() {
        battery.end()
        air?.end()
        mesh?.end()
        backbone?.end()
        captionsOfAll.finish()
        news.finish()
        finals.finish()
        lifeline = nil
    }

    private func connect() {
        // News of guests can be spared when nobody reads: anybody can make any number of them.
        server.report = { [unowned self] events in
            let counts = room.counts
            for case .guestServes(_, let addresses) in events { journal.note(holderAt: addresses) }
            for case .writerLetIn(let log) in events { journal.note(writer: log.writer) }
            news.offer(events.map { .guests($0, counts) })
        }
        server.acceptTrouble = { [unowned self] in news.offer([.acceptFailed($0)]) }
        server.published = { [unowned self] in
            pages.changed()
            contributed()
            air?.look()
            exchange()
        }
        air?.tell = { [unowned self] in news.push([.air($0)]) }
        air?.changed = { [unowned self] in
            publish()
            server.tellHeads()
        }
        journal.isDue = { [unowned self] events in
            server.tell(events)
            publish()
        }
        others?.isDue = { [unowned self] in
            others?.store()
            server.sendPublished()
        }
        others?.storageChanged = { [unowned self] in news.push([.othersUnsaved($0)]) }
        others?.notKept = { [unowned self] in news.push([.otherNotKept(log: $0, $1)]) }
        news.push(
            ((others?.damages ?? []) + sides.damages).map { .otherDamaged(log: $0.log, $0.damage) })
        server.brought = { [unowned self] in others?.store() }
        sides.isDue = { [unowned self] in publish() }
        sides.opened = { [unowned self] in server.tellOfOthers() }
        announcement.tell = { [unowned self] in news.push([$0]) }
        battery.isLow = { [unowned self] in batteryIsLow($0) }
        captions.giveOut = { [unowned self] in publish() }
        captions.command = { [unowned self] in news.push([.typed(type($0))]) }
        captions.gaveUp = { [unowned self] in ending.cannotGoOn() }
        captions.inform = { [unowned self] in server.carryOut([.say(.captioned($1), to: $0)]) }
        captions.ended = { [unowned self] in
            guard configuration.endsWithInput else { return }
            // Others go on.
            mesh == nil ? ending.endSoon() : ending.cannotGoOn()
        }
        backbone?.tell = { [unowned self] in news.push([.backbone($0)]) }
        backbone?.heard = { [unowned self] in
            giveOutWhatCame()
            mesh?.look(at: now)
        }
        mesh?.changed = { [unowned self] in giveOutWhatCame() }
        mesh?.report = { [unowned self] in tell($0) }
        mesh?.goOver = { [unowned self] in goOver(to: $0, .wentOver) }
        mesh?.foundAnew = { [unowned self] in goOver(to: configuration.session, .foundedAnew) }
        ending.linksAreGone = { [unowned self] in
            mesh?.isGone ?? true && backbone?.isGone ?? true
        }
        mesh?.tell = { [unowned self] in news.push([.mesh($0)]) }
        ending.leaving = { [unowned self] in
            leaveMesh($0, $1)
            backbone?.leave { [unowned self] in ending.finishIfDone() }
        }
        ending.otherReaders = { [unowned self] in pages.readers ?? 0 }
        ending.done = { [unowned self] in end() }
        let host = self
        finals.whenDrained { [surroundings] in
            surroundings.perform { host.assumeIsolated { $0.captions.readerCaughtUp() } }
        }
    }

    /// Opens the session's files, and says what was found in them.
    private func beginStoring(port: UInt16?) throws(SystemError) {
        server.tell(try journal.open(port: port))
        try sides.keep()
        news.push(recovered?.news(of: configuration.session, lines: captions.saidLines) ?? [])
        if let unsigned { news.push([.unsigned(unsigned)]) }
        if case .new = configuration.storage, !log.isFailing(.disk) {
            news.push([.storing(session: configuration.session)])
        }
        // Whoever reads it keeps it for its writer, where it is not there already, also on this machine.
        offerLog()
    }

    /// Where guests without a network come in.
    private func listenForChannels() -> UInt8? {
        guard configuration.bluetooth == .captions else { return nil }
        do throws(SystemError) {
            return try server.listenForChannels()
        } catch {
            news.push([.channelsFailed(error)])
            return nil
        }
    }

    /// Stores what was said, and sends it to everybody.
    private func publish() {
        if log.lastSeq > 0 { surroundings.network.loop.holdWall() }
        server.tell(journal.store())
        let news = sides.store()
        if !log.isFailing(.disk) { server.tell(log.tell(news, now: now)) }
        server.sendPublished()
    }

    private func batteryIsLow(_ percent: Int) {
        news.push([.batteryLow(percent: percent)])
        log.tell(.batteryLow, "The host's battery is at \(percent) %.", now: now)
        publish()
    }

    /// Where others can join, the likeliest first, as of the start; empty before that.
    public private(set) var places: [Endpoint] = []

    // MARK: A mesh

    /// What was said here, and what others have brought who dial this node, goes to those whom it has dialled.
    private func exchange() {
        backbone?.look()
        guard let mesh else { return }
        let title = shelf?.titles.first { $0.session == session }
        while shownOwn < log.lastSeq, let title {
            shownOwn += 1
            if let said = log.final(shownOwn) {
                captionsOfAll.push([.inLog(title, .line(TranscriptLine(said, seq: shownOwn)))])
            }
        }
        mesh.look(at: now)
    }

    /// What those have brought whom this node has dialled goes to everybody else.
    private func giveOutWhatCame() {
        others?.store()
        if event != configuration.session, let founders = shelf?.log(of: event.wireName) {
            server.serve(founders)
        }
        server.tellOfOthers()
        server.sendPublished()
    }

    private func leaveMesh(_ kind: Alert.Kind, _ message: String) {
        guard let mesh else { return }
        log.end(kind, message, now: now)
        audiences?.end(kind, message, now: now)
        mesh.leave { [unowned self] in ending.finishIfDone() }
    }

    /// What is said here goes on in another event of the name: one that was begun apart, or that is founded here.
    private func goOver(to event: UUID, _ why: MeshNews) {
        guard let mesh, event != self.event, let writer = signing.writer(of: log, in: event)
        else { return }
        self.event = event
        log.reintroduce(by: writer)
        audiences?.move(to: event)
        journal.note(event: event)
        mesh.move(to: event)
        backbone?.move(to: event)
        let main = event == configuration.session ? log : EventLog(session: event, now: now)
        server.perform(room.move(to: main, now: now))
        news.push([.mesh(why)])
        giveOutWhatCame()
    }

    private func tell(_ event: GuestEvent) {
        captionsOfAll.push([event])
        guard case .inLog(let log, let said) = event else { return }
        switch said {
        case .partial(let partial) where partial.text.isEmpty:
            openOfOthers.close(log.session + partial.line)
        case .partial(let partial):
            let name = log.name(of: partial.speaker)
            openOfOthers.set(log.session + partial.line, "[\(name)] \(partial.text)")
        case .line(let line): openOfOthers.close(log.session + line.line)
        default: break
        }
    }

    /// Says a line to some alone, who are here.
    ///
    /// - Parameter others: whom the log's name tells as left out, in place of those whom it is for.
    private func say(
        _ text: String, to members: [MeshMember], except others: [MeshMember] = []
    ) -> TypedOutcome {
        guard let audiences, let label = configuration.mesh?.label, !members.isEmpty,
            members.count <= Limits.audience
        else { return .refused }
        guard captions.gate != .offRecord else { return .offRecord }
        let names = { (all: [MeshMember]) in all.map { $0.names.last ?? "" }.joined(separator: ", ")
        }
        let whom = others.isEmpty ? names(members) : "all but \(names(others))"
        let title = SafeText.name("\(label) to \(whom)", bytes: Limits.labelBytes)
        guard
            let (log, seq) = audiences.say(
                text, to: members.map(\.key), as: title, in: event, now: now)
        else { return .refused }
        if let title = signing.title(of: log), let said = log.final(seq) {
            captionsOfAll.push([.inLog(title, .line(TranscriptLine(said, seq: seq)))])
        }
        publish()
        return .sent(seq)
    }

    /// Says a line to some nodes alone, by their ids, or to all others who are here.
    ///
    /// - Returns: ``TypedOutcome/nobody(_:)`` where there is no link to one of them.
    public func type(_ text: String, to nodes: [String], isExcept: Bool = false) -> TypedOutcome {
        let members = mesh?.session.members ?? []
        if let lacking = nodes.first(where: { node in !members.contains { $0.node == node } }) {
            return .nobody(lacking)
        }
        let named = members.filter { nodes.contains($0.node) }
        guard isExcept else { return say(text, to: named) }
        return say(text, to: members.filter { !nodes.contains($0.node) }, except: named)
    }

    /// The nodes of the mesh of which this is one, but for itself.
    public var peers: [MeshPeer] { mesh?.session.links.peers ?? [] }

    // MARK: Several logs

    /// Has what is said go to the event that ``HostConfiguration/contribution`` names, through a guest of
    /// it that runs on the same loop. To be called before ``start()``.
    ///
    /// - Returns: false where nothing is signed, which nobody would take.
    public func contribute(through guest: Guest) -> Bool {
        guard unsigned == nil else { return false }
        // Both live on one thread, which `assumeIsolated` checks.
        nonisolated(unsafe) let log = log
        offerLog = { guest.assumeIsolated { $0.offer(log) } }
        contributed = { guest.assumeIsolated { $0.offeredHasChanged() } }
        air?.heard = { own, main, _ in
            guest.assumeIsolated { $0.airClaims(besides: own, around: main) }
        }
        guest.assumeIsolated { guest in
            guest.heardOthers = { [weak self] in self?.assumeIsolated { $0.air?.look() } }
        }
        return true
    }

    /// Who stands by to caption, or does while this host waits.
    public var captioners: [AirClaim] { air?.others ?? [] }

    /// Whether it is this host's turn to caption.
    var isOnAir: Bool { captions.isOnAir }
    /// Whether it is another's, and the last line is said.
    var isOffAir: Bool { captions.isOffAir }

    /// Takes the captions, whoever has them. Where a line is open there it is said to its end.
    ///
    /// - Returns: whether somebody else had them.
    public func takeAir() -> Bool { air?.take() ?? false }

    /// Hands the captions over to the writer of a log; this host captions until they are taken.
    ///
    /// - Parameter session: the log's id.
    /// - Returns: whether there are any to be handed over.
    public func handAir(to session: String) -> Bool { air?.hand(to: session) ?? false }

    /// Lets these writers' logs into the event, too.
    public func admit(_ writers: WriterAdmission) {
        server.perform(room.admit(writers, now: now))
        // Those who were put out are let in by no event.
        for (log, isPutOut) in room.writers where !isPutOut { journal.note(writer: log.writer) }
        publish()
    }

    /// Takes nothing more from a writer. What he has said stays, and he is told.
    public func putOut(_ writer: Fingerprint) {
        if let pin = FingerprintPin(writer.hex) { journal.note(putOut: pin) }
        server.perform(room.putOut(writer, now: now))
        publish()
    }

    /// The logs of others that are let in, and whether their writers are put out by now.
    public var writers: [(title: LogTitle, isPutOut: Bool)] { room.writers }

    /// The logs whose writers ask to be let in.
    public var writersAsking: [LogTitle] { room.writersAsking }

    /// Returns why a log that asks to be let in has no place; nil where it has one.
    public func refusal(of log: LogTitle) -> WriterRefusal? { room.refusal(of: log) }

    // MARK: Voices

    /// Who is on the voices' channels besides the host, and who was put out; nil where there are no voices.
    public var voiceParticipants: [VoiceParticipant]? {
        get async { await forwarder?.participants }
    }

    /// Puts out of all channels who comes from a device, and lets nobody in from there again. He is told, and reads
    /// on.
    public func putOutOfVoices(device: String) async { await forwarder?.putOut(device: device) }

    /// Lets somebody who was put out come back.
    public func letIntoVoices(device: String) async { await forwarder?.letIn(device: device) }

    // MARK: What an operator does

    /// Lets the input rest, and tells guests. Nothing is lost: what waits goes out with
    /// ``resume()``. An event that is off the record stays so.
    public func pause() { captions.follow { $0.pause(now: $1) } }

    /// Throws away what comes in from now on, what waits in a paused input too, and tells guests.
    /// Nobody gets it, and it is not kept. Lines that are open are taken back.
    public func goOffRecord() { captions.follow { $0.goOffRecord(now: $1) } }

    /// Goes on after ``pause()`` or ``goOffRecord()``. A line that was begun off the record does not
    /// come out, its end neither.
    public func resume() { captions.follow { $0.resume(now: $1) } }

    /// Marks this place in the event: guests are told, and the session's record keeps it. The same
    /// place is marked once.
    public func mark() {
        guard let (seq, side) = captions.mark() else { return }
        if let side { side.noteMarks() } else { journal.noteMarks() }
        news.push([.marked(after: seq)])
    }

    /// Shows guests what is being typed; an empty text takes it back. While the event is paused, or
    /// off the record, they see nothing of it.
    public func type(partial text: String, speaker: String? = nil) {
        // For whom a line is that begins with a slash is not known before it is sent.
        let isForAll = mesh == nil || !Whisper.isMeant(text) && !text.hasPrefix("/")
        captions.follow { $0.type(partial: isForAll ? text : "", speaker: speaker, now: $1) }
    }

    /// Sends the line that was being typed, or another.
    @discardableResult
    public func type(_ text: String, speaker: String? = nil) -> TypedOutcome {
        guard let mesh else { return captions.type(text, speaker: speaker) }
        let members = mesh.session.members
        switch Whisper(text, among: members) {
        case nil: return captions.type(Whisper.unescaped(text), speaker: speaker)
        case .to(let member, let text): return say(text, to: [member])
        case .except(let member, let text):
            return say(text, to: members.filter { $0 != member }, except: [member])
        case .nobody(let name): return .nobody(name)
        case .several(let members): return .several(members)
        case .unknown(let word): return .unknownCommand(word)
        }
    }

    /// There is nothing more to be typed, where the captions are: the input has ended.
    public func endTyping() { captions.follow { $0.endTyping(now: $1) } }

    /// Says line `seq` anew for everybody, or withdraws it where there are no words. Also while
    /// nothing else gets out: what is corrected is out already.
    ///
    /// - Parameters:
    ///   - log: that of one who talks, by its id; nil for the main one.
    ///   - speaker: who speaks; nil for the same as before.
    @discardableResult
    public func correct(
        _ seq: Int, in log: String? = nil, text: String, speaker: String? = nil
    ) -> TypedOutcome {
        captions.correct(seq, in: log, text: text, speaker: speaker)
    }

    // MARK: Ending

    /// Ends the event, whatever its input does: guests get all that was said, and leave. Whoever
    /// comes while the host lingers gets the same.
    public func endEvent() { mesh == nil ? ending.endEvent() : ending.stop() }

    /// Says goodbye to every guest and ends. The event goes on without this host: guests are told
    /// that it has gone for now, and wait. What was begun and what was typed goes out first. A second
    /// call does not wait for slow guests, nor does one to a host whose event is over; one to a host
    /// that waits for the last translations waits for them no longer.
    public func stop() { ending.stop() }

    // MARK: How it stands

    /// How the event stands.
    ///
    /// - Parameter withGuests: whether to tell of each guest; of a full room that is a lot.
    public func view(withGuests: Bool = false) -> HostView {
        let now = now
        var view = captions.view(with: room.counts, now: now)
        if withGuests { view.guests = room.guestReports(now: now) }
        view.phones = pages.readers
        view.peers = mesh?.session.links.peers
        view.openOfOthers = openOfOthers.entries.map(\.value)
        view.isEventOver = ending.isEventOver
        view.isUnsaved = log.isFailing(.disk) || sides.isFailing
        return view
    }

    /// The session's id.
    public nonisolated var session: String { configuration.session.wireName }

    /// Looks at the next stretch of lines for somebody who looks for one.
    public func look(_ search: EventSearch) -> EventSearch {
        var search = search
        search.look(at: [log] + sides.ofTalkers.map(\.log))
        return search
    }

    /// Has what comes from now on mended so, as by the event's glossary.
    public func mend(_ pair: GlossaryPair) { captions.mend(pair) }

    /// How readers have line `seq` now; nil where that is not known.
    ///
    /// - Parameter log: that of one who talks, by its id; nil for the main one.
    public func wording(of seq: Int, in log: String? = nil) -> String? {
        captions.wording(of: seq, in: log)
    }

    /// What it serves, and how much that is.
    public func metrics() -> HostMetrics {
        var metrics = HostMetrics(of: room, serving: log, now: now)
        for side in sides.ofTalkers { metrics.add(side.log) }
        return metrics
    }

    /// How each guest fares, and how long ago the last input came.
    public func guestReports() -> (guests: [GuestReport], inputAge: Duration?) {
        let now = now
        return (room.guestReports(now: now), captions.inputAge(at: now.uptime))
    }

    /// What is wrong with its state; nil where nothing is. Looks at everybody: for tests.
    var brokenInvariant: String? { server.brokenInvariant }

    // MARK: Readers who are no guests of the wire: browsers, say

    /// What they read.
    public var feed: FeedSource { source(of: pages) }

    /// The pages for browsers of those who serve the event, too: where phones go once this host is not
    /// heard any more, and where they do not.
    public var pagesOfOthers: (admitted: [String], others: [String]) {
        (room.holders.pages, room.holders.strangePages)
    }

    /// Has phones sent to the pages that there are now, or to none;
    /// ``HostConfiguration/pageAdmission`` says it for the beginning.
    public func admitPagesOfOthers(_ isWanted: Bool) {
        if isWanted { room.holders.admitKnownPages() } else { room.holders.admission = .nobody }
    }
}

extension Host: FeedServer {
    func standing() -> FeedStanding {
        FeedStanding(
            eventName: configuration.eventName, deviceName: configuration.deviceName,
            otherPages: room.holders.pages,
            standIn: isOnAir
                ? nil : AirClaim.standIn(for: log.session.wireName, among: captioners))
    }

    func figures() -> HostMetrics? { metrics() }

    func openFloor(_ receive: @escaping @Sendable ([UInt8]) -> Void) -> [UInt8]? {
        floorSound?.open(receive)
    }

    func announce(_ advertisement: Advertisement) { announcement.add(advertisement) }

    /// The session's record keeps where browsers find the event, for a host that goes on in it.
    func opened(_ page: OpenedPage) {
        journal.note(SessionRecord.Web(port: page.door.port, token: page.link))
        room.holders.open(page: page.door, link: page.link)
    }

    /// This is the host's own.
    var linkOfHost: String? { nil }
}
