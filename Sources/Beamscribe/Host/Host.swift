public import BeamscribeCore
import BeamscribeDiscovery
public import BeamscribeIO
import BeamscribeInput
import FoundationEssentials

/// Sends the text that comes in to everybody who joins.
///
/// ```swift
/// let host = try Host(HostConfiguration(eventName: "Town Hall", deviceName: "stage", deviceID: id))
/// try await host.start()
/// for await batch in host.news { ... }
/// ```
public actor Host {
    /// What happens, until the host is done.
    public nonisolated let news = EventBuffer<HostNews>(limit: Limits.waitingEvents)
    /// The finals, where ``HostConfiguration/copiesFinals`` asks for them.
    public nonisolated let finals = EventBuffer<Caption>(limit: Limits.waitingEvents)

    private nonisolated let thread: LoopThread
    private let configuration: HostConfiguration
    private let server: HostServer
    private var advertiser: (any ServiceAdvertiser)?
    private var addressMonitor: AddressMonitor?
    private var source: ByteSource?
    private var parser: any InputParser
    private var announcedFormat = false
    /// Says something unless something happens before.
    private var silence: LoopTimer?
    private var listening: [Endpoint] = []
    private var joinable: [Endpoint] = []
    private var isInputOver = false
    private var isFinishing = false
    private var isFinished = false
    /// A host that was started lives until it is done: the loop calls it.
    private var lifeline: Host?

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    /// - Parameter thread: the loop to run on; one of the host's own by default.
    public init(
        _ configuration: HostConfiguration, on thread: LoopThread? = nil
    ) throws(SystemError) {
        self.configuration = configuration
        let thread = try LoopThread.given(thread)
        self.thread = thread
        parser = configuration.inputFormat.makeParser()
        var core = HostSession.Configuration(
            eventName: configuration.eventName, deviceName: configuration.deviceName,
            deviceID: configuration.deviceID, session: configuration.session,
            maximumGuests: configuration.maximumGuests)
        core.timing = configuration.timing
        let session = HostSession(
            core, transcript: Transcript(limit: configuration.history),
            seed: SystemRandomNumberGenerator.seed(), now: Clock.now)
        server = HostServer(session, on: thread.loop)
    }

    // MARK: Starting

    /// Listens, announces the event and begins to read the input.
    ///
    /// - Throws: when no port can be had or the input cannot be opened.
    public func start() throws(HostError) {
        lifeline = self
        connectServer()
        do throws(SystemError) {
            listening = try server.listen(
                on: configuration.port, at: configuration.addresses)
        } catch {
            lifeline = nil
            throw .cannotListen(error)
        }
        joinable = JoinAddresses.of(listening, on: Interfaces.addresses())
        news.push([.listening(joinable)])
        do throws(SystemError) {
            try readInput()
        } catch {
            server.stopListening()
            lifeline = nil
            throw .cannotReadInput(error)
        }
        announce()
        addressMonitor = try? AddressMonitor(on: thread.loop) { [unowned self] in
            addressesChanged()
        }
    }

    private func connectServer() {
        // News of guests can be spared when nobody reads: anybody can make any number of them.
        server.report = { [unowned self] events in
            let counts = server.session.counts
            if !news.isFull { news.push(events.map { .guests($0, counts) }) }
        }
        server.acceptTrouble = { [unowned self] error in
            if !news.isFull { news.push([.acceptFailed(error)]) }
        }
        server.allGone = { [unowned self] in if isFinishing { finish() } }
    }

    private func announce() {
        guard configuration.announces, let port = listening.first?.port else { return }
        let advertiser = AvahiAdvertiser(
            Advertisement(of: configuration, port: port), on: thread.loop)
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
        let now = JoinAddresses.of(listening, on: Interfaces.addresses())
        guard now != joinable, !isFinishing else { return }
        joinable = now
        news.push([.addressesChanged(now)])
    }

    // MARK: Input

    private func readInput() throws(SystemError) {
        let path: String? =
            if case .file(let path) = configuration.input { path } else { nil }
        source = try ByteSource(path: path, size: Limits.inputRead, on: thread.loop) {
            [unowned self] event in
            guard !isFinishing else { return }
            silence?.cancel()
            switch event {
            case .bytes(let bytes): publish(parser.feed(bytes))
            case .end: inputEnded(failure: nil)
            case .failed(let error): inputEnded(failure: error)
            }
        }
        silence = thread.loop.schedule(after: Self.silenceBeforeHint) { [unowned self] in
            news.push([.inputSilent(Self.silenceBeforeHint)])
        }
        let host = self
        finals.whenDrained { host.drained() }
    }

    /// After this without a single byte, block buffering in the recogniser is likely.
    private static let silenceBeforeHint = Duration.seconds(10)

    private func publish(_ events: [InputEvent]) {
        let now = Clock.now
        server.session.inputArrived(now: now)
        tellFormat()
        var copies: [Caption] = []
        for event in events {
            switch event {
            case .final(let caption):
                server.perform(server.session.publish(final: caption, now: now).actions)
                if configuration.copiesFinals { copies.append(caption) }
            case .partial(let caption): server.session.publish(partial: caption, now: now)
            // Bad input can be long, and whoever reads the warnings may be slow.
            case .warning(let text): if !news.isFull { news.push([.inputWarning(text)]) }
            }
        }
        server.pumpAll()
        if !finals.push(copies) { source?.isPaused = true }
    }

    private nonisolated func drained() {
        Task { await resumeInput() }
    }

    private func resumeInput() {
        source?.isPaused = false
    }

    private func tellFormat() {
        guard !announcedFormat, let auto = parser as? AutoParser, let format = auto.decided else {
            return
        }
        announcedFormat = true
        if format != .text { news.push([.inputFormat(format)]) }
    }

    private func inputEnded(failure: SystemError?) {
        isInputOver = true
        publish(parser.finish())
        source = nil
        if let failure { news.push([.inputFailed(failure)]) }
        let lines = server.session.transcript.lastSeq
        news.push([.inputEnded(lines: lines)])
        if configuration.endsWithInput {
            stop()
        } else {
            let message = "The input has ended; there may be no more captions."
            server.perform(server.session.alert(.inputEnded, message, now: Clock.now))
        }
    }

    // MARK: Ending

    /// Says goodbye to every guest and ends. The event is over if its input is; otherwise guests
    /// are told that the host has gone for now. A second call does not wait for slow guests.
    public func stop() {
        guard !isFinishing else { return finish() }
        isFinishing = true
        source = nil
        silence?.cancel()
        advertiser?.stop()
        server.stopListening()
        let now = Clock.now
        let actions =
            isInputOver
            ? server.session.finish(.ended, "The event has ended.", now: now)
            : server.session.finish(.hostDisconnected, "The host has stopped.", now: now)
        server.perform(actions)
        if !server.hasConnections { return finish() }
        silence = thread.loop.schedule(after: Self.patienceBeforeWord) { [unowned self] in
            news.push([.waitingForGuests(server.session.connectionCount)])
        }
    }

    /// Guests who are not gone by then are worth a word to an operator who waits for the end.
    private static let patienceBeforeWord = Duration.seconds(2)

    private func finish() {
        guard !isFinished else { return }
        isFinished = true
        silence?.cancel()
        addressMonitor = nil
        advertiser = nil
        news.push([.finished(lines: server.session.transcript.lastSeq)])
        news.finish()
        finals.finish()
        lifeline = nil
    }
}

extension SystemRandomNumberGenerator {
    /// A seed for a ``SeededGenerator``.
    static func seed() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}
