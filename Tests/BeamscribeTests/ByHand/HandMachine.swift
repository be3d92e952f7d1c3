import BeamscribeCore
import BeamscribeDiscovery
import Glibc

@testable import Beamscribe
@testable import BeamscribeIO

/// A machine that a test plays by hand: nothing happens on it that the test does not do.
final class HandMachine: Surroundings, Loop, Network, Worker, Discovery, @unchecked Sendable {
    private(set) var uptime = Duration.seconds(1_000)
    private(set) var wall = 1_800_000_000.0
    private var timers: [LoopTimer] = []
    /// What was begun to be connected, in this order.
    private(set) var dialled: [(to: Destination, stream: HandStream)] = []
    var interfaces: [Interfaces.Entry] = []
    private(set) var announced: [HandAdvertiser] = []
    private(set) var beacons: [HandBeacon] = []

    // MARK: Surroundings

    var network: any Network { self }
    var discovery: any Discovery { self }
    var worker: any Worker { self }
    var loop: any Loop { self }
    let openFiles = 1_024

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        MainActor.sharedUnownedExecutor
    }
    func perform(_ body: @escaping @Sendable () -> Void) {}
    func seed() -> UInt64 { 1 }
    func openInput(
        _ path: String?, _ take: @escaping (UnsafeRawBufferPointer) -> Int,
        ended: @escaping (SystemError?) -> Void
    ) throws(SystemError) -> any InputSource {
        let source = HandInput(path, take, ended)
        input = source
        return source
    }
    func run(
        _ command: String, isAsked: Bool, _ take: @escaping (UnsafeRawBufferPointer) -> Int,
        ended: @escaping (ShellCommand.Outcome, [String]) -> Void
    ) throws(SystemError) -> any RunningInput {
        let source = HandCommand(command, take, ended)
        commands.append(source)
        return source
    }
    /// What was started, in this order.
    private(set) var commands: [HandCommand] = []
    /// What was opened to be read; its owner keeps it.
    private(set) weak var input: HandInput?

    // MARK: Time

    func schedule(at deadline: Duration, _ handler: @escaping () -> Void) -> LoopTimer {
        let timer = LoopTimer(deadline: deadline, handler: handler)
        timers.append(timer)
        return timer
    }

    /// Lets time go on, and what falls due happen in its order.
    func pass(_ time: Duration) {
        let end = uptime + time
        while let next = timers.filter({ !$0.isCancelled }).min(by: { $0.deadline < $1.deadline }),
            next.deadline <= end
        {
            uptime = max(uptime, next.deadline)
            next.fire()
            timers.removeAll { $0.isCancelled }
        }
        wall += time.seconds
        uptime = end
    }

    /// When something falls due next, from now on; nil for never.
    var due: Duration? {
        timers.filter { !$0.isCancelled }.map { $0.deadline - uptime }.min()
    }

    // MARK: Network

    var hasIPv4 = true
    var hasIPv6 = true
    /// Whether somebody else listens there.
    var isTaken: (Endpoint) -> Bool = { _ in false }
    /// Free ports that were given out.
    private(set) var triedPorts = 0

    func listen(
        at endpoint: Endpoint
    ) throws(SystemError) -> (listener: any ConnectionListener, endpoint: Endpoint) {
        guard endpoint.address.isIPv4 ? hasIPv4 : hasIPv6 else {
            throw SystemError("listen", code: EAFNOSUPPORT)
        }
        var endpoint = endpoint
        if endpoint.port == 0 {
            triedPorts += 1
            endpoint.port = UInt16(clamping: 40_000 + triedPorts)
        }
        if isTaken(endpoint) { throw SystemError("listen", code: EADDRINUSE) }
        return (HandListener(), endpoint)
    }
    func listenForChannels() throws(SystemError) -> (listener: any ConnectionListener, psm: UInt8) {
        throw SystemError("listen", code: EPERM)
    }
    func connect(to destination: Destination) throws(SystemError) -> any ByteStream {
        let stream = HandStream()
        dialled.append((destination, stream))
        return stream
    }
    func interfaceAddresses() -> [Interfaces.Entry] { interfaces }
    /// Tells that an address came or went.
    private(set) var addressesChanged: () -> Void = {}
    func watchAddresses(_ changed: @escaping () -> Void) throws(SystemError) -> AnyObject {
        addressesChanged = changed
        return HandStream()
    }

    // MARK: Worker

    /// What was given to the worker, to be done when the test wants it.
    private var work: [() -> Void] = []

    func perform<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, _ done: @escaping (Result) -> Void
    ) throws(SystemError) {
        self.work.append { done(work()) }
    }

    /// Does what the worker was given; how much that is.
    @discardableResult
    func doWork() -> Int {
        defer { work = [] }
        work.forEach { $0() }
        return work.count
    }

    // MARK: Discovery

    /// Who looks for services, and for beacons, as long as they do.
    private(set) weak var browser: HandBrowser?
    private(set) weak var holderBrowser: HandBrowser?
    private(set) weak var scanner: HandScanner?

    func browser(for type: String) -> any ServiceBrowser {
        let made = HandBrowser()
        if type == DiscoveredHost.holderServiceType { holderBrowser = made } else { browser = made }
        return made
    }
    func scanner(bus: String) -> any BeaconScanner {
        let made = HandScanner()
        scanner = made
        return made
    }
    func advertiser(of advertisement: Advertisement) -> any ServiceAdvertiser {
        let made = HandAdvertiser(of: advertisement)
        announced.append(made)
        return made
    }
    func beaconAdvertiser(bus: String) -> any BeaconAdvertiser {
        let made = HandBeacon()
        beacons.append(made)
        return made
    }
}

