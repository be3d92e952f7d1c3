import BeamscribeIO
import TestSupport
import Testing

@testable import BeamscribeCommand
@testable import BeamscribeDiscovery

/// What is said of Bluetooth, by the kernel's files and BlueZ's answer.
@Suite struct BluetoothCheckTests {
    private let folder: TemporaryFolder
    private let debian = Machine(hasSystemd: true, packages: .apt, isRoot: false)
    private let working = BluetoothCondition.working([.init(name: "hci0", freeSlots: 3)])

    init() throws {
        folder = try TemporaryFolder()
    }

    private func result(_ condition: BluetoothCondition) -> CheckResult {
        let findings = BluetoothCheck.Findings(SystemFiles(root: folder.path))
        return BluetoothCheck.result(findings, condition, on: debian)
    }

    private func addAdapter(soft: String = "0", hard: String = "0") throws {
        try folder.makeFolder("sys/class/bluetooth/hci0")
        try folder.makeFolder("sys/class/bluetooth/hci0:64")
        for (number, values) in [["wlan", "1", "1"], ["bluetooth", soft, hard]].enumerated() {
            let radio = "sys/class/rfkill/rfkill\(number)"
            try folder.makeFolder(radio)
            for (name, text) in zip(["type", "soft", "hard"], values) {
                try folder.write(text + "\n", to: "\(radio)/\(name)")
            }
        }
    }

    @Test(arguments: [
        BluetoothCondition.silent, .troubled(.noAdapter), .troubled(.noDaemon),
        .troubled(.noBus), .troubled(.denied),
    ])
    func bluetooth_isNotMissed_withoutAnAdapter(condition: BluetoothCondition) {
        #expect(result(condition).status == .note)
        #expect(result(condition).found == "There is no Bluetooth adapter.")
    }

    @Test func bluetooth_isFine_whenItIsOn() throws {
        try addAdapter()
        #expect(result(working).status == .ok)
        #expect(
            result(working).found
                == "There is an adapter (hci0) and it is switched on; it has room for 3 more "
                + "advertisements.")
        let tight = BluetoothCondition.working([.init(name: "hci0", freeSlots: 1)])
        #expect(result(tight).found.hasSuffix("it has room for 1 more advertisement."))
        let two = BluetoothCondition.working([
            .init(name: "hci0", freeSlots: nil), .init(name: "hci1", freeSlots: nil),
        ])
        #expect(result(two).found == "There is an adapter (hci0 and hci1) and it is switched on.")
    }

    @Test func block_saysMore_thanThatItIsOff() throws {
        try addAdapter(soft: "1")
        let isOff = BluetoothCondition.troubled(.poweredOff(adapters: ["hci0"]))
        for condition in [isOff, .troubled(.noAdapter), .silent] {
            #expect(result(condition).status == .note)
            let advice = result(condition).advice
            #expect(advice?.contains("`sudo rfkill unblock bluetooth`") == true)
        }
        try addAdapter(soft: "1", hard: "1")
        #expect(result(isOff).found.contains("by a switch"))
    }

    @Test(arguments: [
        (
            BluetoothTrouble.noBus, "adapter (hci0), but D-Bus does not work",
            "Repair D-Bus first"
        ),
        (.noDaemon, "daemon does not run", "`sudo systemctl start bluetooth`"),
        (.noAdapter, "does not use it", "`sudo systemctl restart bluetooth`"),
        (
            .poweredOff(adapters: ["hci0", "hci1"]), "hci0 and hci1 is switched off",
            "`bluetoothctl power on`"
        ),
        (.denied, "this user may not", "group bluetooth"),
        (.noSlot(adapter: "hci0"), "as the adapter hci0 can", "End one of them"),
        (.refused("it is tired"), "BlueZ says no: it is tired.", "restart bluetooth"),
    ])
    func trouble_isANote_thatSaysWhatToDo(
        trouble: BluetoothTrouble, found: String, advice: String
    ) throws {
        try addAdapter()
        let result = result(.troubled(trouble))
        #expect(result.status == .note, "Nothing depends on it.")
        #expect(result.found.contains(found))
        #expect(result.advice?.contains(advice) == true)
    }

    @Test func silence_isANote() throws {
        try addAdapter()
        #expect(result(.silent).status == .note)
        #expect(result(.silent).found.contains("(hci0), but BlueZ's daemon does not answer"))
        #expect(result(.silent).advice?.contains("systemctl restart bluetooth") == true)
    }

    /// In a container BlueZ can be there while the kernel's files are not.
    @Test func blueZ_isBelieved_whereTheFilesShowNothing() {
        #expect(result(working).status == .ok)
        let isOff = BluetoothCondition.troubled(.poweredOff(adapters: ["hci7"]))
        #expect(result(isOff).found == "The adapter hci7 is switched off.")
        #expect(result(.troubled(.refused("no"))).found.hasPrefix("There is an adapter, but"))
    }
}
