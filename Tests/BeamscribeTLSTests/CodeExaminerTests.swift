import BeamscribeCore
import FoundationEssentials
import Testing

@testable import BeamscribeTLS

/// A host's part of the proof: each step once, in its turn, and one guess.
@Suite struct CodeExaminerTests {
    private let exporter = [UInt8](repeating: 7, count: 32)
    private let secret: CodeSecret
    private let handshake = Handshake(
        deviceId: "963435f3-1dc9-4def-bf99-59a085b55c03", displayName: "Ann", timestamp: 5)
    private let resume = Handshake.Resume(
        session: "a63435f3-1dc9-4def-bf99-59a085b55c03", after: 7)

    init() async throws {
        secret = try CodeSecret(of: EventCode("4821-7730"), salt: [UInt8](1...16))
    }

    private func examiner() throws -> CodeExaminer {
        CodeExaminer(try secret.record(), exporter: exporter, over: .network)
    }

    private func frame(_ packet: Packet) throws -> [UInt8] { try FrameEncoder().frame(packet) }

    private func packets(_ bytes: [UInt8]) -> [Packet] {
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

    private func hear(_ examiner: inout CodeExaminer, _ bytes: [UInt8]) -> [CodeExaminer.Event] {
        bytes.withUnsafeBytes { examiner.receive($0) }
    }

    private func hear(
        _ examiner: inout CodeExaminer, _ packet: Packet
    ) throws -> [CodeExaminer.Event] {
        hear(&examiner, try frame(packet))
    }

    /// Goes as far as the host's share, and returns what the guest then says.
    private func confirmation(_ examiner: inout CodeExaminer) throws -> [UInt8] {
        _ = try hear(&examiner, .handshake(handshake))
        let proof = try CodeProof(secret, exporter: exporter)
        #expect(try hear(&examiner, .codeShare(CodeShare(share: proof.share))) == [.guesses])
        guard case .say(let bytes) = try examiner.answer(),
            case .codeShare(let answer)? = packets(bytes).first,
            case .proven(let confirm) = try proof.judge(
                share: Array(answer.share), confirm: Array(answer.confirm ?? .init()))
        else {
            Issue.record("no answer")
            return []
        }
        return try frame(.codeConfirm(CodeConfirm(confirm: confirm, resume: resume, timestamp: 9)))
    }

    private func isBroken(_ events: [CodeExaminer.Event]) -> Bool {
        if case .broken? = events.last { return events.count == 1 }
        return false
    }

    private func fail(_ what: Comment) { Issue.record(what) }

    @Test(arguments: [1, 2, 3, 7, 1_000])
    func guest_isAdmitted_whenItKnowsTheCode_inPiecesOfAnySize(size: Int) throws {
        var examiner = try examiner()
        let confirm = try confirmation(&examiner)
        var events: [CodeExaminer.Event] = []
        for start in stride(from: 0, to: confirm.count, by: size) {
            let piece = confirm[start..<min(start + size, confirm.count)]
            events += hear(&examiner, Array(piece))
        }
        var expected = handshake
        (expected.resume, expected.timestamp) = (resume, 9)
        guard case .admitted(let bytes)? = events.last else { return fail("not admitted") }
        #expect(events.count == 1 && packets(bytes) == [.handshake(expected)])
        #expect(examiner.isOver)
        #expect(hear(&examiner, confirm).isEmpty)
    }

    @Test func challenge_hasTheSalt() throws {
        var examiner = try examiner()
        let events = try hear(&examiner, .handshake(handshake))
        guard case .say(let bytes)? = events.first else { return fail("\(events)") }
        #expect(packets(bytes) == [.codeChallenge(CodeChallenge(salt: [UInt8](1...16)))])
    }

    @Test func guest_isRefused_whenItsConfirmationIsWrong() throws {
        var examiner = try examiner()
        _ = try confirmation(&examiner)
        let wrong = CodeConfirm(
            confirm: [UInt8](repeating: 0, count: 32), resume: nil, timestamp: nil)
        let events = try hear(&examiner, .codeConfirm(wrong))
        guard case .wrongCode(let bytes)? = events.first,
            case .handshakeResponse(let response)? = packets(bytes).first
        else { return fail("\(events)") }
        #expect(response.reason == "wrong_code" && examiner.isOver)
    }

    @Test func guest_isRefused_whenItSpeaksAnotherVersion() throws {
        var examiner = try examiner()
        var other = handshake
        other.protocol = 2
        guard case .refused? = try hear(&examiner, .handshake(other)).first else {
            return fail("not refused")
        }
        #expect(examiner.isOver)
    }

    @Test func everyOtherPacket_breaksTheProtocol_atEachStep() throws {
        let share = Packet.codeShare(
            CodeShare(share: try CodeProof(secret, exporter: exporter).share))
        let confirm = Packet.codeConfirm(CodeConfirm(confirm: [1], resume: nil, timestamp: nil))
        let challenge = Packet.codeChallenge(CodeChallenge(salt: [UInt8](1...16)))
        let keepAlive = Packet.keepAlive(KeepAlive(timestamp: 1))
        let steps: [(prepare: [Packet], wrong: [Packet])] = [
            ([], [share, confirm, challenge, keepAlive]),
            ([.handshake(handshake)], [.handshake(handshake), confirm, challenge, keepAlive]),
            ([.handshake(handshake), share], [.handshake(handshake), share, confirm, keepAlive]),
        ]
        for step in steps {
            for wrong in step.wrong {
                var examiner = try examiner()
                for packet in step.prepare { _ = try hear(&examiner, packet) }
                #expect(isBroken(try hear(&examiner, wrong)), "\(wrong.typeName)")
                #expect(examiner.isOver)
            }
        }
        for wrong in [.handshake(handshake), share, challenge, keepAlive] {
            var examiner = try examiner()
            _ = try confirmation(&examiner)
            #expect(isBroken(try hear(&examiner, wrong)), "\(wrong.typeName)")
        }
    }

    @Test func unknownPackets_arePassedOver() throws {
        var examiner = try examiner()
        #expect(try hear(&examiner, .unknown("later")).isEmpty && !examiner.isOver)
        let confirm = try confirmation(&examiner)
        guard case .admitted? = hear(&examiner, confirm).first else {
            return fail("not admitted")
        }
    }

    @Test func badShare_breaksTheProtocol_andIsNotAnswered() throws {
        for share in try CodeProofTests.badShares() {
            var examiner = try examiner()
            _ = try hear(&examiner, .handshake(handshake))
            #expect(try hear(&examiner, .codeShare(CodeShare(share: share))) == [.guesses])
            guard case .broken = try examiner.answer() else {
                return fail("answers \(share)")
            }
        }
    }

    @Test func answer_isGivenOnce() throws {
        var examiner = try examiner()
        _ = try confirmation(&examiner)
        guard case .broken = try examiner.answer() else { return fail("answers again") }
    }

    @Test func guest_isSentAway_whenItSaysTooMuch() throws {
        var examiner = try examiner()
        let noise = try frame(.unknown(String(repeating: "x", count: 60_000)))
        #expect(hear(&examiner, noise).isEmpty)
        #expect(isBroken(hear(&examiner, noise)))
    }

    @Test func guest_isTooTalkative_beyondItsShare_andNotWithIt() throws {
        let share = Limits.guestFramePayload
        let tooMuch = CodeExaminer.Event.broken(why: CloseReason.tooTalkative.description)
        for (count, isTooMuch) in [(share, false), (share + 1, true)] {
            var examiner = try examiner()
            // A frame that is as long as may be, of which this is a part.
            let length = withUnsafeBytes(of: UInt32(clamping: share).bigEndian) { Array($0) }
            let events = hear(
                &examiner, length + [UInt8](repeating: 0x20, count: count - length.count))
            #expect(events.isEmpty != isTooMuch && events.contains(tooMuch) == isTooMuch)
        }
    }
}
