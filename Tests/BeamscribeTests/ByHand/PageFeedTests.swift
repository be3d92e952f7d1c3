import BeamscribeCore
import FoundationEssentials
import Synchronization
import Testing

@testable import Beamscribe

/// What browsers read where one log takes another's place.
@Suite struct PageFeedTests {
    private final class Batches: Sendable {
        private let kept = Mutex<[FeedBatch]>([])

        var all: [FeedBatch] { kept.withLock(\.self) }
        func add(_ batch: FeedBatch) { kept.withLock { $0.append(batch) } }
    }

    private let machine = HandMachine()
    private let batches = Batches()
    private let encoder = EventStreamEncoder()

    private func log(_ words: String...) -> EventLog {
        let log = EventLog(session: UUID(), now: machine.loop.now)
        let publisher = Publisher(into: log, masking: nil)
        for text in words { publisher.publish(final: Caption(text: text), now: machine.loop.now) }
        return log
    }

    private func text(_ batch: FeedBatch) -> String { String(decoding: batch.bytes, as: UTF8.self) }

    @Test func readers_ofAnotherLog_haveNothingAnyMore() {
        let feed = PageFeed(log("one", "two"), on: machine)
        feed.open(encoder) { [batches] in batches.add($0) }
        feed.readers = 7
        let old = feed.reader(after: 1)
        feed.serve(log("three", "four"))
        let rest = feed.batch(from: old, by: encoder, limit: 1_000)
        #expect(rest.bytes.isEmpty && rest.outcome == .over && rest.end == old)
        let new = feed.reader(after: 1)
        #expect(
            new != old && text(feed.batch(from: new, by: encoder, limit: 1_000)).contains("four"))
        #expect(feed.readers == 7)
    }

    @Test func crowd_isTold_thatThereIsAnotherLog() {
        let first = log("one")
        let feed = PageFeed(first, on: machine)
        feed.open(encoder) { [batches] in batches.add($0) }
        let waiting = feed.batch(from: feed.reader(after: 1), by: encoder, limit: 1_000).end
        feed.serve(first)
        #expect(batches.all.isEmpty, "it is the same log")
        feed.serve(log("one"))
        #expect(batches.all.last?.start == waiting && batches.all.last?.outcome == .over)
        #expect(batches.all.last?.bytes.isEmpty == true)
        feed.close()
        #expect(feed.readers == nil)
    }

    /// Of an event of several logs one only has the last word.
    @Test func readersOfAnotherLog_areTold_whenTheEventIsOver() throws {
        let lastWord = try FrameEncoder().frame(
            .alert(Alert(.ended, "That was it.", sentTimestamp: 1)))
        let feed = PageFeed(log("uno"), on: machine)
        feed.open(encoder) { [batches] in batches.add($0) }
        let before = feed.batch(from: feed.reader(after: 0), by: encoder, limit: 1_000)
        #expect(before.outcome == .drained)
        for _ in 1...2 { feed.end(saying: lastWord) }
        #expect(batches.all.count == 1)
        let told = try #require(batches.all.last)
        #expect(text(told).contains("That was it.") && told.outcome == .over)
        #expect(told.start == before.end && told.end == before.end)
        let late = feed.batch(from: feed.reader(after: 0), by: encoder, limit: 1_000)
        #expect(text(late).contains("uno") && text(late).contains("That was it."))
        #expect(late.outcome == .over)
    }
}
