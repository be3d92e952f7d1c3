import BeamscribeCore
import Testing

/// A session's log: what was written comes back, and what is damaged is told from what is whole.
@Suite struct JournalReaderTests {
    private func frames(_ numbers: some Sequence<Int>) -> [[UInt8]] {
        let encoder = FrameEncoder()
        return numbers.map { seq in
            let text = "line \(seq) " + String(repeating: "ä", count: seq % 70)
            let chunk = LiveChunk(final: seq, line: "l-\(seq)", text: text, sentTimestamp: 1.5)
            return (try? encoder.frame(.liveChunk(chunk))) ?? []
        }
    }

    private func read(
        _ bytes: [UInt8], inPiecesOf size: Int = .max
    ) -> (reader: JournalReader, seqs: [Int]) {
        var reader = JournalReader()
        var seqs: [Int] = []
        var start = 0
        while start < bytes.count {
            let end = size == .max ? bytes.count : min(bytes.count, start + size)
            bytes[start..<end].withUnsafeBytes { piece in
                reader.read(piece) { _, chunk, seq in
                    #expect(chunk.text.hasPrefix("line \(seq) "))
                    seqs.append(seq)
                }
            }
            start = end
        }
        return (reader, seqs)
    }

    @Test(arguments: [1, 2, 3, 7, 100, 4_096, .max])
    func lines_comeBack_inPiecesOfAnySize(size: Int) {
        let log = frames(1...200).flatMap(\.self)
        let (reader, seqs) = read(log, inPiecesOf: size)
        #expect(seqs == Array(1...200))
        #expect(reader.intact == UInt64(clamping: log.count))
        #expect(reader.damaged == 0 && reader.gaps == [])
    }

    @Test func wholeLines_areKept_whereverTheTailIsTorn() {
        let all = frames(1...6)
        let log = all.flatMap(\.self)
        let ends = all.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
        for size in 0...log.count {
            let (reader, seqs) = read(Array(log.prefix(size)))
            let whole = ends.lastIndex { $0 <= size } ?? 0
            #expect(seqs == Array(1..<whole + 1))
            #expect(reader.intact == UInt64(clamping: ends[whole]))
            #expect(reader.damaged == UInt64(clamping: size - ends[whole]))
        }
    }

    /// What a file system leaves after a loss of power: zeros, old blocks, half a page of both.
    @Test(arguments: [
        [UInt8](repeating: 0, count: 5_000), Array("not a frame at all".utf8),
        [0, 0, 0, 2, 0x7B, 0x7D], [0xFF, 0xFF, 0xFF, 0xFF],
    ])
    func everythingFromTheDamageOn_isLeftOut(damage: [UInt8]) {
        let good = frames(1...3).flatMap(\.self)
        let (reader, seqs) = read(good + damage + frames(4...6).flatMap(\.self))
        #expect(seqs == [1, 2, 3])
        #expect(reader.intact == UInt64(clamping: good.count))
        #expect(reader.isBroken)
    }

    @Test func missingNumbers_areAGap_andRepeatedOnesAreDamage() {
        let (gap, seqs) = read(frames([1, 2, 5, 6, 9]).flatMap(\.self))
        #expect(seqs == [1, 2, 5, 6, 9])
        #expect(gap.gaps == [3...4, 7...8])
        let (repeated, kept) = read(frames([1, 2, 2, 3]).flatMap(\.self))
        #expect(kept == [1, 2] && repeated.isBroken)
    }

    @Test func noBytes_crashTheReader_whateverTheyAre() {
        var generator = SeededGenerator(seed: 11)
        let good = frames(1...4).flatMap(\.self)
        for _ in 0..<2_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[index] = UInt8.random(in: 0...255, using: &generator)
            }
            var reader = JournalReader()
            bytes.withUnsafeBytes { reader.read($0) { _, _, _ in } }
            #expect(reader.intact <= UInt64(clamping: bytes.count))
            #expect(reader.size == UInt64(clamping: bytes.count))
        }
    }
}
