import BeamscribeIO
import CSystemd
import Glibc

/// A connection to a D-Bus daemon, by sd-bus(3) on the program's own loop. Nothing here waits: what
/// cannot be sent is queued, and what is to come is told to a closure.
///
/// Invariant: after each turn the loop watches the descriptor for what sd-bus wants of it, and has
/// a timer at sd-bus's deadline. Once the connection is closed no closure is called any more.
final class MessageBus {
    /// Told once, when the connection is lost; it is closed then. Not told of ``close()``.
    var lost: ((BusError) -> Void)?

    let bus: OpaquePointer
    var calls: [ObjectIdentifier: BusSlot] = [:]
    var subscriptions: [BusSlot] = []
    private(set) var isClosed = false
    private let loop: EventLoop
    private var registration: Registration?
    private var timer: LoopTimer?
    private var deadline: UInt64?
    private var patience: LoopTimer?
    private var isProcessing = false

    /// Begins to connect. What is asked for meanwhile is done once that is through.
    ///
    /// - Parameters:
    ///   - address: one address as the D-Bus Specification has it ("Server Addresses").
    ///   - limit: the time by which the daemon must have let this program in.
    init(to address: String, within limit: Duration, on loop: EventLoop) throws(BusError) {
        self.loop = loop
        bus = try Self.open(address)
        do {
            registration = try loop.register(sd_bus_get_fd(bus), for: []) { [weak self] _ in
                self?.process()
            }
        } catch {
            throw .failed(code: error.code)
        }
        patience = loop.schedule(after: limit) { [weak self] in self?.giveUpUnlessReady() }
        prepareToWait()
    }

    deinit {
        close()
        sd_bus_unref(bus)
    }

    /// Leaves the bus, which tells everybody. What was sent before arrives, unless the daemon is
    /// slow to take it.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        registration?.cancel()
        registration = nil
        timer?.cancel()
        patience?.cancel()
        sd_bus_close(bus)
        calls = [:]
        subscriptions = []
    }

    private static func open(_ address: String) throws(BusError) -> OpaquePointer {
        var made: OpaquePointer?
        try BusError.check(sd_bus_new(&made))
        guard let bus = made else { throw .failed(code: ENOMEM) }
        do {
            try BusError.check(sd_bus_set_address(bus, address))
            try BusError.check(sd_bus_set_bus_client(bus, 1))
            // A descriptor that somebody sends along would stay open here.
            try BusError.check(sd_bus_negotiate_fds(bus, 0))
            try BusError.check(sd_bus_start(bus))
        } catch {
            sd_bus_close_unref(bus)
            throw error
        }
        return bus
    }

    // MARK: Turns

    /// Does what is at hand: reads, writes, calls closures.
    private func process() {
        guard !isClosed, !isProcessing else { return }
        isProcessing = true
        var result: Int32 = 1
        var turns = 0
        while result > 0, !isClosed, turns < Self.turnsAtOnce {
            result = sd_bus_process(bus, nil)
            turns += 1
        }
        isProcessing = false
        if isClosed { return }
        result < 0 ? lose(BusError(result: result)) : prepareToWait()
    }

    /// To be called after everything that was asked of sd-bus from outside of ``process()``.
    func prepareToWait() {
        guard !isClosed, !isProcessing else { return }
        let events = sd_bus_get_events(bus)
        guard events >= 0 else { return lose(BusError(result: events)) }
        var interest: EventLoop.Interest = []
        if events & Int32(POLLIN) != 0 { interest.insert(.read) }
        if events & Int32(POLLOUT) != 0 { interest.insert(.write) }
        registration?.interest = interest
        setTimer()
    }

    private func setTimer() {
        var next: UInt64 = 0
        let hasDeadline = sd_bus_get_timeout(bus, &next) > 0 && next != UInt64.max
        guard !hasDeadline || next == 0 || next != deadline else { return }
        deadline = hasDeadline ? next : nil
        timer?.cancel()
        guard hasDeadline else { return }
        // sd-bus counts as CLOCK_MONOTONIC does, in microseconds; 0 is now.
        let delay = max(.zero, .microseconds(next) - Clock.monotonic)
        timer = loop.schedule(after: delay) { [weak self] in
            self?.deadline = nil
            self?.process()
        }
    }

    private func giveUpUnlessReady() {
        if sd_bus_is_ready(bus) <= 0 { lose(.failed(code: ETIMEDOUT)) }
    }

    private func lose(_ error: BusError) {
        guard !isClosed else { return }
        close()
        // Whoever has just asked for something is in no state to be told.
        loop.schedule(after: .zero) { [weak self] in self?.lost?(error) }
    }

    /// A flood of messages must leave the loop its turns.
    private static let turnsAtOnce = 256
}
