import BeamscribeIO

extension LocalTime {
    /// `09:05`
    var timeOfDay: String {
        [hour, minute].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
