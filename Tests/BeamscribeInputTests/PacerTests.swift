import BeamscribeCore
import BeamscribeInput
import Testing

/// When captions go out that are to come in their own time.
struct PacerTests {
    private func caption(_ text: String, _ start: Double?) -> InputEvent {
        .final(Caption(text: text, start: start))
    }

    private func texts(_ events: [InputEvent]) -> [String] {
        events.compactMap(\.finalText)
    }

    @Test func captions_goOut_asFarApartAsTheyWereSpoken() {
        var pacer = Pacer(pace: 1)
        pacer.add(
            [caption("a", 100), caption("b", 102.5), caption("c", 110)], now: .seconds(1_000))
        #expect(texts(pacer.release(now: .seconds(1_000))) == ["a"])
        #expect(pacer.nextRelease == .seconds(saturating: 1_002.5))
        #expect(texts(pacer.release(now: .seconds(1_002))) == [])
        #expect(texts(pacer.release(now: .seconds(saturating: 1_002.5))) == ["b"])
        #expect(!pacer.isEmpty)
        #expect(texts(pacer.release(now: .seconds(2_000))) == ["c"])
        #expect(pacer.isEmpty && pacer.nextRelease == nil)
    }

    @Test func time_standsStill_whileTheEventIsPaused() {
        var pacer = Pacer(pace: 1)
        pacer.add([caption("a", 0), caption("b", 8)], now: .zero)
        _ = pacer.release(now: .zero)
        pacer.stop(at: .seconds(3))
        pacer.goOn(at: .seconds(60))
        #expect(pacer.nextRelease == .seconds(65))
        pacer.add([caption("c", 10)], now: .seconds(60))
        _ = pacer.release(now: .seconds(65))
        #expect(pacer.nextRelease == .seconds(67))
    }

    @Test func pace_dividesTheTimes() {
        var pacer = Pacer(pace: 4)
        pacer.add([caption("a", 0), caption("b", 8)], now: .zero)
        _ = pacer.release(now: .zero)
        #expect(pacer.nextRelease == .seconds(2))
    }

    @Test func order_isKept_whenTimesAreMissingOrGoBack() {
        var pacer = Pacer(pace: 1)
        pacer.add(
            [
                caption("a", 10), caption("b", 12), caption("c", nil), caption("d", 5),
                .warning("w"), caption("e", 13),
            ], now: .zero)
        #expect(texts(pacer.release(now: .seconds(1))) == ["a"])
        let together = pacer.release(now: .seconds(2))
        #expect(texts(together) == ["b", "c", "d"] && together.last == .warning("w"))
        #expect(texts(pacer.release(now: .seconds(3))) == ["e"])
    }

    @Test func lateCaptions_goOutAtOnce() {
        var pacer = Pacer(pace: 1)
        pacer.add([caption("a", 0)], now: .zero)
        pacer.add([caption("b", 1)], now: .seconds(60))
        #expect(texts(pacer.release(now: .seconds(60))) == ["a", "b"])
    }

    @Test func inputRests_whileEnoughWaits() {
        var pacer = Pacer(pace: 1)
        let events = (0..<Limits.pacedEvents).map { caption("\($0)", Double($0)) }
        pacer.add(events, now: .zero)
        #expect(pacer.isFull)
        _ = pacer.release(now: .zero)
        #expect(!pacer.isFull)
    }

    @Test func operator_isTold_whenThereAreNoTimes() {
        let told = { (count: Int) in
            var pacer = Pacer(pace: 1)
            pacer.add((0..<count).map { caption("\($0)", nil) }, now: .zero)
            pacer.finish()
            return pacer.release(now: .zero).filter { $0.finalText == nil }.count
        }
        #expect(told(0) == 0)
        #expect(told(1) == 1)
        #expect(told(5) == 1)
        #expect(told(20) == 1)
        var timed = Pacer(pace: 1)
        timed.add([caption("a", nil), caption("b", 1)], now: .zero)
        timed.finish()
        #expect(timed.release(now: .seconds(9)) == [caption("a", nil), caption("b", 1)])
    }

    @Test func partials_comeBehindTheirBatch_andOnlyTheNewest() {
        var pacer = Pacer(pace: 1)
        pacer.add([.partial("a"), .partial("ab"), caption("abc", 1), .partial("d")], now: .zero)
        #expect(pacer.release(now: .zero) == [caption("abc", 1), .partial("d")])
    }

    @Test(arguments: [0.000_001, 100])
    func absurdTimes_doNoHarm(_ pace: Double) {
        var pacer = Pacer(pace: pace)
        pacer.add([caption("a", -1e10), caption("b", 1e10), caption("c", 0)], now: .zero)
        #expect(texts(pacer.release(now: .zero)) == ["a"])
        #expect(pacer.nextRelease ?? .zero > .seconds(1_000))
        #expect(texts(pacer.release(now: .seconds(saturating: 2 * Limits.seconds))) == ["b", "c"])
    }
}
