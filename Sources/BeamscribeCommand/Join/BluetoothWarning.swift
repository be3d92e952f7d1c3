import BeamscribeCore
import BeamscribeDiscovery
import Logging

/// Says why no beacon can be heard, to somebody whom that concerns: a host that is found on the
/// network at once needs none.
struct BluetoothWarning {
    /// How long a search may take before Bluetooth is worth a word.
    static let patience = Duration.seconds(2)

    /// Nil where there is no place for a warning.
    let logger: Logger?
    /// Whether whoever searches has waited for long enough.
    var isDue = false {
        didSet { tell() }
    }

    private var trouble: BluetoothTrouble?
    private var told: BluetoothTrouble?

    init(logger: Logger?) {
        self.logger = logger
    }

    /// - Parameter trouble: as things are now; nil where beacons can be heard.
    mutating func take(_ trouble: BluetoothTrouble?) {
        self.trouble = trouble
        if trouble == nil { told = nil }
        tell()
    }

    private mutating func tell() {
        guard isDue, let trouble, trouble != told else { return }
        told = trouble
        logger?.warning(
            """
            No host can be found by Bluetooth: \(trouble) (\(trouble.advice)). The search on the \
            network goes on; --no-ble does without.
            """)
    }
}
