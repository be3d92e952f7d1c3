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

    /// The guest is behind when the input ends, and the event with it.
    @Test(arguments: [Int.max, 40])
    func slowReader_getsTheOtherLogs_beforeTheEnd(_ size: Int) {
        let shelf = foundersShelf()
        let room = room(on: shelf)
        let log = founder.log(second, of: event, as: "Ann", in: shelf.order, now: room.now)
        shelf.write(log)
        let publisher = Publisher(into: log)
        room.tellOfOthers()
        let (guest, _) = reader(room)
        room.pieceSize = size
        guest.isFrozen = true
        for number in 1...5 {
            publisher.publish(final: Caption(text: "line \(number)"), now: room.now)
        }
        room.say("main")
        room.host.log.tell(.inputEnded, "The input has ended.", now: room.now)
        log.end(.ended, "The event has ended.", now: room.now)
        room.finish(.ended)
        guest.isFrozen = false
        room.deliver()
        #expect(guest.texts(of: second) == (1...5).map { "line \($0)" })
        #expect(guest.texts == ["main"] && guest.outcome == .ended)
    }

    /// Nothing follows that would bring the line, or show the gap.
    @Test func lineThatDoesNotCome_isToldAsMissing_atTheEnd() {
        let shelf = foundersShelf()
        let room = room(on: shelf)
        let log = founder.log(second, of: event, as: "Ann", in: shelf.order, now: room.now)
        shelf.write(log)
        let publisher = Publisher(into: log)
        room.tellOfOthers()
        let (guest, _) = reader(room)
        publisher.publish(final: Caption(text: "uno"), now: room.now)
        room.pass(seconds: 3)
        room.tamper = Self.leavingOutFrames(with: "dos")
        publisher.publish(final: Caption(text: "dos"), now: room.now)
        room.pass(seconds: 3)
        log.end(.ended, "The event has ended.", now: room.now)
        room.finish(.ended)
        room.deliver()
        #expect(guest.texts(of: second) == ["uno"] && guest.outcome == .ended)
        #expect(guest.events(of: second).contains(.gap(from: 2, through: 2)))
    }

    /// Leaves out the frames that contain all of these words.
    static func leavingOutFrames(with words: String...) -> ([UInt8]) -> [UInt8] {
        return { bytes in
            var (kept, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes[...])
            while rest.count >= FrameDecoder.prefixLength {
                let size = rest.prefix(FrameDecoder.prefixLength).reduce(0) { $0 << 8 | Int($1) }
                let frame = rest.prefix(FrameDecoder.prefixLength + size)
                let text = String(decoding: frame, as: UTF8.self)
                if !words.allSatisfy({ text.contains($0) }) { kept += frame }
                rest = rest.dropFirst(frame.count)
            }
            return kept + rest
        }
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

    /// By whoever serves the event: the word that it is over is there before its other logs.
    @Test func lateReader_getsTheOtherLogs_fromWhoHoldsThem() {
        let node = HolderNode("Stage 2", in: endedRoom(), of: founder)
        #expect(node.keeper.outcome == .ended)
        node.room.finish(.ended)
        for size in [Int.max, 100] {
            node.room.pieceSize = size
            let (guest, _) = reader(node.room)
            #expect(guest.lines(of: second).map(\.text) == ["hello"])
            #expect(guest.outcome == .ended && guest.alerts == ["ended"])
        }
    }

    /// The end, and what was said last in another log, reach who holds the event at once, and its readers in pieces.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func reader_getsWhatWasSaidLast_fromWhoHoldsIt(_ seed: UInt64) {
        let shelf = foundersShelf()
        let room = room(on: shelf)
        let log = founder.log(second, of: event, as: "Ann", in: shelf.order, now: room.now)
        shelf.write(log)
        let publisher = Publisher(into: log)
        room.tellOfOthers()
        let node = HolderNode("Stage 2", in: room, of: founder)
        node.room.generator = SeededGenerator(seed: seed)
        node.room.pieceSize = 80
        let (guest, _) = reader(node.room)
        for number in 1...5 {
            publisher.publish(final: Caption(text: "line \(number)"), now: room.now)
        }
        log.end(.ended, "The event has ended.", now: room.now)
        room.finish(.ended)
        node.room.finish(.ended)
        #expect(guest.texts(of: second) == (1...5).map { "line \($0)" })
        #expect(guest.outcome == .ended && guest.alerts == ["ended"])
    }

    /// Who keeps them back keeps nobody.
    @Test func lateReader_goes_whereNobodyGivesTheOtherLogs() {
        let node = HolderNode("Stage 2", in: endedRoom(), of: founder)
        node.room.finish(.ended)
        node.room.tamperWithGuests = { bytes in
            String(decoding: bytes, as: UTF8.self).contains("\"read\"") ? [] : bytes
        }
        let (guest, _) = reader(node.room)
        #expect(guest.outcome == nil)
        node.room.pass(seconds: 4)
        #expect(guest.outcome == .ended && guest.lines(of: second).isEmpty)
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
