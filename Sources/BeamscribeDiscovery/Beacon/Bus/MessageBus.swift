import BeamscribeCore
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

    private let bus: OpaquePointer
    private var calls: [ObjectIdentifier: BusSlot] = [:]
    private var subscriptions: [BusSlot] = []
    private var isClosed = false
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
    private func prepareToWait() {
        guard !isClosed, !isProcessing else { return }
        let events = sd_bus_get_events(bus)
        guard events >= 0 else { return lose(BusError(result: events)) }
        var interest: Interest = []
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

    // MARK: Traffic

    /// Calls a method and tells `answer` what came of it, at the latest when `limit` has passed;
    /// never if the connection is closed before, and never before this function returns.
    func call(
        _ call: BusCall, within limit: Duration,
        _ answer: @escaping (Result<BusMessage, BusError>) -> Void
    ) throws(BusError) {
        let message = try message(for: call)
        defer { sd_bus_message_unref(message) }
        var identity: ObjectIdentifier?
        let slot = BusSlot { [unowned self] reply in
            if let identity { calls[identity] = nil }
            answer(Self.result(of: reply))
            return 1
        }
        identity = ObjectIdentifier(slot)
        let microseconds = UInt64(saturating: max(limit, .zero) / .microseconds(1))
        try slot.register { place, callback, context in
            sd_bus_call_async(bus, place, message, callback, context, microseconds)
        }
        calls[ObjectIdentifier(slot)] = slot
        prepareToWait()
    }

    /// Calls a method and does not care for the answer.
    func send(_ call: BusCall) throws(BusError) {
        let message = try message(for: call)
        defer { sd_bus_message_unref(message) }
        try BusError.check(sd_bus_message_set_expect_reply(message, 0))
        try BusError.check(sd_bus_send(bus, message, nil))
        prepareToWait()
    }

    /// Tells `handler` every signal that a rule asks for (D-Bus Specification, "Match Rules").
    /// Somebody who sends a signal to this program alone needs no rule: look at the sender.
    func subscribe(
        _ rule: String, _ handler: @escaping (BusMessage) -> Void
    ) throws(BusError) {
        let slot = BusSlot { message in
            // A signal that cannot be read tells nothing.
            if let signal = try? BusMessage(message) { handler(signal) }
            return 0
        }
        try slot.register { place, callback, context in
            sd_bus_add_match_async(bus, place, rule, callback, nil, context)
        }
        subscriptions.append(slot)
        prepareToWait()
    }

    /// Makes an object that others can call.
    ///
    /// - Parameter answer: what a call is answered; nil for a method that the object has not.
    /// - Returns: the object, which is there until it is let go.
    func export(
        at path: String, _ answer: @escaping (BusMessage) -> [BusValue]?
    ) throws(BusError) -> BusSlot {
        let slot = BusSlot { [unowned self] message in
            guard let call = try? BusMessage(message), let values = answer(call) else { return 0 }
            try? reply(to: message, values)
            return 1
        }
        try slot.register { place, callback, context in
            sd_bus_add_object(bus, place, path, callback, context)
        }
        return slot
    }

    /// Sends a signal to all who have asked for it.
    func emit(
        _ signal: String, of interface: String, at path: String, _ values: [BusValue]
    ) throws(BusError) {
        var made: OpaquePointer?
        try BusError.check(sd_bus_message_new_signal(bus, &made, path, interface, signal))
        try finish(made, values)
        prepareToWait()
    }

    // MARK: Messages

    private func message(for call: BusCall) throws(BusError) -> OpaquePointer {
        var made: OpaquePointer?
        try BusError.check(
            sd_bus_message_new_method_call(
                bus, &made, call.destination, call.path, call.interface, call.method))
        guard let message = made else { throw .unreadable }
        do {
            try BusError.check(sd_bus_message_set_auto_start(message, call.mayStart ? 1 : 0))
            try BusMessageWriter(message: message).append(call.arguments)
        } catch {
            sd_bus_message_unref(message)
            throw error
        }
        return message
    }

    private func reply(to call: OpaquePointer, _ values: [BusValue]) throws(BusError) {
        var made: OpaquePointer?
        try BusError.check(sd_bus_message_new_method_return(call, &made))
        try finish(made, values)
    }

    /// Sends a message that was made, with these values.
    private func finish(_ made: OpaquePointer?, _ values: [BusValue]) throws(BusError) {
        defer { sd_bus_message_unref(made) }
        guard let made else { return }
        try BusMessageWriter(message: made).append(values)
        try BusError.check(sd_bus_send(bus, made, nil))
    }

    private static func result(of reply: OpaquePointer) -> Result<BusMessage, BusError> {
        guard let error = sd_bus_message_get_error(reply)?.pointee else {
            return Result { () throws(BusError) in try BusMessage(reply) }
        }
        return .failure(
            .refused(
                name: error.name.map { String(cString: $0) } ?? "",
                message: error.message.map { String(cString: $0) } ?? ""))
    }
}
