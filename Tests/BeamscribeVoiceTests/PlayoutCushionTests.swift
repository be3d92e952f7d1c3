import Testing

@testable import BeamscribeVoice

@Suite struct PlayoutCushionTests {
    @Test(arguments: [0, 480])
    func cushion_isOnePeriod_andWhatIsAddedIsAtMost40Milliseconds(margin: Int) {
        var cushion = PlayoutCushion(margin: margin)
        #expect(cushion.wanted(period: 0, faults: 0, now: .zero) == 0)
        #expect(cushion.wanted(period: 256, faults: 0, now: .zero) == margin + 256)
        for fault in 1...20 {
            let wanted = cushion.wanted(period: 256, faults: fault, now: .zero)
            #expect(wanted == margin + 256 * (1 + min(fault, 7)))
        }
        #expect(cushion.wanted(period: 256, faults: 20, now: .seconds(9)) == margin + 256 * 8)
        #expect(cushion.wanted(period: 256, faults: 20, now: .seconds(10)) == margin + 256 * 7)
        #expect(cushion.wanted(period: 256, faults: 20, now: .seconds(19)) == margin + 256 * 7)
        #expect(cushion.wanted(period: 256, faults: 20, now: .seconds(20)) == margin + 256 * 6)
        // A device that takes more at once gets no more than that.
        #expect(cushion.wanted(period: 4_096, faults: 20, now: .seconds(20)) == margin + 4_096)
    }
}
