import Testing

@testable import BeamscribeTLS

/// The proof of the code is the standard's.
@Suite struct SPAKE2PlusTests {
    private let vector = VectorText.rfc9383

    private func transcript() -> SPAKE2Plus.Transcript {
        SPAKE2Plus.Transcript(
            context: Array(VectorText.rfcContext.utf8), prover: Array("client".utf8),
            verifier: Array("server".utf8))
    }

    private func scalar(_ name: String) throws -> Scalar { try Scalar(reducing: vector[name]) }

    private func prover() throws -> SPAKE2Plus.Prover {
        try SPAKE2Plus.Prover(
            w0: scalar("w0"), w1: scalar("w1"), x: scalar("x"), transcript())
    }

    private func verifier() throws -> SPAKE2Plus.Verifier {
        try SPAKE2Plus.Verifier(
            w0: scalar("w0"), l: #require(Point(vector["L"])), y: scalar("y"), transcript())
    }

    @Test func shares_areThoseOfTheStandard() throws {
        #expect(vector["shareP"].count == 65 && vector["shared"].count == 32)
        #expect(try prover().share == vector["shareP"])
        #expect(try verifier().share == vector["shareV"])
        #expect(try Point.generator(times: scalar("w1")).bytes == vector["L"])
    }

    @Test func keysAndConfirmations_areThoseOfTheStandard_atBothSides() throws {
        let both = [
            try prover().keys(#require(Point(vector["shareV"]))),
            try verifier().keys(#require(Point(vector["shareP"]))),
        ]
        for keys in both {
            #expect(keys.confirmP == vector["confirmationKeyP"])
            #expect(keys.confirmV == vector["confirmationKeyV"])
            #expect(keys.shared == vector["shared"])
            #expect(
                try SPAKE2Plus.confirmation(keys.confirmP, of: vector["shareV"])
                    == vector["confirmP"])
            #expect(
                try SPAKE2Plus.confirmation(keys.confirmV, of: vector["shareP"])
                    == vector["confirmV"])
        }
    }

    @Test func scalar_isReducedByTheOrder() throws {
        // The order less one, the order, and the order and one (SEC 2, section 2.4.2).
        let order: [UInt8] =
            [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8)
            + [
                0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63,
                0x25, 0x51,
            ]
        let zero = [UInt8](repeating: 0, count: 32)
        #expect(try Scalar(reducing: order).bytes == zero)
        #expect(try Scalar(reducing: order.dropLast() + [0x52]).bytes == zero.dropLast() + [1])
        #expect(
            try Scalar(reducing: order.dropLast() + [0x50]).bytes == order.dropLast() + [0x50])
        #expect(try Scalar(reducing: zero + order + zero).bytes == zero)
    }

    @Test func randomScalars_differ() throws {
        let scalars = try (0..<1_000).map { _ in try Scalar().bytes }
        #expect(Set(scalars).count == 1_000 && scalars.allSatisfy { $0.count == 32 })
    }

    /// Whoever knows w0 could send such a share, and would know what follows from it.
    @Test func share_isRefused_whoseSecretIsTheIdentity() throws {
        let w0 = try scalar("w0")
        let constants = [
            "02886e2f97ace46e55ba9dd7242579f2993b64e16ef3dcab95afd497333d8fa12f",
            "03d8bbd6c639c62937b04d997f38c3770719c629d7014d49a24b4f98baa1292b49",
        ].map { VectorText("c = \($0)")["c"] }
        let m = try #require(Point(constants[0])).times(w0)
        let n = try #require(Point(constants[1])).times(w0)
        #expect(throws: TLSError.self) { try verifier().keys(m) }
        #expect(throws: TLSError.self) { try prover().keys(n) }
    }
}
