/// Listens for hosts' beacons. Belongs to its loop's thread.
public protocol BeaconScanner: AnyObject {
    /// Told of everything that happens, on the loop.
    var handler: ((BeaconScannerEvent) -> Void)? { get set }
    func start()
    /// Listens no more, and forgets what was heard. May be started again.
    func stop()
}

/// What a scanner tells.
public enum BeaconScannerEvent: Equatable, Sendable {
    /// The beacons that are in the air now: heard since the start, not silent for long since, and
    /// not outdated by newer words of the same session. One for each device, so perhaps several
    /// of one host.
    case changed([HeardBeacon])
    /// Whoever is in reach has been heard, but for bad luck; or nobody can be heard, or it takes too
    /// long to find that out. Comes once a start, in a few seconds at the latest, whatever happens.
    case settled
    /// Nothing can be heard for now; the scanner goes on trying.
    case unavailable(BluetoothTrouble)
    /// It can again.
    case available
}
