/// A log's record as somebody was told it last. Its writer may change it, and with it the log's
/// name, as often as he likes; others are told of that now and then.
struct ToldRecord {
    private let record: [UInt8]
    private let told: Duration

    init(_ record: [UInt8], at time: Duration) { (self.record, told) = (record, time) }

    /// Whether this is news, and the last was told long enough ago.
    func isDue(_ newest: [UInt8], now: Duration) -> Bool {
        newest != record && now - told >= Limits.recordsPassedOn
    }
}
