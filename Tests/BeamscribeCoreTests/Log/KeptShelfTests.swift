import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// What others write in an event is stored before it is shown, and is let in again by the same word of the
/// founder when it is read back.
@Suite struct KeptShelfTests {
    private let founder = ToyCrypto("founder")
    private let writer = ToyCrypto("writer")
    private let event = UUID(uuidString: "6265616d-7363-4269-a265-000000000001")!
    private let second = UUID(uuidString: "6265616d-7363-4269-a265-000000000002")!
    private let now = VirtualRoom.beginning

    private func shelf(
        _ admission: WriterAdmission, order: EventOrder = EventOrder()
    ) -> Shelf {
        let shelf = Shelf(
            founding: Shelf.Event(event, foundedBy: ToyVerifier(crypto: founder)), by: founder,
            proving: founder, admitting: admission, order: order)
        shelf.isStoredFirst = true
        return shelf
    }

    private func room(serving shelf: Shelf, in order: EventOrder = EventOrder()) -> VirtualRoom {
        let log = founder.log(
            event, SessionRuns(), now: VirtualRoom.beginning,
            holding: Transcript(hashing: LineChain(of: event, by: founder)), in: order)
        return VirtualRoom(serving: log, others: shelf, seed: 1, proving: founder.security)
    }

    private func reader(_ room: VirtualRoom, _ name: String = "Ann") -> VirtualGuest {
        let guest = room.guest(
            name, of: founder, others: Shelf(proving: ToyCrypto(), isKept: false))
        room.connect(guest)
        return guest
    }

    /// The second writer says something in a room.
    @discardableResult
    private func say(
        _ texts: [String], in room: VirtualRoom, after said: EventLog? = nil
    ) -> EventLog {
        let guest = reader(room, "Ben")
        let log = said ?? writer.log(second, of: event, as: "Room 2", now: room.now)
        room.offer(log, through: guest)
        let publisher = Publisher(into: log)
        for text in texts {
            publisher.publish(final: Caption(text: text), now: room.now)
            log.seal()
        }
        room.changed(through: guest)
        room.deliver()
        return log
    }

    /// The disk takes all that it is given.
    private func store(_ log: EventLog, in file: inout [UInt8]) {
        _ = log.feed(.disk, now: VirtualRoom.beginning) { (bytes, _) throws(DiskIsFull) in
            file += bytes
            return bytes.count
        }
    }

    private struct DiskIsFull: Error {}

    private func texts(of guest: VirtualGuest) -> [String] {
        guest.events.compactMap { event in
            if case .inLog(let log, .line(let line)) = event, log.session == second.wireName {
                line.text
            } else {
                nil
            }
        }
    }

    // MARK: Storing

    @Test func nothingIsShown_beforeItsKeeperHasIt_orCannotHaveIt() throws {
        let shelf = shelf(.everybody)
        let room = room(serving: shelf)
        let ann = reader(room)
        say(["uno"], in: room)
        #expect(texts(of: ann).isEmpty)
        let held = try #require(shelf.held.first)
        #expect(held.event?.eventName == "Town Hall" && held.grant != nil)
        var file: [UInt8] = []
        store(held.log, in: &file)
        room.tellOfOthers()
        room.deliver()
        #expect(texts(of: ann) == ["uno"] && !file.isEmpty)
    }

    @Test func everythingIsShown_whereNobodyKeepsIt() throws {
        let shelf = shelf(.everybody)
        let room = room(serving: shelf)
        let ann = reader(room)
        say(["uno"], in: room)
        try #require(shelf.held.first).log.remove(.disk)
        room.tellOfOthers()
        room.deliver()
        #expect(texts(of: ann) == ["uno"])
    }

    // MARK: Reading back

