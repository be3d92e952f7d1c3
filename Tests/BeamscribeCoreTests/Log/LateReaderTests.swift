import Testing

@testable import BeamscribeCore

/// Who comes once an event is over gets all of its logs, as who was there.
@Suite struct LateReaderTests: EventWithWriters {
    /// A room of an event that has ended, all of whose words are in another log of its host's.
    private func endedRoom() -> VirtualRoom {
        let shelf = foundersShelf()
        let room = room(on: shelf)
        let log = founder.log(second, of: event, as: "Ann", in: shelf.order, now: room.now)
        shelf.write(log)
        Publisher(into: log).publish(final: Caption(text: "hello", speaker: "Ann"), now: room.now)
        room.tellOfOthers()
        log.end(.ended, "The event has ended.", now: room.now)
        room.finish(.ended)
        return room
    }

    @Test func lateReader_getsTheOtherLogs_andGoesOnceHeHasThem() {
        let room = endedRoom()
        let (guest, _) = reader(room)
        #expect(guest.lines(of: second).map(\.text) == ["hello"])
        #expect(guest.outcome == .ended)
        #expect(room.host.room.brokenInvariant == nil)
    }

    /// The lines, and the word that nothing follows, come with one read of the socket.
    @Test func lastLines_areThere_thatComeTogetherWithTheEnd() {
        let room = endedRoom()
        var held: [UInt8]?
        room.tamper = { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            guard held != nil || text.contains("\"type\":\"in\"") else { return bytes }
            held = (held ?? []) + bytes
            guard text.contains("\"kind\":\"ended\""), let all = held else { return [] }
            held = nil
            return all
        }
        let (guest, _) = reader(room)
        #expect(guest.lines(of: second).map(\.text) == ["hello"] && guest.outcome == .ended)
    }

    @Test func lateReader_whoAsksForNoneOfThem_goesAfterAWhile() {
        let room = endedRoom()
        let guest = room.guest("Bob", of: founder)
        room.connect(guest)
        #expect(guest.outcome == nil)
        room.pass(seconds: 4)
        #expect(guest.outcome == .ended && guest.lines(of: second).isEmpty)
    }
}
