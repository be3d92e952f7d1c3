import BeamscribeCore
import Testing

@testable import BeamscribeDiscovery

@Suite struct AdapterTableTests {
    private func adapter(isPowered: Bool) -> BusValue {
        .properties(["Powered": .boolean(isPowered), "Address": .string("00:FA:CE:00:00:00")])
    }

    private func manager(free: UInt8) -> BusValue {
        .properties(["SupportedInstances": .byte(free), "ActiveInstances": .byte(1)])
    }

    @Test func adapter_isFollowed() {
        var table = AdapterTable()
        table.added(
            "/org/bluez/hci1",
            [BlueZNames.adapter: adapter(isPowered: true), "org.bluez.Media1": .properties([:])])
        table.added(
            "/org/bluez/hci0",
            [
                BlueZNames.advertisingManager: manager(free: 3),
                BlueZNames.adapter: adapter(isPowered: false),
            ])
        #expect(table.adapters.map(\.name) == ["hci0", "hci1"])
        #expect(table.adapters.map(\.isPowered) == [false, true])
        #expect(table.adapters.map(\.canAdvertise) == [true, false])
        #expect(table.adapters.map(\.freeSlots) == [3, nil])
        // Each interface may come and go alone.
        table.added("/org/bluez/hci1", [BlueZNames.advertisingManager: manager(free: 2)])
        table.removed("/org/bluez/hci0", [BlueZNames.advertisingManager])
        table.changed("/org/bluez/hci0", BlueZNames.adapter, ["Powered": .boolean(true)])
        table.changed(
            "/org/bluez/hci1", BlueZNames.advertisingManager, ["SupportedInstances": .byte(0)])
        #expect(table.adapters.map(\.canAdvertise) == [false, true])
        #expect(table.adapters.map(\.freeSlots) == [nil, 0])
        #expect(table.adapters.map(\.isPowered) == [true, true])
        table.removed("/org/bluez/hci1", [BlueZNames.adapter, BlueZNames.advertisingManager])
        #expect(table.adapters.map(\.name) == ["hci0"])
    }

    @Test func strangeObjects_areIgnored() {
        var table = AdapterTable()
        table.added("/a", [BlueZNames.adapter: .string("x")])
        table.added("/b", [BlueZNames.advertisingManager: manager(free: 1)])
        table.added("/c", [BlueZNames.device: .properties(["Powered": .boolean(true)])])
        table.changed("/d", BlueZNames.adapter, ["Powered": .boolean(true)])
        #expect(table.adapters.isEmpty)
        table.added("/e", [BlueZNames.adapter: .properties(["Powered": .string("yes")])])
        table.changed("/e", BlueZNames.device, ["Powered": .boolean(true)])
        #expect(table.adapters.map(\.isPowered) == [false])
    }

    @Test func adapters_areLimited() {
        var table = AdapterTable()
        for number in 0..<1_000 {
            table.added("/\(number)", [BlueZNames.adapter: adapter(isPowered: true)])
        }
        #expect(table.adapters.count == Limits.bluetoothAdapters)
    }

    @Test func trouble_isWhyNoneIsOfUse() {
        let off = BlueZAdapter(path: "/org/bluez/hci0")
        let on = BlueZAdapter(path: "/org/bluez/hci1", isPowered: true)
        #expect([BlueZAdapter]().trouble == .noAdapter)
        #expect([off].trouble == .poweredOff(adapters: ["hci0"]))
        #expect([off, on].trouble == nil)
    }
}
