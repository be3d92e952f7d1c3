import BeamscribeCore
import Testing

@Suite struct JournalSurveyTests {
    @Test func survey_findsEveryWholeLine_whateverIsBroken() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<1_500 {
            var log: [UInt8] = []
            var whole: [Int: String] = [:]
            var seq = 0
            for _ in 0..<Int.random(in: 0...12, using: &generator) {
                seq += Int.random(in: 1...9, using: &generator) == 1 ? 3 : 1
                let frame = try SampleLog.frame(seq, "line \(seq) \"é\"")
                switch Int.random(in: 0...5, using: &generator) {
                case 0: log += garbage(using: &generator)
                case 1: log += frame.prefix(Int.random(in: 0..<frame.count, using: &generator))
                default:
                    log += frame
                    whole[seq] = "line \(seq) \"é\""
                }
            }
            let size = Int.random(in: 40...600, using: &generator)
            let survey = SampleLog.survey(log, pieces: size)
            #expect(SampleLog.lines(of: survey, in: log) == whole, "pieces of \(size)")
            #expect(survey.count == whole.count)
            #expect(survey.lastSeq == whole.keys.max() ?? 0)
            let lost = survey.damage.reduce(0) { $0 + $1.count }
            let kept = survey.stretches.reduce(0) { $0 + $1.bytes.count }
            #expect(lost + kept == log.count)
            let missing = survey.gaps.flatMap { Array($0) }
            #expect(missing == (1..<max(1, survey.lastSeq)).filter { whole[$0] == nil })
        }
    }

    private func garbage(using generator: inout SeededGenerator) -> [UInt8] {
        let count = Int.random(in: 1...300, using: &generator)
        // Small numbers make lengths that are possible.
        let top: UInt8 = Bool.random(using: &generator) ? 2 : 255
        return (0..<count).map { _ in UInt8.random(in: 0...top, using: &generator) }
    }

    @Test func glance_agreesWithTheSurvey_orLeavesItToIt() throws {
        var generator = SeededGenerator(seed: 6)
        var known = 0
        for round in 0..<500 {
            let count = Int.random(in: 0...20, using: &generator)
            var log = try (0..<count).flatMap { try SampleLog.frame($0 + 1, "line") }
            if round % 3 == 1 { log.removeLast(min(log.count, 7)) }
            if round % 5 == 1, log.count > 50 { log.replaceSubrange(20..<40, with: []) }
            var glance = JournalGlance()
            log.withUnsafeBytes { glance.read($0) }
            guard let summary = glance.summary else { continue }
            known += 1
            #expect(summary == JournalSummary(SampleLog.survey(log)))
        }
        #expect(known > 300)
    }

    @Test func beginning_isToldFromOtherFiles() throws {
        let frame = try SampleLog.frame(1, "hello")
        for count in 1...frame.count {
            #expect(JournalSurvey.isBeginning(Array(frame.prefix(min(count, 16)))))
        }
        for text in ["h", "hello", "\0\0\0\0", "\0\0\0\u{40}hello", "{}"] {
            #expect(!JournalSurvey.isBeginning(Array(text.utf8)), "\(text)")
        }
    }
}
