import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// Logs of which two different lines were signed under one number.
@Suite struct ForkedLogTests: EventWithWriters {
    /// Two hosts on copies of one folder, whose first line is the same.
    private func twins() -> (VirtualRoom, VirtualRoom) {
        let (one, other) = (room(), room(seed: 2))
        for room in [one, other] { room.say("one") }
        return (one, other)
    }

    /// The other host may have said as much, more, or less.
    @Test(arguments: [1, 2, 5], [1, 2, 5])
    func readerWhoMeetsBoth_isTold(here: Int, there: Int) throws {
        let (one, other) = twins()
        let (guest, _) = reader(one)
        for number in 1...here { one.say("here \(number)") }
        one.deliver()
        for number in 1...there { other.say("there \(number)") }
        one.cut(guest)
        _ = other.add(guest)
        other.pass(seconds: 10)
        #expect(guest.outcome == .forked(seq: min(here, there) + 1))
        #expect(guest.texts == ["one"] + (1...here).map { "here \($0)" })
    }

    /// Of a copy that has said nothing of its own nobody can say that it is one.
    @Test func readerWhoMeetsTheSameLines_readsOn() {
        let (one, other) = twins()
        let (guest, _) = reader(one)
        one.deliver()
        one.cut(guest)
        _ = other.add(guest)
        other.pass(seconds: 10)
        other.say("two")
        other.deliver()
        #expect(guest.texts == ["one", "two"])
    }

    /// A host that was started anew has begun another run behind its second line: what its copy has said behind
    /// that is taken back, and what it has said before was said twice.
    @Test func readerWhoComesToALaterRun_isToldOfTheLinesBefore() throws {
        let (one, other) = twins()
        one.say("two")
        other.say("zwei", "drei", "vier")
        let (guest, _) = reader(other)
        other.deliver()
        other.cut(guest)
        let next = nextRun(of: one, after: 2)
        next.say("three", "four")
        _ = next.add(guest)
        next.pass(seconds: 10)
        #expect(guest.texts == ["one", "zwei", "drei", "vier"])
        #expect(guest.outcome == .forked(seq: 2))
    }

    /// The same where both have said the same words until then.
    @Test func readerWhoComesToALaterRunOfTheSameLines_readsOn() throws {
        let (one, other) = twins()
        other.say("zwei", "drei")
        let (guest, _) = reader(other)
        other.deliver()
        other.cut(guest)
        let next = nextRun(of: one, after: 1)
        next.say("two", "three")
        _ = next.add(guest)
        next.pass(seconds: 10)
        #expect(guest.texts == ["one", "zwei", "drei", "two", "three"] && guest.outcome == nil)
    }

    private func nextRun(of room: VirtualRoom, after seq: Int) -> VirtualRoom {
        let transcript = Transcript(hashing: LineChain(of: event, by: founder))
        room.host.log.forEachPayload(through: seq) { transcript.restore(payload: $1, seq: $0) }
        let shelf = foundersShelf(.everybody)
        let log = founder.log(
            event, SessionRuns(after: [0, seq])!, now: room.now, holding: transcript,
            in: shelf.order)
        return VirtualRoom(serving: log, others: shelf, proving: founder.security)
    }

    /// Who wants what comes next alone has no line yet, and knows what the lines before it are by his host's
    /// word.
    @Test func readerOfWhatComesNext_isTold() throws {
        let (one, other) = twins()
        other.say("zwei")
        one.say("two")
        let (guest, _) = reader(one, from: .next)
        one.pass(seconds: 10)
        one.cut(guest)
        _ = other.add(guest)
        other.pass(seconds: 10)
        #expect(guest.outcome == .forked(seq: 2))
        #expect(guest.texts.isEmpty)
    }

