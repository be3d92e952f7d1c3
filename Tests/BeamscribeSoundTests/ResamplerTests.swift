import BeamscribeSound
import BeamscribeVoice
import Foundation
import Testing

@Suite struct ResamplerTests {
    private func tone(_ frequency: Double, rate: Int, seconds: Double) -> [Float] {
        (0..<Int(seconds * Double(rate))).map {
            Float(0.5 * sin(2 * .pi * frequency * Double($0) / Double(rate)))
        }
    }

    /// How much of a tone sound has: the amplitude at a frequency.
    private func amplitude(_ sound: some Collection<Float>, at frequency: Double, rate: Int)
        -> Double
    {
        var (real, imaginary) = (0.0, 0.0)
        for (index, sample) in sound.enumerated() {
            let angle = 2 * .pi * frequency * Double(index) / Double(rate)
            real += Double(sample) * cos(angle)
            imaginary += Double(sample) * sin(angle)
        }
        return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(sound.count)
    }

    @Test(arguments: [
        (8_000, 48_000), (16_000, 48_000), (44_100, 48_000), (48_000, 8_000), (48_000, 44_100),
    ])
    func tone_isTheSame_atAnotherRate_howeverItComes(from rate: Int, to wanted: Int) throws {
        let input = tone(440, rate: rate, seconds: 1)
        var outputs: [[Float]] = []
        for step in [input.count, 240, 77, 1] {
            let resampler = try #require(SpeexResampler(from: rate, to: wanted))
            var output: [Float] = []
            for start in stride(from: 0, to: input.count, by: step) {
                input[start..<min(start + step, input.count)].withUnsafeBufferPointer {
                    resampler.resample($0, appendingTo: &output)
                }
            }
            outputs.append(output)
        }
        #expect(outputs.allSatisfy { $0 == outputs[0] })
        let output = outputs[0]
        #expect(abs(output.count - wanted) < wanted / 100)
        let middle = output.dropFirst(wanted / 10).prefix(wanted * 8 / 10)
        #expect(abs(amplitude(middle, at: 440, rate: wanted) - 0.5) < 0.01)
        #expect(amplitude(middle, at: 1_000, rate: wanted) < 0.01)
    }

    /// What a lower rate cannot have is left out, and not heard as something else.
    @Test func highTones_areLeftOut() throws {
        let resampler = try #require(SpeexResampler(from: 48_000, to: 8_000))
        var output: [Float] = []
        tone(6_000, rate: 48_000, seconds: 1).withUnsafeBufferPointer {
            resampler.resample($0, appendingTo: &output)
        }
        #expect(amplitude(output.dropFirst(800), at: 2_000, rate: 8_000) < 0.005)
    }

    @Test func rates_areRefused_thatAreNone() {
        #expect(SpeexResampler(from: 0, to: 48_000) == nil)
        #expect(SpeexResampler(from: 48_000, to: -1) == nil)
    }
}
