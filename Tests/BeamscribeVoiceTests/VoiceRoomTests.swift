import BeamscribeCore
import BeamscribeVoice
import Testing

/// A host's side of voices, of whose guests nothing good is to be expected.
@Suite struct VoiceRoomTests {
    private typealias Room = VoiceRoom<Int, Int>

    private func room(talkers: Int = 8, listeners: Int = 64) -> Room {
        Room(
            .init(
                channels: [.crew, .floor, VoiceChannel("es", talk: .crew, hear: .event)],
                maximumTalkers: talkers, maximumListeners: listeners), seed: 1)
    }

    private func isRefused(_ actions: [Room.Action], _ reason: VoiceRefused.Reason) -> Bool {
        actions.contains {
            if case .say(.refused(let refused), _) = $0 {
                refused.reason == reason.rawValue
            } else {
                false
            }
        }
    }

    // MARK: Talks that are refused

    /// Ann talks where nobody else may talk with her, and Bob has been told so.
    private func refusedTalk() -> (Room, ann: OutspokenGuest, bob: OutspokenGuest) {
        let room = room(talkers: 1)
        let (ann, bob) = (OutspokenGuest(1, in: room), OutspokenGuest(2, in: room))
        for guest in [ann, bob] { guest.join("crew", talk: "crew", now: .seconds(1)) }
        ann.talk(true, now: .seconds(1))
        #expect(isRefused(bob.talk(true, now: .seconds(1)), .full))
        return (room, ann, bob)
    }

    @Test func whoeverAsksAgain_isAnsweredAgain() {
        let (_, _, bob) = refusedTalk()
        #expect(isRefused(bob.talk(true, now: .seconds(2)), .full))
    }

    @Test func whoeverWasRefused_isHeardLater_howeverHastyHeWas() {
        let (room, ann, bob) = refusedTalk()
        for _ in 0..<40 {
            bob.talk(false, now: .seconds(1))
            bob.talk(true, now: .seconds(1))
        }
        bob.talk(false, now: .seconds(1))
        ann.talk(false, now: .seconds(1))
        let before = room.forwarded
        bob.send(ts: 960, now: .seconds(3))
        #expect(room.forwarded == before + 1)
    }

    @Test func whoeverWasRefused_andSaysNothing_mayBeginAgain() {
        let (room, ann, bob) = refusedTalk()
        bob.send(ts: 480, now: .seconds(1))
        ann.talk(false, now: .seconds(1))
        room.pass(from: .seconds(1), seconds: 3)
        bob.send(ts: 96_000, now: .seconds(4))
        #expect(room.forwarded == 1)
    }

    // MARK: Floods

    /// - Returns: whether it has to go.
    private func isPutOut(sending send: (OutspokenGuest, Duration) -> Void) -> Bool {
        let room = room()
        let guest = OutspokenGuest(1, in: room)
        guest.join("crew", talk: "crew")
        for second in 0..<12 {
            for number in 0..<500 { send(guest, .seconds(second) + .milliseconds(2 * number)) }
            room.pass(from: .seconds(second), seconds: 1)
        }
        return room.count == 0
    }

    @Test func whoeverFloodsWithReports_orWithWhatIsNone_isPutOut() {
        #expect(isPutOut { $0.report(now: $1) })
        #expect(isPutOut { $0.send(payloadType: 0, now: $1) })
        #expect(!isPutOut { if $1.components.attoseconds == 0 { $0.report(now: $1) } })
    }

    /// As where a network has held back what was said for some seconds.
    @Test func whoeverSendsMuchAtOnce_andThenNothing_stays() {
        let room = room()
        let guest = OutspokenGuest(1, in: room)
        guest.join("crew", talk: "crew")
        for number in 0..<600 { guest.send(ts: UInt32(clamping: number) &* 480, now: .seconds(1)) }
        #expect(room.faults[.flood] > 0)
        room.pass(from: .seconds(1), seconds: 20)
        #expect(room.count == 1)
    }

    // MARK: Who runs the event

