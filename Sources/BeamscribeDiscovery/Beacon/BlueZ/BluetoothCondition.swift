/// How things stand with Bluetooth, as BlueZ tells.
public enum BluetoothCondition: Equatable, Sendable {
    /// These adapters are switched on, and there is room for a beacon at one of them.
    case working([Adapter])
    /// It cannot be used: for nothing, or not to send a beacon.
    case troubled(BluetoothTrouble)
    /// Somebody, the bus or bluetoothd, took the question and gave no answer in time.
    case silent

    /// An adapter that is switched on.
    public struct Adapter: Equatable, Sendable {
        /// For example `hci0`.
        public var name: String
        /// How many more advertisements it can send; nil where that is not known.
        public var freeSlots: Int?
    }
}

extension BluetoothCondition {
    /// What bluetoothd's condition comes to.
    init(_ daemon: BlueZCondition) {
        let usable = daemon.poweredAdapters.filter(\.canAdvertise)
        if daemon == .asking || daemon.trouble == .unanswered {
            self = .silent
        } else if let trouble = daemon.trouble {
            self = .troubled(trouble)
        } else if let first = usable.first, usable.allSatisfy({ $0.freeSlots == 0 }) {
            self = .troubled(.noSlot(adapter: first.name))
        } else if usable.isEmpty {
            self = .troubled(.refused("the adapter cannot advertise"))
        } else {
            self = .working(usable.map { Adapter(name: $0.name, freeSlots: $0.freeSlots) })
        }
    }
}
