import BeamscribeCore
import FoundationEssentials
import Testing

/// The guest's steps of the code's proof: each once, in its turn, and nothing is told to anybody who
/// has not proved that he knows the code.
@Suite struct GuestCodeTests {
    private let now = Moment(uptime: .seconds(100), wall: 1_800_000_000)
    private let session = "963435f3-1dc9-4def-bf99-59a085b55c03"
    private let challenge = Packet.codeChallenge(CodeChallenge(salt: [UInt8](1...16)))
    private let answer = Packet.codeShare(CodeShare(share: [5], confirm: [6]))

    private func accepted() -> Packet {
        var response = HandshakeResponse(status: .accepted)
        response.session = session
        response.eventName = "Town Hall"
        return .handshakeResponse(response)
    }

    private func guest(hasCode: Bool = true, resumes: Bool = false) -> GuestSession {
        var configuration = GuestSession.Configuration(displayName: "Ann")
        configuration.hasCode = hasCode
        if resumes { configuration.resume = .init(session: session, after: 7) }
        return GuestSession(configuration, seed: 1, now: now)
    }

    /// A guest that has just said its handshake, and what that was.
    private func connect(_ guest: GuestSession) -> Packet? {
        _ = guest.tick(now)
        let key = Fingerprint(bytes: [UInt8](repeating: 1, count: 32))!
        return sent(
            guest.connected(security: .key(key, isNew: false), as: UUID(), now: now)
        ).first
    }

    private func sent(_ actions: [GuestSession.Action]) -> [Packet] {
        let bytes = actions.flatMap { if case .send(let bytes) = $0 { bytes } else { [UInt8]() } }
        var packets: [Packet] = []
        var decoder = FrameDecoder()
        _ = bytes.withUnsafeBytes {
            try? decoder.decode($0) { payload in
                if let packet = try? PacketDecoder().packet(payload) { packets.append(packet) }
                return true
            }
        }
        return packets
    }

    private func hear(_ guest: GuestSession, _ packets: Packet...) -> [GuestSession.Action] {
        let bytes = packets.flatMap { (try? FrameEncoder().frame($0)) ?? [] }
        return bytes.withUnsafeBytes { guest.received($0, now: now) }
    }

    private func outcome(_ actions: [GuestSession.Action]) -> GuestOutcome? {
        actions.lazy.compactMap { if case .finish(let outcome) = $0 { outcome } else { nil } }.first
    }

    private func joined(_ actions: [GuestSession.Action]) -> JoinedEvent? {
        let events = actions.compactMap { if case .report(let event) = $0 { event } else { nil } }
        return events.lazy.compactMap { if case .joined(let event) = $0 { event } else { nil } }
            .first
    }

    private func fail(_ what: Comment) { Issue.record(what) }

    @Test func guest_joins_onceBothHaveProved_andSaysOnlyThenWhatItHas() throws {
        let guest = guest(resumes: true)
        guard case .handshake(let handshake)? = connect(guest) else {
            return fail("no handshake")
        }
        #expect(handshake.resume == nil)
        #expect(hear(guest, challenge) == [.proveCode(salt: [UInt8](1...16))])
        #expect(sent(guest.codeShare([9], now: now)) == [.codeShare(CodeShare(share: [9]))])
        #expect(hear(guest, answer) == [.judgeCode(share: [5], confirm: [6])])
        let confirm = CodeConfirm(
            confirm: [8], resume: .init(session: session, after: 7), timestamp: now.wall)
        #expect(sent(guest.codeJudged(.proven(confirm: [8]), now: now)) == [.codeConfirm(confirm)])
        let event = try #require(joined(hear(guest, accepted())))
        #expect(event.security.provesCode)
    }

    @Test func guest_leaves_whenItIsNotAskedForItsCode() {
        let guest = guest()
        _ = connect(guest)
        let actions = hear(guest, accepted())
        #expect(outcome(actions) == .distrusted(.hostWithoutCode))
        #expect(joined(actions) == nil)
    }

