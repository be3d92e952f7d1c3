import Foundation
import Testing

@testable import BeamscribeCore

/// Which line a correction is of in the end, told while the lines come.
@Suite struct CorrectionsTests {
    /// The same by the index of a whole log.
    private func byIndex(_ said: [(seq: Int, replaces: Int?)]) -> [Int: Int] {
        var index = CorrectionIndex<JournalSurvey.LinePlace>()
        for line in said {
            let place = JournalSurvey.LinePlace(offset: UInt64(clamping: line.seq), length: 1)
            index.add(line.seq, replacing: line.replaces, at: place)
        }
        var corrected: [Int: Int] = [:]
        for line in said where !index.isCorrection(line.seq) {
            for place in index.corrections(of: line.seq) {
                corrected[Int(clamping: place.offset)] = line.seq
            }
        }
        return corrected
    }

    @Test func corrections_areOfTheLines_thatAnExportPutsThemIn() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<3_000 {
            var seq = 0
            let said = (0..<Int.random(in: 1...30, using: &generator)).map { _ in
                seq += Int.random(in: 0...5, using: &generator) == 0 ? 3 : 1
                let target = Int.random(in: -1...seq + 3, using: &generator)
                return (seq: seq, replaces: Bool.random(using: &generator) ? target : nil)
            }
            var corrections = Corrections()
            var found: [Int: Int] = [:]
            for line in said {
                found[line.seq] = corrections.add(line.seq, replacing: line.replaces)
            }
            #expect(found == byIndex(said))
        }
    }

    @Test func chain_endsAtItsFirstLine() {
        var corrections = Corrections()
        #expect(corrections.add(12, replacing: nil) == nil)
        #expect(corrections.add(13, replacing: 12) == 12)
        #expect(corrections.add(14, replacing: 13) == 12)
        #expect(corrections.add(15, replacing: 14) == 12)
    }

    @Test func correctionOfALineThatNeverCame_isALineOfItsOwn() {
        var corrections = Corrections()
        #expect(corrections.add(20, replacing: 12) == nil)
        #expect(corrections.add(21, replacing: 12) == 20, "The first stands for the missing one.")
    }

    @Test func withdrawnLines_areForgotten_whateverGetsTheirNumbers() {
        for tells in [true, false] {
            var corrections = Corrections()
            for seq in 1...10 { _ = corrections.add(seq, replacing: seq == 9 ? 2 : nil) }
            if tells { corrections.forget(from: 8) }
            #expect(corrections.add(8, replacing: nil) == nil)
            #expect(corrections.add(9, replacing: nil) == nil)
            #expect(corrections.add(10, replacing: 9) == 9, "9 is no correction any more.")
        }
    }

    @Test func corrections_areTheSame_afterTheyWereWrittenToAFile() throws {
        var generator = SeededGenerator(seed: 9)
        var (kept, stored) = (Corrections(), Corrections())
        for seq in 1...500 {
            let target = Int.random(in: 1...seq, using: &generator)
            let replaces = seq % 3 == 0 ? target : nil
            let json = try JSONEncoder().encode(stored)
            stored = try JSONDecoder().decode(Corrections.self, from: json)
            let same = kept.add(seq, replacing: replaces) == stored.add(seq, replacing: replaces)
            #expect(same && kept == stored)
        }
    }

    @Test func corrections_takeBoundedMemory_whateverAHostSends() throws {
        var corrections = Corrections()
        for seq in 1...20_000 { _ = corrections.add(seq * 2, replacing: seq * 2 - 1) }
        let size = try JSONEncoder().encode(corrections).count
        #expect(size < 64_000, "\(size) bytes")
    }
}
