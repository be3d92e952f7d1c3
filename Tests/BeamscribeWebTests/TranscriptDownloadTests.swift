import Beamscribe
import BeamscribeCore
import Synchronization
import Testing

@testable import BeamscribeWeb

/// A transcript that somebody has asked for, and then has gone.
@Suite struct TranscriptDownloadTests {
    /// How often it was asked whether anybody wants it.
    private final class Patience: Sendable {
        private let left: Mutex<Int>

        init(_ questions: Int) { left = Mutex(questions) }

        var isLeft: Bool {
            left.withLock { left in
                left -= 1
                return left >= 0
            }
        }
        var overdrawn: Int { left.withLock { -$0 } }
    }

    private func host() async throws -> Host {
        let stage = try await WebStage()
        let words = String(repeating: " and so on", count: 400)
        for number in 1...200 { _ = await stage.host.type("line \(number)" + words) }
        return stage.host
    }

    @Test func download_isComplete_whereItIsWanted() async throws {
        let host = try await host()
        var download = await TranscriptDownload(.text, of: [host.feed]) { true }
        var (text, pieces) = ("", 0)
        while let piece = await download.next() {
            text += piece
            pieces += 1
        }
        #expect(text.contains("line 1 and") && text.contains("line 200 and") && pieces > 5)
        await host.stop()
    }

    /// At whichever of its pieces, also while it only looks for corrections, which gives no text.
    @Test(arguments: [(0, false), (1, false), (3, false), (20, true)])
    func download_isGivenUp_onceNobodyWantsIt(after questions: Int, withText: Bool) async throws {
        let host = try await host()
        let patience = Patience(questions)
        var download = await TranscriptDownload(.text, of: [host.feed]) { patience.isLeft }
        var pieces = 0
        while await download.next() != nil { pieces += 1 }
        #expect((pieces > 0) == withText, "\(pieces)")
        #expect((1...2).contains(patience.overdrawn), "it went on: \(patience.overdrawn)")
        await host.stop()
    }
}
