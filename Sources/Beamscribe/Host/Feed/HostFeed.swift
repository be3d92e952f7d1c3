import BeamscribeCore
import BeamscribeIO

/// Gives out what is new, encoded once, to whoever serves readers in crowds: at once after a pause,
/// and then what has gathered, once every ``Limits/feedInterval(readers:)``, or
/// ``Limits/feedFinalInterval(readers:)`` where a final waits.
///
/// Invariant: the batches that were given out go on one where the other ends.
final class HostFeed {
    private let log: EventLog
    private let loop: any Loop
    private let encoder: any FeedEncoder
    private let receive: @Sendable (FeedBatch) -> Void
    /// How many readers there are: the more, the longer what is new is gathered.
    var readers = 0
    private var position: Reader
    private var lastSent: Duration?
    @OwnedTimer private var timer: LoopTimer?
    private var isOver = false

    init(
        _ log: EventLog, _ encoder: any FeedEncoder, on loop: any Loop,
        _ receive: @escaping @Sendable (FeedBatch) -> Void
    ) {
        self.log = log
        self.loop = loop
        self.encoder = encoder
        self.receive = receive
        position = log.reader(after: log.lastSeq)
        send()
    }

    /// Something may be new, and what was published is stored.
    func changed() {
        guard !isOver else { return }
        guard let lastSent, loop.uptime < lastSent + interval else { return send() }
        let due = lastSent + interval
        if let timer, timer.deadline <= due { return }
        timer = loop.schedule(at: due) { [unowned self] in send() }
    }

    /// The least time between two batches, for what is new now.
    private var interval: Duration {
        log.lastSeq < position.seq
            ? Limits.feedInterval(readers: readers) : Limits.feedFinalInterval(readers: readers)
    }

    private func send() {
        timer = nil
        repeat {
            let batch = log.batch(from: position, by: encoder)
            position = batch.end
            isOver = batch.outcome == .over
            if !batch.bytes.isEmpty {
                lastSent = loop.uptime
                receive(batch)
            }
            guard batch.outcome == .more else { return }
        } while true
    }
}
