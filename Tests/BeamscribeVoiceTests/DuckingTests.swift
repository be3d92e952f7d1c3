import Testing

@testable import BeamscribeVoice

@Suite struct DuckingTests {
    @Test func others_become12DecibelsQuieter_whileOneTalks_withoutAStep() {
        var ducking = Ducking()
        var heard: [Float] = []
        for index in 0..<30 {
            var buffer = [Float](repeating: 1, count: 240)
            ducking.turn(down: (10..<20).contains(index), &buffer)
            heard += buffer
        }
        #expect(heard[..<2_400].allSatisfy { $0 == 1 })
        #expect(heard[3_400..<4_800].allSatisfy { $0 == 0.25 })
        #expect(heard[5_800...].allSatisfy { $0 == 1 })
        #expect(zip(heard, heard.dropFirst()).allSatisfy { abs($0 - $1) < 0.001 })
    }
}
