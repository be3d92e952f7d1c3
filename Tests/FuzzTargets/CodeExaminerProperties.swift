import BeamscribeCore
import BeamscribeTLS

/// A stranger at a host with a code, who sends anything, in any pieces: without the code's secret it
/// is not let in, it gets one answer at most, and once it has failed nothing more is heard.
enum CodeExaminerProperties {
    static func check(_ bytes: UnsafeRawBufferPointer) throws(BrokenProperty) {
        var choices = Choices(bytes)
        var run = Run()
        while !choices.isEmpty { try run.step(&choices) }
        try expect(run.answers <= 1, "\(run.answers) answers")
    }

    private struct Run {
        var examiner = CodeExaminer(
            record, exporter: [UInt8](repeating: 1, count: 32), over: .network)
        var answers = 0

        mutating func step(_ choices: inout Choices) throws(BrokenProperty) {
            switch choices.below(8) {
            case 0: try receive(choices.stretch())
            case 1: try receive(framed(choices.stretch()))
            case 2, 3: try receive(.handshake(handshake(&choices)))
            case 4, 5: try receive(.codeShare(share(&choices)))
            case 6:
                let confirm = choices.pick([[], [UInt8](repeating: 0, count: 32), [1]])
                try receive(
                    .codeConfirm(CodeConfirm(confirm: confirm, resume: nil, timestamp: nil)))
            default: try answer()
            }
        }

        private func handshake(_ choices: inout Choices) -> Handshake {
            var handshake = Handshake(deviceId: choices.text(), displayName: choices.text())
            handshake.protocol = choices.byte() % 8 == 7 ? 2 : 1
            return handshake
        }

        private func share(_ choices: inout Choices) -> CodeShare {
            var share = goodShare
            if choices.byte() % 4 == 3 { share[Int(choices.byte()) % 65] ^= 1 }
            return CodeShare(share: choices.byte() % 4 == 3 ? choices.stretch() : share)
        }

        private mutating func receive(_ packet: Packet) throws(BrokenProperty) {
            guard let frame = try? FrameEncoder().frame(packet) else { return }
            try receive(frame)
        }

        private mutating func receive(_ bytes: [UInt8]) throws(BrokenProperty) {
            let half = bytes.count / 2
            for part in [bytes[..<half], bytes[half...]].map(Array.init) {
                let wasOver = examiner.isOver
                for event in part.withUnsafeBytes({ examiner.receive($0) }) {
                    try expect(!wasOver, "hears more: \(event)")
                    switch event {
                    case .admitted: throw BrokenProperty("let in without the code")
                    case .guesses: if part.count % 2 == 0 { try answer() }
                    case .say, .wrongCode, .refused, .broken: continue
                    }
                }
            }
        }

        private mutating func answer() throws(BrokenProperty) {
            do throws(TLSError) {
                if case .say = try examiner.answer() { answers += 1 }
            } catch {
                throw BrokenProperty("\(error)")
            }
        }
    }

    /// What scrypt would give for some code: that takes too long here.
    private static let record = try! CodeSecret.sample.record()
    private static let goodShare = try! CodeProof(.sample, exporter: []).share
}
