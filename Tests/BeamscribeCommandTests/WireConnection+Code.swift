import BeamscribeCore
import BeamscribeTLS
import Foundation
import TestSupport

/// A guest's steps of the code's proof, made by hand.
extension WireConnection {
    /// Says the handshake, and returns the salt that the host asks with.
    func askForSalt() async throws -> [UInt8] {
        try await send(Wire.handshake())
        let salt = try await receive("code_challenge").salt ?? ""
        return CodeChallenge(text: salt).saltBytes ?? []
    }

    /// Guesses, and returns what the host answers: whether it knows the code as well.
    func guess(_ secret: CodeSecret) async throws -> CodeProof.Verdict {
        let proof = try CodeProof(secret, exporter: exportedKey ?? [])
        try await send(frame(.codeShare(CodeShare(share: proof.share))))
        let answer = try await receive("code_share")
        return try proof.judge(
            share: Array(answer.share ?? Data()), confirm: Array(answer.confirm ?? Data()))
    }

    func confirm(_ bytes: [UInt8]) async throws {
        try await send(
            frame(.codeConfirm(CodeConfirm(confirm: bytes, resume: nil, timestamp: nil))))
    }

    private func frame(_ packet: Packet) throws -> [UInt8] { try FrameEncoder().frame(packet) }
}

extension CodeChallenge {
    fileprivate init(text: String) {
        self.init(salt: [])
        salt = text
    }
}
