import BeamscribeCore
import FoundationEssentials
import Testing

/// A guest session and what a host that is made of a test's words sends it.
final class FakeHost {
    static let session = "6265616d-7363-4269-a265-000000000001"
    let guest: GuestSession
    private(set) var events: [GuestEvent] = []
    private(set) var outcome: GuestOutcome?
    private(set) var isConnected = false
    private(set) var now: Moment
    /// What the guest has sent, frame by frame.
    private(set) var sent: [[UInt8]] = []
    /// What its connections prove.
    var security = ConnectionSecurity.plain

    init(_ guest: GuestSession, now: Moment) {
        self.guest = guest
        self.now = now
    }

    convenience init() {
        let now = Moment(uptime: .seconds(5), wall: 1_000)
        let configuration = GuestSession.Configuration(displayName: "x")
        self.init(GuestSession(configuration, seed: 1, now: now), now: now)
    }

    static func welcome(lastSeq: Int, session: String = session) -> HandshakeResponse {
        var response = HandshakeResponse(status: .accepted)
        (response.session, response.lastSeq, response.firstSeq) = (session, lastSeq, 1)
        return response
    }

    /// Waits for the guest to dial, and lets it in.
    func connect() {
        while !isConnected, outcome == nil, let due = guest.nextDeadline {
            now = now.advanced(by: max(.zero, due - now.uptime))
            perform(guest.tick(now))
        }
    }

    func open(lines: Int = 0) {
        connect()
        send(.handshakeResponse(Self.welcome(lastSeq: lines)))
        send(.fullHistory(FullHistory(session: Self.session, from: 1 + taken, through: lines)))
    }

    func send(_ packet: Packet) {
        send((try? FrameEncoder().frame(packet)) ?? [])
    }

    func send(_ bytes: [UInt8]) {
        perform(bytes.withUnsafeBytes { guest.received($0, now: now) })
    }

    func sendLine(_ seq: Int, _ text: String = "x") {
        send(.liveChunk(LiveChunk(final: seq, line: "l-\(seq)", text: text, sentTimestamp: 1)))
    }

    /// Time passes, and the guest is told.
    func pass(_ time: Duration) {
        now = now.advanced(by: time)
        perform(guest.tick(now))
    }

    private var taken: Int { guest.position?.after ?? 0 }

    private func perform(_ actions: [GuestSession.Action]) {
        for action in actions {
            switch action {
            case .connect:
                isConnected = true
                perform(guest.connected(security: security, as: UUID(), now: now))
            case .disconnect: isConnected = false
            case .report(let event): events.append(event)
            case .finish(let outcome): self.outcome = outcome
            case .send(let frame): sent.append(frame)
            case .hear, .goElsewhere, .pull, .proveCode, .judgeCode, .voices, .voice: continue
            }
        }
    }

    var lines: [TranscriptLine] {
        events.compactMap { if case .line(let line) = $0 { line } else { nil } }
    }
}

@Suite struct LyingHostTests {
    /// Each lie is told after lines 1 and 2.
    static let lies: [(String, Packet)] = [
        ("a gap", chunk(4)), ("a repetition", chunk(2)), ("going back", chunk(1)),
        ("a number below all", chunk(-7)),
        ("a huge line", chunk(3, String(repeating: "x", count: Limits.lineBytes + 1))),
        ("another session", .fullHistory(FullHistory(session: "nonsense", from: 3, through: 3))),
        (
            "history again",
            .fullHistory(FullHistory(session: FakeHost.session, from: 1, through: 2))
        ),
        (
            "history backwards",
            .fullHistory(FullHistory(session: FakeHost.session, from: 9, through: 3))
        ),
    ]

    static func chunk(_ seq: Int, _ text: String = "lie") -> Packet {
        .liveChunk(LiveChunk(final: seq, line: "l", text: text, sentTimestamp: 1))
    }

    @Test(arguments: lies.indices)
    func guest_tellsNothingWrong_andGivesUp_whenTheHostLies(index: Int) {
        let host = FakeHost()
        for _ in 0..<3 {
            host.open(lines: 2)
            for seq in 1...2 where seq > host.guest.position?.after ?? 0 {
                host.sendLine(seq, "true \(seq)")
            }
            host.send(Self.lies[index].1)
            #expect(!host.isConnected)
        }
        #expect(host.lines.map(\.text) == ["true 1", "true 2"])
        guard case .protocolViolation? = host.outcome else {
            Issue.record("\(Self.lies[index].0): \(String(describing: host.outcome))")
            return
        }
    }

