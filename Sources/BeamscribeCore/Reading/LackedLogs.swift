/// Tells a reader once if logs that the event's host offers do not come.
struct LackedLogs {
    /// Since when logs are missing; nil while none is.
    private var since: Duration?
    /// The number of missing logs that the reader was told.
    private var told = 0

    /// Whether more are missing than were told.
    func isNews(_ count: Int) -> Bool { count > told }

    /// Starts the time anew: nothing could come until now.
    mutating func begin() { since = nil }

    /// Counts the missing logs.
    ///
    /// - Returns: the number, where more are missing than were told, for ``Limits/logsLacked``.
    mutating func news(of count: Int, now: Duration) -> Int? {
        if count < told { told = count }
        guard count > told else {
            since = nil
            return nil
        }
        let since = since ?? now
        self.since = since
        guard now - since >= Limits.logsLacked else { return nil }
        (told, self.since) = (count, nil)
        return count
    }
}
