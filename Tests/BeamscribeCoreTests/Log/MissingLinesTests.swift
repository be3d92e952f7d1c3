import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// Lines of other logs that have not come when an event ends.
@Suite struct MissingLinesTests: EventWithWriters {
    /// More was said at once than is taken, and the event ends before the rest is.
    @Test(arguments: [false, true])
    func readerIsTold_whereAWritersLastLinesDidNotCome(isAtHolder: Bool) {
        let room = room()
        let ben = contributor(room)
        ben.say("uno")
        room.say("one")
        room.deliver()
        let node = HolderNode("a", in: room, of: founder)
        let guest = reader(isAtHolder ? node.room : room).0
        func pass(seconds: Int) {
            for _ in 0..<seconds {
                room.pass(seconds: 1)
                node.room.pass(seconds: 1)
                node.room.heard(by: node.keeper)
            }
        }
        pass(seconds: 2)
        for number in 2...3_000 { ben.say("line \(number)") }
        pass(seconds: 5)
        let taken = guest.texts(of: second).count
        #expect((1..<3_000).contains(taken))
        room.finish(.ended)
        pass(seconds: 2)
        node.room.finish(.ended)
        pass(seconds: 20)
        #expect(guest.outcome == .ended)
        let count = guest.texts(of: second).count
        let isTold = guest.events(of: second).contains(.gap(from: count + 1, through: 3_000))
        #expect(isTold)
        #expect(ben.guest.session.offeredNotTaken == count + 1...3_000)
    }

    @Test func writerIsToldNothing_whereAllCame() {
        let room = room()
        let ben = contributor(room)
        ben.say("uno", "dos")
        room.deliver()
        room.pass(seconds: 2)
        room.finish(.ended)
        room.pass(seconds: 2)
        #expect(ben.guest.outcome == .ended)
        #expect(ben.guest.session.offeredNotTaken == nil)
    }

    /// The machine that serves the event may say any number.
    @Test(arguments: [(Int.min, 1), (-1, 1), (0, 1), (1, 2), (2, nil), (3, nil), (.max, nil)])
    func writerIsToldOfItsOwnLines_whateverTheNumber(after: Int, first: Int?) throws {
        let log = writer.log(second, of: event, as: "Room 2", now: VirtualRoom.beginning)
        let publisher = Publisher(into: log)
        for text in ["uno", "dos"] {
            publisher.publish(final: Caption(text: text), now: VirtualRoom.beginning)
        }
        log.seal()
        let offered = OfferedLog(log)
        offered.begin(Timing(), now: VirtualRoom.beginning)
        var request = ReadRequest(second.wireName, after: after, run: 1)
        request.over = true
        #expect(!offered.take(request))
        #expect(!offered.isRead && offered.notTaken == first.map { $0...2 })
    }
}
