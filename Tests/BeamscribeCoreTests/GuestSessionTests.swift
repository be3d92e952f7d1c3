import BeamscribeCore
import FoundationEssentials
import Testing

@Suite struct GuestSessionTests {
    /// A reader that is slow holds up the host's answer: the host has heard nothing meanwhile.
    @Test func guest_speaksAtOnce_whenItsHandshakeTookLong() {
        let room = VirtualRoom()
        let guest = room.guest()
        guest.isFrozen = true
        room.connect(guest)
        guest.session.readingPaused(true, now: room.now)
        room.pass(seconds: 4)
        guest.session.readingPaused(false, now: room.now)
        guest.isFrozen = false
        room.pass(seconds: 30)
        #expect(guest.session.isConnected && guest.wire == 1)
    }

    @Test func guest_goesOnWhereItWas_afterACut() {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        room.say("one", "two")
        room.deliver()
        room.cut(guest)
        room.say("three")
        room.pass(seconds: 3)
        #expect(guest.texts == ["one", "two", "three"])
        #expect(guest.session.position?.after == 3)
    }

    @Test func guest_triesForEver_withGrowingPauses() {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        guest.canConnect = false
        room.cut(guest)
        room.pass(seconds: 300)
        #expect(guest.outcome == nil)
        let tries = guest.events.filter { if case .trouble = $0 { true } else { false } }.count
        #expect((25...45).contains(tries))
        guest.canConnect = true
        room.say("after all")
        room.pass(seconds: 13)
        #expect(guest.texts == ["after all"])
    }

    @Test func guest_isLost_whenItMayNotComeBack() {
        let room = VirtualRoom()
        let guest = room.guest(reconnects: false)
        room.connect(guest)
        room.cut(guest)
        #expect(guest.outcome == .lost(why: "cut"))
    }

    @Test func guest_triesAtOnce_whenItsProspectsChange() {
        let room = VirtualRoom()
        let guest = room.guest()
        guest.canConnect = false
        room.connect(guest)
        room.pass(seconds: 20)
        let due = guest.session.nextDeadline ?? .zero
        #expect(due > room.now.uptime)
        #expect(guest.session.prospectsChanged(now: room.now).contains(.connect))
    }

    @Test func guest_notices_thatTheHostIsSilent() {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        guest.isFrozen = true
        room.pass(seconds: 8)
        #expect(guest.states.contains { if case .reconnecting = $0 { true } else { false } })
    }

    @Test func guest_waitsPatiently_whileItsReaderIsBusy() {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        guest.isFrozen = true
        guest.session.readingPaused(true, now: room.now)
        room.pass(seconds: 30)
        #expect(!guest.states.contains { if case .reconnecting = $0 { true } else { false } })
    }

    @Test func guest_comesBack_afterAGoodbyeWithoutAnEnd() {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        room.finish(.hostDisconnected)
        #expect(guest.outcome == nil)
        #expect(guest.alerts == ["host_disconnected"])
        guard case .reconnecting(let loss)? = guest.states.last else {
            Issue.record("not reconnecting")
            return
        }
        #expect(loss.cause == .hostGone)
        #expect(loss.why == "the host has stopped")
    }

    @Test func guest_skipsHistory_whenItDoesNotWantIt() {
        let room = VirtualRoom()
        room.say("old", "older")
        let guest = room.guest(start: .next)
        room.connect(guest)
        room.say("new")
        room.deliver()
        #expect(guest.texts == ["new"])
        #expect(guest.lines.map(\.seq) == [3])
        room.cut(guest)
        room.say("newer")
        room.pass(seconds: 3)
        #expect(guest.texts == ["new", "newer"])
    }

    @Test func guest_begins_atTheLineItAskedFor() {
        let room = VirtualRoom()
        room.say("one", "two", "three")
        let guest = room.guest(start: .line(2))
        room.connect(guest)
        #expect(guest.texts == ["two", "three"])
    }

    @Test func guest_getsNothing_beforeTheLineItAskedFor() {
        let room = VirtualRoom()
        room.say("one")
        let guest = room.guest(start: .line(4))
        room.connect(guest)
        room.say("two", "three", "four", "five")
        room.deliver()
        #expect(guest.texts == ["four", "five"])
    }

    @Test func guest_isToldOfTheGap_whenTheHostHasLetLinesGo() {
        let transcript = Transcript(limit: 4_096, chunkSize: 2_048)
        let room = VirtualRoom(transcript: transcript)
        for number in 1...100 { room.say("line number \(number)") }
        let guest = room.guest()
        room.connect(guest)
        let first = transcript.firstSeq
        #expect(first > 1)
        #expect(guest.events.contains(.gap(from: 1, through: first - 1)))
        #expect(guest.lines.map(\.seq) == Array(first...100))
    }

    @Test func laggingGuest_isToldOfTheGap_andGoesOnBehindIt() {
        let room = VirtualRoom(transcript: Transcript(limit: 4_096, chunkSize: 2_048))
        let guest = room.guest()
        room.connect(guest)
        room.pieceSize = 10
        room.say("first")
        room.moveToGuest(guest)
        for number in 2...100 { room.say("line number \(number)") }
        room.deliver()
        let seqs = guest.lines.map(\.seq)
        #expect(seqs.first == 1)
        #expect(seqs.last == 100)
        #expect(seqs.count < 100)
        guard
            case .gap(2, let through)? = guest.events.first(where: {
                if case .gap = $0 { true } else { false }
            })
        else {
            Issue.record("no gap was told: \(guest.events)")
            return
        }
        #expect(seqs.dropFirst().first == through + 1)
    }