    @Test func guest_takesAFinal_onlyWithItsNumber() {
        let host = FakeHost()
        host.open()
        host.send(
            framed(
                Array(
                    #"{"type":"liveChunk","isFinal":true,"line":"l","text":"x","sentTimestamp":1}"#
                        .utf8)))
        #expect(!host.isConnected)
        #expect(host.lines.isEmpty)
        let why = "the machine that answers sent a final line without its number"
        #expect(host.events.contains(.trouble(why)))
    }

    @Test func guest_comesBack_afterOneMistake() {
        let host = FakeHost()
        host.open()
        host.sendLine(1)
        host.send(lengthField(0))
        host.open(lines: 2)
        host.sendLine(2)
        #expect(host.lines.map(\.seq) == [1, 2])
        #expect(host.outcome == nil)
    }

    @Test func guest_refuses_anotherSessionThanItHas() {
        let host = FakeHost()
        host.open()
        host.sendLine(1)
        host.send(lengthField(0))
        host.connect()
        host.send(
            .handshakeResponse(FakeHost.welcome(lastSeq: 5, session: UUID().wireName)))
        #expect(host.outcome == .anotherSession)
    }

    private func key(_ byte: UInt8) -> ConnectionSecurity {
        .key(Fingerprint(bytes: Array(repeating: byte, count: 32))!, isNew: false)
    }

    /// Has lines 1 and 2 of "A", and is answered by another session.
    private func answered(
        _ name: String, proving security: ConnectionSecurity, from: GuestSession.Start = .beginning
    ) -> FakeHost {
        let now = Moment(uptime: .seconds(5), wall: 1_000)
        var configuration = GuestSession.Configuration(displayName: "x")
        configuration.start = from
        let host = FakeHost(GuestSession(configuration, seed: 1, now: now), now: now)
        host.security = key(1)
        host.connect()
        var welcome = FakeHost.welcome(lastSeq: 0)
        welcome.eventName = "A"
        host.send(.handshakeResponse(welcome))
        host.send(.fullHistory(FullHistory(session: FakeHost.session, from: 1, through: 0)))
        host.sendLine(1)
        host.sendLine(2)
        host.send(lengthField(0))
        host.security = security
        host.connect()
        welcome = FakeHost.welcome(lastSeq: 1, session: UUID(uuidString: Self.other)!.wireName)
        welcome.eventName = name
        host.send(.handshakeResponse(welcome))
        return host
    }

    private static let other = "6265616D-7363-4269-A265-000000000002"

    @Test(arguments: [GuestSession.Start.beginning, .next, .line(2)])
    func guest_followsItsHost_whenThatHasBegunAnew(from: GuestSession.Start) throws {
        let host = answered("A", proving: key(1), from: from)
        let session = UUID(uuidString: Self.other)!.wireName
        host.send(.fullHistory(FullHistory(session: session, from: 1, through: 1)))
        host.sendLine(1, "new")
        #expect(host.outcome == nil)
        let anew = try #require(host.events.firstIndex(of: .begunAnew))
        let after = host.events[anew...].compactMap { event -> String? in
            if case .line(let line) = event { line.text } else { nil }
        }
        #expect(after == ["new"])
        #expect(host.guest.position?.session == session && host.guest.position?.after == 1)
    }

    @Test func guest_followsNobody_withAnotherNameOrKeyOrNone() {
        for (name, security) in [("B", key(1)), ("A", key(2)), ("A", .plain)] {
            let host = answered(name, proving: security)
            #expect(host.outcome == .anotherSession)
            #expect(!host.events.contains(.begunAnew))
        }
    }

    @Test func guest_makesControlCharactersVisible_inText() {
        let host = FakeHost()
        host.connect()
        var welcome = FakeHost.welcome(lastSeq: 0)
        welcome.eventName = "Town\u{1B}[2J Hall"
        host.send(.handshakeResponse(welcome))
        host.send(.fullHistory(FullHistory(session: FakeHost.session, from: 1, through: 0)))
        host.sendLine(1, "a\u{1B}]0;x\u{7}b\nc")
        host.send(.alert(Alert(.paused, "back\u{1B}[31m soon", sentTimestamp: 1)))
        #expect(host.lines.first?.text == "a␛]0;x␇b c")
        #expect(host.events.contains(.alert(kind: "paused", message: "back␛[31m soon")))
        #expect(
            host.events.contains {
                if case .joined(let event) = $0 {
                    event.eventName == "Town␛[2J Hall"
                } else {
                    false
                }
            })
    }

    @Test func guest_survives_anythingAtAll() {
        var generator = SeededGenerator(seed: 6)
        for _ in 0..<60 {
            let host = FakeHost()
            host.connect()
            while host.isConnected {
                host.send(randomBytes(1...200, &generator))
            }
            #expect(host.lines.isEmpty)
        }
    }
}
