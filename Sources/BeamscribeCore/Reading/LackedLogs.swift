/// Tells a reader once if logs that the event's host offers do not come.
struct LackedLogs {
    /// For how long logs have been missing, connections in between left out.
    private var lasted: Duration = .zero
    /// The time of the newest count of this connection; nil before the first.
    private var counted: Duration?
    /// The number of missing logs that the reader was told.
    private var told = 0

    /// Whether more are missing than were told.
    func isNews(_ count: Int) -> Bool { count > told }

    /// Nothing could come until now.
    mutating func begin() { counted = nil }

    /// Counts the missing logs.
    ///
    /// - Returns: the number, where more are missing than were told, for ``Limits/logsLacked``.
    mutating func news(of count: Int, now: Duration) -> Int? {
        let passed = counted.map { now - $0 } ?? .zero
        counted = now
        if count < told { told = count }
        guard count > told else {
            lasted = .zero
            return nil
        }
        lasted += passed
        guard lasted >= Limits.logsLacked else { return nil }
        (told, lasted) = (count, .zero)
        return count
    }
}
