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
    let recovered: RecoveredTranscript?
    var advertiser: (any ServiceAdvertiser)?
    var beaconAdvertiser: (any BeaconAdvertiser)?
    /// What is in the air.
    var beacon: BeaconAdvertisement?
    /// Where guests without a network come in.
    var channelPSM: UInt8?
    var addressMonitor: AnyObject?
    /// Other services that come with the event.
    var sideAdvertisers: [any ServiceAdvertiser] = []
    /// What readers get who are no guests, and how many they are.
    var feed: HostFeed?
    var phoneCount = 0
    /// The rules of what comes in.
    private(set) var input: InputPipeline
    private var source: (any InputSource)?
    private var inputFailure: SystemError?
    /// When ``Timers/input`` fires.
    private var inputDue: Duration?
    var battery = BatteryWatch()
    var timers = Timers()
    var listening: [Endpoint] = []
    var joinable: [Endpoint] = []
    private(set) var isFinishing = false
    private(set) var isFinished = false
    /// A host that was started lives until it is done: the loop calls it.
    private var lifeline: Host?

    struct Timers {
        /// Says something unless something happens before.
        @OwnedTimer var patience: LoopTimer?
        /// Something of the input is due.
        @OwnedTimer var input: LoopTimer?
        @OwnedTimer var battery: LoopTimer?
    }

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
        input = InputPipeline(configuration.pipeline(after: log.lastSeq))
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
        connectServer()
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
            try openInput()
        } catch {
            server.stopListening()
            lifeline = nil
            throw .cannotReadInput(error)
        }
        do throws(SystemError) {
            try beginStoring()
        } catch {
            source = nil
            timers = Timers()
            server.stopListening()
            lifeline = nil
            throw .cannotResume(error)
        }
        announce()
        beginBeacon()
        watchBattery()
        addressMonitor = try? network.watchAddresses { [unowned self] in addressesChanged() }
    }

    private func connectServer() {
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
    }

    private func announce() {
        guard configuration.announces, let port = listening.first?.port else { return }
        let advertiser = surroundings.discovery.advertiser(
            of: Advertisement(of: configuration, port: port, on: network.interfaceAddresses()))
        advertiser.handler = { [unowned self] event in
            switch event {
            case .registered(let name): news.push([.announced(name: name)])
            case .unavailable(let reason): news.push([.announcementFailed(reason)])
            }
        }
        self.advertiser = advertiser
        advertiser.start()
    }

    private func addressesChanged() {
        let now = JoinAddresses.of(listening, on: network.interfaceAddresses())
        guard now != joinable, !isFinishing else { return }
        joinable = now
        news.push([.addressesChanged(now)])
        updateBeacon()
    }

    // MARK: Input

    private func openInput() throws(SystemError) {
        let host = self
        finals.whenDrained { [surroundings] in
            surroundings.perform { host.assumeIsolated { $0.readerCaughtUp() } }
        }
        let path: String?? =
            switch configuration.input {
            case .standardInput: .some(nil)
            case .file(let file): file
            case .typed: nil
            }
        if let path {
            source = try surroundings.openInput(path) { [unowned self] bytes in
                // A name of its own: Swift 6.3's check of isolation does not understand the parameter.
                let bytes = bytes
                return receive(bytes)
            } ended: { [unowned self] failure in
                inputEnded(failure)
            }
        }
        input.begin(now: now)
        follow([], now)
    }

    /// Takes as much of what has come as a turn of the loop has time for.
    ///
    /// - Returns: how many bytes that is.
    private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        var now = now
        var slice = InputSlice(of: bytes, at: now.uptime)
        while let actions = input.take(&slice, now: now) {
            perform(actions, now)
            now = self.now
        }
        follow([], now)
        return slice.taken
    }

    private func inputEnded(_ failure: SystemError?) {
        guard !isFinishing else { return }
        (source, inputFailure) = (nil, failure)
        follow { $0.end(now: $1) }
    }

    private func readerCaughtUp() {
        let now = now
        input.readerCaughtUp(now: now)
        follow([], now)
    }

    /// Has the input's rules say what follows, and does it.
    private func follow(_ step: (inout InputPipeline, Moment) -> [InputPipeline.Action]) {
        let now = now
        follow(step(&input, now), now)
    }

    private func follow(_ actions: [InputPipeline.Action], _ now: Moment) {
        perform(actions, now)
        assert(input.brokenInvariant == nil, input.brokenInvariant ?? "")
        source?.isPaused = input.isResting
        armInputTimer()
    }

    /// One that fires too early, because something else has come meanwhile, does no harm.
    private func armInputTimer() {
        guard !isFinishing, let next = input.nextDeadline, next < inputDue ?? next + .seconds(1)
        else { return }
        inputDue = next
        timers.input = loop.schedule(at: next) { [unowned self] in
            inputDue = nil
            follow { $0.tick(now: $1) }
        }
    }

    private func perform(_ actions: [InputPipeline.Action], _ now: Moment) {
        for action in actions { perform(action, now) }
    }

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
            if let inputFailure { news.push([.inputFailed(inputFailure)]) }
            news.push([.inputEnded(lines: log.lastSeq)])
            if configuration.endsWithInput { stop() }
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
    public func pause() { follow { $0.pause(now: $1) } }

    /// Throws away what comes in from now on, what waits in a paused input too, and tells guests.
    /// Nobody gets it, and it is not kept. Lines that are open are taken back.
    public func goOffRecord() { follow { $0.goOffRecord(now: $1) } }

    /// Goes on after ``pause()`` or ``goOffRecord()``. A line that was begun off the record does not
    /// come out, its end neither.
    public func resume() { follow { $0.resume(now: $1) } }

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
        follow { $0.type(partial: text, speaker: speaker, now: $1) }
    }

    /// Sends the line that was being typed, or another.
    @discardableResult
    public func type(_ text: String, speaker: String? = nil) -> TypedOutcome {
        let now = now
        let (reception, actions) = input.type(text, speaker: speaker, now: now)
        follow(actions, now)
        return switch reception {
        case .said: .sent(log.lastSeq)
        case .waits: .waits
        case .offRecord: .offRecord
        case .refused: .refused
        }
    }

    /// There is nothing more to be typed, where the captions are: the input has ended.
    public func endTyping() { follow { $0.endTyping(now: $1) } }

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
        follow([], now)
        news.push([.corrected(line: seq, seq: number)])
        return .sent(number)
    }

    /// Ends the event, whatever its input does: guests get all that was said, and leave.
    public func endEvent() {
        guard !isFinishing else { return }
        follow { $0.endEvent(now: $1) }
        stop()
    }

    // MARK: Ending

    /// Says goodbye to every guest and ends. The event is over if its input is; otherwise guests
    /// are told that the host has gone for now. A second call does not wait for slow guests.
    public func stop() {
        guard !isFinishing else { return finish() }
        isFinishing = true
        input.close()
        source = nil
        timers.patience?.cancel()
        timers.input?.cancel()
        ([advertiser].compactMap(\.self) + sideAdvertisers).forEach { $0.stop() }
        beaconAdvertiser?.stop()
        server.stopListening()
        input.isOver
            ? server.finish(.ended, "The event has ended.")
            : server.finish(.hostDisconnected, "The host has stopped.")
        if !server.hasConnections { return finish() }
        timers.patience = loop.schedule(after: Limits.partingPatience) { [unowned self] in
            news.push([.waitingForGuests(room.connectionCount)])
        }
    }

    private func finish() {
        guard !isFinished else { return }
        isFinished = true
        timers = Timers()
        let events = journal.close(input.isOver ? .ended : .stopped)
        news.push(events.map { [counts = room.counts] in .guests($0, counts) })
        addressMonitor = nil
        advertiser = nil
        sideAdvertisers = []
        beaconAdvertiser = nil
        // What the server still does is not told to a host that may go any moment.
        (server.report, server.acceptTrouble, server.allGone) = ({ _ in }, { _ in }, {})
        news.push([.finished(lines: log.lastSeq, isOver: input.isOver)])
        news.finish()
        finals.finish()
        lifeline = nil
    }
}
