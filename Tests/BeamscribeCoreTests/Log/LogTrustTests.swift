import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// Who may write in an event, and whoever brings what he has not signed, or keeps it back.
@Suite struct LogTrustTests: EventWithWriters {
    // MARK: Who is let in

    @Test func writerWhoIsNotLetIn_isAskedFor_andLetInLater() throws {
        let room = room(.nobody)
        let (guest, _) = reader(room)
        let ben = contributor(room)
        ben.say("uno")
        room.pass(seconds: 5)
        #expect(guest.texts(of: second).isEmpty && !ben.guest.events.contains(.isRead))
        let asked = room.hostReports.compactMap {
            if case .writerAsks(_, let log) = $0 { log } else { nil }
        }
        #expect(asked.map(\.label) == ["Room 2"])
        let pin = try #require(FingerprintPin(asked[0].writer.hex))
        room.admit(.keys([pin]))
        room.pass(seconds: 5)
        #expect(guest.texts(of: second) == ["uno"] && ben.guest.events.contains(.isRead))
        #expect(reader(room, "Cem").0.texts(of: second) == ["uno"])
    }

    @Test func otherKey_doesNotLetIn() throws {
        let pin = try #require(FingerprintPin(String(repeating: "a", count: 64)))
        let room = room(.keys([pin]))
        contributor(room).say("uno")
        room.pass(seconds: 5)
        #expect(reader(room).0.texts(of: second).isEmpty)
    }

    /// Order and freshness do not hang on anybody's clock.
    @Test func clockOfAWriter_thatGoesBackAnHour_changesNothing() throws {
        let room = room()
        let (guest, _) = reader(room)
        let ben = contributor(room)
        ben.say("uno")
        room.say("one")
        room.pass(seconds: 5)
        ben.clockError = -3_600
        ben.say("dos")
        room.say("two")
        ben.say("tres")
        room.pass(seconds: 30)
        #expect(guest.texts(of: second) == ["uno", "dos", "tres"])
        #expect(guest.standing(of: second) == .live)
        let places = guest.lines(of: second).map(\.at)
        #expect(places == places.sorted() && Set(places).count == 3)
        #expect(guest.lines(of: second).allSatisfy { !$0.isLate })
    }

    /// Whoever serves the event cannot let anybody in for the founder.
    @Test func grantThatTheFounderHasNotSigned_endsTheConnection() throws {
        let room = room(.nobody)
        let grant = LogGrant(
            event: event, session: second, writer: ToyVerifier(crypto: writer).writer)
        let frame = try FrameEncoder().frame(.grant(grant))
        let forged = writer.signedFrame(frame) { LogStatement.grant($0, to: event) }
        let (guest, _) = reader(room)
        var isSaid = false
        room.tamper = { bytes in
            defer { isSaid = true }
            return isSaid ? bytes : bytes + forged
        }
        room.say("one")
        room.deliver()
        #expect(guest.states.contains { if case .reconnecting = $0 { true } else { false } })
        room.pass(seconds: 5)
        #expect(guest.texts == ["one"])
    }

    /// What is said in a log that nobody has introduced could pass for the main one's.
    @Test func historyOfAnUnknownLog_endsTheConnection() throws {
        let room = room(.nobody)
        let (guest, _) = reader(room)
        room.say("one")
        room.deliver()
        let history = try FrameEncoder().frame(
            .fullHistory(FullHistory(session: second.wireName, from: 2, through: 2)))
        var isSaid = false
        room.tamper = { bytes in
            defer { isSaid = true }
            return isSaid ? bytes : history + bytes
        }
        room.say("two")
        room.deliver()
        #expect(guest.states.contains { if case .reconnecting = $0 { true } else { false } })
        room.pass(seconds: 5)
        #expect(guest.texts == ["one", "two"])
    }

    /// What is proven stays, also where what comes next is none of its writer's.
    @Test func line_isShown_whereAFalseWordFollows() throws {
        let room = room()
        let (guest, _) = reader(room)
        let ben = contributor(room)
        ben.say("uno")
        room.deliver()
        let lie = try FrameEncoder().frame(
            .liveChunk(LiveChunk(partialOf: "9", revision: 1, text: "a lie", sentTimestamp: 0)))
        room.tamper = { bytes in
            bytes.contains(Array("dos".utf8)) ? bytes + lie : bytes
        }
        ben.say("dos")
        room.deliver()
        #expect(guest.states.contains { if case .reconnecting = $0 { true } else { false } })
        room.tamper = { $0 }
        ben.say("tres")
        room.pass(seconds: 5)
        #expect(guest.texts(of: second) == ["uno", "dos", "tres"] && guest.outcome == nil)
        #expect(guest.lastPartial(of: second) == nil)
    }

