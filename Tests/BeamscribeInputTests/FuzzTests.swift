import BeamscribeCore
import BeamscribeInput
import Testing

/// Whatever comes in, what comes out is harmless and adds up.
struct FuzzTests {
    private func check(_ format: InputFormat, _ parts: [[UInt8]], _ seed: Int) {
        var open: [String?: String] = [:]
        let found = batches(format, parts)
        let areSound = found.allSatisfy { isSound($0) && follow($0, in: &open) }
        // Text ends with its last line; a JSON partial may wait for a final that never comes.
        if !areSound || (format != .jsonl && format != .auto && !open.isEmpty) {
            Issue.record("\(format), seed \(seed): \(found)")
        }
    }

    /// Whether the batch is harmless, with its partials last and only one of each line.
    private func isSound(_ batch: [InputEvent]) -> Bool {
        let partials = batch.compactMap(\.partialLine)
        return batch.allSatisfy(\.isHarmless)
            && batch.suffix(partials.count).allSatisfy(\.isPartial)
            && Set(partials.map(\.line)).count == partials.count
    }

    /// Keeps the `open` partials as a reader would; false if one is repeated.
    private func follow(_ batch: [InputEvent], in open: inout [String?: String]) -> Bool {
        for event in batch {
            switch event {
            case .final(let line), .correction(let line): open[line.line] = nil
            case .partial(let line):
                if open[line.line, default: ""] == line.text { return false }
                open[line.line] = line.text.isEmpty ? nil : line.text
            case .warning: continue
            }
        }
        return true
    }

    @Test(arguments: InputFormat.allCases)
    func randomBytes_giveHarmlessEvents_alwaysAndEverywhere(_ format: InputFormat) {
        for seed in 0..<200 {
            var random = SeededGenerator(seed: UInt64(clamping: seed))
            let bytes = RandomInput.bytes(300, using: &random)
            check(format, randomParts(bytes, using: &random), seed)
        }
    }

    @Test(arguments: InputFormat.allCases)
    func randomPieces_giveHarmlessEvents_alwaysAndEverywhere(_ format: InputFormat) {
        for seed in 0..<300 {
            var random = SeededGenerator(seed: UInt64(clamping: seed))
            let bytes = RandomInput.text(pieces: 60, using: &random)
            check(format, randomParts(bytes, using: &random), seed)
        }
    }

    @Test func samples_giveHarmlessEvents_byteByByte() {
        for (index, sample) in Samples.text.enumerated() {
            check(.text, sample.utf8.map { [$0] }, index)
        }
    }
}
