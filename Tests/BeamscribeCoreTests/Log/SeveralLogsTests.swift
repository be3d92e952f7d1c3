import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// An event whose founder lets another writer in, whose log goes through the founder to all readers.
@Suite struct SeveralLogsTests: EventWithWriters {
    // MARK: Reading

    @Test func readers_getTheLinesOfBothLogs() throws {
        let room = room()
        let (early, _) = reader(room)
        let ben = contributor(room)
        room.say("one")
        room.deliver()
        ben.say("uno", "dos")
        room.say("two")
        room.deliver()
        let (late, _) = reader(room, "Cem")
        for guest in [early, late] {
            #expect(guest.texts == ["one", "two"])
            #expect(guest.texts(of: second) == ["uno", "dos"])
            #expect(guest.standing(of: second) == .live)
        }
        #expect(ben.guest.events.contains(.isRead))
        // What is written there is not read back.
        #expect(ben.guest.texts == ["one", "two"] && ben.guest.texts(of: second).isEmpty)
        #expect(room.host.room.brokenInvariant == nil)
    }

    // MARK: Names

    /// Its writer came again under another name: nobody is to read one log under two names.
    @Test func newName_ofALog_isToldToReadersWhoAreThere() {
        let room = room()
        let (early, _) = reader(room)
        let ben = contributor(room)
        ben.say("uno")
        room.pass(seconds: 11)
        ben.rename(to: "Room 3", number: 2)
        ben.say("dos")
        room.pass(seconds: 11)
        ben.say("tres")
        let (late, _) = reader(room, "Cem")
        for guest in [early, late] {
            #expect(guest.title(of: second)?.label == "Room 3")
            #expect(guest.standing(of: second) == .live)
            #expect(guest.texts(of: second) == ["uno", "dos", "tres"])
        }
        #expect(
            room.hostReports.contains {
                if case .logStands(let log, .live) = $0 { log.label == "Room 3" } else { false }
            })
        #expect(room.host.room.brokenInvariant == nil)
    }

    /// Readers are told so often only as they can follow, and of the last one for sure.
    @Test func names_thatChangeAllTheTime_reachReadersNowAndThen() {
        let room = room()
        let (guest, _) = reader(room)
        let ben = contributor(room)
        ben.say("uno")
        for number in 2...60 {
            room.pass(seconds: 1)
            ben.rename(to: "Room \(number)", number: number)
        }
        room.pass(seconds: 30)
        let labels = guest.titles(of: second).map(\.label)
        #expect(labels.last == "Room 60" && labels.count <= 20, "\(labels)")
        let told = room.hostReports.filter { if case .logStands = $0 { true } else { false } }
        #expect(told.count <= 20, "\(told.count)")
        #expect(guest.texts(of: second) == ["uno"] && guest.outcome == nil)
    }

    @Test func openLines_ofBothLogs_areToldApart() {
        let room = room()
        let (guest, _) = reader(room)
        let ben = contributor(room)
        ben.whisper("un")
        room.whisper("on")
        room.deliver()
        #expect(guest.lastPartial == "on" && guest.lastPartial(of: second) == "un")
        ben.say("uno")
        #expect(guest.texts(of: second) == ["uno"] && guest.texts.isEmpty)
    }

    /// Each line comes behind all that its writer had seen of the other's.
    @Test func places_followWhatWritersHadSeen() throws {
        let room = room()
        let (guest, _) = reader(room)
        let ben = contributor(room)
        room.say("one")
        room.deliver()
        ben.say("uno")
        room.say("two", "three")
        room.deliver()
        ben.say("dos")
        let places = guest.lines.map(\.at) + guest.lines(of: second).map(\.at)
        #expect(places == [1, 3, 4, 2, 5])
        #expect(!(guest.lines + guest.lines(of: second)).contains { $0.isLate })
        let (late, _) = reader(room, "Cem")
        #expect(late.lines(of: second).map(\.isLate) == [true, false])
    }

    /// A sole log is as it was before there were others: its lines say no place.
    @Test func placeOfALine_isNotSaid_whereItIsItsNumber() {
        let room = room()
        let (guest, _) = reader(room)
        room.say("one", "two")
        room.deliver()
        #expect(guest.lines.map(\.at) == [1, 2])
        #expect(!String(decoding: guest.received, as: UTF8.self).contains(#""at":1,"text""#))
        #expect(!String(decoding: guest.received, as: UTF8.self).contains(#","at":2"#))
    }

    @Test func guestOfTheMainLogAlone_getsNothingElse() {
        let room = room()
        let guest = room.guest(of: founder)
        room.connect(guest)
        let ben = contributor(room)
        ben.say("uno")
        room.say("one")
        room.pass(seconds: 5)
        #expect(guest.texts == ["one"] && guest.outcome == nil)
        #expect(guest.texts(of: second).isEmpty)
    }

    /// A guest of version 1 that knows nothing of signed logs is told of no other.
    @Test func guestWithoutProofs_isToldOfNoOtherLog() {
        let room = room()
        let guest = room.guest(proving: nil)
        room.connect(guest)
        contributor(room).say("uno")
        room.say("one")
        room.pass(seconds: 5)
        #expect(guest.texts == ["one"])
        let bytes = String(decoding: guest.received, as: UTF8.self)
        #expect(!bytes.contains("grant") && !bytes.contains(#""in""#) && !bytes.contains("uno"))
    }

    @Test func reader_goesOnInBothLogs_afterItsConnectionIsCut() {
        let room = room()
        let (guest, _) = reader(room)
        let ben = contributor(room)
        ben.say("uno")
        room.say("one")
        room.deliver()
        room.cut(guest)
        ben.say("dos")
        room.say("two")
        room.pass(seconds: 5)
        #expect(guest.texts == ["one", "two"] && guest.texts(of: second) == ["uno", "dos"])
    }

    @Test func readerOfWhatComesNext_getsNoOldLines() {
        let room = room()
        let ben = contributor(room)
        ben.say("uno")
        room.say("one")
        room.deliver()
        let (guest, _) = reader(room, from: .next)
        ben.say("dos")
        room.say("two")
        room.deliver()
        #expect(guest.texts == ["two"] && guest.texts(of: second) == ["dos"])
    }

    // MARK: Writing

    @Test func writer_goesOn_afterHisConnectionIsCut() {
        let room = room()
        let (guest, _) = reader(room)
        let ben = contributor(room)
        ben.say("uno")
        room.cut(ben.guest)
        ben.say("dos")
        #expect(guest.texts(of: second) == ["uno"])
        room.pass(seconds: 5)
        ben.say("tres")
        #expect(guest.texts(of: second) == ["uno", "dos", "tres"])
        #expect(guest.standing(of: second) == .live)
    }

    /// His machine lost power, and its disk the last line, in whose place he says another.
    @Test func writerOfAnotherRun_withdrawsWhatHeHasLost() throws {
        let room = room()
        let (guest, _) = reader(room)
        let ben = contributor(room)
        ben.say("uno", "dos")
        room.cut(ben.guest)
        let transcript = Transcript(hashing: LineChain(of: second, by: writer))
        ben.log.forEachPayload(through: 1) { transcript.restore(payload: $1, seq: $0) }
        var runs = SessionRuns()
        runs.begin(after: 1)
        let resumed = writer.log(
            second, runs, of: event, as: "Room 2", holding: transcript, now: room.now)
        let again = contributor(room, resumed, as: "Ben again")
        again.say("tres")
        #expect(
            guest.events.contains(
                .inLog(try #require(guest.title(of: second)), .withdrawn(from: 2, through: 2))))
        #expect(guest.texts(of: second) == ["uno", "dos", "tres"])
        #expect(reader(room, "Cem").0.texts(of: second) == ["uno", "tres"])
        #expect(guest.outcome == nil && room.host.room.brokenInvariant == nil)
    }

    @Test func correctionOfAWriter_namesHisOwnLine() {
        let room = room()
        let (guest, _) = reader(room)
        let ben = contributor(room)
        room.say("one", "two")
        ben.say("a line", as: "a")
        ben.correct("a", to: "another line")
        #expect(guest.lines(of: second).map(\.replaces) == [nil, 1])
    }

    @Test func writerWhoEnds_isToldToHaveEnded_onceAllIsThere() {
        let room = room()
        let (guest, _) = reader(room)
        let ben = contributor(room)
        ben.say("uno")
        ben.log.end(.ended, "goodbye", now: room.now)
        room.changed(through: ben.guest)
        room.pass(seconds: 1)
        #expect(guest.texts(of: second) == ["uno"] && guest.standing(of: second) == .ended)
        #expect(ben.guest.session.offeredIsSent)
    }

    @Test func writerWhoIsSilent_becomesStale() {
        let room = room()
        let (guest, _) = reader(room)
        let ben = contributor(room)
        ben.say("uno")
        room.cut(ben.guest)
        ben.guest.canConnect = false
        room.pass(seconds: 30)
        #expect(guest.standing(of: second) == .stale)
        ben.guest.canConnect = true
        room.pass(seconds: 30)
        #expect(guest.standing(of: second) == .live)
    }

    // MARK: Logs that are written where they are served

    /// The founder writes one more log himself, which needs nobody's leave.
    private func writeHere(_ shelf: Shelf, _ room: VirtualRoom) -> (EventLog, Publisher) {
        let log = founder.log(
            second, of: event, as: "es", lang: "es", in: shelf.order, now: room.now)
        shelf.write(log)
        room.tellOfOthers()
        return (log, Publisher(into: log))
    }

    @Test func logThatTheFounderWrites_isServedLikeThoseOfOthers() {
        let shelf = foundersShelf(.nobody)
        let room = room(on: shelf)
        let (early, _) = reader(room)
        room.say("one")
        let (log, publisher) = writeHere(shelf, room)
        publisher.publish(final: Caption(text: "uno"), now: room.now)
        log.seal()
        room.say("two")
        room.tellOfOthers()
        let (late, _) = reader(room, "Cem")
        for guest in [early, late] {
            #expect(guest.texts == ["one", "two"] && guest.texts(of: second) == ["uno"])
            #expect(guest.standing(of: second) == .live)
            #expect(guest.title(of: second)?.lang == "es")
        }
        #expect(late.lines.map(\.at) == [1, 3] && late.lines(of: second).map(\.at) == [2])
        #expect(shelf.titles.map(\.label) == ["es"] && shelf.brokenInvariant == nil)
        #expect(shelf.standing(of: second.wireName, now: room.now.uptime)! == (nil, nil))
        #expect(room.host.room.brokenInvariant == nil)
    }

    /// Its head is told again and again, and once more when it ends.
    @Test func logThatTheFounderWrites_staysLive_untilItEnds() {
        let shelf = foundersShelf()
        let room = room(on: shelf)
        let (guest, _) = reader(room)
        let (log, publisher) = writeHere(shelf, room)
        room.pass(seconds: 60)
        #expect(guest.standing(of: second) == .live)
        publisher.publish(final: Caption(text: "uno"), now: room.now)
        log.end(.ended, "goodbye", now: room.now)
        room.pass(seconds: 2)
        #expect(guest.texts(of: second) == ["uno"] && guest.standing(of: second) == .ended)
        #expect(shelf.standing(of: second.wireName, now: room.now.uptime)?.trouble == .ended)
    }

    /// What its disk has not taken nobody gets.
    @Test func logThatIsWrittenHere_isReadAsFarAsItIsStored() {
        let shelf = foundersShelf()
        let room = room(on: shelf)
        let (guest, _) = reader(room)
        let (log, publisher) = writeHere(shelf, room)
        log.add(.disk)
        publisher.publish(final: Caption(text: "uno"), now: room.now)
        log.seal()
        room.tellOfOthers()
        #expect(guest.texts(of: second).isEmpty)
        _ = log.feed(.disk, now: room.now) { bytes, _ throws(GuestViolation) in bytes.count }
        room.tellOfOthers()
        #expect(guest.texts(of: second) == ["uno"])
    }

    /// Whoever writes and serves waits for the founder's leave.
    @Test func logOfAWriterWhoServes_isServedOnceItIsLetIn() throws {
        let room = room(.nobody)
        let replica = Replica()
        let shelf = Shelf(proving: ToyCrypto(), isKept: true)
        let ben = room.guest("Ben", keeping: replica, of: founder, others: shelf)
        room.connect(ben)
        let log = writer.log(second, of: event, as: "Room 2", now: room.now)
        room.offer(log, through: ben)
        Contributor(room: room, guest: ben, log: log).say("uno")
        room.say("one")
        room.deliver()
        #expect(shelf.titles.isEmpty && shelf.log(of: second.wireName) == nil)
        let asking = try #require(room.host.room.writersAsking.first)
        room.admit(.keys([try #require(FingerprintPin(asking.writer.hex))]))
        room.pass(seconds: 5)
        let held = VirtualRoom(
            serving: try #require(replica.log), others: shelf, proving: ToyCrypto("holder").security
        )
        held.tellOfOthers()
        let guest = reader(held).0
        #expect(guest.texts == ["one"] && guest.texts(of: second) == ["uno"])
        #expect(shelf.log(of: second.wireName) === log && shelf.brokenInvariant == nil)
        // Each of the two that hear of it hears on, whoever is told first.
        for _ in 0..<30 {
            held.pass(seconds: 1)
            room.pass(seconds: 1)
            room.changed(through: ben)
        }
        #expect(guest.standing(of: second) == .live)
        #expect(reader(room, "Cem").0.standing(of: second) == .live)
    }

    /// A log without a signature, or of another event, is believed by nobody.
    @Test func logThatNobodyWouldBelieve_isNotServed() {
        let shelf = foundersShelf()
        let room = room(on: shelf)
        shelf.write(EventLog(session: second, now: room.now))
        let other = founder.log(UUID(), of: UUID(), as: "es", now: room.now)
        shelf.write(other)
        #expect(shelf.titles.isEmpty && shelf.served.isEmpty)
        #expect(shelf.log(of: second.wireName) == nil)
    }

    // MARK: Holders

    /// What a holder reads of both logs goes to its readers, who believe their writers alone.
    @Test func readersOfAHolder_getBothLogs() throws {
        let room = room()
        let ben = contributor(room)
        let replica = Replica()
        let shelf = Shelf(proving: ToyCrypto(), isKept: true)
        let keeper = room.guest("keeper", keeping: replica, of: founder, others: shelf)
        room.connect(keeper)
        ben.say("uno")
        room.say("one")
        room.deliver()
        let held = VirtualRoom(
            serving: try #require(replica.log), others: shelf, proving: ToyCrypto("holder").security
        )
        held.tellOfOthers()
        let guest = reader(held).0
        #expect(guest.texts == ["one"] && guest.texts(of: second) == ["uno"])
        ben.say("dos")
        room.say("two")
        room.deliver()
        held.tellOfOthers()
        #expect(guest.texts == ["one", "two"] && guest.texts(of: second) == ["uno", "dos"])
    }

    /// Where the founder is gone a writer goes to a holder, who reads what he brings as well.
    @Test func holder_readsWhatAWriterBrings_whoComesToIt() throws {
        let room = room()
        let replica = Replica()
        let shelf = Shelf(proving: ToyCrypto(), isKept: true)
        let keeper = room.guest("keeper", keeping: replica, of: founder, others: shelf)
        room.connect(keeper)
        let ben = contributor(room)
        ben.say("uno")
        room.say("one")
        room.deliver()
        for guest in [ben.guest, keeper] {
            guest.canConnect = false
            room.cut(guest)
        }
        let held = VirtualRoom(
            serving: try #require(replica.log), others: shelf, proving: ToyCrypto("holder").security
        )
        held.tellOfOthers()
        let elsewhere = Contributor(room: held, guest: reader(held, "Ben").0, log: ben.log)
        held.offer(ben.log, through: elsewhere.guest)
        elsewhere.say("dos")
        held.deliver()
        room.pass(seconds: 1, delivering: false)
        #expect(keeper.texts(of: second) == ["uno", "dos"])
    }

    // MARK: Any way that it can go

    /// Both write, connections are cut and come back, sockets take what they like: every reader has both
    /// logs in the end, each line once and in order.
    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func everyReader_hasBothLogs_whateverIsCut(seed: UInt64) {
        let room = room(seed: seed)
        var dice = SeededGenerator(seed: seed)
        room.pieceSize = Int.random(in: 40...2_000, using: &dice)
        var readers = [reader(room).0]
        let ben = contributor(room)
        var (mains, others) = ([String](), [String]())
        for step in 0..<60 {
            switch Int.random(in: 0..<10, using: &dice) {
            case 0...2:
                mains.append("main \(step)")
                room.say("main \(step)")
            case 3...5:
                others.append("other \(step)")
                ben.say("other \(step)")
            case 6: ben.whisper("other \(step) begins")
            case 7: room.cut((readers + [ben.guest]).randomElement(using: &dice)!)
            case 8 where readers.count < 5: readers.append(reader(room, "reader \(step)").0)
            default: room.pass(seconds: Int.random(in: 1...3, using: &dice))
            }
            if Bool.random(using: &dice) { room.deliver() }
        }
        room.pass(seconds: 30)
        for guest in readers {
            #expect(guest.texts == mains && guest.texts(of: second) == others, "seed \(seed)")
            #expect(guest.outcome == nil, "seed \(seed)")
        }
        #expect(room.host.room.brokenInvariant == nil)
    }
}
