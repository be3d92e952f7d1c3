import BeamscribeCore
import FoundationEssentials
import Testing

/// Sessions over channels, which mark their end, and from them to a network.
@Suite struct BluetoothSessionTests {
    @Test func guest_leavesInGoodOrder_whenTheEventEnds() {
        let room = VirtualRoom()
        let guest = guest(of: room)
        room.say("one", "two")
        room.finish(.ended)
        #expect(guest.texts == ["one", "two"])
        #expect(guest.alerts == ["ended"])
        #expect(guest.outcome == .ended)
    }

    @Test func hostsLastBytes_areTheMark_andGuestKnowsTheHostHasGone() {
        let room = VirtualRoom()
        let guest = guest(of: room)
        room.say("one")
        room.finish(.hostDisconnected)
        #expect(Array(guest.received.suffix(4)) == FrameDecoder.endMark)
        guard case .reconnecting(let loss)? = guest.states.last else {
            Issue.record("\(guest.states)")
            return
        }
        #expect(loss.cause == .hostGone)
        #expect(guest.wire == nil, "It closes, for the host cannot without losing what waits.")
        #expect(guest.texts == ["one"])
    }

    @Test func guestsMark_isAGoodbye_andNoViolation() {
        let room = VirtualRoom()
        let guest = guest(of: room)
        room.pass(seconds: 5)
        guest.outgoing += FrameDecoder.endMark
        room.deliver()
        let reasons = room.hostReports.compactMap {
            if case .guestLeft(_, let why, _) = $0 { why } else { nil }
        }
        #expect(reasons == [Room.closedByPeer])
    }

    @Test func mark_isAViolation_overANetwork() {
        let room = VirtualRoom()
        let id = room.stranger(FrameDecoder.endMark)
        #expect(!room.isOpen(id))
    }

    @Test func eighthGuest_isRefusedWithAReason_andComesInOverTheNetwork() {
        let room = VirtualRoom()
        let guests = (0..<Limits.bluetoothGuests).map { _ in guest(of: room) }
        let eighth = guest(of: room)
        #expect(eighth.outcome == .refused(.full, over: .bluetooth))
        let other = room.guest()
        room.connect(other)
        room.say("one")
        room.deliver()
        for guest in guests + [other] { #expect(guest.texts == ["one"]) }
        #expect(eighth.texts.isEmpty)
    }

    @Test func place_isFreeAgain_whenAGuestHasMoved() {
        let room = VirtualRoom()
        let guests = (0..<Limits.bluetoothGuests).map { _ in guest(of: room) }
        room.move(guests[0], to: .network)
        room.deliver()
        let next = guest(of: room)
        room.say("one")
        room.deliver()
        #expect(next.texts == ["one"] && guests[0].texts == ["one"])
        #expect(guests[0].outcome == nil)
    }

    /// The reader hears of the other way and of nothing else.
    @Test func move_isNoLoss_toTheReader() {
        let room = VirtualRoom()
        let guest = guest(of: room)
        room.say("one")
        room.whisper("two is")
        room.deliver()
        let before = guest.events.count
        room.move(guest, to: .network)
        room.deliver()
        let news = guest.events.dropFirst(before)
        for case .state(let state) in news { #expect(state == .live || state.name == "syncing") }
        #expect(guest.lastPartial == "two is")
        let ways = guest.events.compactMap {
            if case .joined(let event) = $0 { event.transport } else { nil }
        }
        #expect(ways == [.bluetooth, .network])
        #expect(room.host.room.counts.unstable <= 1)
    }

    @Test func everyLine_comesOnce_whereverTheGuestMovesWhenever() {
        for seed in UInt64(1)...300 {
            let room = VirtualRoom(seed: seed)
            room.pieceSize = 90
            let guest = guest(of: room)
            var said = 0
            for _ in 0..<40 {
                switch Int.random(in: 0..<6, using: &room.generator) {
                case 0: room.move(guest, to: .network)
                case 1: room.move(guest, to: .bluetooth)
                case 2: room.moveToGuest(guest)
                case 3: room.whisper("perhaps \(said)")
                case 4: room.pass(seconds: 1)
                default:
                    said += 1
                    room.say("line \(said)")
                }
            }
            room.pass(seconds: 2)
            #expect(guest.texts == (0..<said).map { "line \($0 + 1)" }, "seed \(seed)")
        }
    }

    private func guest(of room: VirtualRoom) -> VirtualGuest {
        let guest = room.guest()
        guest.transport = .bluetooth
        room.connect(guest)
        return guest
    }
}
