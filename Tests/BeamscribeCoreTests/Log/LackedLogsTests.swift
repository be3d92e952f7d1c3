import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// Machines that pass on an event without some of its logs.
@Suite struct LackedLogsTests: EventWithWriters {
    private func told(_ guest: VirtualGuest) -> Int {
        guest.events.count {
            if case .alert("logs_missing", _) = $0 { true } else { false }
        }
    }

    private func losses(_ guest: VirtualGuest) -> Int {
        guest.states.count { if case .reconnecting = $0 { true } else { false } }
    }

    private func offered(by room: VirtualRoom) throws -> Int? {
        let frame = try #require(room.host.log.head(Timing(), now: room.now))
        let payload = frame.dropFirst(FrameDecoder.prefixLength)
        return payload.withUnsafeBytes {
            guard case .head(let head)? = try? PacketDecoder().packet($0) else { return nil }
            return head.logs
        }
    }

    /// An event of two logs, and a machine that serves it to others.
    private func served() -> (room: VirtualRoom, ben: Contributor, node: HolderNode) {
        let room = room()
        let ben = contributor(room)
        ben.say("uno")
        room.say("one")
        room.deliver()
        return (room, ben, HolderNode("a", in: room, of: founder))
    }

    @Test func hostsHeads_countTheLogs_thatEverybodyIsOffered() throws {
        let room = room()
        room.say("one")
        #expect(try offered(by: room) ?? 0 == 0)
        let ben = contributor(room)
        ben.say("uno")
        #expect(try offered(by: room) == 1)
        room.putOut(ToyVerifier(crypto: writer).writer)
        #expect(try offered(by: room) == 1)
    }

    /// The reader is told once, and stays: the machine may be the only one there is.
    @Test(arguments: ["session", #""type":"log""#, #""type":"grant""#, #""type":"head""#])
    func readerIsTold_whereALogIsLeftOut(kind: String) {
        let (_, _, node) = served()
        node.room.tamper = LateReaderTests.leavingOutFrames(with: second.wireName, kind)
        let guest = reader(node.room).0
        node.room.pass(seconds: 24)
        #expect(guest.texts == ["one"] && told(guest) == 0)
        node.room.pass(seconds: 12)
        #expect(told(guest) == 1)
        node.room.pass(seconds: 120)
        #expect(told(guest) == 1 && losses(guest) == 0)
        #expect(guest.texts == ["one"] && guest.session.isConnected)
    }

    /// The machine brings a log's newest heads, and none of its lines. The reader leaves it and
    /// comes back.
    @Test func readerIsTold_whereALogsLinesAreLeftOut() {
        let (_, _, node) = served()
        node.room.tamper = LateReaderTests.leavingOutFrames(
            with: second.wireName, #""type":"fullHistory""#)
        let guest = reader(node.room).0
        node.room.pass(seconds: 24)
        #expect(told(guest) == 0)
        node.room.pass(seconds: 60)
        #expect(told(guest) == 1 && guest.texts == ["one"])
        #expect(guest.texts(of: second).isEmpty)
    }

    @Test func nothingIsTold_whereAllComes() {
        let (room, ben, node) = served()
        let guest = reader(node.room).0
        for number in 0..<100 {
            ben.say("dos \(number)")
            [node].pass(seconds: 1)
            room.heard(by: node.keeper)
            room.pass(seconds: 1)
        }
        #expect(told(guest) == 0 && losses(guest) == 0)
        #expect(guest.texts(of: second).count == 101)
    }

    /// The event is over, or ends, and its host has told of a log that does not come.
    @Test(arguments: [false, true])
    func readerIsTold_beforeTheEnd_whereALogWasLeftOut(isLate: Bool) {
        let (room, _, node) = served()
        node.room.tamper = LateReaderTests.leavingOutFrames(with: second.wireName)
        let early = isLate ? nil : reader(node.room).0
        node.room.pass(seconds: 5)
        room.finish(.ended)
        room.heard(by: node.keeper)
        node.room.finish(.ended)
        let guest = early ?? reader(node.room).0
        node.room.pass(seconds: 15)
        #expect(guest.texts == ["one"] && guest.outcome == .ended)
        #expect(told(guest) == 1)
    }

    @Test func numberThatIsTold_isToldAgain_onlyWhereItRises() {
        var lacked = LackedLogs()
        func news(_ count: Int, at second: Int) -> Int? {
            lacked.news(of: count, now: .seconds(second))
        }
        #expect(news(1, at: 0) == nil)
        #expect(news(1, at: 24) == nil)
        #expect(news(1, at: 25) == 1)
        #expect(news(1, at: 100) == nil)
        #expect(news(2, at: 101) == nil)
        #expect(news(2, at: 126) == 2)
        #expect(news(0, at: 127) == nil)
        #expect(news(1, at: 128) == nil)
        #expect(news(0, at: 150) == nil)
        #expect(news(1, at: 151) == nil)
        #expect(news(1, at: 176) == 1)
    }

    /// A reader may lose such a machine, and come back to it.
    @Test func timesOfAllConnections_count() {
        var lacked = LackedLogs()
        for second in stride(from: 0, to: 60, by: 20) {
            lacked.begin()
            #expect(lacked.news(of: 1, now: .seconds(second)) == nil)
            let told = lacked.news(of: 1, now: .seconds(second + 10))
            #expect(told == (second == 40 ? 1 : nil))
        }
    }

    /// A stranger cannot make a number of it that a reader chokes on.
    @Test(arguments: [Int.min, -1, 0, 1, 255, 256, .max])
    func anyNumberOfLogs_isTaken(number: Int) {
        let shelf = Shelf(proving: ToyCrypto(), isKept: false)
        #expect((0...4 * Limits.logs).contains(shelf.lackedLogs(of: number)))
    }
}
