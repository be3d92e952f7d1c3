import BeamscribeCore
import BeamscribeIO

/// Gives out what is new, encoded once, to whoever serves readers in crowds. At most once every
/// ``Limits/feedInterval(readers:)``: at once after a pause, and then what has gathered.
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
        guard timer == nil, !isOver else { return }
        let now = loop.uptime
        let interval = Limits.feedInterval(readers: readers)
        guard let lastSent, now < lastSent + interval else { return send() }
        timer = loop.schedule(at: lastSent + interval) { [unowned self] in
            timer = nil
            send()
        }
    }

    private func send() {
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