    /// What the disk has of two lines, and their record.
    private func kept() throws -> (record: SessionRecord, file: [UInt8], said: EventLog) {
        let shelf = shelf(.everybody)
        let room = room(serving: shelf)
        let said = say(["uno", "dos"], in: room)
        let held = try #require(shelf.held.first)
        var file: [UInt8] = []
        store(held.log, in: &file)
        let event = try #require(held.event)
        var record = try #require(
            SessionRecord(holding: held.log, of: event, at: nil, now: 1))
        let (head, grant) = (record.note(held.log, through: 2), record.note(grant: held.grant))
        #expect(head && grant)
        let isNewsAgain = record.note(grant: held.grant)
        #expect(!isNewsAgain)
        return (record, file, said)
    }

    private func recovered(_ record: SessionRecord, _ file: [UInt8]) throws -> HeldLog {
        var recovery = try #require(HeldRecovery(of: record, by: writer))
        var next: UInt64? = 0
        while let offset = next {
            next = file.dropFirst(Int(clamping: offset)).withUnsafeBytes {
                recovery.read($0, at: offset)
            }
        }
        return recovery.log(heldBy: "stage", now: VirtualRoom.beginning)
    }

    @Test func record_tellsWhoseLogItIs_alsoFromTheDisk() throws {
        let json = try kept().record.json
        let record = try #require(SessionRecord(json: json))
        #expect(record.event == event.wireName && record.isSideLog)
        #expect(record.title?.label == "Room 2")
        #expect(record.title?.writer == ToyVerifier(crypto: writer).writer)
        let own = SessionRecord(
            session: event.wireName, eventName: "Town Hall", deviceName: "stage", started: 1)
        #expect(!own.isSideLog && own.title == nil)
    }

    @Test func keptLog_isServed_byTheGrantOfBefore_whoeverIsAdmittedNow() throws {
        let (record, file, _) = try kept()
        let order = EventOrder()
        let shelf = shelf(.nobody, order: order)
        let grant = record.held?.grant.map(Array.init)
        #expect(shelf.takeUp(try recovered(record, file), letInBy: grant, now: now))
        #expect(shelf.held.map(\.grant) == [grant])
        #expect(order.highest == 2, "what is said next comes behind it")
        let room = room(serving: shelf, in: order)
        room.tellOfOthers()
        #expect(texts(of: reader(room)) == ["uno", "dos"])
        #expect(shelf.brokenInvariant == nil)
    }

    @Test func keptLog_staysOut_withoutTheFoundersWord() throws {
        let (record, file, _) = try kept()
        let held = try recovered(record, file)
        let right = try #require(record.held?.grant.map(Array.init))
        var forged = right
        forged[forged.count - 10] ^= 1
        let shelf = shelf(.nobody)
        for grant in [nil, forged] { #expect(!shelf.takeUp(held, letInBy: grant, now: now)) }
        #expect(shelf.takeUp(held, letInBy: right, now: now))
        #expect(!shelf.takeUp(held, letInBy: right, now: now))
        let stranger = Shelf(
            founding: Shelf.Event(UUID(), foundedBy: ToyVerifier(crypto: founder)), by: founder,
            proving: founder, admitting: .everybody, order: EventOrder())
        #expect(!stranger.takeUp(held, letInBy: right, now: now))
    }

    /// Its writer is back: nothing comes twice, and it goes on behind what is there.
    @Test func writerWhoIsBack_goesOnBehindWhatWasKept() throws {
        let (record, file, said) = try kept()
        let shelf = shelf(.nobody)
        let grant = record.held?.grant.map(Array.init)
        #expect(shelf.takeUp(try recovered(record, file), letInBy: grant, now: now))
        try #require(shelf.held.first).log.remove(.disk)
        let room = room(serving: shelf)
        room.tellOfOthers()
        let ann = reader(room)
        say(["tres"], in: room, after: said)
        #expect(texts(of: ann) == ["uno", "dos", "tres"])
    }

    /// The disk may have got no further than the founder's word.
    @Test func linesBehindTheEndOfOneWhoIsPutOut_areNotReadBack() throws {
        let (record, file, _) = try kept()
        let order = EventOrder()
        let shelf = shelf(.nobody, order: order)
        let grant = founder.grant(second, of: writer, in: event, number: 2, until: 1)
        #expect(shelf.takeUp(try recovered(record, file), letInBy: grant, now: now))
        let log = try #require(shelf.held.first).log
        #expect(log.lastSeq == 1)
        // Once they are gone from the file, nothing is missing there.
        var cut = record
        let isNews = cut.note(grant: grant)
        let first = file.prefix(4).reduce(0) { $0 << 8 | Int($1) } + 4
        let (ended, endless) = try (
            recovered(cut, Array(file.prefix(first))), recovered(record, Array(file.prefix(first)))
        )
        #expect(isNews && ended.missingEnd == nil && endless.missingEnd == 2...2)
        log.remove(.disk)
        let room = room(serving: shelf, in: order)
        room.tellOfOthers()
        #expect(texts(of: reader(room)) == ["uno"])
        #expect(shelf.brokenInvariant == nil)
    }

    /// Two programs write one log with one key: what was kept of the one shows it.
    @Test func writerWhoSignsSomethingElse_isForked_alsoAfterARestart() throws {
        let (record, file, _) = try kept()
        let shelf = shelf(.nobody)
        let grant = record.held?.grant.map(Array.init)
        #expect(shelf.takeUp(try recovered(record, file), letInBy: grant, now: now))
        try #require(shelf.held.first).log.remove(.disk)
        let room = room(serving: shelf)
        room.tellOfOthers()
        let ann = reader(room)
        say(["uno", "no"], in: room)
        room.pass(seconds: 2)
        let standings = ann.events.compactMap {
            if case .log(_, let standing) = $0 { standing } else { nil }
        }
        #expect(standings.last == .forked)
        #expect(texts(of: ann) == ["uno", "dos"])
    }
}
