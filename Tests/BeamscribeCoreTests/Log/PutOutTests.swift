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
        #expect(ben.guest.events.filter { $0 == .isPutOut(through: 2) }.count == 1)
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

    /// Somebody may have read on elsewhere, and whoever serves the event may keep the grant back.
    @Test(arguments: [false, true], [false, true])
    func linesBehindTheLastOne_areWithdrawn(isHolder: Bool, isToldByHead: Bool) throws {
        let room = room()
        let (guest, shelf) = reader(room, keepsOthers: isHolder)
        let ben = contributor(room)
        ben.say("uno")
        ben.say("dos")
        ben.say("tres")
        let frame =
            isToldByHead
            ? try head(of: room.host.log, puttingOut: [putOut(second, until: 1)])
            : try grant(until: 1)
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

    private func grant(until seq: Int?, number: Int = 7) throws -> [UInt8] {
        let grant = LogGrant(
            event: event, session: second.wireName, key: fingerprint.hex, number: number,
            until: seq)
        return founder.signedFrame(try FrameEncoder().frame(.grant(grant))) {
            LogStatement.grant($0, to: event)
        }
    }

    private func putOut(_ log: UUID, number: Int = 7, until seq: Int) -> LogHead.PutOutLog {
        LogHead.PutOutLog(session: log.wireName, number: number, until: seq)
    }

    /// A head of now, with other words on who was put out.
    private func head(
        of log: EventLog, puttingOut logs: [LogHead.PutOutLog]
    ) throws -> [UInt8] {
        let frame = log.head(Timing(), now: VirtualRoom.beginning)
        var head = try #require(Self.head(frame))
        head.putOut = logs
        head.time += 0.5
        return founder.signedFrame(try FrameEncoder().frame(.head(head))) {
            LogStatement.head($0, of: event)
        }
    }

    private static func head(_ frame: [UInt8]?) -> LogHead? {
        frame?.dropFirst(FrameDecoder.prefixLength).withUnsafeBytes {
            if case .head(let head)? = try? PacketDecoder().packet($0) { head } else { nil }
        }
    }

    @Test func hostsHeads_nameWhoIsPutOut_untilHeIsLetInAgain() throws {
        let room = room()
        let ben = contributor(room)
        ben.say("uno", "dos")
        func named() -> [LogHead.PutOutLog]? {
            Self.head(room.host.log.head(Timing(), now: room.now))?.putOut
        }
        #expect(named() == nil)
        room.putOut(fingerprint)
        #expect(named() == [putOut(second, number: 2, until: 2)])
        room.admit(.keys([pin]))
        #expect(named() == nil)
    }

    /// The higher number counts of a grant and a head, whichever comes first.
    @Test func newestNumberCounts_ofGrantsAndHeads() throws {
        let crypto = ToyCrypto()
        let title = LogTitle(
            LogRecord(
                second.wireName, of: event.wireName, as: "Room 2", lang: nil, eventName: "E",
                deviceName: "D", created: 0, number: 1),
            by: fingerprint)
        for numbers in [[1, 2], [2, 1]] {
            for isGrantFirst in [true, false] {
                var grants = EventGrants(proving: crypto)
                grants.open(Shelf.Event(event, foundedBy: ToyVerifier(crypto: founder)))
                let frame = try grant(until: nil, number: numbers[0])
                func takeGrant() throws {
                    try frame.dropFirst(FrameDecoder.prefixLength).withUnsafeBytes {
                        guard case .grant(let grant) = try PacketDecoder().packet($0) else {
                            return
                        }
                        #expect(try grants.take(grant, as: $0))
                    }
                }
                if isGrantFirst { try takeGrant() }
                let isNews = !grants.take([putOut(second, number: numbers[1], until: 5)]).isEmpty
                if !isGrantFirst { try takeGrant() }
                #expect(grants.end(of: second.wireName) == (numbers[0] < numbers[1] ? 5 : nil))
                #expect(isNews == (!isGrantFirst || numbers[0] < numbers[1]))
                #expect(grants.take([putOut(second, number: numbers[1], until: 1)]).isEmpty)
                #expect(grants.wasLetIn(title) == true)
            }
        }
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
