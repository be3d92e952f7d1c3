import BeamscribeSound
import BeamscribeVoice
import Testing

/// What the loudspeaker says is taken out of what the microphone hears, in a room that is made up.
@Suite struct WebRTCProcessorTests {
    private static let frame = 480

    /// Noise that comes and goes as syllables do.
    private struct Speech {
        private var state: UInt64 = 42
        private var low: Float = 0
        private var position = 0

        mutating func next() -> Float {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let noise = Float(state >> 40) / Float(1 << 23) - 1
            low += (noise - low) * 0.2
            position += 1
            // 250 ms of sound in 400.
            return position % 19_200 < 12_000 ? low * 0.6 : 0
        }
    }

    /// The echo's power before and after, and the voice's, in its last seconds.
    private func play(
        seconds: Int, cancelsEcho: Bool
    ) throws -> (echo: Double, left: Double) {
        var cleaning = VoiceCleaning()
        cleaning.controlsGain = false
        let processor = try #require(WebRTCProcessor(cleaning))
        processor.cancelsEcho = cancelsEcho
        var speech = Speech()
        // 30 ms later from the wall, and three more reflections.
        let path: [(delay: Int, gain: Float)] = [
            (1_440, 0.25), (1_900, 0.12), (2_600, 0.06), (3_500, 0.03),
        ]
        var past = [Float](repeating: 0, count: 3_500)
        var (echo, left) = (0.0, 0.0)
        for index in 0..<seconds * 100 {
            let far = (0..<Self.frame).map { _ in speech.next() }
            far.withUnsafeBufferPointer { processor.play($0) }
            past += far
            let start = past.count - Self.frame
            var near = (0..<Self.frame).map { offset in
                path.reduce(Float(0)) { $0 + past[start + offset - $1.delay] * $1.gain }
            }
            let power = near.reduce(0.0) { $0 + Double($1 * $1) }
            near.withUnsafeMutableBufferPointer { processor.process($0) }
            if index >= (seconds - 4) * 100 {
                echo += power
                left += near.reduce(0.0) { $0 + Double($1 * $1) }
            }
            past.removeFirst(Self.frame)
        }
        return (echo, left)
    }

    @Test func echo_is30DecibelsLess() throws {
        let (echo, left) = try play(seconds: 12, cancelsEcho: true)
        #expect(echo > 0)
        #expect(left < echo / 1_000, "\(left) of \(echo) is left")
    }

    @Test func withoutTheCanceller_itStays() throws {
        let (echo, left) = try play(seconds: 6, cancelsEcho: false)
        #expect(left > echo / 4)
    }

    @Test func cleaner_cutsSoundIntoFrames_andLosesNothing() {
        final class Doubler: VoiceProcessor {
            var cancelsEcho = false
            var played = 0

            func play(_ frame: UnsafeBufferPointer<Float>) { played += frame.count }

            func process(_ frame: UnsafeMutableBufferPointer<Float>) {
                for index in frame.indices { frame[index] *= 2 }
            }
        }
        let doubler = Doubler()
        let cleaner = VoiceCleaner(doubler)
        var cleaned: [Float] = []
        for start in stride(from: 0, to: 1_280, by: 128) {
            cleaned += cleaner.clean((start..<start + 128).map(Float.init), afterGap: false)
            cleaner.play([Float](repeating: 0, count: 240))
        }
        #expect(cleaned == (0..<960).map { Float($0) * 2 })
        #expect(doubler.played == 2_400)
        #expect(cleaner.clean([1], afterGap: true).isEmpty)
        let frame = (0..<480).map(Float.init)
        #expect(cleaner.clean(Array(frame.dropFirst()), afterGap: false).first == 2)
    }
}
