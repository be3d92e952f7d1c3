import BeamscribeCore

/// Decides when captions go out that are to come in their own time, as they were spoken.
///
/// The first caption with a time goes out at once, and each later one as long after it as their
/// starts are apart, divided by the pace. Order is kept: what has no time goes out with what comes
/// before it, and so does what begins earlier than that.
///
/// Invariant: `waiting` is in the order of the input, and so are its times.
public struct Pacer: Sendable {
    private struct Entry {
        var due: Duration
        var event: InputEvent
    }

    /// So many finals without a time say that there will be none.
    private static let patience = 5

    private let pace: Double
    private var waiting: [Entry] = []
    private var first: (start: Double, at: Duration)?
    private var lastDue = Duration.zero
    private var untimed = 0
    private var stoppedAt: Duration?

    /// - Parameter pace: how many seconds of the recording pass in a second, above 0.
    public init(pace: Double) {
        self.pace = pace
    }

    public var isEmpty: Bool { waiting.isEmpty }

    /// Whether so much waits that the input had better rest.
    public var isFull: Bool { waiting.count >= Limits.pacedEvents }

    /// When ``release(now:)`` has something to give.
    public var nextRelease: Duration? { waiting.first?.due }

    /// Takes what came from the input.
    ///
    /// - Parameter now: the time by a clock that only goes forward.
    public mutating func add(_ events: [InputEvent], now: Duration) {
        for event in events { add(event, isSecret: false, now: now) }
    }

    /// Takes what came from an input that is, or was, off the record. What is due then is thrown
    /// away; what was only read ahead of its time is held against the record when that comes.
    mutating func add(_ events: [JudgedEvent], now: Duration) {
        for judged in events { add(judged.event, isSecret: judged.isSecret, now: now) }
    }

    private mutating func add(_ event: InputEvent, isSecret: Bool, now: Duration) {
        lastDue = max(lastDue, due(event, now: now))
        if !isSecret || lastDue > now { waiting.append(Entry(due: lastDue, event: event)) }
        if tellsNoTimes(event) { waiting.append(Entry(due: lastDue, event: Self.noTimes)) }
    }

    /// Takes note that the input has ended.
    public mutating func finish() {
        guard first == nil, (1..<Self.patience).contains(untimed) else { return }
        waiting.append(Entry(due: lastDue, event: Self.noTimes))
    }

    /// Time stands still for what waits, and for what comes.
    public mutating func stop(at now: Duration) {
        if stoppedAt == nil { stoppedAt = now }
    }

    /// Time goes on where it was.
    public mutating func goOn(at now: Duration) {
        guard let since = stoppedAt else { return }
        stoppedAt = nil
        let pause = now - since
        if let (start, at) = first { first = (start, at + pause) }
        lastDue += pause
        for index in waiting.indices { waiting[index].due += pause }
    }

    public mutating func release(now: Duration) -> [InputEvent] {
        let count = waiting.prefix { $0.due <= now }.count
        defer { waiting.removeFirst(count) }
        return Self.batch(waiting.prefix(count).map(\.event))
    }

    private static let noTimes = InputEvent.warning(
        "--pace has no effect: this input does not say when its captions were spoken")

    private mutating func due(_ event: InputEvent, now: Duration) -> Duration {
        guard let start = event.caption?.start else { return now }
        guard let first else {
            first = (start, now)
            return now
        }
        // More than the program's own limit of times is no time.
        let seconds = min(max((start - first.start) / pace, 0), Limits.seconds)
        return first.at + .seconds(saturating: seconds)
    }

    private mutating func tellsNoTimes(_ event: InputEvent) -> Bool {
        guard first == nil, case .final = event else { return false }
        untimed += 1
        return untimed == Self.patience
    }

    /// A reader wants the partials of a batch behind its finals, and one of a line.
    private static func batch(_ events: [InputEvent]) -> [InputEvent] {
        guard events.contains(where: \.isPartial) else { return events }
        var partials = PartialBatch()
        var batch: [InputEvent] = []
        for event in events {
            switch event {
            case .partial(let caption): partials.add(caption)
            case .final(let caption), .correction(let caption):
                partials.close(line: caption.line)
                batch.append(event)
            case .warning: batch.append(event)
            }
        }
        return batch + partials.waitingEvents
    }
}
