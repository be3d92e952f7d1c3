import BeamscribeIO

/// Whether there is Bluetooth, which helps guests to find a host where multicast does not get
/// through. Nothing depends on it.
enum BluetoothCheck {
    /// What was found out.
    struct Findings: Equatable {
        /// The adapters, for example `hci0`.
        var adapters: [String]
        /// Whether the desktop has switched the radio off.
        var isBlocked = false
        /// Whether a switch or the firmware has.
        var isHardBlocked = false
        /// Whether BlueZ's daemon runs; nil where other users' programs are hidden.
        var hasDaemon: Bool?

        init(adapters: [String]) {
            self.adapters = adapters
        }

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
            guard !adapters.isEmpty else { return }
            hasDaemon = Self.isRunning("bluetoothd", files)
        }

        private static func isRunning(_ program: String, _ files: SystemFiles) -> Bool? {
            let processes = files.names(in: "/proc").filter { Int32($0) != nil }
            if processes.contains(where: { files.value("/proc/\($0)/comm") == program }) {
                return true
            }
            // With /proc mounted `hidepid` there is no knowing; process 1 always runs.
            return processes.contains("1") ? false : nil
        }
    }

    static func result(_ findings: Findings, on machine: Machine) -> CheckResult {
        guard !findings.adapters.isEmpty else {
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
        if findings.hasDaemon == false {
            return note(
                "There is an adapter (\(names)), but BlueZ's daemon does not run.",
                "Start it with \(machine.start("bluetooth")) if you want it.")
        }
        return .ok(.bluetooth, "There is an adapter (\(names)) and it is switched on.")
    }

    private static func note(_ found: String, _ advice: String) -> CheckResult {
        CheckResult(check: .bluetooth, status: .note, found: found, advice: advice)
    }
}
