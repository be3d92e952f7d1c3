import BeamscribeCore
import BeamscribeIO
import FoundationEssentials
import Synchronization
import Testing

@testable import Beamscribe

@Suite struct HostFeedTests {
    /// What was given out.
    private final class Batches: Sendable {
        private let texts = Mutex<[String]>([])

        var all: [String] { texts.withLock(\.self) }

        func add(_ batch: FeedBatch) {
            texts.withLock { $0.append(String(decoding: batch.bytes, as: UTF8.self)) }
        }
    }

    private let machine = HandMachine()
    private let batches = Batches()

    @Test func batch_comesAtOnceAfterAPause_andThenWithWhatHasGathered() {
        let log = EventLog(session: UUID(), now: machine.loop.now)
        let publisher = Publisher(into: log, masking: nil)
        let feed = HostFeed(log, EventStreamEncoder(), on: machine) { [batches] in batches.add($0) }
        func say(_ text: String) {
            publisher.publish(final: Caption(text: text), now: machine.loop.now)
            feed.changed()
        }
        say("one")
        #expect(batches.all.count == 1 && batches.all[0].contains("one"))
        say("two")
        say("three")
        #expect(batches.all.count == 1 && machine.due == Limits.feedInterval(readers: 0))
        machine.pass(Limits.feedInterval(readers: 0))
        #expect(batches.all.count == 2 && machine.due == nil)
        #expect(batches.all[1].contains("two") && batches.all[1].contains("three"))
        feed.readers = 1_000
        say("four")
        #expect(batches.all.count == 2 && machine.due == Limits.feedInterval(readers: 1_000))
        #expect(Limits.feedInterval(readers: 1_000) > Limits.feedInterval(readers: 0))
        machine.pass(.seconds(1))
        say("five")
        #expect(batches.all.count == 4, "after a pause at once")
    }
}
