import BeamscribeCore
import FoundationEssentials
import Testing

/// Who gets in, and who gives way, where a host is full.
@Suite struct GuestPlacesTests {
    private func guest(of room: VirtualRoom, from address: String) -> VirtualGuest {
        let guest = room.guest()
        guest.address = address
        room.connect(guest)
        return guest
    }

    private func isIn(_ guest: VirtualGuest) -> Bool { guest.session.isConnected }

    @Test func newestGuestOfTheGreatestSource_givesWay_toOneFromElsewhere() {
        let room = VirtualRoom(maximumGuests: 4)
        let many = (0..<4).map { _ in guest(of: room, from: "many") }
        let other = guest(of: room, from: "other")
        #expect(isIn(other) && many.map(isIn) == [true, true, true, false])
        room.say("one")
        room.deliver()
        #expect(other.texts == ["one"] && many[0].texts == ["one"])
        #expect(room.host.room.counts.syncing == 4 && room.host.room.brokenInvariant == nil)
    }

    @Test func newcomer_isRefused_whenNoSourceHasMoreThanItWouldHave() {
        let room = VirtualRoom(maximumGuests: 4)
        let seated = ["a", "a", "b", "c"].map { guest(of: room, from: $0) }
        // It would have two, as a has.
        let second = guest(of: room, from: "b")
        #expect(second.outcome == .refused(.full, over: .network))
        #expect(seated.allSatisfy(isIn))
        #expect(isIn(guest(of: room, from: "d")) && !isIn(seated[1]))
        #expect(guest(of: room, from: "e").outcome == .refused(.full, over: .network))
    }

    /// As behind a relay.
    @Test func guestsOfOneSource_pushOutNobody() {
        let room = VirtualRoom(maximumGuests: 8)
        let seated = (0..<8).map { _ in guest(of: room, from: "relay") }
        for _ in 0..<20 { #expect(!isIn(guest(of: room, from: "relay"))) }
        #expect(seated.allSatisfy(isIn))
    }

    /// Those who had to give way come back again and again, and it comes to rest.
    @Test func guestWhoGaveWay_pushesOutNobody_andComesBackWhenThereIsRoom() {
        let room = VirtualRoom(maximumGuests: 12)
        let many = (0..<12).map { _ in guest(of: room, from: "many") }
        let others = (0..<5).map { guest(of: room, from: "other \($0)") }
        #expect(others.allSatisfy(isIn))
        #expect(many.map(isIn) == (0..<12).map { $0 < 7 })
        let refused = { room.hostReports.count { if case .guestLeft = $0 { true } else { false } } }
        let before = refused()
        room.pass(seconds: 60)
        #expect(refused() == before && others.allSatisfy(isIn))
        #expect(many.map(isIn) == (0..<12).map { $0 < 7 })
        room.cut(others[0])
        room.pass(seconds: 15)
        #expect(many.count(where: isIn) + others.count(where: isIn) == 12)
        #expect(room.host.room.brokenInvariant == nil)
    }

    @Test func shares_areEven_whateverComesAndGoes() {
        for seed in UInt64(0)..<40 {
            var generator = SeededGenerator(seed: seed)
            let room = VirtualRoom(seed: seed, maximumGuests: 6)
            for _ in 0..<60 {
                let source = Int.random(in: 0..<4, using: &generator)
                _ = guest(of: room, from: "\(source)")
                if let broken = room.host.room.brokenInvariant { Issue.record("\(broken)") }
                #expect(room.host.room.counts.syncing <= 6)
            }
            let shares = (0..<4).map { source in
                room.guests.count { $0.address == "\(source)" && isIn($0) }
            }
            #expect(shares.reduce(0, +) == 6 && (shares.max() ?? 0) - (shares.min() ?? 0) <= 1)
        }
    }

    @Test func deviceOverBluetooth_givesWay_toAnother_whenItHasMost() {
        let room = VirtualRoom()
        let add = { (device: String) in
            let guest = room.guest()
            (guest.address, guest.transport) = (device, .bluetooth)
            room.connect(guest)
            return guest
        }
        let greedy = (0..<Limits.bluetoothGuests).map { _ in add("greedy") }
        let other = add("other")
        #expect(isIn(other) && greedy.count(where: isIn) == Limits.bluetoothGuests - 1)
    }

    @Test func connectionsThatSayNothing_giveWay_bySource() {
        let room = VirtualRoom(maximumGuests: 2)
        let honest = room.stranger([], from: "honest")
        let flood = (0..<2_000).map { _ in room.stranger([], from: "flood") }
        #expect(room.isOpen(honest))
        #expect(flood.count(where: room.isOpen) == 2 + Limits.pendingConnections - 1)
        #expect(!room.isOpen(flood[0]) && room.isOpen(flood[1_999]))
        #expect(isIn(guest(of: room, from: "other")))
    }

    @Test func connection_isNotSentAway_onceItTakesPart() {
        let room = VirtualRoom()
        let guest = guest(of: room, from: "a")
        #expect(room.host.room.sendAway(guest.wire ?? 0, now: room.now) == [])
        #expect(isIn(guest))
    }
}
