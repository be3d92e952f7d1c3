import BeamscribeIO
import TestSupport
import Testing

@testable import BeamscribeDiscovery

/// What the doctor learns, and that nothing is changed by asking.
@Suite(Skip.withoutBluetooth, .serialized, .timeLimit(.minutes(3))) struct BlueZInquiryTests {
    private func ask(
        _ address: String, patience: Duration = .seconds(10)
    ) async -> BluetoothCondition? {
        await BlockingCall.run(within: .seconds(20)) {
            BlueZInquiry.ask(at: address, patience: patience)
        }
    }

    @Test func adapters_areTold_withTheirFreeSlots() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 2)
        try await bluetooth.occupy("hci0", slots: 3)
        let both: [BluetoothCondition.Adapter] = [
            .init(name: "hci0", freeSlots: 0), .init(name: "hci1", freeSlots: 3),
        ]
        #expect(await ask(bluetooth.busAddress) == .working(both))
        try await bluetooth.power("hci0", on: false)
        #expect(await ask(bluetooth.busAddress) == .working([both[1]]))
        #expect(try await bluetooth.advertisements().isEmpty)
        #expect(try await bluetooth.searches().isEmpty)
    }

    @Test func trouble_isToldApart() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        let address = bluetooth.busAddress
        try await bluetooth.occupy("hci0", slots: 3)
        #expect(await ask(address) == .troubled(.noSlot(adapter: "hci0")))
        try await bluetooth.power("hci0", on: false)
        #expect(await ask(address) == .troubled(.poweredOff(adapters: ["hci0"])))
        try await bluetooth.removeAdapter("hci0")
        #expect(await ask(address) == .troubled(.noAdapter))
        try await bluetooth.refuseEveryone()
        #expect(await ask(address) == .troubled(.denied))
        try await bluetooth.refuseEveryone(false)
        await bluetooth.hang()
        #expect(await ask(address, patience: .milliseconds(200)) == .silent)
        await bluetooth.recover()
        try await bluetooth.stopDaemon()
        #expect(await ask(address) == .troubled(.noDaemon))
        await bluetooth.hangBus()
        let silent = await ask(address, patience: .milliseconds(200))
        #expect(silent == .silent)
        await bluetooth.recoverBus()
        try await bluetooth.stopBus()
        #expect(await ask(address) == .troubled(.noBus))
    }

    @Test func adapterThatCannotAdvertise_isToldApart() {
        let bare = BlueZAdapter(path: "/org/bluez/hci0", isPowered: true)
        guard case .troubled(.refused) = BluetoothCondition(.running([bare])) else {
            Issue.record("an adapter that cannot send was taken for one that can")
            return
        }
        #expect(BluetoothCondition(.asking) == .silent)
        #expect(BluetoothCondition(.unavailable(.unanswered)) == .silent)
    }
}