    /// Anybody can have a copy of a writer's records, and say that his lines are gone.
    @Test(arguments: [1, 6])
    func guestWhoSaysThatLinesAreGone_isNotBelievedAtOnce(wordsInAnswer: Int) {
        let room = room()
        let (guest, _) = reader(room)
        let ben = contributor(room)
        ben.say("uno")
        room.cut(ben.guest)
        ben.say("dos", "tres")
        let lie = Self.leavingOut(from: 2, through: 3)
        room.tamperWithGuests = { bytes in
            let passed = lie(bytes)
            guard passed != bytes else { return bytes }
            return Array(repeatElement(passed, count: wordsInAnswer).joined())
        }
        room.pass(seconds: 10)
        #expect(guest.texts(of: second) == ["uno"])
        room.tamperWithGuests = { $0 }
        room.pass(seconds: 20)
        #expect(guest.texts(of: second) == ["uno", "dos", "tres"])
        #expect(!guest.events(of: second).contains { if case .gap = $0 { true } else { false } })
    }

    /// What is asked for long enough is gone: its writer's memory has no room for it.
    @Test func linesThatAreGone_areToldToBe_soonerOrLater() throws {
        let room = room()
        let (guest, _) = reader(room)
        let log = writer.log(
            second, of: event, as: "Room 2",
            holding: Transcript(
                limit: 9_400, chunkSize: 4_700, hashing: LineChain(of: second, by: writer)),
            now: room.now)
        let publisher = Publisher(into: log)
        for number in 1...40 {
            let text = "\(number) " + String(repeating: "x", count: 900)
            publisher.publish(final: Caption(text: text), now: room.now)
            log.seal()
        }
        _ = log.trim { _ in }
        _ = contributor(room, log)
        room.pass(seconds: 30)
        #expect(guest.texts(of: second).isEmpty)
        room.pass(seconds: 30)
        let first = try #require(guest.lines(of: second).first?.seq)
        #expect(guest.events(of: second).contains(.gap(from: 1, through: first - 1)))
        #expect(guest.lines(of: second).map(\.seq) == Array(first...40))
    }

    /// Turns a word on which lines follow into one that there are none.
    private static func leavingOut(from: Int, through: Int) -> ([UInt8]) -> [UInt8] {
        let (word, lie) = (#""from":\#(from),"#, #""from":\#(through + 1),"#)
        return { bytes in
            String(decoding: bytes, as: UTF8.self).contains(word)
                ? bytes.replacing(Array(word.utf8), with: Array(lie.utf8)) : bytes
        }
    }

    /// Lines that were asked for again may come twice, if the first were only slow.
    @Test func linesThatComeTwice_areShownOnce() throws {
        let room = room()
        let (guest, _) = reader(room)
        let ben = contributor(room)
        ben.say("uno", "dos")
        room.deliver()
        let encoder = FrameEncoder()
        let again =
            try encoder.frame(.inLog(LogMention(second.wireName)))
            + encoder.frame(
                .fullHistory(
                    FullHistory(session: second.wireName, from: 1, through: 2)))
            + ben.log.frames(at: ben.log.reader(after: 0).cursor)
        var isSaid = false
        room.tamper = { bytes in
            defer { isSaid = true }
            return isSaid ? bytes : again + bytes
        }
        ben.say("tres")
        room.deliver()
        #expect(guest.texts(of: second) == ["uno", "dos", "tres"])
        #expect(!guest.states.contains { if case .reconnecting = $0 { true } else { false } })
    }

    /// Memory lets go of lines that a slow reader of several logs has yet to get.
    @Test func readerWhoIsTooSlow_isToldWhatIsGone() {
        let room = room(history: 9_400)
        let (guest, _) = reader(room)
        let ben = contributor(room)
        ben.say("uno")
        room.say("one")
        room.deliver()
        for number in 2...40 { room.say("\(number) " + String(repeating: "x", count: 900)) }
        ben.say("dos")
        room.deliver()
        let gaps = guest.events.compactMap { event in
            if case .gap(let from, let through) = event { from...through } else { nil }
        }
        #expect(gaps.count == 1 && gaps.first?.lowerBound == 2)
        #expect(guest.texts.last?.hasPrefix("40 ") == true)
        #expect(guest.texts(of: second) == ["uno", "dos"])
    }

    /// A log that nobody has let in is passed over, whoever introduces it.
    @Test func recordWithoutAGrant_isPassedOver() throws {
        let room = room(.nobody)
        let (guest, shelf) = reader(room)
        let log = writer.log(second, of: event, as: "Room 2", now: room.now)
        let record = try #require(log.record)
        let head = try #require(log.head(Timing(), now: room.now))
        var isSaid = false
        room.tamper = { bytes in
            defer { isSaid = true }
            return isSaid ? bytes : bytes + record + head
        }
        room.say("one")
        room.pass(seconds: 5)
        #expect(guest.texts == ["one"] && guest.outcome == nil)
        #expect(shelf.asking.map(\.label) == ["Room 2"] && shelf.brokenInvariant == nil)
        #expect(guest.title(of: second) == nil)
    }

    /// A writer who says what he has not signed loses his connection, and nobody sees it.
    @Test func linesThatTheWriterHasNotSigned_areNotShown() throws {
        let room = room()
        let (guest, _) = reader(room)
        let ben = contributor(room)
        ben.say("uno")
        let lie = try FrameEncoder().frame(
            .liveChunk(LiveChunk(partialOf: "9", revision: 1, text: "a lie", sentTimestamp: 0)))
        ben.guest.outgoing += lie
        room.deliver()
        #expect(guest.lastPartial(of: second) == nil && guest.texts(of: second) == ["uno"])
        #expect(
            room.hostReports.contains {
                if case .guestLeft(let left, _, _) = $0 { left.name == "Ben" } else { false }
            })
        room.pass(seconds: 5)
        ben.say("dos")
        #expect(guest.texts(of: second) == ["uno", "dos"])
    }

