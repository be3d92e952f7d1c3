import BeamscribeCore
import BeamscribeIO

/// Gives out what is new, encoded once, to whoever serves readers in crowds: at once after a pause,
/// and then what has gathered, once every ``Limits/feedInterval(readers:)``, or
/// ``Limits/feedFinalInterval(readers:)`` where a final waits. A machine that needs longer to serve
/// its crowd is given the next batch when it has dealt with the last, with all that came meanwhile.
///
/// Invariant: the batches that were given out go on one where the other ends, and at most one has not
/// been taken.
final class HostFeed {
    /// What is given out; others may come behind those that there are.
    var logs: FeedLogs
    private let loop: any Loop
    private let encoder: any FeedEncoder
    private let receive: @Sendable (FeedBatch) -> Void
    /// How many readers there are: the more, the longer what is new is gathered.
    var readers = 0
    private var position: FeedPlace
    private var lastSent: Duration?
    @OwnedTimer private var timer: LoopTimer?
    private var isTaken = true
    /// Whether something came since the last batch was made.
    private var isBehind = false
    /// What followed the last batch, when it was made.
    private var outcome = Reader.Outcome.drained

    init(
        _ logs: FeedLogs, epoch: Int = 0, _ encoder: any FeedEncoder, on loop: any Loop,
        _ receive: @escaping @Sendable (FeedBatch) -> Void
    ) {
        self.logs = logs
        self.loop = loop
        self.encoder = encoder
        self.receive = receive
        position = logs.end(epoch: epoch)
        send()
    }

    /// Something may be new, and what was published is stored.
    func changed() {
        isBehind = true
        guard isTaken, outcome != .over else { return }
        guard let lastSent, loop.uptime < lastSent + interval else { return send() }
        let due = lastSent + interval
        if let timer, timer.deadline <= due { return }
        timer = loop.schedule(at: due) { [unowned self] in send() }
    }

    /// The last batch has been given to everybody.
    func taken() {
        isTaken = true
        if outcome == .more { send() } else if isBehind { changed() }
    }

    /// Nothing follows: whoever reads on does so in another log.
    ///
    /// - Parameter lastWord: a frame, for those who have all that was given out; nil for none.
    func end(saying lastWord: [UInt8]? = nil) {
        timer = nil
        guard outcome != .over else { return }
        outcome = .over
        let bytes = lastWord.map { encoder.bytes(ofAlert: $0) } ?? []
        receive(FeedBatch(start: position, end: position, bytes: bytes, outcome: .over))
    }

    /// The least time between two batches, for what is new now.
    private var interval: Duration {
        logs.hasFinals(beyond: position)
            ? Limits.feedFinalInterval(readers: readers) : Limits.feedInterval(readers: readers)
    }

    private func send() {
        (timer, isBehind) = (nil, false)
        repeat {
            let batch = logs.batch(from: position, by: encoder)
            (position, outcome) = (batch.end, batch.outcome)
            guard !batch.bytes.isEmpty else { continue }
            (lastSent, isTaken) = (loop.uptime, false)
            return receive(batch)
        } while outcome == .more
    }
}
