import BeamscribeVoice
import Testing

@Suite struct JitterBufferTests {
    private static let seeds: Range<UInt64> = 1..<9

    @Test func everythingIsHeardAtOnce_whenNothingIsWrong() {
        for frame in [5, 10, 20] {
            let talk = SpeechNetwork(SpeechFaults(frame: frame), seed: 1)
            #expect(talk.figures.concealed <= 9_600 + frame * 48)
            #expect(talk.heard > 0.99)
            #expect(talk.longestDelay < Double(frame) * 2 + 9)
            #expect(talk.figures.shortened + talk.figures.lengthened < 6)
        }
    }

    @Test func copiesAreHeard_whenPacketsAreLost() {
        for seed in Self.seeds {
            let talk = SpeechNetwork(SpeechFaults(loss: 0.05, redundancy: 1), seed: seed)
            #expect(talk.heard > talk.reachable - 0.01)
            #expect(talk.longestDelay < 70)
            #expect(talk.delay < 45)
        }
    }

    @Test func longRunsAreHeard_whenThereAreFourCopies() {
        for seed in Self.seeds {
            let talk = SpeechNetwork(
                SpeechFaults(loss: 0.1, run: 3, redundancy: 4), seed: seed)
            #expect(talk.heard > talk.reachable - 0.04)
            #expect(talk.delay < 90)
        }
    }

    @Test func jitterIsWaitedFor_whenThereIsSome() {
        for seed in Self.seeds {
            let talk = SpeechNetwork(SpeechFaults(jitter: 30), seed: seed)
            #expect(talk.heard > 0.97)
            #expect(talk.delay < 85)
        }
    }

    @Test func delayStays_whenClocksDiffer() {
        for skew in [-300.0, 300] {
            let talk = SpeechNetwork(SpeechFaults(skew: skew), seed: 3, seconds: 60)
            #expect(talk.longestDelay < 45)
            #expect(talk.figures.late == 0)
            #expect(talk.heard > 0.99)
            #expect(talk.figures.shortened + talk.figures.lengthened < 30)
        }
    }

    @Test func targetIsReachedAgain_whenTheListenerWasFrozen() {
        let talk = SpeechNetwork(
            SpeechFaults(freeze: 5_000..<35_000), seed: 1, seconds: 45)
        #expect(talk.longestDelay < 200)
        let after = talk.delays(fromMillisecond: 38_000)
        #expect((after.max() ?? 0) < 45)
        #expect(after.count > 1_000)
    }

    @Test func delayIsNeverLong_whateverHappens() {
        for seed in UInt64(1)..<120 {
            let faults = SpeechFaults(
                loss: Double(seed % 5) * 0.05, run: Double(1 + seed % 3),
                jitter: Double(seed % 5) * 20, absences: seed % 4 == 0 ? 1 : 0,
                doubles: seed % 6 == 0 ? 0.3 : 0, skew: Double(seed % 11) * 60 - 300,
                redundancy: Int(seed % 5), frame: [5, 10, 20][Int(seed % 3)])
            let talk = SpeechNetwork(faults, seed: seed, seconds: 5)
            #expect(talk.longestDelay < 200, "seed \(seed): \(faults)")
            #expect(!talk.wentBack, "seed \(seed)")
            #expect(talk.heard > 0.5, "seed \(seed): \(faults)")
        }
    }
}
