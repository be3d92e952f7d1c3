import BeamscribeCore
import FoundationEssentials
import Testing

@testable import BeamscribeTLS

/// Guest and host prove the event's code to each other, and nobody else can.
@Suite struct CodeProofTests {
    private let salt = [UInt8](1...16)
    private let exporter = [UInt8](repeating: 7, count: 32)
    private let secret: CodeSecret
    private let record: CodeRecord

    init() async throws {
        secret = try CodeSecret(of: EventCode("4821-7730"), salt: salt)
        record = try secret.record()
    }

    /// What the guest thinks of the host, and the host of the guest.
    private func prove(
        _ secret: CodeSecret, to record: CodeRecord, atGuest: [UInt8], atHost: [UInt8]
    ) throws -> (guest: CodeProof.Verdict, host: Bool) {
        let proof = try CodeProof(secret, exporter: atGuest)
        let check = try #require(try CodeCheck(record, share: proof.share, exporter: atHost))
        let verdict = try proof.judge(share: check.share, confirm: check.confirm)
        guard case .proven(let confirm) = verdict else { return (verdict, false) }
        return (verdict, check.accepts(confirm))
    }

    @Test func both_areSure_whenTheyKnowTheCode() throws {
        for _ in 0..<50 {
            let (guest, host) = try prove(
                secret, to: record, atGuest: exporter, atHost: exporter)
            #expect(guest != .wrongCode && guest != .broken && host)
        }
    }

    @Test func nobody_isSure_withAnotherCode_anotherSaltOrAnotherConnection() async throws {
        let others = [
            try CodeSecret(of: EventCode("4821-7731"), salt: salt),
            try CodeSecret(of: EventCode("4821-7730"), salt: [UInt8](2...17)),
        ]
        for other in others {
            let (guest, host) = try prove(other, to: record, atGuest: exporter, atHost: exporter)
            #expect(guest == .wrongCode && !host)
        }
        // Somebody who passes everything on has a connection with each.
        let (guest, host) = try prove(
            secret, to: record, atGuest: exporter, atHost: [UInt8](repeating: 8, count: 32))
        #expect(guest == .wrongCode && !host)
    }

    @Test func proofOfACode_isNoneOfTheCrews() throws {
        for (mine, theirs) in [(CodeKind.event, CodeKind.crew), (.crew, .event), (.crew, .crew)] {
            let proof = try CodeProof(secret, of: mine, exporter: exporter)
            let check = try #require(
                try CodeCheck(record, of: theirs, share: proof.share, exporter: exporter))
            let verdict = try proof.judge(share: check.share, confirm: check.confirm)
            #expect((verdict == .wrongCode) == (mine != theirs))
        }
    }

    @Test func secret_andProof_areThoseOfAnotherImplementation() async throws {
        let vector = VectorText.code
        let secret = try CodeSecret(of: EventCode("4821-7730"), salt: vector["salt"])
        #expect(secret.w0 == vector["w0"] && secret.w1 == vector["w1"])
        #expect(try secret.record().l == vector["L"])
        let context = Array("beamscribe code v1".utf8) + [0] + vector["exporter"]
        let prover = try SPAKE2Plus.Prover(
            w0: Scalar(reducing: secret.w0), w1: Scalar(reducing: secret.w1),
            x: Scalar(reducing: vector["x"]), SPAKE2Plus.Transcript(context: context))
        #expect(prover.share == vector["shareP"])
        let keys = try prover.keys(#require(Point(vector["shareV"])))
        #expect(
            try SPAKE2Plus.confirmation(keys.confirmP, of: vector["shareV"]) == vector["confirmP"])
        #expect(
            try SPAKE2Plus.confirmation(keys.confirmV, of: vector["shareP"]) == vector["confirmV"])
    }

    /// What is no uncompressed point of the curve, or the identity.
    static func badShares() throws -> [[UInt8]] {
        let good = try Point.generator(times: Scalar()).bytes
        var offCurve = good
        offCurve[64] ^= 1
        let compressed: [UInt8] = [2 &+ good[64] % 2] + good[1...32]
        let hybrid: [UInt8] = [6 &+ good[64] % 2] + good[1...]
        let field: [UInt8] =
            [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 12)
            + [UInt8](repeating: 0xFF, count: 12)
        return [
            [], [0], [UInt8](repeating: 0, count: 65), [4] + [UInt8](repeating: 0, count: 64),
            Array(good.dropLast()), good + [0], offCurve, compressed, hybrid,
            [4] + field + good[33...], [4] + good[1...32] + field,
            [4] + [UInt8](repeating: 0xFF, count: 64),
        ]
    }

    @Test func badShare_isNoShare_atEitherSide() throws {
        let proof = try CodeProof(secret, exporter: exporter)
        for share in try Self.badShares() {
            #expect(try CodeCheck(record, share: share, exporter: exporter) == nil, "\(share)")
            let verdict = try proof.judge(share: share, confirm: [UInt8](repeating: 1, count: 32))
            #expect(verdict == .broken, "\(share)")
        }
    }

    @Test func confirmation_isRefused_whenABitOfItIsWrong() throws {
        let proof = try CodeProof(secret, exporter: exporter)
        let check = try #require(try CodeCheck(record, share: proof.share, exporter: exporter))
        guard
            case .proven(let confirm) = try proof.judge(share: check.share, confirm: check.confirm)
        else {
            Issue.record("not proven")
            return
        }
        for bit in 0..<256 {
            var (atHost, atGuest) = (confirm, check.confirm)
            atHost[bit / 8] ^= 1 << UInt8(clamping: bit % 8)
            atGuest[bit / 8] ^= 1 << UInt8(clamping: bit % 8)
            #expect(!check.accepts(atHost))
            #expect(try proof.judge(share: check.share, confirm: atGuest) == .wrongCode)
        }
        #expect(
            !check.accepts([]) && !check.accepts(confirm + [0]) && !check.accepts(check.confirm))
        for count in [0, 31, 33] {
            let short = [UInt8](repeating: 0, count: count)
            #expect(try proof.judge(share: check.share, confirm: short) == .broken)
        }
        // Its own share, given back.
        #expect(try proof.judge(share: proof.share, confirm: check.confirm) == .wrongCode)
    }

    @Test func secrets_tellNothingOfThemselves() throws {
        var dumped = ""
        dump(secret, to: &dumped)
        dump(record, to: &dumped)
        dump(DeviceSecret(UUID()), to: &dumped)
        for text in [dumped, "\(secret) \(record)", String(reflecting: secret)] {
            #expect(!text.contains("\(secret.w0[0]), ") && !text.contains("\(secret.w1[31])]"))
        }
    }

    // MARK: A device's ids

    @Test func deviceID_isAnotherAtEachHost_andTheSameAtOne() throws {
        let device = DeviceSecret(UUID())
        var random = SystemRandomNumberGenerator()
        let hosts = try (0..<200).map { _ in
            try #require(Fingerprint(bytes: noise(32, using: &random)))
        }
        let ids = hosts.map { device.id(at: $0) }
        #expect(Set(ids).count == 200)
        #expect(ids == hosts.map { device.id(at: $0) })
        #expect(ids[0] != DeviceSecret(UUID()).id(at: hosts[0]))
        for id in ids {
            // A version 8 and the variant of RFC 9562.
            #expect(id.uuid.6 >> 4 == 8 && id.uuid.8 >> 6 == 2)
        }
    }
}