    @Test func partials_areWithdrawn_whenTheConnectionIsLost() {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        room.whisper("good mor")
        room.deliver()
        room.cut(guest)
        #expect(guest.lastPartial == "")
    }

    @Test func latency_isCorrectedByTheClocks() throws {
        var configuration = GuestSession.Configuration(displayName: "x")
        configuration.reconnects = false
        let now = Moment(uptime: .seconds(5), wall: 1_000)
        let script = FakeHost(GuestSession(configuration, seed: 1, now: now), now: now)
        script.connect()
        // The host's clock is 500 s ahead.
        var response = FakeHost.welcome(lastSeq: 0)
        (response.timestamp, response.echo, response.received) = (1_500, 1_000, 1_500)
        script.send(.handshakeResponse(response))
        script.send(.fullHistory(FullHistory(session: FakeHost.session, from: 1, through: 0)))
        script.send(
            .liveChunk(LiveChunk(final: 1, line: "l", text: "x", sentTimestamp: 1_499.75)))
        #expect(abs(try #require(script.lines.first).latency - 0.25) < 1e-9)
    }

    /// How long a guest waits for a host that speaks this slowly, in whole seconds.
    private func patience(_ keepAliveInterval: Double?) -> Int {
        let host = FakeHost()
        host.connect()
        var welcome = FakeHost.welcome(lastSeq: 0)
        welcome.keepAliveInterval = keepAliveInterval
        host.send(.handshakeResponse(welcome))
        var seconds = 0
        while host.isConnected, seconds < 5_000 {
            host.pass(.seconds(1))
            seconds += 1
        }
        return seconds
    }

    @Test func slowHost_isGivenItsTime_withinReason() {
        let cases: [(Double?, Int)] = [
            (nil, 6), (2, 6), (0, 6), (-1, 6), (12, 16), (3_600, 3_604), (3_600.5, 6),
        ]
        for (interval, seconds) in cases { #expect(patience(interval) == seconds) }
    }

    @Test func connection_isNotWanted_whereNobodyDials() {
        let now = Moment(uptime: .seconds(5), wall: 1_000)
        let guest = GuestSession(.init(displayName: "x"), seed: 1, now: now)
        #expect(guest.connected(as: UUID(), now: now) == [.disconnect])
        #expect(guest.moved(over: .network, as: UUID(), now: now) == [.disconnect])
        #expect(guest.disconnected(ConnectionTrouble(.hostLost, "x"), now: now).isEmpty)
        #expect(guest.connectionFailed(ConnectionTrouble(.hostLost, "x"), now: now).isEmpty)
    }

    @Test func guest_thatWasInTheRoom_comesBackToAFullOne() {
        let host = FakeHost()
        host.open()
        host.send(lengthField(0))
        host.connect()
        host.send(.handshakeResponse(HandshakeResponse(rejecting: .full, "full")))
        #expect(host.outcome == nil && !host.isConnected)
        let losses = host.events.compactMap {
            if case .state(.reconnecting(let loss)) = $0 { loss.cause } else { nil }
        }
        #expect(losses.last == .hostLost)
        let stranger = FakeHost()
        stranger.connect()
        stranger.send(.handshakeResponse(HandshakeResponse(rejecting: .full, "full")))
        #expect(stranger.outcome == .refused(.full, over: .network))
    }

    /// Who holds an event has something to give sooner or later.
    @Test func newcomer_comesBackToOne_whoHasNothingYet() {
        let holder = FakeHost()
        holder.connect()
        holder.send(.handshakeResponse(HandshakeResponse(rejecting: .behind, "not yet")))
        #expect(holder.outcome == nil && !holder.isConnected)
        #expect(holder.guest.nextDeadline != nil)
    }

    @Test(arguments: [(3_999, false), (4_000, true)])
    func pauses_beginAnew_onceAConnectionHasHeldForTheGate(held: Int, isAtOnce: Bool) {
        let host = FakeHost()
        host.open()
        host.send(lengthField(0))
        host.open()
        host.pass(.milliseconds(held))
        host.send([])
        host.send(lengthField(0))
        #expect((host.guest.nextDeadline == host.now.uptime) == isAtOnce)
    }

    @Test(arguments: [(39, true), (40, false)])
    func brokenRules_areForgotten_onceAConnectionHasHeldForTenGates(held: Int, isOver: Bool) {
        let host = FakeHost()
        for _ in 0..<2 {
            host.open()
            host.send(lengthField(0))
        }
        host.open()
        for second in 1...held {
            host.pass(.seconds(1))
            host.send(.keepAlive(KeepAlive(timestamp: 1_000 + Double(second))))
        }
        host.send(lengthField(0))
        #expect((host.outcome != nil) == isOver)
    }

    @Test func guest_leavesAnotherEvent_beforeItIsInIt() {
        var configuration = GuestSession.Configuration(displayName: "x")
        configuration.wantedEvent = "Town Hall"
        let now = Moment(uptime: .seconds(5), wall: 1_000)
        let host = FakeHost(GuestSession(configuration, seed: 1, now: now), now: now)
        host.connect()
        var welcome = FakeHost.welcome(lastSeq: 0)
        welcome.eventName = "Cinema"
        host.send(.handshakeResponse(welcome))
        #expect(host.outcome == .anotherEvent("Cinema") && !host.guest.isConnected)
        #expect(!host.events.contains { if case .joined = $0 { true } else { false } })
    }
}
