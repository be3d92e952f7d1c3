/// A time that a test measures and prints, by a clock that nobody sets.
struct Stopwatch {
    private let start = ContinuousClock.now

    var elapsed: Duration { start.duration(to: .now) }

    /// Prints how long `what` took, for whoever compares runs.
    func report(_ what: String) {
        let milliseconds = Int(elapsed / .milliseconds(1))
        print("measured: \(what): \(milliseconds) ms")
    }
}
