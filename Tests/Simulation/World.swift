import BeamscribeCore

/// The one clock, the one source of chance and the one list of things to come of a simulated run.
///
/// Invariant: everything that happens follows from the seed; time only moves from one event to
/// the next.
final class World {
    /// Microseconds since the run began.
    private(set) var now = 0
    private(set) var failure: String?
    private(set) var trace: Trace
    private var queue = EventQueue()
    private var steps = 0
    /// Many times as many as the longest run has.
    private static let mostEvents = 200_000
    private var generator: SeededGenerator
    /// Where the actors of all programs run.
    let executor = WorldExecutor()

    /// - Parameter keepsTrace: whether to keep the trace's words, too.
    init(seed: UInt64, keepsTrace: Bool) {
        generator = SeededGenerator(seed: seed)
        trace = Trace(keepsWords: keepsTrace)
    }

    // MARK: Time

    func schedule(after delay: Int, _ action: @escaping () -> Void) {
        queue.add(at: now + max(0, delay), action)
    }

    /// Lets everything happen that is due within `duration`, until something fails.
    func run(for duration: Int) {
        let end = now + duration
        var isOver = false
        queue.add(at: end) { isOver = true }
        while !isOver, failure == nil, let next = queue.next() {
            now = next.time
            next.action()
            steps += 1
            if steps > 4 * Self.mostEvents { fail("time does not go on") }
        }
    }

    /// Lets what is due now happen, so that all that was buried goes, and forgets what was to come.
    func end() {
        var left = Self.mostEvents
        while let next = queue.next(), next.time <= now, left > 0 {
            next.action()
            left -= 1
        }
        if left == 0 { fail("there is no end to what happens at the end") }
        queue.removeAll()
    }

    // MARK: Chance

    func random(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(clamping: generator.next() % UInt64(clamping: range.count))
    }

    func chance(percent: Int) -> Bool { random(0...99) < percent }

    func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[random(0...elements.count - 1)]
    }

    var seed: UInt64 { generator.next() }

    // MARK: What is told

    func note(_ who: String, _ what: StaticString, _ number: Int = 0) {
        trace.add(now, who, what, number)
        if trace.events > Self.mostEvents { fail("there is no end to what happens") }
    }

    func fail(_ what: @autoclosure () -> String) {
        guard failure == nil else { return }
        failure = what()
    }
}

extension Int {
    /// Microseconds.
    static func milliseconds(_ count: Int) -> Int { count * 1_000 }
    static func seconds(_ count: Int) -> Int { count * 1_000_000 }
}

/// The executor of a world's actors. All of it is on one thread, so that whoever asks is on it; and
/// nothing in a world waits, so that nothing comes to be done later.
final class WorldExecutor: SerialExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        preconditionFailure("something waits where only what is called may run")
    }

    func checkIsolated() {}
    func isIsolatingCurrentContext() -> Bool? { true }
}
