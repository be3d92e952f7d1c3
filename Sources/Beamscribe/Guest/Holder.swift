import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials

/// Serves what a guest reads of a signed event to others, as the event's host does.
///
/// Invariant: what is served is the newest log of `replica`, and of an event whose writer the guest
/// trusts; nobody comes in once it ends.
final class Holder {
    /// Told once others can come in, and where.
    var opened: (Peers.Peer) -> Void = { _ in }
    /// Told once those who come in may have brought something.
    var heard: () -> Void = {}
    /// What the guest keeps of the event.
    let replica: Replica

    private let configuration: HoldingConfiguration
    /// What browsers read of it; nil before there is anything.
    private(set) var pages: EventFeed?
    private let news: EventBuffer<HolderNews>
    private let surroundings: any Surroundings
    /// The event's other logs; nil where nobody reads them.
    private let shelf: Shelf?
    /// Who this machine is among those of the event.
    let node: String
    /// What the guest has joined.
    private var event: JoinedEvent?
    /// Keeps it on the disk, too; nil where nobody asked for that.
    private let journal: HolderJournal?
    /// Keeps the event's other logs, where somebody reads them.
    private let others: ShelfJournal?
    private var listening: [Endpoint] = []
    private var advertiser: (any ServiceAdvertiser)?
    private var announced: (session: String, event: String)?
    private var stage = Stage.waiting
    @OwnedTimer private var patience: LoopTimer?
    private var room: Room?
    /// Where the page for browsers is, once there is one.
    private var openedPage: OpenedPage?
    private var services: [any ServiceAdvertiser] = []
    /// Where others of this event come in.
    private var place: Peers.Peer?

    private enum Stage {
        /// There is nothing to serve yet.
        case waiting
        case serving(HostServer)
        /// There is nothing that can be served.
        case failed
        /// Those who are here take the rest; `done` is called once they have gone.
        case ending(HostServer?, done: () -> Void)
        case ended
    }

    private var network: any Network { surroundings.network }

    /// - Parameter kept: what is here of the event before anybody has answered.
    init(
        _ configuration: HoldingConfiguration, after kept: KeptLog?, others shelf: Shelf?,
        telling news: EventBuffer<HolderNews>, in surroundings: any Surroundings
    ) throws(TLSError) {
        (self.configuration, self.news, self.shelf) = (configuration, news, shelf)
        self.surroundings = surroundings
        replica = kept.map { Replica(of: $0.held) } ?? Replica()
        node = try NodeID(of: configuration.deviceID, by: LogSHA256()).wireName
        journal = try configuration.keeping.map { keeping throws(TLSError) in
            try HolderJournal(
                keeping, configuration, after: kept, telling: news, in: surroundings)
        }
        others = try Self.others(configuration, shelf, after: kept, in: surroundings)
        journal?.isDue = { [unowned self] in serve() }
        others?.isDue = { [unowned self] in serve() }
        others?.storageChanged = { [news] in news.push([.othersUnsaved($0)]) }
        others?.notKept = { [news] in news.push([.otherNotKept(log: $0, $1)]) }
        news.push((others?.damages ?? []).map { .otherDamaged(log: $0.log, $0.damage) })
    }

    /// Of an event that is gone on with the other logs are, too.
    private static func others(
        _ configuration: HoldingConfiguration, _ shelf: Shelf?, after kept: KeptLog?,
        in surroundings: any Surroundings
    ) throws(TLSError) -> ShelfJournal? {
        guard let shelf, let keeping = configuration.keeping else { return nil }
        let others = try ShelfJournal(of: shelf, keeping.held(by: configuration), in: surroundings)
        if let kept, let founded = kept.held.founded {
            shelf.open(founded)
            others.takeUp(kept.held.event.session)
            others.noteOwn(in: kept.held.event.session)
        }
        return others
    }

    // MARK: What the guest reads

    /// The guest reads this event, and trusts its writer.
    func joined(_ event: JoinedEvent) {
        self.event = event
        if !event.isSigned { fail(.notSigned) }
    }

    /// Serves what has come. To be called after whatever the guest takes in.
    func serve() {
        guard let event, let log = replica.log, log.isSigned,
            log.session.wireName == event.session
        else { return }
        journal?.store(log, of: event)
        others?.store()
        switch stage {
        case .waiting: begin(with: log, of: event)
        case .serving(let server):
            server.serve(log)
            pages?.serve(log)
            announce(event)
            server.tellOfOthers()
            server.sendPublished()
        case .failed, .ending, .ended: break
        }
    }

    private func begin(with log: EventLog, of event: JoinedEvent) {
        do throws(StartError) {
            let room = Room(
                configuration(of: event), serving: log, others: shelf, seed: surroundings.seed())
            self.room = room
            let pages = EventFeed(log, others: shelf, on: network.loop)
            self.pages = pages
            let server = try open(room, pages)
            listening = try needed(
                server.listen(on: configuration.port, at: configuration.addresses),
                orElse: StartError.cannotListen)
            stage = .serving(server)
        } catch {
            return fail(.cannotServe(error))
        }
        let joinable = JoinAddresses.of(listening, on: network.interfaceAddresses())
        news.push([.listening(joinable)])
        announce(event)
        let place = Peers.Peer(
            node: node, addresses: joinable.map(\.description),
            role: configuration.role.rawValue)
        self.place = place
        opened(place)
    }

