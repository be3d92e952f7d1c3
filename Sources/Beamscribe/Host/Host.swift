public import BeamscribeCore
import BeamscribeDiscovery
public import BeamscribeIO
import BeamscribeInput
import BeamscribeTLS
import FoundationEssentials

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
    var source: (any InputSource)?
    var parser: InputReader
    var pacer: Pacer?
    var announcedFormat = false
    /// The input is over, but for what waits for its time.
    var ending: InputEnding?
    var inputWatch = InputWatch()
    /// Why the input rests; it is read again when nothing is left of this.
    var restReasons: Set<RestReason> = [] {
        didSet { source?.isPaused = !restReasons.isEmpty }
    }
    /// What keeps words that came off the record from coming out later.
    var offRecord = OffRecordFilter()
    var typing = TypedCaptions()
    var battery = BatteryWatch()
    var timers = Timers()
    var listening: [Endpoint] = []
    var joinable: [Endpoint] = []
    var isInputOver = false
    var isFinishing = false
    var isFinished = false
    /// A host that was started lives until it is done: the loop calls it.
    var lifeline: Host?

    /// Why the input is not read for now.
    enum RestReason {
        /// Nobody takes the finals.
        case readerIsBehind
        /// The operator wants it so.
        case isPaused
        /// Enough waits for its time.
        case muchWaits
    }

    /// How an input has ended.
    struct InputEnding {
        var failure: SystemError?
    }

    struct Timers {
        /// Says something unless something happens before.
        @OwnedTimer var patience: LoopTimer?
        @OwnedTimer var input: LoopTimer?
        /// The parser is told that nothing more has come.
        @OwnedTimer var quiet: LoopTimer?
        /// The next caption is due.
        @OwnedTimer var pace: LoopTimer?
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
        parser = configuration.inputFormat.makeReader(configuration.inputOptions)
        pacer = configuration.pace.map { Pacer(pace: $0) }
        log = configuration.log(
            holding: recovered?.transcript, now: network.loop.now)
        publisher = Publisher(into: log, masking: configuration.wordMask)
        room = Room(
            Room.Configuration(
                eventName: configuration.eventName, deviceName: configuration.deviceName,
                deviceID: configuration.deviceID, maximumGuests: configuration.maximumGuests,
                timing: configuration.timing),
            serving: log, seed: surroundings.seed())
        typing = TypedCaptions(after: log.lastSeq)
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
            try readInput()
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
}