    @Test func whoeverIsPutOut_isTold_andNobodyIsLetInFromThere_untilTheHostSaysSo() {
        let room = room()
        let (ann, bob) = (OutspokenGuest(1, in: room), OutspokenGuest(2, in: room))
        ann.join("crew", talk: "crew") { $0.device = "A" }
        bob.join("crew") { ($0.device, $0.name) = ("B", "Bob") }
        OutspokenGuest(3, in: room).join("floor", talk: "floor") { $0.isHost = true }
        ann.talk(true, now: .seconds(1))
        var seen = room.participants
        #expect(seen.map(\.device) == ["A", "B"], "the host itself is none of them")
        #expect(seen.map(\.channel) == ["crew", nil] && seen[0].isTalking)
        let actions = room.putOut(device: "A", now: .seconds(2))
        #expect(isRefused(actions, .off))
        let gone = actions.contains {
            if case .say(.peer(let peer), to: 2) = $0 { peer.state == "gone" } else { false }
        }
        #expect(gone, "the others are told")
        let before = room.forwarded
        ann.send(ts: 480, now: .seconds(2))
        #expect(room.forwarded == before)
        // By a new connection, under another name.
        let again = OutspokenGuest(4, in: room)
        let refusal = again.join("floor", now: .seconds(3)) {
            ($0.device, $0.name) = ("A", "Nobody")
        }
        #expect(isRefused(refusal, .off))
        seen = room.participants
        #expect(seen.map(\.name) == ["Bob", "person 1"] && seen[1].isPutOut)
        room.letIn(device: "A")
        #expect(!isRefused(again.join("crew", now: .seconds(4)) { $0.device = "A" }, .off))
        #expect(room.participants.allSatisfy { !$0.isPutOut })
    }

    @Test func nobodyIsPutOut_whoIsNotHere_orIsTheHostItself() {
        let room = room()
        OutspokenGuest(1, in: room).join("floor", talk: "floor") { $0.isHost = true }
        #expect(room.putOut(device: "", now: .seconds(1)).isEmpty)
        #expect(room.putOut(device: "A", now: .seconds(1)).isEmpty)
        #expect(room.count == 1 && room.participants.isEmpty)
    }

    // MARK: Where packets go

    @Test func nothingIsSent_toWhoeverHasNotBeenHeardForLong() {
        let room = room()
        let (ann, bob) = (OutspokenGuest(1, in: room), OutspokenGuest(2, in: room))
        for guest in [ann, bob] { guest.join("crew", talk: "crew") }
        bob.report(now: .seconds(1))
        ann.talk(true, now: .seconds(1))
        ann.send(ts: 480, now: .seconds(9))
        #expect(ann.destinations.contains(2))
        ann.send(ts: 960, now: .seconds(12))
        #expect(!ann.destinations.contains(2))
        bob.report(now: .seconds(13))
        ann.send(ts: 1_440, now: .seconds(13))
        #expect(ann.destinations.contains(2))
    }

    @Test func nothingIsSent_whereAGuestsConnectionDoesNotComeFrom() {
        let room = room()
        let (ann, bob) = (OutspokenGuest(1, in: room), OutspokenGuest(2, in: room))
        ann.join("crew", talk: "crew")
        bob.join("crew") { $0.mayBeAt = { $0 == 2 || $0 == 20 } }
        ann.talk(true, now: .seconds(1))
        bob.report(from: 666, now: .seconds(1))
        #expect(bob.destinations.isEmpty)
        ann.send(ts: 480, now: .seconds(1))
        #expect(ann.destinations == [1])
        bob.report(from: 2, now: .seconds(1))
        bob.report(from: 666, now: .seconds(2))
        ann.send(ts: 960, now: .seconds(2))
        #expect(ann.destinations == [2])
        bob.report(from: 20, now: .seconds(3))
        ann.send(ts: 1_440, now: .seconds(3))
        #expect(ann.destinations == [20])
    }

    // MARK: Reports

