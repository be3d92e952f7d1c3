/// What holds until something else is said, and is told to whoever joins meanwhile.
///
/// Invariant: at most one alert of the input and one of the storage, in this order.
struct StandingAlerts {
    private var input: [UInt8]?
    private var storage: [UInt8]?

    /// What a new guest is told, as frames.
    var frames: [[UInt8]] { [input, storage].compactMap(\.self) }

    /// Takes in an alert that is told to everybody; nil for a kind of a later version.
    mutating func take(_ frame: [UInt8], _ kind: Alert.Kind?) {
        switch kind {
        case .inputStalled, .inputEnded, .paused, .offRecord, .offAir: input = frame
        case .resumed: input = nil
        case .storageFailed: storage = frame
        case .storageRestored: storage = nil
        case .sessionResumed, .batteryLow, .mark, .ended, .hostDisconnected, nil: break
        }
    }
}
