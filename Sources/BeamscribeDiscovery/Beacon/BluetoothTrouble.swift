/// Why Bluetooth cannot be used, as far as it shows. None of these is more than a missing extra.
public enum BluetoothTrouble: Error, Hashable, Sendable {
    /// D-Bus is not running.
    case noBus
    /// bluetoothd is not running.
    case noDaemon
    /// The machine has none.
    case noAdapter
    /// All adapters are switched off.
    case poweredOff(adapters: [String])
    /// This user may not use Bluetooth.
    case denied
    /// Other programs send as many advertisements as the adapter can.
    case noSlot(adapter: String)
    /// BlueZ says no, for this reason.
    case refused(String)
}

extension BluetoothTrouble: CustomStringConvertible {
    /// Who has no Bluetooth need not hear of it.
    public var isAbsence: Bool { [.noAdapter, .noDaemon, .noBus].contains(self) }

    /// What is wrong, as a clause.
    public var description: String {
        switch self {
        case .noBus: "D-Bus, by which Bluetooth is reached, is not running"
        case .noDaemon: "the Bluetooth daemon (bluetoothd) is not running"
        case .noAdapter: "there is no Bluetooth adapter"
        case .poweredOff(let adapters):
            "the Bluetooth adapter \(adapters.joined(separator: ", ")) is switched off"
        case .denied: "this user may not use Bluetooth"
        case .noSlot(let adapter):
            "other programs use all of the Bluetooth adapter \(adapter)'s advertisements"
        case .refused(let reason): "Bluetooth does not work (\(reason))"
        }
    }

    /// What to do about it, as a sentence without its full stop.
    public var advice: String {
        switch self {
        case .noBus: "start dbus"
        case .noDaemon: "start it: systemctl start bluetooth"
        case .noAdapter: "plug one in"
        case .poweredOff: "switch it on: bluetoothctl power on, or rfkill unblock bluetooth"
        case .denied: "log in at the machine itself, or join the group bluetooth"
        case .noSlot: "end one of them"
        case .refused: "beamscribe doctor says more"
        }
    }
}
