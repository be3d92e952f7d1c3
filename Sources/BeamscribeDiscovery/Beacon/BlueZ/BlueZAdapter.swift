/// An adapter as BlueZ describes it.
struct BlueZAdapter: Equatable, Sendable {
    /// BlueZ's object, such as `/org/bluez/hci0`.
    var path: String
    var isPowered = false
    /// Whether it listens, for whomever.
    var isDiscovering = false
    /// Whether it can send advertisements at all.
    var canAdvertise = false
    /// How many more advertisements it can send; nil where BlueZ does not say.
    var freeSlots: Int?

    /// The kernel's name of it, such as `hci0`.
    var name: String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}

/// What has become of something that bluetoothd is asked to do at an adapter.
enum Standing: Equatable {
    /// Nobody has said yet.
    case pending
    /// It is done, until further notice.
    case granted
    /// bluetoothd does not do it for now.
    case refused(BluetoothTrouble)
}
