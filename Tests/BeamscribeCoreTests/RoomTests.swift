import FoundationEssentials
import Testing

@testable import BeamscribeCore

@Suite struct RoomTests {
    @Test func guest_getsTheWholeTranscript_howeverLateItComes() {
        let room = VirtualRoom()
        let first = room.guest()
        room.connect(first)
        room.say("one", "two")
        room.deliver()
        let late = room.guest()
        room.connect(late)
        room.say("three")
        room.deliver()
        #expect(first.texts == ["one", "two", "three"])
        #expect(late.texts == ["one", "two", "three"])
        #expect(late.lines.map(\.seq) == [1, 2, 3])
    }

    @Test func guest_isStable_afterTheGate() {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        room.pass(seconds: 3)
        #expect(room.host.room.counts.syncing == 1)
        #expect(!room.hostReports.contains { if case .guestJoined = $0 { true } else { false } })
        room.pass(seconds: 2)
        #expect(room.host.room.counts.stable == 1)
        #expect(room.hostReports.contains { if case .guestJoined = $0 { true } else { false } })
    }

    @Test func guest_isCountedUnstable_whenItGoesSoon() {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        room.pass(seconds: 2)
        room.cut(guest)
        #expect(room.host.room.counts.unstable == 1)
        let calm = room.guest()
        room.connect(calm)
        room.pass(seconds: 8)
        room.cut(calm)
        #expect(room.host.room.counts.unstable == 1)
    }

    @Test func bothSides_keepAlive_throughSilence() {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        room.pass(seconds: 120)
        #expect(room.host.room.counts.stable == 1)
        #expect(guest.wire == 1)
        #expect(!guest.states.contains { if case .reconnecting = $0 { true } else { false } })
        #expect(guest.session.roundTrip != nil)
    }

    @Test func connection_ends_withoutAHandshakeInTenSeconds() {
        let room = VirtualRoom()
        let id = room.stranger([])
        room.pass(seconds: 9)
        #expect(room.isOpen(id))
        room.pass(seconds: 2)
        #expect(!room.isOpen(id))
    }

    @Test func guest_isDropped_afterSixSecondsOfSilence() {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        room.pass(seconds: 7, delivering: false)
        #expect(room.host.room.counts.syncing + room.host.room.counts.stable == 0)
    }

    @Test func newerConnection_replacesTheOlder_ofTheSameDevice() {
        let room = VirtualRoom()
        let device = UUID()
        let older = room.guest("older", device: device)
        room.connect(older)
        let newer = room.guest("newer", device: device)
        room.connect(newer)
        room.deliver()
        #expect(older.outcome == .refused(.duplicate, over: .network))
        #expect(newer.outcome == nil)
        room.say("one")
        room.deliver()
        #expect(newer.texts == ["one"])
    }

    @Test func guest_isRefused_whenTheHostIsFull() {
        let room = VirtualRoom(maximumGuests: 1)
        room.connect(room.guest())
        let second = room.guest()
        room.connect(second)
        #expect(second.outcome == .refused(.full, over: .network))
    }

