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
        #expect(twin.guest.standing(of: second) == .forked)
        // Nobody loses the event by that.
        room.say("one")
        room.pass(seconds: 5)
        for each in [guest, ben.guest, twin.guest] { #expect(each.texts == ["one"]) }
    }

    /// A host that lost its last lines says others in the next run, and rightly so.
    @Test func linesOfAnotherRun_areNoFork() {
        let signed = SignedHashes()
        let (one, other) = (hash("one"), hash("other"))
        signed.note(5, run: 1, one)
        #expect(throws: Never.self) { try signed.compare(5, run: 2, other) }
        #expect(throws: Never.self) { try signed.compare(5, run: 1, one) }
        #expect(throws: Never.self) { try signed.compare(6, run: 1, other) }
        #expect(throws: GuestViolation.forked(5)) { try signed.compare(5, run: 1, other) }
        signed.note(5, run: Limits.runs, other)
        #expect(throws: Never.self) { try signed.compare(5, run: Limits.runs, one) }
    }

    @Test func newestLines_areRemembered() {
        let signed = SignedHashes()
        for seq in 1...3 * Limits.comparedLines {
            signed.note(seq, run: 1, hash("\(seq)"))
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