/// A connection of which the test is the other end.
final class HandStream: ByteStream {
    /// What was sent, and how much more is taken.
    private(set) var sent: [UInt8] = []
    var room = Int.max
    /// What there is to be read.
    var incoming: [[UInt8]] = []
    var failure: SystemError?
    /// How often it can be watched from now on.
    var watchesLeft = Int.max
    private(set) var isFinished = false
    private(set) var handler: ((Interest) -> Void)?
    var interest: Interest = []

    func send(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Transfer {
        let count = min(room, bytes.count)
        guard count > 0 || bytes.isEmpty else { return .wouldBlock }
        room -= count
        sent += bytes.prefix(count)
        return .bytes(count)
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Transfer {
        guard !incoming.isEmpty else { return .wouldBlock }
        let next = incoming.removeFirst()
        guard !next.isEmpty else { return .endOfStream }
        buffer.copyBytes(from: next)
        return .bytes(next.count)
    }

    func finishSending() { isFinished = true }
    func connectionError(to destination: Destination) -> SystemError? { failure }
    func watch(
        for interest: Interest, _ handler: @escaping (Interest) -> Void
    ) throws(SystemError) {
        guard watchesLeft > 0 else { throw SystemError("watch", code: ENOSPC) }
        watchesLeft -= 1
        (self.interest, self.handler) = (interest, handler)
    }
    func ignore() { handler = nil }

    /// Tells whoever watches that it is ready, as far as that is waited for.
    func ready(_ readiness: Interest) {
        let wanted = readiness.intersection(interest)
        if !wanted.isEmpty { handler?(wanted) }
    }

    /// Something comes; nothing is the end.
    func receive(_ bytes: [UInt8]) {
        incoming.append(bytes)
        ready(.read)
    }
}

final class HandAdvertiser: ServiceAdvertiser {
    let advertisement: Advertisement
    var handler: ((ServiceAdvertiserEvent) -> Void)?
    private(set) var isRunning = false

    init(of advertisement: Advertisement) { self.advertisement = advertisement }
    func start() { isRunning = true }
    func stop() { isRunning = false }
}

final class HandBeacon: BeaconAdvertiser {
    var handler: ((BeaconAdvertiserEvent) -> Void)?
    private(set) var sent: [BeaconAdvertisement] = []
    private(set) var isStopped = false

    func advertise(_ advertisement: BeaconAdvertisement) { sent.append(advertisement) }
    func stop() { isStopped = true }
}

final class HandBrowser: ServiceBrowser {
    var handler: ((ServiceBrowserEvent) -> Void)?
    private(set) var isRunning = false
    private(set) var refreshes = 0

    func start() { isRunning = true }
    func stop() { isRunning = false }
    func refresh() { refreshes += 1 }
}

final class HandScanner: BeaconScanner {
    var handler: ((BeaconScannerEvent) -> Void)?
    private(set) var isRunning = false

    func start() { isRunning = true }
    func stop() { isRunning = false }
}

/// A door; who comes by it says a test.
final class HandListener: ConnectionListener {
    var isResting = false
    private var waiting: [AcceptedConnection] = []
    private var ready: () -> Void = {}

    func accept() throws(SystemError) -> AcceptedConnection? {
        waiting.isEmpty ? nil : waiting.removeFirst()
    }
    func watch(_ ready: @escaping () -> Void) throws(SystemError) { self.ready = ready }

    /// Somebody comes, with these words.
    func come(saying words: [UInt8], from endpoint: Endpoint) {
        let stream = HandStream()
        stream.incoming.append(words)
        waiting.append(AcceptedConnection(stream, from: .network(endpoint)))
        ready()
    }
}

/// A command that prints and ends as a test says.
final class HandCommand: HandInput, RunningInput {
    let end: (ShellCommand.Outcome, [String]) -> Void
    /// Called once it has ended, where it is to end.
    private(set) var gone: (() -> Void)?

    init(
        _ command: String, _ take: @escaping (UnsafeRawBufferPointer) -> Int,
        _ ended: @escaping (ShellCommand.Outcome, [String]) -> Void
    ) {
        end = ended
        super.init(command, take) { _ in }
    }

    /// What it was asked.
    private(set) var questions: [String] = []

    /// What it was given to hear, in bytes.
    private(set) var fed = 0
    /// Whether it is given nothing more.
    private(set) var hasAllInput = false
    /// Whether it reads what it is given.
    var isSlow = false

    func ask(_ bytes: [UInt8]) { questions.append(String(decoding: bytes, as: UTF8.self)) }
    func feed(samples: [UInt8], keeping limit: Int) -> Bool {
        fed += samples.count
        return isSlow
    }
    func endInput() { hasAllInput = true }
    func stop(_ gone: @escaping () -> Void) { self.gone = gone }
}

/// An input whose bytes a test writes.
class HandInput: InputSource {
    let path: String?
    private let take: (UnsafeRawBufferPointer) -> Int
    let ended: (SystemError?) -> Void
    var isPaused = false

    init(
        _ path: String?, _ take: @escaping (UnsafeRawBufferPointer) -> Int,
        _ ended: @escaping (SystemError?) -> Void
    ) {
        (self.path, self.take, self.ended) = (path, take, ended)
    }

    func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty, !isPaused { rest = rest.dropFirst(rest.withUnsafeBytes(take)) }
    }
}
