import BeamscribeCore
import BeamscribeIO

/// What browsers read of an event by one stream: a log, or several, and what is new of them.
///
/// Invariant: a reader's place is only read in the logs that it was made for; in others it has nothing
/// any more, so that its reader comes again, and says what it has.
final class PageFeed {
    private let loop: any Loop
    private(set) var logs: FeedLogs
    /// Counts the logs that have taken each other's place.
    private var epoch = 0
    private var live: HostFeed?
    private var taker: Taker?
    /// What is said behind all that there is, where the log itself has no last word.
    private var lastWord: [UInt8]?

    /// Who gets what is new.
    private struct Taker {
        let encoder: any FeedEncoder
        let receive: @Sendable (FeedBatch) -> Void
    }

    init(_ logs: FeedLogs, on loop: any Loop) { (self.logs, self.loop) = (logs, loop) }

    convenience init(_ log: EventLog, on loop: any Loop) {
        self.init(FeedLogs(main: log), on: loop)
    }

    /// The log, or the first of them.
    var log: EventLog { logs.main }

    /// How many readers there are; nil where nobody gives them anything.
    var readers: Int? {
        get { live?.readers }
        set { live?.readers = newValue ?? 0 }
    }

    /// There is another log from now on, as of a host that was started anew.
    func serve(_ log: EventLog) { serve(FeedLogs(main: log)) }

    /// There are these logs from now on. Readers go on where others have only come behind theirs.
    func serve(_ logs: FeedLogs) {
        let goesOn = logs.goesOn(from: self.logs)
        self.logs = logs
        live?.logs = logs
        if goesOn { return }
        let readers = live?.readers ?? 0
        live?.end()
        epoch += 1
        guard let taker else { return }
        open(taker.encoder, taker.receive)
        live?.readers = readers
    }

    func open(
        _ encoder: any FeedEncoder, _ receive: @escaping @Sendable (FeedBatch) -> Void
    ) {
        taker = Taker(encoder: encoder, receive: receive)
        live = HostFeed(logs, epoch: epoch, encoder, on: loop, receive)
    }

    func close() { (live, taker) = (nil, nil) }

    /// There is no such log any more.
    func end() {
        live?.end()
        close()
    }

    /// Nothing follows here, either, as the event's main log is over: whoever has all of this one is told
    /// by that one's last word, a frame.
    func end(saying lastWord: [UInt8]) {
        guard self.lastWord == nil else { return }
        self.lastWord = lastWord
        live?.end(saying: lastWord)
    }

    /// Something may be new, and what was published is stored.
    func changed() { live?.changed() }

    /// The last batch has been given to everybody.
    func taken() { live?.taken() }

    /// What the session is and how it stands.
    func greeting(by standing: FeedStanding) -> FeedGreeting {
        var greeting = FeedGreeting(standing, log, now: loop.now)
        for other in logs.others ?? [] {
            greeting.inputAge = min(greeting.inputAge, other.log.inputAge(loop.uptime).seconds)
        }
        return greeting
    }

    /// The same for a reader who comes, and its place; see ``FeedSource/arrival(after:tail:)``.
    func arrival(
        after marks: FeedMarks, tail: Int?, by standing: FeedStanding
    ) -> (FeedGreeting, FeedPlace) {
        var greeting = greeting(by: standing)
        greeting.after = logs.begin(log, after: marks.main(greeting.session), tail: tail)
        greeting.at = log.place(of: greeting.after)
        greeting.reads = logs.others?.map { other in
            logs.part(of: other, after: marks.other(other.title.session), tail: tail)
        }
        let others = zip(logs.others ?? [], greeting.reads ?? []).map { other, part in
            other.log.reader(after: part.after)
        }
        return (greeting, FeedPlace(log.reader(after: greeting.after), others, epoch: epoch))
    }

    /// The figures of the log alone.
    var metrics: HostMetrics { HostMetrics(serving: log, now: loop.now) }

    func reader(after seq: Int) -> FeedPlace {
        FeedPlace(log.reader(after: seq), epoch: epoch)
    }

    func batch(from place: FeedPlace, by encoder: any FeedEncoder, limit: Int) -> FeedBatch {
        guard place.epoch == epoch else {
            return FeedBatch(start: place, end: place, bytes: [], outcome: .over)
        }
        let batch = logs.batch(from: place, by: encoder, limit: limit)
        guard batch.outcome == .drained, let lastWord else { return batch }
        return FeedBatch(
            start: batch.start, end: batch.end,
            bytes: batch.bytes + encoder.bytes(ofAlert: lastWord),
            outcome: .over)
    }
}
