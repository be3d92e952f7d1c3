/// What holds until something else is said, and is told to whoever joins meanwhile.
///
/// Invariant: at most one alert of the input and one of the storage, in this order.
struct StandingAlerts {
    private var input: Alert?
    private var storage: Alert?

    /// What a new guest is told.
    var alerts: [Alert] { [input, storage].compactMap(\.self) }

    /// Takes in an alert that is told to everybody.
    mutating func take(_ alert: Alert, _ kind: Alert.Kind) {
        switch kind {
        case .inputStalled, .inputEnded, .paused, .offRecord: input = alert
        case .resumed: input = nil
        case .storageFailed: storage = alert
        case .storageRestored: storage = nil
        case .sessionResumed, .batteryLow, .mark, .ended, .hostDisconnected: break
        }
    }
}