    @Test(arguments: [
        lengthField(0), lengthField(65_537), lengthField(10_485_761), [0xFF, 0xFF, 0xFF, 0xFF],
        framed(Array("garbage".utf8)), framed(Array("[1,2]".utf8)),
        framed(Array(#"{"type":"handshake"}"#.utf8)),
        framed(Array(#"{"type":"keep_alive","timestamp":1}"#.utf8)),
        framed(Array(#"{"type":"handshake","protocol":1,"deviceId":"x","displayName":"y"}"#.utf8)),
        Array("GET / HTTP/1.1\r\n\r\n".utf8), [0x16, 0x03, 0x01, 0x02, 0x00],
    ])
    func connection_endsWithAReason_atBadInput(bytes: [UInt8]) {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        let id = room.stranger(bytes)
        #expect(!room.isOpen(id))
        #expect(
            room.hostReports.contains { if case .connectionRefused = $0 { true } else { false } })
        room.say("still here")
        room.deliver()
        #expect(guest.texts == ["still here"])
    }

    @Test func guest_isDropped_whenItSendsMegabytes() throws {
        let room = VirtualRoom()
        let hello = Handshake(deviceId: UUID().wireName, displayName: "flood")
        let id = room.stranger(try FrameEncoder().frame(.handshake(hello)))
        let noise = try FrameEncoder().frame(.unknown(String(repeating: "x", count: 60_000)))
        var actions: [Room.Action] = []
        for _ in 0..<8 {
            actions += noise.withUnsafeBytes {
                room.host.room.received($0, from: id, now: room.now)
            }
        }
        #expect(actions.contains(.close(id)))
    }

    @Test func guest_isDropped_whenItTakesNothingForAMinute() {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        guest.isFrozen = true
        guest.session.readingPaused(true, now: room.now)
        room.say("one")
        room.pass(seconds: 59)
        #expect(room.host.room.counts.stable == 1)
        room.pass(seconds: 3)
        #expect(room.host.room.counts.stable == 0)
    }

    @Test func host_forgivesSilence_whenItWasAsleepItself() {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        room.pass(seconds: 1)
        let later = room.now.advanced(by: .seconds(3_600))
        #expect(
            room.host.room.tick(later).allSatisfy { if case .close = $0 { false } else { true } })
    }

    @Test func partial_isOwedOnlyInItsNewestForm() {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        guest.isFrozen = true
        room.whisper("go")
        room.whisper("good")
        room.whisper("good mor")
        guest.isFrozen = false
        room.deliver()
        let partials = guest.events.filter { if case .partial = $0 { true } else { false } }
        #expect(partials == [.partial(PartialLine(line: "l-1", text: "good mor"))])
        room.say("good morning")
        room.deliver()
        #expect(guest.lines.map(\.line) == ["l-1"])
    }

    @Test func partial_isNotSent_afterItsFinal() {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        guest.isFrozen = true
        room.whisper("good mor")
        room.say("good morning")
        guest.isFrozen = false
        room.deliver()
        #expect(guest.lastPartial == nil)
        #expect(guest.texts == ["good morning"])
    }

    @Test func everyGuest_getsEverything_beforeTheEnd() {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        room.pieceSize = 50
        for number in 1...200 { room.say("line \(number)") }
        room.finish(.ended)
        #expect(guest.texts.count == 200)
        #expect(guest.alerts == ["ended"])
        #expect(guest.outcome == .ended)
        #expect(!room.host.room.hasConnections)
    }

    @Test func correction_namesOnlyALine_thatIsThere() {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        for replaces in [nil, 1, 2, 99, 0, -1] {
            _ = room.host.publisher.publish(
                final: Caption(text: "x", replaces: replaces), now: room.now)
        }
        room.deliver()
        #expect(guest.lines.map(\.replaces) == [nil, 1, 2, nil, nil, nil])
    }

    @Test func laggingGuest_isToldOfTheGap_evenWhenTheEventEnds() {
        let room = VirtualRoom(transcript: Transcript(limit: 4_096, chunkSize: 2_048))
        let guest = room.guest()
        room.connect(guest)
        guest.isFrozen = true
        for number in 1...100 { room.say("line number \(number)") }
        guest.isFrozen = false
        room.finish(.ended)
        #expect(guest.events.contains { if case .gap(from: 1, _) = $0 { true } else { false } })
        #expect(guest.lines.last?.seq == 100)
        #expect(guest.outcome == .ended)
    }

    @Test func slowGuest_mayReadToTheEnd_longAfterTheEvent() {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        guest.isFrozen = true
        guest.session.readingPaused(true, now: room.now)
        room.say("one", "two")
        room.finish(.ended)
        room.pass(seconds: 40)
        guest.isFrozen = false
        room.deliver()
        #expect(guest.texts == ["one", "two"])
        #expect(guest.outcome == .ended)
    }

    @Test func vanishedGuest_isNotWaitedFor_atTheEnd() {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        guest.isFrozen = true
        room.say("one")
        room.finish(.ended)
        room.pass(seconds: 7, delivering: false)
        #expect(!room.host.room.hasConnections)
    }

    @Test func guestInItsHandshake_getsEverything_atTheEnd() throws {
        let room = VirtualRoom()
        room.say("one")
        let id = room.stranger([])
        room.finish(.ended)
        let hello = try FrameEncoder().frame(
            .handshake(Handshake(deviceId: UUID().wireName, displayName: "late")))
        _ = hello.withUnsafeBytes { room.host.room.received($0, from: id, now: room.now) }
        var sent: [UInt8] = []
        let handle = try #require(room.handle(of: id))
        let drained = room.host.room.drain(handle, now: room.now) {
            sent += $0; return $0.count
        }
        #expect(drained == .forGood)
        let text = String(decoding: sent, as: UTF8.self)
        #expect(text.contains("\"one\"") && text.contains("\"ended\""))
    }

    @Test func lateGuest_learns_thatTheInputHasEnded() {
        let room = VirtualRoom()
        room.host.log.tell(.inputEnded, "over", now: room.now)
        let guest = room.guest()
        room.connect(guest)
        #expect(guest.alerts == ["input_ended"])
        #expect(guest.states.last == .stalled(.ended))
    }

    @Test func deviceThatWasHereBefore_learnsThatTheEventGoesOn_once() throws {
        let session = UUID()
        func told(runs: Int, resuming session: UUID?, run: Int?) -> [Bool] {
            var counted = SessionRuns()
            for _ in 1..<runs { counted.begin(after: 0) }
            let now = Moment(uptime: .seconds(1_000), wall: 1_800_000_000)
            let room = VirtualRoom(
                serving: EventLog(
                    session: sessionOfRoom, runs: counted, transcript: Transcript(), now: now))
            let device = UUID()
            return (1...2).map { _ in
                let resume = session.map {
                    Handshake.Resume(session: $0.uuidString, after: 0, run: run)
                }
                let guest = room.guest(device: device, resuming: resume)
                room.connect(guest)
                room.cut(guest)
                return guest.alerts.contains("session_resumed")
            }
        }
        let sessionOfRoom = session
        #expect(told(runs: 2, resuming: session, run: 1) == [true, false])
        #expect(told(runs: 2, resuming: session, run: nil) == [true, false])
        #expect(told(runs: 2, resuming: session, run: 2) == [false, false])
        #expect(told(runs: 1, resuming: session, run: nil) == [false, false])
        #expect(told(runs: 2, resuming: nil, run: nil) == [false, false])
        #expect(told(runs: 2, resuming: UUID(), run: 1) == [false, false])
    }

    @Test func signsOfLife_doNotComeInStep() {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        var times: [Int] = []
        for second in 1...200 {
            let before = guest.received.count
            room.pass(seconds: 1)
            if guest.received.count > before { times.append(second) }
        }
        let pauses = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(Set(pauses) == [3, 4] && pauses.count > 40)
    }

    @Test func connection_isNews_unlessNobodySaidAnything() {
        let room = VirtualRoom()
        func reports(saying bytes: [UInt8], _ why: String) -> Int {
            let id = room.stranger(bytes)
            return room.host.room.disconnected(id, why: why, now: room.now).count
        }
        #expect(reports(saying: [], Room.closedByPeer) == 0)
        #expect(reports(saying: [], "was cut off") == 1)
        #expect(reports(saying: [0], Room.closedByPeer) == 1)
    }

    @Test func hosts_signOfLife_isAnnouncedWithItsInterval() throws {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        let welcome = String(decoding: guest.received.prefix(600), as: UTF8.self)
        #expect(welcome.contains(#""keepAliveInterval":2"#), "\(welcome)")
    }

    @Test func guest_maySayItsShare_inEachWindow() throws {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        let id = try #require(guest.wire)
        func says(_ count: Int, _ time: Duration) -> [Room.Action] {
            let now = room.now.advanced(by: time)
            return room.host.room.receivedOverhead(count, from: id, now: now)
        }
        let window = Limits.guestBytesWindow + .milliseconds(1)
        #expect(says(Limits.guestBytesPerWindow, window).isEmpty)
        #expect(says(Limits.guestBytesPerWindow, window * 2).isEmpty)
        #expect(says(1, window * 2).contains(.close(id)))
    }

    @Test func host_echoesTheClock_thatAGuestToldItLast() throws {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        let id = try #require(guest.wire)
        let frame = try FrameEncoder().frame(.keepAlive(KeepAlive(timestamp: 4_711)))
        _ = frame.withUnsafeBytes { room.host.room.received($0, from: id, now: room.now) }
        let before = guest.received.count
        let heard = room.now.wall
        for _ in 1...5 where guest.received.count == before { room.pass(seconds: 1) }
        let said = String(decoding: guest.received.dropFirst(before), as: UTF8.self)
        #expect(
            said.contains(#""echo":4711"#)
                && said.contains(#""received":\#(Int(saturating: heard))"#),
            "\(said)")
    }
}
