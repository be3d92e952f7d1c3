import BeamscribeCore
import BeamscribeDiscovery
import Glibc

@testable import Beamscribe
@testable import BeamscribeIO

/// A program that runs on a machine of the world: all that a real host or guest has around it. What
/// it does goes through this, so that it ends where it stands when it is killed: nothing that its
/// objects still do has any effect.
///
/// Invariant: nothing of the program is called but by ``run(_:)``, on one thread.
final class SimulatedProcess: Surroundings, @unchecked Sendable {
    let name: String
    let machine: Machine
    let wires: Wires
    let address: IPAddress
    private let isToldOf: Bool
    var world: World { machine.world }
    /// False once it was killed or has ended.
    private(set) var isAlive = true
    /// Called after each turn of the loop: its reader reads.
    var afterTurn: () -> Void = {}
    /// Called before it sends and before it dials.
    var beforeSending: () -> Void = {}
    var beforeDialling: () -> Void = {}
    /// Called before its worker begins.
    var beforeWork: () -> Void = {}
    /// Whether what is done now is done by its worker.
    fileprivate(set) var isWorking = false
    /// What it reads.
    private(set) var input: SimulatedInput?
    fileprivate var addressesChanged: [() -> Void] = []
    /// What is open, in the order in which it was opened, and how it is closed.
    private var ends: [(owner: ObjectIdentifier, close: () -> Void)] = []

    /// - Parameter address: the machine's, where others are told of it; nil for one of its own.
    init(
        _ name: String, on machine: Machine, _ wires: Wires, at address: IPAddress? = nil
    ) {
        self.name = name
        self.machine = machine
        self.wires = wires
        self.address = address ?? wires.newAddress()
        isToldOf = address != nil
    }

    /// Has the program do something, as a turn of its loop does.
    func run(_ body: () -> Void) {
        guard isAlive else { return }
        body()
        if isAlive { afterTurn() }
    }

    /// Has it do something as soon as its machine is awake.
    func soon(_ body: @escaping () -> Void) {
        machine.schedule(after: 0) { [self] in run(body) }
    }

    /// The kernel closes what it had open.
    func die() {
        isAlive = false
        let open = ends
        ends = []
        open.forEach { $0.close() }
        (afterTurn, beforeSending, beforeDialling, beforeWork) = ({}, {}, {}, {})
        (input, addressesChanged) = (nil, [])
    }

    /// Something that is open until the process ends, or it is closed.
    func open(_ owner: AnyObject, closing close: @escaping () -> Void) {
        ends.append((ObjectIdentifier(owner), close))
    }

    func closed(_ owner: AnyObject) {
        guard let index = ends.firstIndex(where: { $0.owner == ObjectIdentifier(owner) }) else {
            return
        }
        ends.remove(at: index).close()
    }

    func changeAddresses() {
        for tell in addressesChanged { soon(tell) }
    }

    // MARK: Surroundings

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        world.executor.asUnownedSerialExecutor()
    }
    func perform(_ body: @escaping @Sendable () -> Void) { soon(body) }
    var network: any Network { self }
    var discovery: any Discovery { SimulatedDiscovery(of: self) }
    var worker: any Worker { self }
    func seed() -> UInt64 { world.seed }

    func openInput(
        _ path: String?, _ take: @escaping (UnsafeRawBufferPointer) -> Int,
        ended: @escaping (SystemError?) -> Void
    ) throws(SystemError) -> any InputSource {
        let opened = SimulatedInput(self, take) { ended(nil) }
        input = opened
        return opened
    }

    func run(
        _ command: String, isAsked: Bool, _ take: @escaping (UnsafeRawBufferPointer) -> Int,
        ended: @escaping (ShellCommand.Outcome, [String]) -> Void
    ) throws(SystemError) -> any RunningInput {
        throw SystemError("run", command, code: ENOSYS)
    }
}

extension SimulatedProcess: Loop {
    var uptime: Duration { machine.now.uptime }
    var wall: Double { machine.now.wall }

    func schedule(at deadline: Duration, _ handler: @escaping () -> Void) -> LoopTimer {
        let timer = LoopTimer(deadline: deadline, handler: handler)
        machine.schedule(at: deadline) { [weak self] in
            if !timer.isCancelled { self?.run { timer.fire() } }
        }
        return timer
    }
}

extension SimulatedProcess: Worker {
    func perform<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, _ done: @escaping (Result) -> Void
    ) throws(SystemError) {
        beforeWork()
        machine.schedule(after: world.random(1_000...400_000)) { [self] in
            guard isAlive else { return }
            isWorking = true
            let result = work()
            isWorking = false
            run { done(result) }
        }
    }
}

extension SimulatedProcess: Network {
    var loop: any Loop { self }
    var openFiles: Int { wires.openFiles }

    func listen(
        at endpoint: Endpoint
    ) throws(SystemError) -> (listener: any ConnectionListener, endpoint: Endpoint) {
        guard endpoint.address.isIPv4 else {
            throw SystemError("listen on", "IPv6", code: EAFNOSUPPORT)
        }
        return (try wires.listen(at: endpoint.port, for: self), endpoint)
    }

    func listenForChannels() throws(SystemError) -> (listener: any ConnectionListener, psm: UInt8) {
        throw SystemError("listen for", "guests over Bluetooth", code: EAFNOSUPPORT)
    }

    func connect(to destination: Destination) throws(SystemError) -> any ByteStream {
        beforeDialling()
        let stream = SimulatedStream(of: self, at: .guest)
        wires.dial(from: self, to: destination, for: stream)
        return stream
    }

    func interfaceAddresses() -> [Interfaces.Entry] {
        guard isToldOf else { return [] }
        return [.init(interface: "eth0", index: 2, address: address, isMulticast: true)]
    }

    func watchAddresses(_ changed: @escaping () -> Void) throws(SystemError) -> AnyObject {
        addressesChanged.append(changed)
        return self
    }
}
