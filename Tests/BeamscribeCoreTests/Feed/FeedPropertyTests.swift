import BeamscribeCore
import Testing

/// Events in which everything happens at random, and readers who look now and then; a failure
/// names its seed.
@Suite struct FeedPropertyTests {
    @Test func everyReader_hasEveryFinalOnceInOrder_orIsToldOfTheGap_andHasWhatIsOpen() {
        for seed in 0..<UInt64(300) {
            var event = RandomFeed(seed: seed)
            event.run(steps: 60)
            event.finish()
            #expect(event.failures == [], "seed \(seed)")
            if !event.failures.isEmpty { return }
        }
    }
}
