import BeamscribeCore

/// A session's log of any bytes: the reader keeps whole lines with rising numbers from the start,
/// says to the byte where they end, and finds the same in what it kept.
enum JournalProperties {
    static func check(_ bytes: UnsafeRawBufferPointer) throws(BrokenProperty) {
        var choices = Choices(bytes)
        let seed = choices.byte()
        let log = choices.byte() % 2 == 0 ? choices.remainder() : written(&choices)
        let whole = read([log])
        try expect(whole.reader.size == UInt64(clamping: log.count), "lost count of the bytes")
        try expect(whole.reader.intact <= whole.reader.size, "more whole than there is")
        for parts in [Splits.bytewise(log), Splits.random(log, seed: seed)] {
            let found = read(parts)
            try expect(found.seqs == whole.seqs, "\(found.seqs), not \(whole.seqs), in pieces")
            try expect(found.reader.intact == whole.reader.intact, "another end in pieces")
        }
        try checkNumbers(whole)
        let kept = read([Array(log.prefix(Int(clamping: whole.reader.intact)))])
        try expect(kept.seqs == whole.seqs, "what was kept holds \(kept.seqs)")
        try expect(kept.reader.damaged == 0 && !kept.reader.isBroken, "what was kept is damaged")
    }

    private static func checkNumbers(
        _ found: (reader: JournalReader, seqs: [Int])
    ) throws(BrokenProperty) {
        var next = 1
        var gaps: [ClosedRange<Int>] = []
        for seq in found.seqs {
            try expect(seq >= next, "line \(seq) where \(next) was due")
            if seq > next { gaps.append(next...seq - 1) }
            next = seq + 1
        }
        try expect(gaps == found.reader.gaps, "gaps \(found.reader.gaps), not \(gaps)")
        try expect(found.reader.lastSeq == next - 1, "the newest line is \(found.reader.lastSeq)")
        try expect(found.reader.count == found.seqs.count, "\(found.reader.count) lines")
    }

    /// A log as a host writes it, with something else in between.
    private static func written(_ choices: inout Choices) -> [UInt8] {
        var log: [UInt8] = []
        var next = 1
        while !choices.isEmpty {
            switch choices.below(5) {
            case 0: log += choices.stretch()
            case 1: log += framed(choices.stretch())
            default:
                let chunk = ForgedHostPackets.final(&choices, next: next)
                log += (try? FrameEncoder().frame(.liveChunk(chunk))) ?? []
                next = (chunk.seq ?? 0).addingReportingOverflow(1).partialValue
            }
        }
        return log
    }

    private static func read(_ parts: [[UInt8]]) -> (reader: JournalReader, seqs: [Int]) {
        var reader = JournalReader()
        var seqs: [Int] = []
        for part in parts {
            part.withUnsafeBytes { reader.read($0) { _, _, seq in seqs.append(seq) } }
        }
        return (reader, seqs)
    }
}
