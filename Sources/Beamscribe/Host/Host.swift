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
///         eventName: "Town Hall", deviceName: "stage", deviceID: id, security: security))
/// try await host.start()
/// for await batch in host.news { ... }
/// ```
public actor Host {
    /// What happens, until the host is done.
    public nonisolated let news = EventBuffer<HostNews>(limit: Limits.waitingEvents)
    /// The finals, where ``HostConfiguration/copiesFinals`` asks for them.
    public nonisolated let finals = EventBuffer<Caption>(limit: Limits.waitingEvents)

    nonisolated let surroundings: any Surroundings
    let configuration: HostConfiguration
    let log: EventLog
    let publisher: Publisher
    let room: Room
    let server: HostServer
    let journal: HostJournal
    let input: HostInput
    let announcement: HostAnnouncement
    /// What readers get who are no guests, and how many they are.
    var feed: HostFeed?
    var phoneCount = 0
    private let recovered: RecoveredTranscript?
    private let battery: BatteryLookout
    private var addressMonitor: AnyObject?
    private var listening: [Endpoint] = []
    private var joinable: [Endpoint] = []
    /// Says something unless all have gone before.
    @OwnedTimer private var patience: LoopTimer?
    /// Ends the event once its input has ended, unless the host is stopped meanwhile.
    @OwnedTimer private var ending: LoopTimer?
    private var isFinishing = false
    private var isFinished = false
    /// Somebody has ended the event, rather than stopped this host of it.
    private var isEventOver = false
    /// A host that was started lives until it is done: the loop calls it.
    private var lifeline: Host?

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        surroundings.asUnownedSerialExecutor()
    }

    nonisolated var network: any Network { surroundings.network }
    nonisolated var loop: any Loop { network.loop }
    nonisolated var now: Moment { loop.now }

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
        let network = surroundings.network
        do throws(SystemError) {
            recovered = try RecoveredTranscript.load(configuration)
        } catch {
            throw .cannotBegin(error)
        }
        log = configuration.log(holding: recovered?.transcript, now: network.loop.now)
        publisher = Publisher(into: log, masking: configuration.wordMask)
        room = Room(
            Room.Configuration(
                eventName: configuration.eventName, deviceName: configuration.deviceName,
                deviceID: configuration.deviceID, maximumGuests: configuration.maximumGuests,
                timing: configuration.timing),
            serving: log, seed: surroundings.seed())
        input = HostInput(configuration, after: log.lastSeq, in: surroundings)
        announcement = HostAnnouncement(of: configuration, in: surroundings)
        battery = BatteryLookout(configuration, in: surroundings)
        do throws(TLSError) {
            server = try HostServer(room, configuration.security, in: surroundings)
        } catch {
            throw .cannotSecure(error)
        }
        journal = HostJournal(log, configuration, in: surroundings)
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
        do throws(SystemError) {
            listening = try server.listen(
                on: configuration.port, at: configuration.addresses)
        } catch {
            lifeline = nil
            throw .cannotListen(error)
        }
        joinable = JoinAddresses.of(listening, on: network.interfaceAddresses())
        news.push([.listening(joinable)])
        do throws(SystemError) {
            try input.open()
        } catch {
            server.stopListening()
            lifeline = nil
            throw .cannotReadInput(error)
        }
        do throws(SystemError) {
            try beginStoring()
        } catch {
            input.close()
            server.stopListening()
            lifeline = nil
            throw .cannotResume(error)
        }
        announcement.begin(
            at: listening, joinable: joinable, channelPSM: listenForChannels())
        battery.look()
        addressMonitor = try? network.watchAddresses { [unowned self] in addressesChanged() }
    }

    private func connect() {
        // News of guests can be spared when nobody reads: anybody can make any number of them.
        server.report = { [unowned self] events in
            let counts = room.counts
            if !news.isFull { news.push(events.map { .guests($0, counts) }) }
        }
        server.acceptTrouble = { [unowned self] error in
            if !news.isFull { news.push([.acceptFailed(error)]) }
        }
        journal.isDue = { [unowned self] events in
            server.tell(events)
            publish()
        }
        server.allGone = { [unowned self] in if isFinishing { finish() } }
        announcement.tell = { [unowned self] in news.push([$0]) }
        battery.isLow = { [unowned self] in batteryIsLow($0) }
        input.perform = { [unowned self] in perform($0, $1) }
        let host = self
        finals.whenDrained { [surroundings] in
            surroundings.perform { host.assumeIsolated { $0.input.readerCaughtUp() } }
        }
    }

    private func batteryIsLow(_ percent: Int) {
        news.push([.batteryLow(percent: percent)])
        log.tell(.batteryLow, "The host's battery is at \(percent) %.", now: now)
        publish()
    }

    // MARK: Storing

    /// Opens the session's files, and says what was found in them.
    private func beginStoring() throws(SystemError) {
        server.tell(try journal.open(port: listening.first?.port))
        if let recovered { tell(of: recovered) }
        if case .new = configuration.storage, !log.isFailing(.disk) {
            news.push([.storing(session: configuration.session)])
        }
    }

    private func tell(of recovered: RecoveredTranscript) {
        let lines = recovered.transcript.lastSeq
        news.push([.resumed(session: configuration.session, lines: lines)])
        if let tail = recovered.tail {
            news.push([.logTail(bytes: tail.bytes, tail.fate)])
        }
        if !recovered.gaps.isEmpty { news.push([.logGaps(recovered.gaps)]) }
    }

    /// Has something said, stores it, and sends it to everybody.
    private func say<Result>(_ body: (Publisher) -> Result) -> Result {
        defer { publish() }
        return body(publisher)
    }

    private func publish() {
        server.tell(journal.store())
        server.sendPublished()
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

    private func addressesChanged() {
        let now = JoinAddresses.of(listening, on: network.interfaceAddresses())
        guard now != joinable, !isFinishing else { return }
        joinable = now
        news.push([.addressesChanged(now)])
        announcement.moved(to: now)
    }

    // MARK: Input

    private func perform(_ action: InputPipeline.Action, _ now: Moment) {
        switch action {
        case .say(let events): say(events, now)
        case .giveOut: publish()
        case .arrived: log.inputArrived(now: now)
        case .form(let format): news.push([.inputFormat(format)])
        case .silent(let time): news.push([.inputSilent(time)])
        case .stalled(let time):
            news.push([.inputStalled(time)])
            let message =
                "Nothing has come in for \(Int(time.seconds)) s: nobody speaks, or the "
                + "recogniser hangs."
            log.tell(.inputStalled, message, now: now)
        case .cameAgain:
            news.push([.inputResumed])
            log.tell(.resumed, "Captions come in again.", now: now)
        case .gate(let gate):
            say { $0.set(gate, now: now) }
            news.push([.gate(gate)])
        case .ended:
            if let failure = input.failure { news.push([.inputFailed(failure)]) }
            news.push([.inputEnded(lines: log.lastSeq)])
            if configuration.endsWithInput {
                ending = loop.schedule(after: Limits.inputEndSettling) { [unowned self] in
                    endEvent()
                }
            }
        case .tellEnded:
            guard !isFinishing else { return }
            let message = "The input has ended; there may be no more captions."
            log.tell(.inputEnded, message, now: now)
        }
    }

    private func say(_ events: [InputEvent], _ now: Moment) {
        var copies: [Caption] = []
        for event in events {
            switch event {
            case .final(let caption):
                publisher.publish(final: caption, now: now)
                if configuration.copiesFinals { copies.append(caption) }
            case .correction(let caption):
                publisher.publish(correction: caption, now: now)
                if configuration.copiesFinals { copies.append(caption) }
            case .partial(let caption): publisher.publish(partial: caption, now: now)
            // Bad input can be long, and whoever reads the warnings may be slow.
            case .warning(let text): if !news.isFull { news.push([.inputWarning(text)]) }
            }
        }
        copy(copies)
    }

    private func copy(_ captions: [Caption]) {
        if !finals.push(captions) { input.readerFellBehind() }
    }

    // MARK: What an operator does

    /// Lets the input rest, and tells guests. Nothing is lost: what waits goes out with
    /// ``resume()``. An event that is off the record stays so.
    public func pause() { input.follow { $0.pause(now: $1) } }

    /// Throws away what comes in from now on, what waits in a paused input too, and tells guests.
    /// Nobody gets it, and it is not kept. Lines that are open are taken back.
    public func goOffRecord() { input.follow { $0.goOffRecord(now: $1) } }

    /// Goes on after ``pause()`` or ``goOffRecord()``. A line that was begun off the record does not
    /// come out, its end neither.
    public func resume() { input.follow { $0.resume(now: $1) } }

    /// Marks this place in the event: guests are told, and the session's record keeps it. The same
    /// place is marked once.
    public func mark() {
        guard !isFinishing, let seq = say({ $0.mark(now: now) }) else { return }
        journal.noteMarks()
        news.push([.marked(after: seq)])
    }

    /// Shows guests what is being typed; an empty text takes it back. While the event is paused, or
    /// off the record, they see nothing of it.
    public func type(partial text: String, speaker: String? = nil) {
        input.follow { $0.type(partial: text, speaker: speaker, now: $1) }
    }

    /// Sends the line that was being typed, or another.
    @discardableResult
    public func type(_ text: String, speaker: String? = nil) -> TypedOutcome {
        switch input.type(text, speaker: speaker) {
        case .said: .sent(log.lastSeq)
        case .waits: .waits
        case .offRecord: .offRecord
        case .refused: .refused
        }
    }

    /// There is nothing more to be typed, where the captions are: the input has ended.
    public func endTyping() { input.follow { $0.endTyping(now: $1) } }

    /// Says line `seq` anew for everybody. Also while nothing else gets out: what is corrected is
    /// out already.
    ///
    /// - Parameter speaker: who speaks; nil for the same as before.
    @discardableResult
    public func correct(
        _ seq: Int, text: String, speaker: String? = nil
    ) -> TypedOutcome {
        guard !isFinishing,
            let number = say({ $0.correct(seq, text: text, speaker: speaker, now: now) })
        else { return .refused }
        if configuration.copiesFinals { copy([Caption(text: text, speaker: speaker)]) }
        input.follow { _, _ in [] }
        news.push([.corrected(line: seq, seq: number)])
        return .sent(number)
    }

    /// Ends the event, whatever its input does: guests get all that was said, and leave.
    public func endEvent() {
        guard !isFinishing else { return }
        isEventOver = true
        stop()
    }

    // MARK: Guests

    /// How each guest fares, and how long ago the last input came.
    public func guestReports() -> (guests: [GuestReport], inputAge: Duration?) {
        let now = now
        return (room.guestReports(now: now), input.age(at: now.uptime))
    }

    // MARK: Ending

    /// Says goodbye to every guest and ends. The event goes on without this host: guests are told
    /// that it has gone for now, and wait. What was begun and what was typed goes out first. A second
    /// call does not wait for slow guests.
    public func stop() {
        guard !isFinishing else { return finish() }
        input.follow { $0.leave(now: $1) }
        isFinishing = true
        ending = nil
        journal.guestCount = room.counts.stable + room.counts.syncing + phoneCount
        input.close()
        announcement.stop()
        server.stopListening()
        isEventOver
            ? server.finish(.ended, "The event has ended.")
            : server.finish(.hostDisconnected, "The host has stopped.")
        if !server.hasConnections { return finish() }
        patience = loop.schedule(after: Limits.partingPatience) { [unowned self] in
            news.push([.waitingForGuests(room.connectionCount)])
        }
    }

    private func finish() {
        guard !isFinished else { return }
        isFinished = true
        patience = nil
        battery.end()
        let events = journal.close(isEventOver ? .ended : .stopped)
        news.push(events.map { [counts = room.counts] in .guests($0, counts) })
        addressMonitor = nil
        announcement.end()
        // What the server still does is not told to a host that may go any moment.
        (server.report, server.acceptTrouble, server.allGone) = ({ _ in }, { _ in }, {})
        news.push([.finished(lines: log.lastSeq, isOver: isEventOver)])
        news.finish()
        finals.finish()
        lifeline = nil
    }
}
