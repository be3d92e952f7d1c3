import BeamscribeCore
import BeamscribeInput
import TestSupport
import Testing

/// The output of each program is recognised, and means the same however it is cut into reads.
struct SampleTests {
    /// What has come out, and which partials are shown then.
    fileprivate struct Outcome: Equatable {
        var lasting: [InputEvent] = []
        var open: [String?: String] = [:]
    }

    private func format(of sample: InputSample) throws -> InputFormat {
        try #require(InputFormat(rawValue: sample.format))
    }

    private func outcome(
        _ format: InputFormat, _ parts: [[UInt8]], ends: Bool
    ) -> Outcome {
        var reader = format.makeReader()
        var outcome = Outcome()
        for part in parts { outcome.take(part.withUnsafeBytes { reader.feed($0) }) }
        if ends { outcome.take(reader.finish()) }
        return outcome
    }

    private func line(_ event: InputEvent) -> String? {
        switch event {
        case .final(let caption), .correction(let caption):
            caption.speaker.map { "\($0): \(caption.text)" } ?? caption.text
        case .partial, .warning: nil
        }
    }

    @Test(arguments: InputSample.all)
    func sample_isRecognisedAndRead_withoutBeingAskedFor(_ sample: InputSample) throws {
        let bytes = try sample.bytes()
        let found = outcome(.auto, [bytes], ends: true)
        #expect(found.lasting.compactMap(line) == sample.lines)
        #expect(found.lasting.count == sample.lines.count, "a warning: \(found.lasting)")
        #expect(found.open.isEmpty)
        #expect(outcome(try format(of: sample), [bytes], ends: true) == found)
    }

    @Test(arguments: InputSample.all)
    func sample_meansTheSame_howeverItIsSplit(_ sample: InputSample) throws {
        let bytes = try sample.bytes()
        // Half a sample, too: what is shown of an open line is the same then.
        for count in [bytes.count, bytes.count / 2, bytes.count / 3] {
            let bytes = Array(bytes.prefix(count))
            for format in [InputFormat.auto, try format(of: sample)] {
                let ends = count == bytes.count
                let whole = outcome(format, [bytes], ends: ends)
                #expect(outcome(format, bytes.map { [$0] }, ends: ends) == whole)
                for seed in 0..<100 {
                    var random = SeededGenerator(seed: UInt64(clamping: seed))
                    let parts = randomParts(bytes, using: &random)
                    let split = outcome(format, parts, ends: ends)
                    if split != whole { Issue.record("\(format) \(count), seed \(seed): \(split)") }
                }
            }
        }
    }

    @Test(arguments: InputSample.all)
    func sample_isNeverTakenForAnotherForm_whereverItIsCut(_ sample: InputSample) throws {
        let bytes = try sample.bytes()
        let format = try format(of: sample)
        var bytewise = AutoParser()
        for count in 1...bytes.count {
            var parser = AutoParser()
            _ = parser.feed(Array(bytes.prefix(count)))
            let isRight = parser.decided == nil || parser.decided == format
            #expect(isRight, "\(String(describing: parser.decided)) after \(count) bytes")
            _ = bytewise.feed([bytes[count - 1]])
            #expect(bytewise.decided == parser.decided)
        }
        #expect(bytewise.decided == format)
    }

    @Test(arguments: InputSample.all)
    func damagedSample_givesHarmlessEvents_alwaysAndEverywhere(_ sample: InputSample) throws {
        let bytes = try sample.bytes()
        let format = try format(of: sample)
        for seed in 0..<100 {
            var random = SeededGenerator(seed: UInt64(clamping: seed))
            let damaged = RandomInput.damaged(bytes, using: &random)
            let parts = randomParts(damaged, using: &random)
            for format in [format, .auto] {
                let batches = batches(format, parts)
                if !batches.joined().allSatisfy(\.isHarmless) {
                    Issue.record("\(format), seed \(seed): \(batches)")
                }
                let whole = outcome(format, [damaged], ends: true)
                if outcome(format, parts, ends: true) != whole {
                    Issue.record("\(format), seed \(seed): depends on the reads")
                }
            }
        }
    }
}

extension SampleTests.Outcome {
    fileprivate mutating func take(_ events: [InputEvent]) {
        for event in events {
            switch event {
            case .final(let caption), .correction(let caption): open[caption.line] = nil
            case .partial(let caption):
                open[caption.line] = caption.text.isEmpty ? nil : caption.text
            case .warning: break
            }
            if !event.isPartial { lasting.append(event) }
        }
    }
}