    private func open(_ room: Room, _ pages: EventFeed) throws(StartError) -> HostServer {
        let server = try needed(
            HostServer(room, configuration.security, in: surroundings),
            orElse: StartError.cannotSecure)
        // News of readers can be spared when nobody reads them: anybody can make any number of them.
        server.report = { [news, unowned self] events in
            let counts = room.counts
            journal?.note(events)
            news.offer(events.map { .readers($0, counts) })
        }
        server.brought = { [unowned self] in others?.store() }
        server.acceptTrouble = { [news] in news.offer([.acceptFailed($0)]) }
        server.allGone = { [unowned self] in finishIfDone() }
        server.published = { [unowned self] in
            pages.changed()
            heard()
        }
        return server
    }

    private func configuration(of event: JoinedEvent) -> Room.Configuration {
        Room.Configuration(
            eventName: event.eventName, deviceName: configuration.deviceName,
            deviceID: configuration.deviceID, maximumGuests: configuration.maximumGuests,
            timing: configuration.timing)
    }

    /// Who reads from here, of a log that nobody goes on with, is let go.
    private func fail(_ reason: HolderNews.Reason) {
        switch stage {
        case .waiting, .serving: break
        case .failed, .ending, .ended: return
        }
        advertiser?.stop()
        (stage, advertiser, listening) = (.failed, nil, [])
        news.push([.unserved(reason)])
    }

    /// Whether this machine itself serves there.
    func listens(at endpoint: Endpoint) -> Bool {
        guard listening.contains(where: { $0.port == endpoint.port }) else { return false }
        return endpoint.address.isLoopback
            || network.interfaceAddresses().contains { $0.address.bytes == endpoint.address.bytes }
    }

    // MARK: Browsers

    /// Browsers can read here, too; whoever lets this guest in is told.
    func opened(page: OpenedPage) {
        openedPage = page
        room?.holders.open(page: page.door, link: page.link)
        guard var place else { return }
        place.page = page.door.description
        opened(place)
    }

    /// What is served, and how much that is.
    func metrics(now: Moment) -> HostMetrics? {
        guard let room, let pages else { return nil }
        return HostMetrics(of: room, serving: pages.main.log, now: now)
    }

    /// Announces another service that comes with the event. Where that fails nothing is said: the
    /// event's own announcement tells of the same trouble.
    func announce(_ advertisement: Advertisement) {
        guard configuration.announces, case .serving = stage else { return }
        var advertisement = advertisement
        advertisement.interfaces = Advertisement.interfaces(
            of: configuration.addresses, among: network.interfaceAddresses())
        let advertiser = surroundings.discovery.advertiser(of: advertisement)
        services.append(advertiser)
        advertiser.start()
    }

    /// The machine's name for people.
    var deviceName: String { configuration.deviceName }

    // MARK: Being found

    private func announce(_ event: JoinedEvent) {
        guard configuration.announces, let port = listening.first?.port,
            announced.map({ $0 != (event.session, event.eventName) }) ?? true
        else { return }
        announced = (event.session, event.eventName)
        advertiser?.stop()
        let advertiser = surroundings.discovery.advertiser(
            of: Advertisement(
                node: node, of: event.session, event.eventName, on: configuration.deviceName,
                as: configuration.role.rawValue, configuration.security, port: port,
                interfaces: Advertisement.interfaces(
                    of: configuration.addresses, among: network.interfaceAddresses())))
        advertiser.handler = { [news] event in
            if case .unavailable(let reason) = event { news.push([.announcementFailed(reason)]) }
        }
        self.advertiser = advertiser
        advertiser.start()
    }

    // MARK: Ending

    /// Lets nobody in any more, and gives those who are here the rest.
    ///
    /// - Parameter done: called once they have it, at once where there are none.
    func end(_ done: @escaping () -> Void) {
        var server: HostServer?
        if case .serving(let serving) = stage { server = serving }
        stage = .ending(server, done: done)
        others?.close(eventIsOver: replica.log?.isOver == true)
        journal?.close()
        advertiser?.stop()
        services.forEach { $0.stop() }
        server?.stopListening()
        if replica.log?.isOver == true {
            server?.finish(.ended, "The event has ended.")
        } else {
            // There are others to be read from.
            patience = network.loop.schedule(after: Limits.partingPatience) { [unowned self] in
                hurry()
            }
            server?.finish(.hostDisconnected, "This machine has stopped serving the event.")
        }
        finishIfDone()
    }

    /// Waits for nobody any more.
    func hurry() {
        guard case .ending(let server, let done) = stage else { return }
        stage = .ended
        if let server {
            (server.report, server.acceptTrouble, server.allGone) = ({ _ in }, { _ in }, {})
        }
        (patience, advertiser, services) = (nil, nil, [])
        done()
    }

    private func finishIfDone() {
        if case .ending(let server, _) = stage, server?.hasConnections != true { hurry() }
    }
}