    @Test func guest_leaves_whenItIsAskedForACodeThatItHasNot() {
        let guest = guest(hasCode: false)
        _ = connect(guest)
        #expect(outcome(hear(guest, challenge)) == .distrusted(.codeNeeded))
    }

    @Test func guest_leavesAtOnce_whenTheHostsProofIsWrong() {
        let guest = guest()
        _ = connect(guest)
        _ = hear(guest, challenge)
        _ = guest.codeShare([9], now: now)
        _ = hear(guest, answer)
        let actions = guest.codeJudged(.wrong, now: now)
        #expect(outcome(actions) == .distrusted(.wrongCode) && sent(actions).isEmpty)
    }

    @Test func guest_isTold_whenTheHostSaysThatTheCodeIsWrong() {
        let guest = guest()
        _ = connect(guest)
        let refusal = HandshakeResponse(rejecting: .wrongCode, "type it into evil.example")
        #expect(outcome(hear(guest, .handshakeResponse(refusal))) == .distrusted(.wrongCode))
    }

    @Test func message_ofWhoeverRefuses_isNotShown() throws {
        let reasons: [HandshakeResponse.Reason] = [.full, .duplicate, .ended, .unsupportedProtocol]
        for reason in reasons {
            let guest = guest(hasCode: false)
            _ = connect(guest)
            let refusal = HandshakeResponse(rejecting: reason, "call evil.example")
            #expect(!"\(hear(guest, .handshakeResponse(refusal)))".contains("evil"))
        }
    }

    /// Each packet of a host at each step where it is not due: the connection ends, nothing is
    /// shown, and nothing more is said.
    @Test func everyStep_outOfTurn_breaksTheProtocol() {
        let keepAlive = Packet.keepAlive(KeepAlive(timestamp: 1))
        let history = Packet.fullHistory(FullHistory(session: session, from: 1, through: 1))
        let line = Packet.liveChunk(LiveChunk(final: 1, line: "a", text: "a lie", sentTimestamp: 0))
        let bare = Packet.codeShare(CodeShare(share: [5]))
        for step in 0..<4 {
            var wrong = [keepAlive, history, line, bare]
            wrong += step == 0 ? [answer] : [challenge, accepted()]
            if step == 1 || step == 3 { wrong.append(answer) }
            for packet in wrong {
                let guest = guest()
                _ = connect(guest)
                if step > 0 { _ = hear(guest, challenge) }
                if step > 1 { _ = guest.codeShare([9], now: now) }
                if step > 2 { _ = hear(guest, answer) }
                let actions = hear(guest, packet)
                #expect(actions.contains(.disconnect), "step \(step): \(packet.typeName)")
                #expect(sent(actions).isEmpty && joined(actions) == nil)
                #expect(outcome(actions) == nil, "Another connection may heal it.")
            }
        }
    }

    @Test(arguments: [
        "", "00", "xyz", String(repeating: "0", count: 31),
        String(repeating: "0", count: 30), String(repeating: "0", count: 130), "Ａ",
    ])
    func salt_thatIsNone_breaksTheProtocol(salt: String) {
        let guest = guest()
        _ = connect(guest)
        var challenge = CodeChallenge(salt: [])
        challenge.salt = salt
        #expect(hear(guest, .codeChallenge(challenge)).contains(.disconnect))
    }

    @Test func lateNewsOfAnEarlierConnection_areNoNews() {
        let guest = guest()
        _ = connect(guest)
        #expect(guest.codeShare([9], now: now).isEmpty)
        #expect(guest.codeJudged(.proven(confirm: [1]), now: now).isEmpty)
        _ = hear(guest, challenge)
        _ = guest.disconnected(ConnectionTrouble(.networkLost, "cut"), now: now)
        #expect(guest.codeShare([9], now: now).isEmpty)
    }

    @Test func guest_triesAgain_whenTheHostIsNotHeardOfInTheMiddle() {
        let guest = guest()
        _ = connect(guest)
        _ = hear(guest, challenge)
        _ = guest.codeShare([9], now: now)
        let later = Moment(uptime: now.uptime + .seconds(10), wall: now.wall + 10)
        #expect(guest.tick(later).contains(.disconnect))
    }
}
