import BeamscribeCore
import Testing

@Suite struct CorrectionTests {
    /// A line as a session's input has it.
    private struct Said {
        var seq: Int
        var replaces: Int?
    }

    /// The words of each line after all corrections, worked out the plain way: each correction
    /// is followed to the line that it is of in the end.
    private func model(_ said: [Said]) -> [Int: String] {
        var place: [Int: Int] = [:]
        var texts: [Int: String] = [:]
        for line in said {
            var own = line.seq
            if let target = line.replaces, target >= 1, target < line.seq {
                own = place[target] ?? line.seq
                if place[target] == nil { place[target] = line.seq }
            }
            place[line.seq] = own
            texts[own] = "text \(line.seq)"
        }
        return texts
    }

    private func corrected(_ said: [Said], pieces: Int) throws -> [Int: String] {
        let log = try said.flatMap {
            try SampleLog.frame($0.seq, "text \($0.seq)", replaces: $0.replaces)
        }
        let survey = SampleLog.survey(log, pieces: pieces)
        var texts = SampleLog.lines(of: survey, in: log)
        for line in said {
            let index = survey.corrections
            if index.isCorrection(line.seq) { texts[line.seq] = nil }
            for place in index.corrections(of: line.seq) {
                let frame = log[Int(clamping: place.offset)...].prefix(place.length)
                let packet = try Array(frame).withUnsafeBytes { try PacketDecoder().packet($0) }
                guard case .liveChunk(let chunk) = packet else { continue }
                texts[line.seq] = chunk.text
            }
        }
        return texts
    }

    @Test func corrections_areInTheirPlaces_asThePlainWayHasThem() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            var seq = 0
            let said = (0..<Int.random(in: 1...25, using: &generator)).map { _ in
                seq += Int.random(in: 0...5, using: &generator) == 0 ? 2 : 1
                let target = Int.random(in: -1...seq + 3, using: &generator)
                return Said(seq: seq, replaces: Bool.random(using: &generator) ? target : nil)
            }
            let pieces = Int.random(in: 50...500, using: &generator)
            #expect(try corrected(said, pieces: pieces) == model(said))
        }
    }

    @Test func correctionOfACorrection_isOneOfTheFirstLine() throws {
        let said = [Said(seq: 1), Said(seq: 2, replaces: 1), Said(seq: 3, replaces: 2)]
        #expect(try corrected(said, pieces: 100) == [1: "text 3"])
    }

    @Test func correctionOfAMissingLine_staysALineOfItsOwn() throws {
        let said = [Said(seq: 1), Said(seq: 4, replaces: 2), Said(seq: 5, replaces: 2)]
        #expect(try corrected(said, pieces: 100) == [1: "text 1", 4: "text 5"])
    }

    @Test func correction_hasItsWords_andTheLinesNumberAndTimes() {
        var line = captionLine(3, "wrnog", at: 10)
        (line.speaker, line.start, line.end) = ("Ann", 1, 2)
        var correction = captionLine(9, "wrong", at: 20)
        (correction.start, correction.replaces) = (1.5, 3)
        var expected = line
        expected.text = "wrong"
        #expect(line.corrected(by: correction) == expected)
        (correction.speaker, expected.speaker) = ("Bo", "Bo")
        #expect(line.corrected(by: correction) == expected)
    }

    @Test func corrections_areMarked_whenTheyAreShown() {
        var line = captionLine(9, "wrong", at: 20)
        (line.speaker, line.replaces) = ("Ann", 3)
        let wrong = captionLine(3, "wrnog", at: 10)
        var text = TranscriptExporter(.text, range: 4...9)
        #expect(text.text(for: wrong) == "")
        #expect(text.text(for: line) == "(correction to line 3) Ann: wrong\n")
        var vtt = TranscriptExporter(.vtt, range: 4...9)
        #expect(vtt.text(for: wrong) == "")
        #expect(
            (vtt.text(for: line) + vtt.end()).contains("\n<v Ann>(correction to line 3) wrong\n"))
    }
}