    @Test func reportsCount_ofWhoHearsTheTalkerAlone() {
        let room = room()
        let ann = OutspokenGuest(1, in: room)
        let (bob, eve) = (OutspokenGuest(2, in: room), OutspokenGuest(3, in: room, isCrew: false))
        for guest in [ann, bob] { guest.join("crew", talk: "crew") }
        eve.join("floor")
        ann.talk(true, now: .seconds(1))
        var report = RTCPPacket.Report(source: ann.source)
        report.fractionLost = 128
        func wishes(ofReportsBy guest: OutspokenGuest) -> Int {
            (1...5).flatMap { second in
                let now = Duration.seconds(second)
                return guest.report([report], now: now) + room.pass(from: now, seconds: 1)
            }.count { if case .say(.wish, to: 1) = $0 { true } else { false } }
        }
        #expect(wishes(ofReportsBy: eve) == 0)
        #expect(wishes(ofReportsBy: bob) > 0)
    }

    // MARK: Channels

    /// Who hears both channels would begin anew with the keys of a source that he knows, and take for new what is sent
    /// again by somebody else.
    @Test func whoeverChangesChannels_isSomebodyElse() {
        let room = room()
        let (ann, bob) = (OutspokenGuest(1, in: room), OutspokenGuest(2, in: room))
        ann.join("crew", talk: "crew")
        bob.join("crew", "es")
        let (source, key) = (ann.source, ann.key)
        let said = ann.join("crew", talk: "es")
        #expect(ann.source != source && ann.key == key &+ 1)
        let told = said.compactMap { action -> VoicePeer? in
            if case .say(.peer(let peer), to: 2) = action { peer } else { nil }
        }
        #expect(told.map(\.ssrc) == [source, ann.source])
        #expect(told.map(\.state) == ["gone", "here"])
        ann.send(ts: 480, now: .seconds(1))
        #expect(room.forwarded == 1)
        // What he hears counts as well: who takes a channel again has missed an unknown part of it.
        let heard = bob.source
        bob.join("crew")
        #expect(bob.source != heard)
        let same = ann.source
        ann.join("crew", talk: "es")
        #expect(ann.source == same, "nothing has changed")
        #expect(room.count == 2)
    }

    // MARK: Places

    @Test func host_takesNobodysPlace() {
        let room = room(listeners: 1)
        let host = OutspokenGuest(9, in: room, isCrew: false)
        host.join(talk: "floor") { $0.isHost = true }
        let (ann, bob) = (OutspokenGuest(1, in: room), OutspokenGuest(2, in: room))
        ann.join("floor")
        #expect(room.count == 2)
        #expect(isRefused(bob.join("floor"), .full))
    }

    @Test func crew_isNotKeptOut_byWhoIsNotOfIt() {
        let room = room(listeners: 3)
        let readers = (1...3).map { OutspokenGuest($0, in: room, isCrew: false) }
        for reader in readers { reader.join("floor") { $0.origin = "here" } }
        let ann = OutspokenGuest(4, in: room)
        let said = ann.join("crew", talk: "crew") { $0.origin = "here" }
        #expect(said.contains(.say(.refused(VoiceRefused(.off)), to: 3)))
        #expect(ann.source != 0 && room.count == 3)
        // The other way round nobody gives way.
        let bob = OutspokenGuest(5, in: room)
        bob.join("crew") { $0.origin = "there" }
        let eve = OutspokenGuest(6, in: room)
        eve.join("crew") { $0.origin = "there" }
        #expect(room.count == 3)
        let late = OutspokenGuest(7, in: room, isCrew: false)
        #expect(isRefused(late.join("floor") { $0.origin = "elsewhere" }, .full))
    }

    @Test func oneOrigin_doesNotKeepOthersOut() {
        let room = room(listeners: 4)
        for number in 1...4 {
            OutspokenGuest(number, in: room, isCrew: false).join("floor") { $0.origin = "here" }
        }
        for number in 5...6 {
            let guest = OutspokenGuest(number, in: room, isCrew: false)
            guest.join("floor") { $0.origin = "there" }
            #expect(guest.source != 0 && room.count == 4)
        }
        let third = OutspokenGuest(7, in: room, isCrew: false)
        #expect(isRefused(third.join("floor") { $0.origin = "there" }, .full))
        // Nor do those who had to go come back at the cost of others.
        let back = OutspokenGuest(8, in: room, isCrew: false)
        #expect(isRefused(back.join("floor") { $0.origin = "here" }, .full))
    }
}
