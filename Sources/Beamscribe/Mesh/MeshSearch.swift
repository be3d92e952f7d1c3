import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials

/// Looks for the event of a name in which everybody captions.
///
/// Invariant: it ends once, with the event that was found, or none.
final class MeshSearch {
    private let name: String
    private let time: Duration
    private let surroundings: any Surroundings
    private let done: (UUID?) -> Void
    private var browser: (any ServiceBrowser)?
    /// Asks those at addresses that are known.
    private var probe: MeshLinks?
    private var found: Set<UUID> = []
    private var isSettled = false
    private var isDone = false
    @OwnedTimer private var deadline: LoopTimer?

    /// - Parameters:
    ///   - addresses: who is there is asked for his event; where there are any, nobody else is looked for.
    ///   - time: how long to look.
    init(
        _ configuration: HostConfiguration, at addresses: [Endpoint], code: EventCode?,
        for time: Duration, in surroundings: any Surroundings, done: @escaping (UUID?) -> Void
    ) throws(TLSError) {
        (name, self.time, self.surroundings, self.done) =
            (configuration.eventName, time, surroundings, done)
        if !addresses.isEmpty {
            probe = try ask(addresses, code, as: configuration)
        } else if configuration.announces {
            browser = surroundings.discovery.browser(for: DiscoveredHost.holderServiceType)
        }
    }

    private func ask(
        _ addresses: [Endpoint], _ code: EventCode?, as configuration: HostConfiguration
    ) throws(TLSError) -> MeshLinks? {
        var configuration = configuration
        configuration.announces = false
        // Whoever answers takes part in another event than this, and says in which.
        let none = UUID()
        var membership = MeshMembership(
            event: none, label: "", created: 0, node: UUID().wireName, addresses: addresses)
        membership.code = code
        let shelf = Shelf(joining: none, proving: try LogSHA256(), order: EventOrder())
        guard let signer = WriterKey(configuration.security.key) else { return nil }
        let probe = try MeshLinks(
            membership, of: configuration, on: shelf, signing: signer, in: surroundings)
        probe.tell = { [unowned self] news in
            if case .met(let event, _) = news { finish(event) }
        }
        return probe
    }

    func start() {
        browser?.handler = { [weak self] in self?.happened($0) }
        browser?.start()
        probe?.begin(at: [], joinable: [])
        deadline = surroundings.network.loop.schedule(after: time) { [unowned self] in
            finish(best)
        }
    }

    /// Of several the lowest id wins, whoever looks.
    private var best: UUID? { found.min { $0.wireName < $1.wireName } }

    private func happened(_ event: ServiceBrowserEvent) {
        switch event {
        case .changed(let instances):
            let nodes = instances.compactMap(MeshNode.init).filter {
                EventName.isSame($0.eventName, name)
            }
            found = Set(nodes.map(\.event))
        case .settled, .unavailable: isSettled = true
        case .available: break
        }
        if isSettled, let best { finish(best) }
    }

    private func finish(_ event: UUID?) {
        guard !isDone else { return }
        isDone = true
        deadline = nil
        // It may be one of these that tells of it.
        let (browser, probe) = (browser, probe)
        surroundings.network.loop.schedule(after: .zero) { [self] in
            browser?.stop()
            probe?.end()
            (self.browser, self.probe) = (nil, nil)
            done(event)
        }
    }
}
