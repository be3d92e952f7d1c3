/// Sends a beacon. Belongs to its loop's thread.
public protocol BeaconAdvertiser: AnyObject {
    /// Told of everything that happens, on the loop.
    var handler: ((BeaconAdvertiserEvent) -> Void)? { get set }
    /// Begins to send, or sends this instead of what was sent before.
    func advertise(_ advertisement: BeaconAdvertisement)
    /// Takes the beacon back.
    func stop()
}

/// What an advertiser tells. Each is told when it becomes true, not again while it stays so.
public enum BeaconAdvertiserEvent: Equatable, Sendable {
    /// The beacon is in the air, sent by these adapters (`hci0`).
    case advertising(adapters: [String])
    /// It is not, or no longer; the advertiser goes on trying.
    case unavailable(BluetoothTrouble)
}
