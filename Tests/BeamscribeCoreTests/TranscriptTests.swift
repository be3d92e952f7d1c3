import BeamscribeCore
import Testing

@Suite struct TranscriptTests {
    @Test func cursor_readsEveryLineOnce_fromAnywhere() {
        let transcript = filled(lines: 500, limit: 1 << 20, chunkSize: 256)
        for seq in [1, 2, 3, 100, 250, 499, 500, 501] {
            var cursor = transcript.cursor(before: seq)
            #expect(cursor.seq == seq)
            #expect(read(transcript, &cursor) == expectedBytes(seq..<501))
            #expect(cursor.seq == 501)
        }
    }

    @Test func cursor_knowsItsLine_whateverWasSent() {
        var generator = SeededGenerator(seed: 3)
        let transcript = filled(lines: 60, limit: 1 << 20, chunkSize: 300)
        for _ in 0..<40 {
            var cursor = transcript.cursor(before: 1)
            var bytes: [UInt8] = []
            while true {
                let output = transcript.bytes(at: cursor)
                if output.isEmpty { break }
                let count = Int.random(in: 1...output.count, using: &generator)
                bytes += output.prefix(count)
                transcript.advance(&cursor, by: count)
                let rest = transcript.restOfFrame(at: cursor)
                #expect(cursor.isAtBoundary == rest.isEmpty)
                let line = cursor.isAtBoundary ? cursor.seq : cursor.seq + 1
                #expect(bytes + rest == expectedBytes(1..<line))
            }
            #expect(bytes == expectedBytes(1...60))
        }
    }

    @Test func cursor_isAtTheEnd_whenMoreIsAskedForThanThereIs() {
        let transcript = filled(lines: 3, limit: 1 << 20, chunkSize: 256)
        #expect(transcript.cursor(before: 99).seq == 4)
        #expect(transcript.bytes(at: transcript.cursor(before: 99)).isEmpty)
        #expect(Transcript().cursor(before: 1).seq == 1)
    }

    @Test func transcript_staysWithinItsLimit_andKeepsTheNewest() {
        let transcript = filled(lines: 2_000, limit: 4_096, chunkSize: 1_024)
        #expect(transcript.lastSeq == 2_000)
        #expect(transcript.firstSeq > 1_900)
        #expect(transcript.endOffset - transcript.startOffset <= 4_096)
        var cursor = transcript.cursor(before: 1)
        #expect(cursor.seq == transcript.firstSeq)
        #expect(read(transcript, &cursor) == expectedBytes(transcript.firstSeq...2_000))
    }

    @Test func survivor_isTheFirstLine_afterTheOldestChunkWent() {
        let transcript = filled(lines: 100, limit: 1 << 20, chunkSize: 256)
        let survivor = transcript.firstSurvivor
        transcript.evictOldest()
        #expect(transcript.firstSeq == survivor.seq)
        #expect(transcript.startOffset == survivor.offset)
    }

    // MARK: Gaps

    /// Lines 1 and 2, 4 to 10, and 15, as a damaged log is read back.
    private func damaged(limit: Int = 1 << 20) -> Transcript {
        let transcript = Transcript(limit: limit, chunkSize: 256)
        for seq in [1, 2] + Array(4...10) + [15] { restore(seq, in: transcript) }
        return transcript
    }

    private func restore(_ seq: Int, in transcript: Transcript) {
        frame(seq).dropFirst(FrameDecoder.prefixLength).withUnsafeBytes {
            transcript.restore(payload: $0, seq: seq)
        }
    }

    @Test func reader_isToldOfEachGap_whereItComesToIt() {
        let transcript = damaged()
        var cursor = transcript.cursor(before: 1)
        #expect(read(transcript, &cursor) == expectedBytes(1...2))
        #expect(cursor.seq == 3)
        #expect(transcript.skipGap(&cursor) == 3...3)
        #expect(transcript.skipGap(&cursor) == nil)
        #expect(read(transcript, &cursor) == expectedBytes(4...10))
        #expect(transcript.skipGap(&cursor) == 11...14)
        transcript.append(frame: frame(16))
        #expect(read(transcript, &cursor) == expectedBytes(15...16))
        #expect(cursor.seq == 17 && transcript.skipGap(&cursor) == nil)
        #expect(transcript.brokenInvariant == nil)
    }

    @Test func cursor_standsBehindTheGap_whoseLineIsAskedFor() {
        let transcript = damaged()
        let wanted = (1...16).map { transcript.cursor(before: $0).seq }
        #expect(wanted == [1, 2, 4, 4, 5, 6, 7, 8, 9, 10, 15, 15, 15, 15, 15, 16])
    }

    /// A chunk is begun at each gap, and must not take the room of a full one.
    @Test func gaps_costNoLines_howeverManyThereAre() {
        let transcript = Transcript(limit: 100_000, chunkSize: 10_000)
        for seq in 1...500 { restore(2 * seq, in: transcript) }
        #expect(!transcript.isOverLimit && transcript.firstSeq == 2)
        for seq in 501...2 * Limits.rememberedGaps { restore(2 * seq, in: transcript) }
        while transcript.isOverLimit { transcript.evictOldest() }
        #expect(transcript.firstSeq > 2 && transcript.lastSeq == 4 * Limits.rememberedGaps)
        #expect(transcript.brokenInvariant == nil)
    }

    // MARK: Lines that know their number

    private func filled(lines: Int, limit: Int, chunkSize: Int) -> Transcript {
        let transcript = Transcript(limit: limit, chunkSize: chunkSize)
        for seq in 1...lines {
            let frame = self.frame(seq)
            transcript.append(frame: frame)
            if transcript.isOverLimit { transcript.evictOldest() }
        }
        return transcript
    }

    private func frame(_ seq: Int) -> [UInt8] {
        framed([UInt8](repeating: UInt8(truncatingIfNeeded: seq), count: 1 + seq % 90))
    }

    private func expectedBytes(_ lines: some Sequence<Int>) -> [UInt8] {
        lines.flatMap(frame)
    }

    private func read(_ transcript: Transcript, _ cursor: inout TranscriptCursor) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let output = transcript.bytes(at: cursor)
            if output.isEmpty { return bytes }
            bytes += output
            transcript.advance(&cursor, by: output.count)
        }
    }
}
