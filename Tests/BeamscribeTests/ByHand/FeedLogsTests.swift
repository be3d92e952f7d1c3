import FoundationEssentials
import Synchronization
import Testing

@testable import Beamscribe
@testable import BeamscribeCore

/// What browsers read of several logs by one stream.
@Suite struct FeedLogsTests {
    private final class Batches: Sendable {
        private let kept = Mutex<[FeedBatch]>([])

        var all: [FeedBatch] { kept.withLock(\.self) }
        func add(_ batch: FeedBatch) { kept.withLock { $0.append(batch) } }
    }

    /// A log that is written here, with what it is called.
    private struct Book {
        let log: EventLog
        let publisher: Publisher
        let title: FeedLog

        var other: FeedLogs.Other { FeedLogs.Other(log: log, title: title) }
        var session: String { title.session }
    }

    private let machine = HandMachine()
    private let batches = Batches()
    private let encoder = EventStreamEncoder(numbersFinals: false)
    private let order = EventOrder()
    private let standing = FeedStanding(eventName: "Town Hall", deviceName: "stage", otherPages: [])

    private func book(_ label: String, runs: SessionRuns = SessionRuns()) throws -> Book {
        let log = EventLog(session: UUID(), runs: runs, in: order, now: machine.loop.now)
        let title = try JSONDecoder().decode(
            FeedLog.self,
            from: Data(
                #"{"session":"\#(log.session.wireName)","label":"\#(label)","deviceName":"x"}"#.utf8
            ))
        return Book(log: log, publisher: Publisher(into: log, masking: nil), title: title)
    }

    private func say(_ text: String, in book: Book) {
        book.publisher.publish(final: Caption(text: text), now: machine.loop.now)
        book.log.seal()
    }

    private func text(_ batch: FeedBatch) -> String { String(decoding: batch.bytes, as: UTF8.self) }

    private func arrive(
        _ feed: PageFeed, _ marks: String = "", tail: Int? = nil
    ) -> (greeting: FeedGreeting, place: FeedPlace) {
        feed.arrival(after: FeedMarks(marks), tail: tail, by: standing)
    }

    private func read(_ feed: PageFeed, from place: FeedPlace) -> FeedBatch {
        feed.batch(from: place, by: encoder, limit: 100_000)
    }

    @Test func batch_saysOfWhichLogItIs_andHowFarEachWasRead() throws {
        let (floor, room) = try (book("Floor"), book("Room 2"))
        let feed = PageFeed(FeedLogs(main: floor.log, others: [room.other]), on: machine)
        say("one", in: floor)
        say("uno", in: room)
        let batch = read(feed, from: arrive(feed).place)
        let events = text(batch).components(separatedBy: "\n\n")
        #expect(events.count == 6 && events[5].isEmpty)
        #expect(events[0] == "event: in\ndata: {\"session\":\"\(room.session)\"}")
        #expect(events[1].hasPrefix("data: {") && events[1].contains("uno"))
        #expect(events[1].contains(#""at":2"#))
        #expect(events[2] == "event: in\ndata: {\"session\":\"\(floor.session)\"}")
        #expect(events[3].hasPrefix("data: {") && events[3].contains("one"))
        #expect(events[4] == "id: \(floor.session):1,\(room.session):1")
        #expect(batch.outcome == .drained)
    }

    @Test func mainLog_needsNoWord_whereNobodyElseHasSpoken() throws {
        let (floor, room) = try (book("Floor"), book("Room 2"))
        let alone = PageFeed(FeedLogs(main: floor.log, others: []), on: machine)
        say("one", in: floor)
        let first = text(read(alone, from: arrive(alone).place))
        #expect(first.hasPrefix("data: {") && first.hasSuffix("}\n\nid: 1\n\n"))
        let feed = PageFeed(FeedLogs(main: floor.log, others: [room.other]), on: machine)
        #expect(text(read(feed, from: arrive(feed).place)).hasPrefix("data: {"))
        // Behind another's lines what follows is the main one's again.
        say("uno", in: room)
        let batch = text(read(feed, from: arrive(feed, "\(floor.session):1").place))
        let back = "event: in\ndata: {\"session\":\"\(floor.session)\"}\n\nid: "
        #expect(batch.contains("uno") && batch.contains(back))
    }

    @Test func reader_getsOfEachLogWhatItLacks_whenItComesBack() throws {
        let (floor, room) = try (book("Floor"), book("Room 2"))
        let feed = PageFeed(FeedLogs(main: floor.log, others: [room.other]), on: machine)
        for number in 1...3 {
            say("one \(number)", in: floor)
            say("uno \(number)", in: room)
        }
        let (greeting, place) = arrive(feed, "\(floor.session):2,\(room.session):1")
        #expect(greeting.after == 2 && greeting.at == 3)
        #expect(greeting.reads?.map(\.after) == [1] && greeting.reads?.map(\.at) == [2])
        let text = text(read(feed, from: place))
        #expect(["one 3", "uno 2", "uno 3"].allSatisfy(text.contains))
        #expect(!["one 1", "one 2", "uno 1"].contains(where: text.contains))
        // A number alone is one of the main log, and what there is not is of another session.
        #expect(arrive(feed, "3").greeting.after == 3)
        #expect(arrive(feed, "3").greeting.reads?.map(\.after) == [0])
        let strange = arrive(feed, "\(floor.session):9,\(room.session):-1,x,:,y:z").greeting
        #expect(strange.after == 0 && strange.reads?.map(\.after) == [0])
    }