    /// A holder who says something false of what was before is no proof against the writer.
    @Test func holderWhoLiesAboutTheHash_isNoFork() {
        let room = room()
        let (guest, _) = reader(room)
        room.say("one")
        room.deliver()
        room.cut(guest)
        room.say("two")
        var lies = 0
        room.tamper = { bytes in
            let key = Array(#""hash":""#.utf8)
            guard String(decoding: bytes, as: UTF8.self).contains("fullHistory"),
                let start = bytes.ranges(of: key).last?.upperBound
            else { return bytes }
            lies += 1
            return bytes[..<start] + Array(repeating: UInt8(ascii: "a"), count: 64)
                + bytes[(start + 64)...]
        }
        room.pass(seconds: 10)
        #expect(guest.texts == ["one", "two"] && guest.outcome == nil && lies == 1)
    }

    /// Both bring it to the host.
    @Test func logOfAWriter_thatTwoBring_isLeft_andBothAreTold() {
        let room = room()
        let (guest, _) = reader(room)
        let ben = contributor(room)
        let twin = contributor(room, as: "Ben's copy")
        ben.say("uno")
        ben.say("dos")
        twin.say("eins")
        twin.say("zwei")
        ben.say("tres")
        room.pass(seconds: 10)
        let forks = room.hostReports.filter {
            if case .logStands(_, .forked) = $0 { true } else { false }
        }
        #expect(forks.count == 1)
        #expect(guest.texts(of: second).starts(with: ["uno"]))
        #expect(Set(guest.texts(of: second)).isDisjoint(with: ["eins", "zwei"]))
        // Who has the lines is shown the other signature, and so is who comes later.
        let late = reader(room, "late").0
        room.pass(seconds: 2)
        for each in [guest, late, ben.guest, twin.guest] {
            #expect(each.standing(of: second) == .forked)
        }
        #expect(["uno"].starts(with: late.texts(of: second)))
        // Nobody loses the event by that.
        room.say("one")
        room.pass(seconds: 5)
        for each in [guest, ben.guest, twin.guest] { #expect(each.texts == ["one"]) }
    }

    /// He was asked for the log before a line of it was here, and the first came meanwhile from the other one:
    /// what is here already is passed over where it comes again, and compared.
    @Test func lineThatIsRepeatedInOtherWords_isNotTakenForTheSame() throws {
        let (ben, twin) = (said("uno", "dos"), said("eins", "zwei"))
        func proof() throws -> LineProof {
            let payload = WrittenLog(ben, proving: founder).record
            return try payload.withUnsafeBytes { bytes in
                guard case .log(let record)? = try? PacketDecoder().packet(bytes) else {
                    throw GuestViolation.record("is none")
                }
                let lines = try LineProof(record, as: bytes, of: second, by: nil, founder)
                lines.begin(SessionRuns())
                try lines.begin(FullHistory(session: second.wireName, from: 1, through: 0))
                return lines
            }
        }
        func take(_ seq: Int, of log: EventLog, _ lines: LineProof) throws {
            log.forEachPayload(from: seq, through: seq) { _, payload in
                guard seq >= lines.next else { return lines.skip(payload) }
                if case .liveChunk(let chunk)? = try? PacketDecoder().packet(payload) {
                    try? lines.hold(chunk, as: payload, isKept: false)
                }
            }
            try lines.settle { _ in }
        }
        for (log, isForked) in [(ben, false), (twin, true)] {
            let lines = try proof()
            try take(1, of: ben, lines)
            lines.repeatLines(FullHistory(session: second.wireName, from: 1, through: 0))
            try take(1, of: log, lines)
            if isForked {
                #expect(throws: GuestViolation.forked(1)) { try take(2, of: log, lines) }
            } else {
                try take(2, of: log, lines)
                #expect(lines.next == 3)
            }
        }
    }

    private func said(_ texts: String...) -> EventLog {
        let now = VirtualRoom.beginning
        let log = writer.log(second, of: event, as: "Room 2", now: now)
        let publisher = Publisher(into: log)
        for text in texts {
            publisher.publish(final: Caption(text: text), now: now)
            log.seal()
        }
        return log
    }

    /// A copy of the writer's folder reads what he has said until it begins to write itself: what it was given
    /// comes to nobody.
    @Test func linesOfALogThatIsWrittenHereMeanwhile_arePassedOver() throws {
        let room = room()
        let ben = contributor(room)
        ben.say("uno")
        room.say("one")
        let shelf = Shelf(proving: ToyCrypto(), isKept: false)
        let guest = room.guest("Ben's copy", of: founder, others: shelf)
        var answers = 0
        room.tamper = { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            if text.contains("\"fullHistory\",\"session\":\"\(self.second.wireName)") {
                answers += 1
                shelf.write(
                    self.writer.log(self.second, of: self.event, as: "Room 2", now: room.now))
            }
            return bytes
        }
        room.connect(guest)
        room.pass(seconds: 10)
        #expect(answers == 1 && guest.texts == ["one"] && guest.texts(of: second).isEmpty)
        #expect(guest.states.allSatisfy { if case .reconnecting = $0 { false } else { true } })
    }

    /// A host that lost its last lines says others in the next run, and rightly so.
    @Test func linesOfAnotherRun_areNoFork() throws {
        let signed = SignedHashes()
        let (one, other) = (hash("one"), hash("other"))
        try signed.note(5, run: 1, one)
        #expect(throws: Never.self) { try signed.compare(5, run: 2, other) }
        #expect(throws: Never.self) { try signed.compare(5, run: 1, one) }
        #expect(throws: Never.self) { try signed.compare(6, run: 1, other) }
        #expect(throws: GuestViolation.forked(5)) { try signed.compare(5, run: 1, other) }
        try signed.note(5, run: Limits.runs, other)
        #expect(throws: Never.self) { try signed.compare(5, run: Limits.runs, one) }
    }

    /// A head may come before its lines.
    @Test func headsOfLinesThatAreNotHere_areRemembered() throws {
        let signed = SignedHashes()
        let (one, other) = (hash("one"), hash("other"))
        try signed.note(head: 7, run: 1, one)
        #expect(throws: Never.self) { try signed.note(head: 7, run: 2, other) }
        #expect(throws: GuestViolation.forked(7)) { try signed.note(head: 7, run: 1, other) }
        for seq in 1...6 { try signed.note(seq, run: 1, hash("\(seq)")) }
        #expect(throws: GuestViolation.forked(7)) { try signed.note(7, run: 1, other) }
        try signed.note(7, run: 1, one)
        // As many as there may be, of which the newest stay.
        for seq in 8...8 + Limits.comparedHeads { try signed.note(head: seq, run: 1, one) }
        #expect(throws: Never.self) { try signed.note(head: 8, run: 1, one) }
        #expect(throws: GuestViolation.forked(10)) { try signed.note(10, run: 1, other) }
    }

    @Test func newestLines_areRemembered() throws {
        let signed = SignedHashes()
        for seq in 1...3 * Limits.comparedLines {
            try signed.note(seq, run: 1, hash("\(seq)"))
        }
        let newest = 3 * Limits.comparedLines
        #expect(throws: GuestViolation.forked(newest)) {
            try signed.compare(newest, run: 1, hash("other"))
        }
        #expect(throws: Never.self) { try signed.compare(1, run: 1, hash("other")) }
    }

    private func hash(_ text: String) -> LogHash {
        Array(text.utf8).withUnsafeBytes { founder.hash($0) }
    }
}