    @Test func moreLogsThanThereMayBe_areNotLetIn() {
        let room = room()
        var writers: [Contributor] = []
        for number in 0..<Limits.logs + 3 {
            // Of as many machines as it takes: one has a few logs alone.
            let writer = ToyCrypto("writer \(number / Limits.logsOfWriter)")
            let log = writer.log(UUID(), of: event, as: "Room \(number)", now: room.now)
            writers.append(contributor(room, log, as: "writer \(number)"))
        }
        #expect(writers.filter { $0.guest.events.contains(.isRead) }.count == Limits.logs)
        #expect(room.host.room.brokenInvariant == nil)
    }

    /// Whatever becomes of one byte of what guests say, no reader gets a word that nobody has said, and both
    /// logs are whole once the connections stand again.
    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func changedByte_changesNoWord(seed: UInt64) {
        let room = room(seed: seed)
        var dice = SeededGenerator(seed: seed)
        let (guest, _) = reader(room)
        let ben = contributor(room)
        var left = Int.random(in: 0..<4_000, using: &dice)
        room.tamperWithGuests = { bytes in
            defer { left -= bytes.count }
            guard bytes.indices.contains(left) else { return bytes }
            var bytes = bytes
            bytes[left] ^= UInt8.random(in: 1...255, using: &dice)
            return bytes
        }
        let said = (1...8).map { "line \($0)" }
        for line in said {
            ben.say(line)
            ben.whisper(line + " goes on")
            room.say("main " + line)
            room.pass(seconds: 1)
            #expect(
                guest.texts(of: second) == said.prefix(guest.texts(of: second).count).map(\.self))
        }
        // A stream whose frame has another length waits for the rest of it as long as it stands.
        room.cut(ben.guest)
        room.pass(seconds: 10)
        #expect(guest.texts(of: second) == said && guest.texts == said.map { "main " + $0 })
        #expect(room.host.room.brokenInvariant == nil)
    }

    /// A writer's lines of which his head has told and that do not come are asked for again.
    @Test func linesThatAreLost_areAskedForAgain() throws {
        let room = room()
        let (guest, _) = reader(room)
        let ben = contributor(room)
        ben.say("uno")
        let mention = Array(#""type":"in""#.utf8)
        room.tamperWithGuests = { bytes in
            guard let found = bytes.firstRange(of: mention) else { return bytes }
            var bytes = bytes
            bytes[found.lowerBound + 8] = UInt8(ascii: "o")
            return bytes
        }
        room.cut(ben.guest)
        ben.say("dos")
        room.pass(seconds: 3)
        room.tamperWithGuests = { $0 }
        #expect(guest.texts(of: second) == ["uno"])
        room.pass(seconds: 10)
        #expect(guest.texts(of: second) == ["uno", "dos"] && ben.guest.session.isConnected)
        let gone = room.hostReports.count {
            if case .guestLeft(let left, _, _) = $0 { left.name == "Ben" } else { false }
        }
        #expect(gone == 1)
    }

    /// On a slow way the request for his lines may take long to come to a writer, whose heads go the other one.
    @Test func writerWhomTheRequestHasNotReached_keepsNothingBack() {
        let room = room()
        let (guest, _) = reader(room)
        let slow = reader(room, "Ben").0
        let log = writer.log(second, of: event, as: "Room 2", now: room.now)
        slow.isFrozen = true
        let ben = Contributor(room: room, guest: slow, log: log)
        ben.say("uno")
        room.offer(log, through: slow)
        room.pieceSize = 4
        for _ in 1...30 {
            room.pass(seconds: 1)
            #expect(guest.texts(of: second).isEmpty)
            slow.isFrozen = false
            room.moveToGuest(slow)
            slow.isFrozen = true
        }
        slow.isFrozen = false
        room.pass(seconds: 5)
        #expect(guest.texts(of: second) == ["uno"])
        let isBlamed = room.hostReports.contains {
            if case .guestLeft = $0 { true } else { false }
        }
        #expect(!isBlamed && slow.session.isConnected)
    }

    /// Who lags hears of the end, though a line was open in another log that it has not shown.
    @Test func lastWord_comes_whereALineIsOpenInAnotherLog() {
        let room = room()
        let (guest, _) = reader(room)
        let ben = contributor(room)
        ben.say("uno")
        room.say("one")
        room.deliver()
        guest.isFrozen = true
        ben.whisper("do")
        room.deliver()
        room.finish(.ended)
        guest.isFrozen = false
        room.deliver()
        #expect(guest.texts == ["one"] && guest.texts(of: second) == ["uno"])
        #expect(guest.outcome == .ended)
    }
}