    @Test func tail_beginsInEachLogAtTheSameTime() throws {
        let (floor, room) = try (book("Floor"), book("Room 2"))
        let feed = PageFeed(FeedLogs(main: floor.log, others: [room.other]), on: machine)
        for number in 1...10 { say("uno \(number)", in: room) }
        for number in 1...10 { say("one \(number)", in: floor) }
        let greeting = arrive(feed, tail: 5).greeting
        #expect(greeting.after == 5 && greeting.at == 15)
        #expect(greeting.reads?.map(\.after) == [10] && greeting.reads?.map(\.at) == [10])
        #expect(arrive(feed, tail: 13).greeting.reads?.map(\.after) == [7])
        #expect(arrive(feed, tail: .max).greeting.reads?.map(\.after) == [0])
        #expect(arrive(feed, tail: -1).greeting.after == 10)
    }

    /// The first line of a run is far above those before it.
    @Test func tail_hasLinesOfTheRunBefore() throws {
        let runs = try #require(SessionRuns(after: [0, 4]))
        let (floor, room) = try (book("Floor", runs: runs), book("Room 2"))
        let feed = PageFeed(FeedLogs(main: floor.log, others: [room.other]), on: machine)
        for number in 1...4 { say("uno \(number)", in: room) }
        for number in 1...6 { say("one \(number)", in: floor) }
        #expect(floor.log.place(of: 5) > 10_000)
        for (tail, due) in [(1, [5, 4]), (2, [4, 4]), (5, [1, 4]), (8, [0, 2]), (20, [0, 0])] {
            let greeting = arrive(feed, tail: tail).greeting
            #expect([greeting.after] + (greeting.reads?.map(\.after) ?? []) == due, "\(tail)")
        }
    }

    @Test func log_isIntroduced_whereItComesToBeWhileOthersAreRead() throws {
        let (floor, room) = try (book("Floor"), book("Room 2"))
        let feed = PageFeed(FeedLogs(main: floor.log, others: []), on: machine)
        feed.open(encoder) { [batches] in batches.add($0) }
        say("one", in: floor)
        feed.changed()
        for number in 1...300 { say("uno \(number)", in: room) }
        feed.serve(FeedLogs(main: floor.log, others: [room.other]))
        feed.taken()
        feed.changed()
        machine.pass(.seconds(1))
        let (first, second) = (batches.all[0], try #require(batches.all.last))
        #expect(second.start == first.end, "who reads goes on")
        #expect(text(second).hasPrefix("event: log\ndata: {"))
        #expect(text(second).contains(#""after":100"#) && text(second).contains("uno 101"))
        #expect(!text(second).contains(#""text":"uno 100""#))
        #expect(second.end == read(feed, from: arrive(feed).place).end)
    }

    @Test func readers_comeAgain_whenALogHasGivenWayToAnother() throws {
        let (floor, room, other) = try (book("Floor"), book("Room 2"), book("Room 2"))
        let feed = PageFeed(FeedLogs(main: floor.log, others: [room.other]), on: machine)
        let old = arrive(feed).place
        feed.serve(FeedLogs(main: floor.log, others: [other.other]))
        #expect(read(feed, from: old).outcome == .over)
        #expect(read(feed, from: arrive(feed).place).outcome == .drained)
    }

    @Test func theEventsLastWord_comesBehindAllLogs_andAlertsAreTheMainOnesAlone() throws {
        let (floor, room) = try (book("Floor"), book("Room 2"))
        let feed = PageFeed(FeedLogs(main: floor.log, others: [room.other]), on: machine)
        room.log.tell(.inputEnded, "The room's input has ended.", now: machine.loop.now)
        say("uno", in: room)
        floor.log.end(.ended, "That was it.", now: machine.loop.now)
        let batch = read(feed, from: arrive(feed).place)
        #expect(batch.outcome == .over && !text(batch).contains("has ended"))
        let parts = text(batch).components(separatedBy: "uno")
        #expect(!parts[0].contains("That was it.") && parts.last?.contains("That was it.") == true)
        #expect(text(batch).hasSuffix("}\n\n"), "nothing follows the last word")
    }

    @Test func longHistories_comeInPieces_eachOnce() throws {
        let (floor, room) = try (book("Floor"), book("Room 2"))
        let feed = PageFeed(FeedLogs(main: floor.log, others: [room.other]), on: machine)
        for number in 1...50 {
            say("one \(number).", in: floor)
            say("uno \(number).", in: room)
        }
        var (place, said, pieces) = (arrive(feed).place, "", 0)
        while true {
            let batch = feed.batch(from: place, by: encoder, limit: 1_000)
            (place, said, pieces) = (batch.end, said + text(batch), pieces + 1)
            if batch.outcome == .drained { break }
        }
        #expect(pieces > 5)
        for number in 1...50 {
            #expect(said.components(separatedBy: "one \(number).").count == 2)
            #expect(said.components(separatedBy: "uno \(number).").count == 2)
        }
    }
}

/// Which logs are meant.
@Suite struct FeedSelectionTests {
    @Test(arguments: [[], ["floor"], ["Room 2"]]) func oneLogByItself_isNoSelection(words: [String])
    {
        #expect(FeedSelection(words) == nil)
    }

    @Test func sameWords_inAnyOrder_areOneSelection() {
        #expect(FeedSelection(["all"]) == FeedSelection(["floor", "all"]))
        #expect(FeedSelection(["es", "Room 2"]) == FeedSelection(["Room 2", "es", "floor"]))
        #expect(FeedSelection(["all"]) != FeedSelection(["all", "es"]))
    }
}
