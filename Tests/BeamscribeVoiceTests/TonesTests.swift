import Testing

@testable import BeamscribeVoice

@Suite struct TonesTests {
    /// How many stretches of 5 ms are to be heard, and where they begin anew.
    private func stretches(_ signal: Tones.Signal) -> (beginnings: Int, peak: Float) {
        var tones = Tones()
        tones.play(signal)
        var (beginnings, isOn, peak) = (0, false, Float(0))
        for _ in 0..<200 {
            var buffer = [Float](repeating: 0, count: 240)
            tones.mix(into: &buffer)
            let loudest = buffer.map(abs).max() ?? 0
            peak = max(peak, loudest)
            if loudest > 0.01, !isOn { beginnings += 1 }
            isOn = loudest > 0.01
        }
        return (beginnings, peak)
    }

    @Test func signals_areToldApart_andAreNotLoud() {
        #expect(stretches(.lost).beginnings == 3)
        #expect(stretches(.refused).beginnings == 2)
        #expect(stretches(.endsSoon).beginnings == 1)
        #expect(stretches(.lost).peak <= 0.11)
    }

    @Test func silence_staysSilent() {
        var tones = Tones()
        var buffer: [Float] = [0.25, -0.25]
        tones.mix(into: &buffer)
        #expect(buffer == [0.25, -0.25])
    }
}
