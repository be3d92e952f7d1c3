/// Calls somebody once several things are done.
final class Countdown {
    private var left: Int
    private let done: () -> Void

    /// - Parameters:
    ///   - count: how many things; of none all are done now.
    ///   - done: called once, by the last ``next()``, or now.
    init(_ count: Int, then done: @escaping () -> Void) {
        (left, self.done) = (count, done)
        if count == 0 { done() }
    }

    /// One more is done.
    func next() {
        left -= 1
        if left == 0 { done() }
    }
}
