import Foundation
import Testing

@testable import BeamscribeCore

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

    /// A line with any bad byte is found as JSON that every reader can read: a host sends it
    /// as it is.
    @Test(arguments: [0x01, 0x0A, 0x1F, 0x22, 0x5C, 0x85, 0xC3, 0xFF] as [UInt8])
    func line_isJSON_whicheverOfItsBytesIsBad(_ bad: UInt8) throws {
        var chunk = LiveChunk(
            final: 2, line: "l-2", text: "line 2", sentTimestamp: 1_795_219_607.5)
        (chunk.speaker, chunk.lang, chunk.at) = ("Ann", "en", 7)
        let plain = try FrameEncoder().frame(.liveChunk(chunk)).dropFirst(4)
        let signature = try #require(LogSignature(bytes: [UInt8](repeating: 7, count: 64)))
        let frame = FrameEncoder.frame(SignedPayload.signed(plain, by: signature))
        let (before, behind) = (try SampleLog.frame(1, "one"), try SampleLog.frame(3, "three"))
        for index in frame.indices.dropFirst(4) {
            var line = frame
            line[index] = bad
            let log = before + line + behind
            var found: [Int] = []
            var survey = JournalSurvey()
            var next: UInt64? = 0
            while let offset = next {
                let piece = Array(log.dropFirst(Int(clamping: offset)))
                next = piece.withUnsafeBytes { bytes in
                    survey.read(bytes, at: offset) { payload, seq in
                        found.append(seq)
                        let json = try? JSONSerialization.jsonObject(with: Data(payload))
                        #expect(json is [String: Any], "byte \(index)")
                    }
                }
            }
            #expect(found.contains(1) && found.contains(3), "byte \(index)")
        }
    }

    private func garbage(using generator: inout SeededGenerator) -> [UInt8] {
        let count = Int.random(in: 1...300, using: &generator)
        // Small numbers make lengths that are possible.
        let top: UInt8 = Bool.random(using: &generator) ? 2 : 255
        return (0..<count).map { _ in UInt8.random(in: 0...top, using: &generator) }
    }

    /// Several runs on one log. Some of their bytes go bad before the next one, and are good again
    /// later: what a run could not read, and gave its numbers to others, is not found any more.
    @Test func survey_findsWhatTheNewestRunSaid_whenOlderWordsAreSeenAgain() throws {
        var generator = SeededGenerator(seed: 7)
        var hidden = 0
        for round in 0..<500 {
            var record = SessionRecord(
                session: "", eventName: "", deviceName: "", started: Double(round))
            var (log, bad) = ([UInt8](), Set<Int>())
            var said: [Int: String] = [:]
            for run in 0..<Int.random(in: 2...5, using: &generator) {
                for place in bad where Bool.random(using: &generator) {
                    log[place] ^= 0x80
                    bad.remove(place)
                }
                let found = SampleLog.survey(
                    log, within: record.boundaries(inLogOf: UInt64(clamping: log.count)))
                for (seq, text) in SampleLog.lines(of: found, in: log) {
                    #expect(said[seq] == text, "run \(run) of \(round)")
                }
                hidden += said.keys.filter { $0 > found.lastSeq }.count
                said = said.filter { $0.key <= found.lastSeq }
                record.begin(at: 0, after: found.lastSeq, offset: UInt64(clamping: log.count))
                for _ in 0..<Int.random(in: 0...4, using: &generator) {
                    // Some lines could never be written.
                    let seq =
                        (said.keys.max() ?? found.lastSeq)
                        + Int.random(in: 1...2, using: &generator)
                    said[seq] = "run \(run) says \(seq)"
                    log += try SampleLog.frame(seq, "run \(run) says \(seq)")
                }
                for _ in 0..<2 where !log.isEmpty {
                    let place = Int.random(
                        in: max(0, log.count - 300)..<log.count, using: &generator)
                    if bad.insert(place).inserted { log[place] ^= 0x80 }
                }
            }
        }
        #expect(hidden > 200)
    }

    @Test func boundaries_areThoseOfRunsThatToldThem_andNoneOfWhatWasCutOff() {
        var record = SessionRecord(session: "", eventName: "", deviceName: "", started: 0)
        record.begin(at: 1, after: 10, offset: 1_000)
        record.begin(at: 2, after: 12, offset: nil)
        record.begin(at: 3, after: 20, offset: 3_000)
        record.begin(at: 4, after: 15, offset: 2_000)
        let allowed = { (offset: UInt64) in
            (1...30).last { record.boundaries(inLogOf: 9_000).allow($0, at: offset) }
        }
        #expect(allowed(0) == 10)
        #expect(allowed(999) == 10)
        #expect(allowed(1_000) == 15)
        #expect(allowed(2_000) == 30, "nothing is known of what lay behind")
        #expect(record.boundaries(inLogOf: 1_500).allow(30, at: 1_000), "the log has no such place")
    }

    /// Damage in `meta.json` that makes a run begin behind all lines must not hide them.
    @Test func runThatBeginsBehindTheLog_hidesNothing() throws {
        let log = try (1...21).flatMap { try SampleLog.frame($0, "line \($0)") }
        let size = UInt64(clamping: log.count)
        for run in 0...1 {
            for offset in [size + 1, 1 << 62, .max] {
                var record = SessionRecord(
                    session: "", eventName: "", deviceName: "", started: 0)
                record.begin(at: 1, after: 10, offset: size)
                record.runs[run].offset = offset
                let survey = SampleLog.survey(log, within: record.boundaries(inLogOf: size))
                #expect(run == 1 || survey.lastSeq == 10)
                #expect(run == 0 || survey.lastSeq == 21)
            }
        }
        // The first run begins with the log, whatever its record says.
        var record = SessionRecord(session: "", eventName: "", deviceName: "", started: 0)
        record.runs[0].offset = size
        #expect(SampleLog.survey(log, within: record.boundaries(inLogOf: size)).lastSeq == 21)
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
