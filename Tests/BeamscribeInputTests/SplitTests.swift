import BeamscribeCore
import BeamscribeInput
import Testing

/// What the input means does not depend on how the kernel cuts it into reads.
struct SplitTests {
    private static let textSamples =
        (Samples.text + Samples.long).map { Array($0.utf8) } + Samples.broken
    private static let jsonSamples = Samples.jsonl.map { Array($0.utf8) }

    /// Everything but the partials, which show how far the input has come.
    private func lasting(_ format: InputFormat, _ parts: [[UInt8]]) -> [InputEvent] {
        batches(format, parts).flatMap { $0 }.filter { !$0.isPartial }
    }

    private func expectSameHoweverSplit(_ format: InputFormat, _ sample: [UInt8], seeds: Int) {
        let whole = lasting(format, [sample])
        #expect(lasting(format, sample.map { [$0] }) == whole)
        for seed in 0..<seeds {
            var random = SeededGenerator(seed: UInt64(clamping: seed))
            let parts = randomParts(sample, using: &random)
            if lasting(format, parts) != whole { Issue.record("\(format), seed \(seed)") }
        }
    }

    @Test(arguments: [InputFormat.text, .auto])
    func text_givesTheSameFinals_howeverItIsSplit(_ format: InputFormat) {
        for sample in Self.textSamples {
            expectSameHoweverSplit(format, sample, seeds: sample.count > 1_000 ? 4 : 40)
        }
    }

    @Test(arguments: [InputFormat.jsonl, .auto, .text])
    func jsonl_givesTheSameFinals_howeverItIsSplit(_ format: InputFormat) {
        for sample in Self.jsonSamples { expectSameHoweverSplit(format, sample, seeds: 20) }
    }

    /// The samples one after the other, so that lines follow on every kind of line; the first one
    /// is plain, so that whole lines take the fast way in one reading and the slow way in another.
    @Test func text_givesTheSameFinals_whenTheSamplesFollowEachOther() {
        let all = Array("plain\n".utf8) + Self.textSamples.flatMap { $0 + [0x0A] }
        expectSameHoweverSplit(.text, all, seeds: 4)
    }

    @Test func randomText_givesTheSameFinals_howeverItIsSplit() {
        for seed in 0..<500 {
            var random = SeededGenerator(seed: UInt64(clamping: seed))
            let sample = RandomInput.text(pieces: 40, using: &random)
            let whole = lasting(.text, [sample])
            let parts = randomParts(sample, using: &random)
            if lasting(.text, sample.map { [$0] }) != whole || lasting(.text, parts) != whole {
                Issue.record("seed \(seed)")
            }
        }
    }
}
