import BeamscribeDiscovery
import BeamscribeIO

/// Whether there is Bluetooth, which helps guests to find a host where multicast does not get
/// through. Nothing depends on it.
enum BluetoothCheck {
    /// What the kernel's files say, which is more than BlueZ knows of a radio that is blocked.
    struct Findings: Equatable {
        /// The adapters, for example `hci0`.
        var adapters: [String]
        /// Whether the desktop has switched the radio off.
        var isBlocked = false
        /// Whether a switch or the firmware has.
        var isHardBlocked = false
    }

    /// - Parameter condition: what BlueZ says.
    static func result(
        _ findings: Findings, _ condition: BluetoothCondition, on machine: Machine
    ) -> CheckResult {
        if case .working(let adapters) = condition { return working(adapters) }
        guard !findings.adapters.isEmpty || condition.isOfAnAdapter else {
            return note("There is no Bluetooth adapter.", "Nothing is needed: it is an extra.")
        }
        let names = WordList.of(findings.adapters)
        if findings.isHardBlocked {
            return note(
                "The adapter \(names) is switched off by a switch or in the firmware.",
                "Switch it on if you want it; nothing depends on it.")
        }
        if findings.isBlocked {
            return note(
                "The adapter \(names) is switched off.",
                "Switch it on with \(machine.asRoot("rfkill unblock bluetooth")) if you want it.")
        }
        guard case .troubled(let trouble) = condition else {
            return note(
                "There is an adapter\(named(findings)), but BlueZ's daemon does not answer.",
                "Start it anew with \(machine.restart("bluetooth")) if you want it.")
        }
        return result(trouble, of: findings, on: machine)
    }

    private static func working(_ adapters: [BluetoothCondition.Adapter]) -> CheckResult {
        let names = WordList.of(adapters.map(\.name))
        let places = adapters.compactMap(\.freeSlots).reduce(0, +)
        let word = places == 1 ? "advertisement" : "advertisements"
        let room = places == 0 ? "" : "; it has room for \(places) more \(word)"
        return .ok(.bluetooth, "There is an adapter (\(names)) and it is switched on\(room).")
    }

    private static func result(
        _ trouble: BluetoothTrouble, of findings: Findings, on machine: Machine
    ) -> CheckResult {
        let adapter = "There is an adapter\(named(findings))"
        switch trouble {
        case .noBus:
            return note(
                "\(adapter), but D-Bus does not work, by which BlueZ is reached.",
                "Repair D-Bus first, as its check says, if you want it.")
        case .noDaemon:
            return note(
                "\(adapter), but BlueZ's daemon does not run.",
                "Start it with \(machine.start("bluetooth")) if you want it.")
        case .noAdapter:
            return note(
                "\(adapter), but BlueZ's daemon does not use it.",
                "Start it anew with \(machine.restart("bluetooth")) if you want it.")
        case .poweredOff(let adapters):
            return note(
                "The adapter \(WordList.of(adapters)) is switched off.",
                "Switch it on with `bluetoothctl power on` if you want it.")
        case .denied:
            return note(
                "\(adapter), but this user may not use Bluetooth.",
                "Log in at the machine itself, or join the group bluetooth, if you want it.")
        case .noSlot(let adapter):
            return note(
                "Other programs send as many advertisements as the adapter \(adapter) can: a host "
                    + "here sends no beacon.",
                "End one of them if you want it.")
        case .refused(let reason):
            return note(
                "\(adapter), but BlueZ says no: \(reason).",
                "Start its daemon anew with \(machine.restart("bluetooth")) if you want it.")
        }
    }

    /// " (hci0)", or nothing where the files did not show its name.
    private static func named(_ findings: Findings) -> String {
        findings.adapters.isEmpty ? "" : " (\(WordList.of(findings.adapters)))"
    }

    private static func note(_ found: String, _ advice: String) -> CheckResult {
        CheckResult(.bluetooth, .note, found, advice)
    }
}

extension BluetoothCheck.Findings {
    init(_ files: SystemFiles) {
        // A connection to a device shows there too, as hci0:64.
        adapters = files.names(in: "/sys/class/bluetooth")
            .filter { $0.hasPrefix("hci") && !$0.contains(":") }
        let radio = "/sys/class/rfkill"
        for name in files.names(in: radio)
        where files.value("\(radio)/\(name)/type") == "bluetooth" {
            if files.value("\(radio)/\(name)/soft") == "1" { isBlocked = true }
            if files.value("\(radio)/\(name)/hard") == "1" { isHardBlocked = true }
        }
    }
}

extension BluetoothCondition {
    /// Whether it shows that there is an adapter, of which the files may say nothing.
    fileprivate var isOfAnAdapter: Bool {
        switch self {
        case .working, .troubled(.poweredOff), .troubled(.noSlot), .troubled(.refused): true
        case .troubled, .silent: false
        }
    }
}
