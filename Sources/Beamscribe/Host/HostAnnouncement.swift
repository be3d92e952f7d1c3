import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO

/// How an event is found: by what is announced on the network, and by a beacon in the air.
///
/// Invariant: nothing is sent before ``begin(at:joinable:channelPSM:)`` and after ``stop()``, and the
/// operator and the beacon know where the host is.
final class HostAnnouncement {
    /// Gets what becomes of it.
    var tell: (HostNews) -> Void = { _ in }
    private let configuration: HostConfiguration
    private let network: any Network
    private let discovery: any Discovery
    /// The event, and what comes with it.
    private var services: [any ServiceAdvertiser] = []
    private var beacon: (any BeaconAdvertiser)?
    /// What is in the air.
    private var inTheAir: BeaconAdvertisement?
    private var listening: [Endpoint] = []
    /// Where guests can join, the likeliest first.
    private var joinable: [Endpoint] = []
    private var addressMonitor: AnyObject?
    private var channelPSM: UInt8?
    private var isStopped = false

    init(of configuration: HostConfiguration, in surroundings: any Surroundings) {
        self.configuration = configuration
        network = surroundings.network
        discovery = surroundings.discovery
    }

    /// - Parameters:
    ///   - listening: where the host listens.
    ///   - joinable: where guests can join, the likeliest first.
    ///   - channelPSM: where guests without a network come in; nil where they do not.
    func begin(at listening: [Endpoint], joinable: [Endpoint], channelPSM: UInt8?) {
        (self.listening, self.joinable, self.channelPSM) = (listening, joinable, channelPSM)
        if configuration.announces, !listening.isEmpty {
            announce(Advertisement(of: configuration, port: port, on: network.interfaceAddresses()))
            { [unowned self] event in
                switch event {
                case .registered(let name): tell(.announced(name: name))
                case .unavailable(let reason): tell(.announcementFailed(reason))
                }
            }
        }
        if configuration.bluetooth != .nothing { sendBeacon() }
        addressMonitor = try? network.watchAddresses { [unowned self] in addressesChanged() }
    }

    private var port: UInt16 { listening.first?.port ?? 0 }

    /// Another service comes with the event. Where that cannot be announced nothing is said: the
    /// event's own announcement tells of the same trouble.
    func add(_ advertisement: Advertisement) {
        guard configuration.announces, !isStopped else { return }
        var advertisement = advertisement
        advertisement.interfaces = Advertisement.interfaces(
            of: configuration.addresses, among: network.interfaceAddresses())
        announce(advertisement, nil)
    }

    private func announce(
        _ advertisement: Advertisement, _ handler: ((ServiceAdvertiserEvent) -> Void)?
    ) {
        let advertiser = discovery.advertiser(of: advertisement)
        advertiser.handler = handler
        services.append(advertiser)
        advertiser.start()
    }

    private func sendBeacon() {
        let advertiser = discovery.beaconAdvertiser(bus: configuration.bluetoothBus)
        advertiser.handler = { [unowned self] event in
            switch event {
            case .advertising(let adapters):
                tell(.beacon(adapters: adapters, takesGuests: channelPSM != nil))
            case .unavailable(let trouble): tell(.beaconFailed(trouble))
            }
        }
        beacon = advertiser
        tellBeacon()
    }

    private func addressesChanged() {
        let now = JoinAddresses.of(listening, on: network.interfaceAddresses())
        guard now != joinable, !isStopped else { return }
        joinable = now
        tell(.addressesChanged(now))
        tellBeacon()
    }

    /// The beacon says where the host is, if it has room for that.
    private func tellBeacon() {
        guard let beacon else { return }
        let advertisement = BeaconAdvertisement(
            eventName: configuration.eventName, payload: payload)
        guard advertisement != inTheAir else { return }
        inTheAir = advertisement
        beacon.advertise(advertisement)
    }

    private var payload: BeaconPayload {
        // A beacon has room for one address: the likeliest that another machine can reach.
        let address = joinable.map(\.address).first { $0.isIPv4 && !$0.isLoopback }
        return BeaconPayload(
            address: address, port: port,
            sessionTag: BeaconPayload.sessionTag(of: configuration.session.wireName),
            channelPSM: channelPSM)
    }

    /// Takes everything back, which may take a moment.
    func stop() {
        isStopped = true
        services.forEach { $0.stop() }
        beacon?.stop()
    }

    /// Waits for nothing any more.
    func end() {
        isStopped = true
        (services, beacon, addressMonitor) = ([], nil, nil)
    }
}
