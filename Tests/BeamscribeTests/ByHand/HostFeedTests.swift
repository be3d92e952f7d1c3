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

    private let log: EventLog
    private let publisher: Publisher
    private let feed: HostFeed

    init() {
        log = EventLog(session: UUID(), now: machine.loop.now)
        publisher = Publisher(into: log, masking: nil)
        feed = HostFeed(FeedLogs(main: log), EventStreamEncoder(), on: machine) {
            [batches] in batches.add($0)
        }
    }

    /// Says a final, once the last batch has reached everybody.
    private func say(_ text: String) {
        feed.taken()
        publisher.publish(final: Caption(text: text), now: machine.loop.now)
        feed.changed()
    }

    private func begin(_ text: String) {
        feed.taken()
        publisher.publish(partial: Caption(text: text), now: machine.loop.now)
        feed.changed()
    }

    @Test func batch_comesAtOnceAfterAPause_andThenWithWhatHasGathered() {
        say("one")
        #expect(batches.all.count == 1 && batches.all[0].contains("one"))
        say("two")
        say("three")
        #expect(batches.all.count == 1 && machine.due == Limits.feedFinalInterval(readers: 0))
        machine.pass(Limits.feedFinalInterval(readers: 0))
        #expect(batches.all.count == 2 && machine.due == nil)
        #expect(batches.all[1].contains("two") && batches.all[1].contains("three"))
        machine.pass(.seconds(1))
        say("four")
        #expect(batches.all.count == 3, "after a pause at once")
    }

    @Test func moreReaders_meanLongerPauses() {
        feed.readers = 1_000
        begin("o")
        begin("on")
        #expect(machine.due == Limits.feedInterval(readers: 1_000))
        #expect(Limits.feedInterval(readers: 1_000) > Limits.feedInterval(readers: 0))
    }

    @Test func final_doesNotWaitAsLongAsPartials() {
        begin("o")
        begin("on")
        let (short, long) = (
            Limits.feedFinalInterval(readers: 0), Limits.feedInterval(readers: 0)
        )
        #expect(machine.due == long && short < long)
        say("one")
        #expect(batches.all.count == 1 && machine.due == short)
        machine.pass(short)
        #expect(batches.all.count == 2 && machine.due == nil, "one timer, not two")
        #expect(batches.all[1].contains("one"))
        begin("t")
        begin("tw")
        machine.pass(short)
        say("two")
        #expect(batches.all.count == 3 && machine.due == nil, "at once where its time has come")
        #expect(batches.all[2].contains("two"))
    }

    /// A slow machine with a large crowd would have more and more of them waiting.
    @Test func batch_waitsUntilTheLastHasBeenTaken() {
        say("one")
        for number in 2...3 {
            publisher.publish(final: Caption(text: "line \(number)"), now: machine.loop.now)
            feed.changed()
            machine.pass(.seconds(1))
        }
        #expect(batches.all.count == 1 && machine.due == nil)
        feed.taken()
        #expect(batches.all.count == 2 && batches.all[1].contains("line 2"))
        #expect(batches.all[1].contains("line 3"))
        feed.taken()
        #expect(batches.all.count == 2, "nothing new")
    }

    @Test func largeHistory_comesInPieces_eachWhenTheLastHasBeenTaken() {
        let words = String(repeating: "and so on ", count: 300)
        for _ in 1...50 { publisher.publish(final: Caption(text: words), now: machine.loop.now) }
        feed.changed()
        for count in 1...2 {
            #expect(batches.all.count == count && machine.due == nil)
            feed.taken()
        }
        #expect(batches.all.joined().split(separator: "id: ").count == 50)
    }
}
