import BeamscribeCore
import BeamscribeIO
import Foundation
import TestSupport
import Testing

@testable import BeamscribeDiscovery

/// The connection to a bus, with a real one.
@Suite(Skip.withoutBluetooth, .serialized, .timeLimit(.minutes(3))) struct MessageBusTests {
    private let codec = "type='signal',interface='test.Codec'"

    private func connected(to bluetooth: FakeBluetooth) async throws -> BusDriver {
        let driver = try BusDriver()
        try await driver.connect(to: bluetooth.busAddress)
        return driver
    }

    private func bus(_ method: String, _ arguments: [BusValue] = []) -> BusCall {
        BusCall(
            destination: BlueZNames.bus, path: "/org/freedesktop/DBus",
            interface: BlueZNames.bus, method: method, arguments: arguments)
    }

    // MARK: Values

    @Test func values_areReadAsWritten() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 0)
        let driver = try await connected(to: bluetooth)
        try await driver.subscribe(codec)
        var generator = SeededGenerator(seed: 4_711)
        let messages = (0..<5_000).map { _ in
            (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                BusShape.random(3, using: &generator).value(5, using: &generator)
            }
        }
        for message in messages { try await driver.emit(message) }
        try await eventually("all messages to come back", within: .seconds(60)) {
            await driver.signals.count == messages.count
        }
        let signals = await driver.signals
        for (signal, message) in zip(signals, messages) where signal.values != message {
            Issue.record("sent \(message), but received \(signal.values)")
        }
        await driver.finish()
    }

    @Test func excess_isPassedOver_andWhatFollowsIsRead() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 0)
        let driver = try await connected(to: bluetooth)
        try await driver.subscribe(codec)
        let deep = (0..<40).reduce(BusValue.byte(1)) { value, _ in .variant(value) }
        let many = BusValue.array(
            Array(repeating: .boolean(true), count: Limits.busValues), of: "b")
        let most = BusValue.array(
            Array(repeating: .boolean(true), count: Limits.busValues - 1), of: "b")
        for value in [deep, many, most, .string("last")] { try await driver.emit([value]) }
        try await eventually("the last signal", within: .seconds(60)) {
            await driver.signals.last?.values == [.string("last")]
        }
        #expect(await driver.signals.map(\.values) == [[most], [.string("last")]])
        await driver.finish()
    }

    @Test func valuesThatAreNone_areNotSent() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 0)
        let driver = try await connected(to: bluetooth)
        let wrong: [BusValue] = [
            .objectPath("no/stroke"), .signature("{"), .array([.byte(1)], of: "s"),
            .structure([]), .dictionary([.variant(.byte(1)): .byte(1)], key: "v", value: "y"),
        ]
        for value in wrong {
            await #expect(throws: BusError.self, "\(value)") { try await driver.emit([value]) }
        }
        #expect(try await driver.call(bus("GetId")).get().values.count == 1, "It still works.")
        await driver.finish()
    }

    // MARK: Calls

    @Test func call_isAnswered_orRefusedByName() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 0)
        let driver = try await connected(to: bluetooth)
        let answer = try await driver.call(bus("GetNameOwner", [.string("org.bluez")])).get()
        #expect(answer.sender == BlueZNames.bus)
        #expect(answer.values.first?.text?.hasPrefix(":") == true)
        guard case .failure(.refused(let name, _)) = await driver.call(bus("NoSuchThing")) else {
            Issue.record("a method that is not there was called")
            return
        }
        #expect(name == "org.freedesktop.DBus.Error.UnknownMethod")
        await driver.finish()
    }

    @Test func call_isGivenUp_whenNobodyAnswers() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 0)
        let driver = try await connected(to: bluetooth)
        await bluetooth.hang()
        let call = BusCall(
            destination: "org.bluez", path: "/", interface: BlueZNames.objectManager,
            method: "GetManagedObjects")
        guard
            case .failure(let error) = await driver.call(call, within: .milliseconds(100))
        else {
            Issue.record("a program that stands still has answered")
            return
        }
        #expect(BluetoothTrouble(error) == .unanswered)
        #expect(try await driver.call(bus("GetId")).get().values.count == 1, "Others answer.")
        await bluetooth.recover()
        await driver.finish()
    }

    @Test func object_answers_whileItIsThere() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 0)
        let owner = try await connected(to: bluetooth)
        let caller = try await connected(to: bluetooth)
        try await owner.export(at: "/test")
        let name = try await owner.name()
        let call = { (method: String) in
            BusCall(
                destination: name, path: "/test", interface: "test.Thing", method: method,
                arguments: [.string("ö"), .bytes([1, 2])])
        }
        let echo = try await caller.call(call("Echo")).get()
        #expect(echo.values == [.string("ö"), .bytes([1, 2])])
        guard case .failure(.refused) = await caller.call(call("Other")) else {
            Issue.record("a method that is not there was called")
            return
        }
        await owner.withdrawObject()
        guard case .failure(.refused) = await caller.call(call("Echo")) else {
            Issue.record("an object that is not there was called")
            return
        }
        await owner.finish()
        await caller.finish()
    }

    // MARK: The connection

    @Test func loss_isTold_whenTheBusEnds() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 0)
        let driver = try await connected(to: bluetooth)
        _ = try await driver.call(bus("GetId")).get()
        try await bluetooth.stopBus()
        try await eventually("the loss to be told") { await driver.loss != nil }
        await driver.finish()
    }

    @Test func loss_isTold_whenTheBusLetsNobodyIn() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 0)
        await bluetooth.hangBus()
        let driver = try BusDriver()
        try await driver.connect(to: bluetooth.busAddress, within: .milliseconds(100))
        try await eventually("the loss to be told") {
            await driver.loss == .failed(code: ETIMEDOUT)
        }
        await bluetooth.recoverBus()
        await driver.finish()
    }

    @Test(arguments: ["unix:path=/nowhere/bus", "unix:", "nonsense", "", "tcp:host=x"])
    func address_thatLeadsNowhere_isAnError(address: String) async throws {
        let driver = try BusDriver()
        await #expect(throws: BusError.self) { try await driver.connect(to: address) }
        await driver.finish()
    }

    @Test func idleConnection_doesNotSpin() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 0)
        #expect(try Self.turns(of: bluetooth.busAddress, for: .milliseconds(300)) < 100)
    }

    /// How often a loop with nothing but a connection wakes up.
    private static func turns(of address: String, for time: Duration) throws -> Int {
        let loop = try EventLoop()
        let bus = try MessageBus(to: address, within: .seconds(10), on: loop)
        var (turns, isOver) = (0, false)
        loop.schedule(after: time) { isOver = true }
        while !isOver {
            loop.runOnce()
            turns += 1
        }
        bus.close()
        return turns
    }
}
