import BeamscribeIO
import TestSupport

@testable import BeamscribeDiscovery

/// A connection to a bus on a loop of its own.
actor BusDriver {
    private(set) var signals: [BusMessage] = []
    private(set) var loss: BusError?
    private nonisolated let thread: LoopThread
    private var bus: MessageBus?
    private var object: BusSlot?
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init() throws {
        thread = try LoopThread()
    }

    func connect(to address: String, within limit: Duration = .seconds(10)) throws {
        let bus = try MessageBus(to: address, within: limit, on: thread.loop)
        bus.lost = { [unowned self] error in assumeIsolated { $0.loss = error } }
        self.bus = bus
    }

    func subscribe(_ rule: String) throws {
        try bus?.subscribe(rule) { [unowned self] signal in
            assumeIsolated { $0.signals.append(signal) }
        }
    }

    func emit(_ values: [BusValue]) throws {
        try bus?.emit("Told", of: "test.Codec", at: "/test", values)
    }

    /// Makes an object that answers `Echo` with what it was called with, and `Name`.
    func export(at path: String) throws {
        object = try bus?.export(at: path) { call in
            call.member == "Echo" ? call.values : nil
        }
    }

    func withdrawObject() {
        object = nil
    }

    func call(
        _ call: BusCall, within limit: Duration = .seconds(10)
    ) async -> Result<BusMessage, BusError> {
        await withCheckedContinuation { continuation in
            do throws(BusError) {
                try bus?.call(call, within: limit) { continuation.resume(returning: $0) }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
    }

    /// The connection's own name on the bus.
    func name() async throws -> String {
        let call = BusCall(
            destination: BlueZNames.bus, path: "/", interface: BlueZNames.bus, method: "GetId")
        _ = try await self.call(call).get()
        try subscribe("type='signal',interface='test.Name'")
        try bus?.emit("Name", of: "test.Name", at: "/test", [])
        return try await eventualValue("its own signal") {
            signals.first { $0.interface == "test.Name" }?.sender
        }
    }

    func finish() {
        object = nil
        bus?.close()
        bus = nil
        thread.loop.stop()
    }
}
