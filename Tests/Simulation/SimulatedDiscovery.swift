import BeamscribeCore
import BeamscribeIO

@testable import BeamscribeDiscovery

/// What is announced in the room. News of it takes its time, and comes to everybody at another.
final class Ether {
    private var announced: [(owner: ObjectIdentifier, service: ServiceInstance)] = []
    private var listeners: [() -> Void] = []

    var services: [ServiceInstance] { announced.map(\.service) }

    func announce(_ service: ServiceInstance, by owner: AnyObject) {
        withdraw(owner)
        announced.append((ObjectIdentifier(owner), service))
        listeners.forEach { $0() }
    }

    func withdraw(_ owner: AnyObject) {
        announced.removeAll { $0.owner == ObjectIdentifier(owner) }
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

    func browser(for type: String) -> any ServiceBrowser { SimulatedBrowser(process) }

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
            addresses: [.init(address: Wires.hostAddress, interface: "eth0")])
    }

    deinit {
        process.closed(self)
    }

    func start() {
        process.open(self) { [ether = process.wires.ether, unowned self] in ether.withdraw(self) }
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
    private let process: SimulatedProcess
    private var isStarted = false

    init(_ process: SimulatedProcess) {
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
        process.machine.schedule(after: process.world.random(1_000...3_000_000)) { [weak self] in
            guard let self, isStarted else { return }
            process.run { self.handler?(.changed(self.process.wires.ether.services)) }
        }
    }
}
