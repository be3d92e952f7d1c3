import Beamscribe
import BeamscribeDiscovery
import Logging

/// Tells the operator what becomes of the beacon.
struct BeaconReporter: Reporter {
    let logger: Logger
    private var trouble: BluetoothTrouble?
    /// Whether the operator knows that the beacon is in the air.
    private var isKnown = false
    /// Whether there was an adapter at any time.
    private var wasThere = false
    /// Somebody has asked for Bluetooth.
    private let isWanted: Bool

    init(logger: Logger, isWanted: Bool = false) {
        (self.logger, self.isWanted) = (logger, isWanted)
    }

    mutating func report(_ news: HostNews) {
        switch news {
        case .beacon(let adapters, let takesGuests): tell(adapters, takesGuests)
        case .beaconFailed(let next): warn(of: next)
        case .channelsFailed(let error):
            warn(
                "Captions over Bluetooth are not possible: \(error). Guests need a network.",
                "no_ble_captions")
        default: break
        }
    }

    /// Each adapter begins for itself: that the second one has is for those who want to know more.
    private mutating func tell(_ adapters: [String], _ takesGuests: Bool) {
        let guests = takesGuests ? " Guests without a network get the captions by it, too." : ""
        log(
            isKnown ? .debug : .info,
            "Guests find this host by Bluetooth (\(adapters.joined(separator: ", "))).\(guests)",
            "beacon")
        (isKnown, wasThere) = (true, true)
        trouble = nil
    }

    private mutating func warn(of next: BluetoothTrouble) {
        guard next != trouble else { return }
        trouble = next
        isKnown = false
        // Who loses it does hear of it.
        guard isWanted || wasThere || !next.isAbsence else {
            return detail("\(next).", "no_beacon")
        }
        warn(
            "No Bluetooth beacon: \(next) (\(next.advice)). All else works; --no-ble does without.",
            "no_beacon")
    }
}
