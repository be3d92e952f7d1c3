import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// Writers who are put out of an event again, and writers who say too much.
@Suite struct PutOutTests: EventWithWriters {
    private var pin: FingerprintPin { FingerprintPin(fingerprint.hex)! }
    private var fingerprint: Fingerprint { ToyVerifier(crypto: writer).writer }

    @Test func whatAWriterHasSaid_stays_andNothingMoreComes() {
        let room = room()
        let (guest, _) = reader(room)
        let ben = contributor(room)
        ben.say("uno", "dos")
        ben.whisper("tr")
        room.putOut(fingerprint)
        ben.say("tres")
        ben.whisper("cua")
        room.pass(seconds: 30)
        #expect(guest.texts(of: second) == ["uno", "dos"])
        #expect(guest.lastPartial(of: second) == "" && guest.standing(of: second) == .ended)
        #expect(ben.guest.events.contains(.isPutOut(through: 2)))
        let (late, _) = reader(room, "Cem")
        room.pass(seconds: 5)
        #expect(late.texts(of: second) == ["uno", "dos"] && late.standing(of: second) == .ended)
        // He is one reader among others still.
        room.say("one")
        room.pass(seconds: 5)
        #expect(ben.guest.texts == ["one"])
        #expect(room.host.room.writers.map(\.isPutOut) == [true])
    }

    @Test func writerWhoComesBack_isNotReadAgain_underAnyNumber() {
        let room = room()
        let (guest, _) = reader(room)
        let ben = contributor(room)
        ben.say("uno")
        room.putOut(fingerprint)
        room.cut(ben.guest)
        room.pass(seconds: 10)
        ben.say("dos")
        let third = UUID(uuidString: "6265616d-7363-4269-a265-000000000003")!
        let again = contributor(
            room, writer.log(third, of: event, as: "Room 2", now: room.now), as: "Ben again")
        again.say("tres")
        room.pass(seconds: 10)
        #expect(guest.texts(of: second) == ["uno"] && guest.texts(of: third).isEmpty)
        #expect(room.host.room.writersAsking.map(\.session) == [third.wireName])
    }

    @Test func writerWhoIsLetInAgain_isReadOn() {
        let room = room()
        let (guest, _) = reader(room)
        let ben = contributor(room)
        ben.say("uno")
        room.putOut(fingerprint)
        ben.say("dos")
        room.pass(seconds: 10)
        room.admit(.keys([pin]))
        room.pass(seconds: 10)
        ben.say("tres")
        room.pass(seconds: 10)
        #expect(guest.texts(of: second) == ["uno", "dos", "tres"])
        #expect(guest.standing(of: second) == .live)
        #expect(ben.guest.events.contains(.isPutOut(through: nil)))
        #expect(room.host.room.writers.map(\.isPutOut) == [false])
        let (late, _) = reader(room, "Cem")
        room.pass(seconds: 5)
        #expect(late.texts(of: second) == ["uno", "dos", "tres"])
    }

    /// Somebody may have read on elsewhere.
    @Test(arguments: [false, true])
    func linesBehindTheLastOne_areWithdrawn(isHolder: Bool) throws {
        let room = room()
        let (guest, shelf) = reader(room, keepsOthers: isHolder)
        let ben = contributor(room)
        ben.say("uno")
        ben.say("dos")
        ben.say("tres")
        let grant = LogGrant(
            event: event, session: second.wireName, key: fingerprint.hex, number: 7, until: 1)
        let frame = founder.signedFrame(try FrameEncoder().frame(.grant(grant))) {
            LogStatement.grant($0, to: event)
        }
        var isSaid = false
        room.tamper = { bytes in
            defer { isSaid = true }
            return isSaid ? bytes : bytes + frame
        }
        room.say("one")
        room.deliver()
        ben.say("cuatro")
        room.pass(seconds: 10)
        #expect(guest.texts(of: second) == ["uno", "dos", "tres"])
        #expect(guest.events(of: second).contains(.withdrawn(from: 2, through: 3)))
        #expect(guest.standing(of: second) == .ended)
        #expect(shelf.log(of: second.wireName)?.lastSeq == (isHolder ? 1 : nil))
        // Newcomers at the holder are told of the log.
        #expect((shelf.log(of: second.wireName)?.heldHead != nil) == isHolder)
        #expect(shelf.brokenInvariant == nil && guest.texts == ["one"])
    }

    /// A host that is started again lets nobody in whom it has put out.
    @Test func writerWhoIsRefused_isNotLetIn_whereEverybodyIs() {
        let room = room(on: foundersShelf(.everybody, refusing: [pin]))
        let (guest, _) = reader(room)
        let ben = contributor(room)
        ben.say("uno")
        room.pass(seconds: 10)
        #expect(guest.texts(of: second).isEmpty)
        room.admit(.keys([pin]))
        room.pass(seconds: 10)
        #expect(guest.texts(of: second) == ["uno"])
    }

    @Test func founder_isNotPutOut() {
        let room = room()
        room.putOut(ToyVerifier(crypto: founder).writer)
        let (guest, _) = reader(room)
        room.say("one")
        room.pass(seconds: 5)
        #expect(guest.texts == ["one"])
    }

    // MARK: Too much

    @Test func writerOfThousandsOfLines_isReadMoreSlowly_andLosesNone() {
        let room = room()
        let (guest, _) = reader(room)
        let ben = contributor(room)
        let texts = (1...4_000).map { "line \($0)" }
        for start in stride(from: 0, to: 4_000, by: 100) { ben.say(texts[start..<start + 100]) }
        let atOnce = guest.texts(of: second).count
        #expect((1_200...1_300).contains(atOnce))
        ben.whisper("so")
        #expect(guest.lastPartial(of: second) == nil || guest.lastPartial(of: second) == "")
        room.pass(seconds: 10)
        #expect(guest.texts(of: second).count == atOnce && guest.standing(of: second) == .live)
        // Whoever comes again goes on where he was.
        room.cut(ben.guest)
        room.pass(seconds: 10)
        #expect(guest.texts(of: second).count == atOnce)
        room.pass(seconds: 200)
        #expect(guest.texts(of: second) == texts)
        let told = room.hostReports.filter { if case .writerFloods = $0 { true } else { false } }
        #expect(told.count == 1)
        room.say("one")
        room.deliver()
        #expect(guest.texts == ["one"])
    }

    @Test func whoeverServesTheEvent_givesAllOfItAtOnce() {
        let room = room()
        let ben = contributor(room)
        let texts = (1...1_000).map { "line \($0)" }
        ben.say(texts[...])
        room.pass(seconds: 60)
        ben.say(texts[...])
        let (guest, _) = reader(room)
        room.pass(seconds: 1)
        #expect(guest.texts(of: second) == texts + texts)
    }
}
