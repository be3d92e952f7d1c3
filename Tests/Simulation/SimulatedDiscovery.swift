import BeamscribeCore
import BeamscribeIO

@testable import BeamscribeDiscovery

/// What is announced in the room. News of it takes its time, and comes to everybody at another.
final class Ether {
    private var announced: [(owner: ObjectIdentifier, service: ServiceInstance)] = []
    private var listeners: [() -> Void] = []
    private let world: World
    /// Until when nothing of it is told to anybody, and until when everything is told several times.
    var isDeafUntil = 0
    var echoesUntil = 0
    /// What somebody announces who is not there.
    private var lies: [ServiceInstance] = []

    init(_ world: World) {
        self.world = world
    }

    var services: [ServiceInstance] { lies + announced.map(\.service) }

    /// Others announce the same session, under its name or one that differs by a number.
    func lie(times: Int) {
        guard var lie = announced.first?.service else { return }
        for number in 1...times {
            if world.chance(percent: 70) { lie.name = "Town Hall #\(number + 1)" }
            lie.addresses = [.init(address: Wires.elsewhere(world), interface: "eth0")]
            lies.append(lie)
        }
        listeners.forEach { $0() }
    }

    func heal() {
        (isDeafUntil, echoesUntil, lies) = (0, 0, [])
        listeners.forEach { $0() }
    }

    func announce(_ service: ServiceInstance, by owner: AnyObject) {
        withdraw(ObjectIdentifier(owner))
        announced.append((ObjectIdentifier(owner), service))
        listeners.forEach { $0() }
    }

    func withdraw(_ owner: ObjectIdentifier) {
        announced.removeAll { $0.owner == owner }
        listeners.forEach { $0() }
    }

    func listen(_ changed: @escaping () -> Void) { listeners.append(changed) }

    func end() { (announced, listeners) = ([], []) }
}

/// Discovery by the ``Ether``; there is no Bluetooth.
final class SimulatedDiscovery: Discovery {
    private let process: SimulatedProcess

    init(of process: SimulatedProcess) {
        self.process = process
    }

    func browser(for type: String) -> any ServiceBrowser { SimulatedBrowser(type, process) }

    func advertiser(of advertisement: Advertisement) -> any ServiceAdvertiser {
        SimulatedAdvertiser(advertisement, process)
    }

    func scanner(bus: String) -> any BeaconScanner { preconditionFailure("no Bluetooth") }
    func beaconAdvertiser(bus: String) -> any BeaconAdvertiser {
        preconditionFailure("no Bluetooth")
    }
}

final class SimulatedAdvertiser: ServiceAdvertiser {
    var handler: ((ServiceAdvertiserEvent) -> Void)?
    private let process: SimulatedProcess
    private let service: ServiceInstance

    init(_ advertisement: Advertisement, _ process: SimulatedProcess) {
        self.process = process
        service = ServiceInstance(
            name: advertisement.name, type: advertisement.type, domain: "local",
            hostName: "stage.local", port: advertisement.port, txt: advertisement.txt,
            addresses: [.init(address: process.wires.publicAddress(of: process), interface: "eth0")]
        )
    }

    deinit {
        process.closed(self)
    }

    func start() {
        // It is closed when it goes, too.
        process.open(self) { [ether = process.wires.ether, owner = ObjectIdentifier(self)] in
            ether.withdraw(owner)
        }
        process.machine.schedule(after: process.world.random(1_000...2_000_000)) { [weak self] in
            guard let self else { return }
            process.run {
                self.process.wires.ether.announce(self.service, by: self)
                self.handler?(.registered(name: self.service.name))
            }
        }
    }

    func stop() { process.closed(self) }
}

final class SimulatedBrowser: ServiceBrowser {
    var handler: ((ServiceBrowserEvent) -> Void)?
    private let type: String
    private let process: SimulatedProcess
    private var isStarted = false

    init(_ type: String, _ process: SimulatedProcess) {
        self.type = type
        self.process = process
        process.wires.ether.listen { [weak self] in self?.tellLater() }
    }

    func start() {
        isStarted = true
        tellLater()
        process.machine.schedule(after: .seconds(1)) { [weak self] in
            self?.process.run { self?.handler?(.settled) }
        }
    }

    func stop() { isStarted = false }
    func refresh() { tellLater() }

    private func tellLater() {
        let (world, ether) = (process.world, process.wires.ether)
        let wait = max(0, ether.isDeafUntil - world.now) + world.random(1_000...3_000_000)
        process.machine.schedule(after: wait) { [weak self] in
            guard let self, isStarted else { return }
            if world.now < ether.isDeafUntil { return tellLater() }
            let isEchoed = world.now < ether.echoesUntil
            if isEchoed { tell(.unavailable("the daemon is gone"), .available) }
            let services = ether.services.filter { $0.type == type }
            for _ in 0..<(isEchoed ? world.random(1...4) : 1) { tell(.changed(services)) }
        }
    }

    private func tell(_ events: ServiceBrowserEvent...) {
        for event in events { process.run { handler?(event) } }
    }
}
