import BeamscribeCore
import BeamscribeVoice
import Testing

/// Says how many samples came and at which rate; the first sample tells them apart.
private final class CountingEncoder: AudioEncoder {
    private(set) var talks = 0

    func encode(_ samples: UnsafeBufferPointer<Float>, bitrate: Int) -> [UInt8]? {
        [
            UInt8(clamping: samples.count / 24), UInt8(clamping: bitrate / 1_000),
            UInt8(saturating: samples[0] * 100),
        ]
    }

    func reset() { talks += 1 }
}

private func sound(_ count: Int, _ value: Float = 0.1) -> [Float] {
    [Float](repeating: value, count: count)
}

@Suite struct TalkPacketsTests {
    private func make(_ shape: TalkShape = TalkShape(frame: 10, bitrate: 40_000)) -> TalkPackets {
        TalkPackets(source: 7, shape: shape, encoder: CountingEncoder(), seed: 5)
    }

    private func hear(
        _ packets: inout TalkPackets, _ samples: [Float], dropped: Int = 0
    ) -> [RTPPacket] {
        samples.withUnsafeBufferPointer { packets.hear($0, dropped: dropped) }
    }

    @Test func nothingIsSent_betweenTalks() {
        var packets = make()
        #expect(hear(&packets, sound(48_000)).isEmpty)
        packets.begin(lookBack: 0)
        let first = hear(&packets, sound(960))
        #expect(first.map(\.header.isMarked) == [true, false])
        #expect(packets.end().isEmpty)
        #expect(hear(&packets, sound(9_600)).isEmpty)
        packets.begin(lookBack: 0)
        let second = hear(&packets, sound(480))
        #expect(second[0].header.isMarked)
        // The numbers go on, the time has passed.
        #expect(second[0].header.sequence == first[1].header.sequence &+ 1)
        #expect(second[0].header.timestamp == first[0].header.timestamp &+ 960 &+ 9_600)
    }

    @Test func firstSyllablesAreWhole_whenSpeechOpensTheGate() {
        var packets = make()
        _ = hear(&packets, sound(10_000, 0.1) + sound(2_880, 0.2))
        packets.begin(lookBack: 60)
        let sent = hear(&packets, [])
        #expect(sent.count == 6)
        #expect(sent[0].payload[2] == 20)
        #expect(sent[0].header.timestamp == packets.timestamp &- 2_880)
    }

    @Test func timeGoesOn_whenTheDeviceDropsSamples() {
        var packets = make()
        packets.begin(lookBack: 0)
        let before = hear(&packets, sound(480))
        let after = hear(&packets, sound(480), dropped: 4_800)
        #expect(after[0].header.timestamp == before[0].header.timestamp &+ 480 &+ 4_800)
    }

    @Test func copiesGoAlong_butNotOfAnotherTalk() throws {
        var packets = make(TalkShape(frame: 10, bitrate: 40_000, redundancy: 2))
        packets.begin(lookBack: 0)
        let sent = hear(&packets, sound(480, 0.1) + sound(480, 0.2) + sound(480, 0.3))
        let ages = try sent.map { packet in
            try RedundantAudio(parsing: packet.payload).blocks.map(\.age)
        }
        #expect(ages == [[0], [480, 0], [960, 480, 0]])
        #expect(try RedundantAudio(parsing: sent[2].payload).blocks[0].bytes[2] == 10)
        _ = packets.end()
        packets.begin(lookBack: 0)
        let next = hear(&packets, sound(480))
        #expect(try RedundantAudio(parsing: next[0].payload).blocks.count == 1)
    }

    @Test func lastSyllableIsWhole_whenTheKeyIsReleased() {
        var packets = make()
        packets.begin(lookBack: 0)
        #expect(hear(&packets, sound(600)).count == 1)
        let last = packets.end()
        #expect(last.count == 1)
        #expect(last[0].header.timestamp == packets.timestamp &- 120)
        #expect(packets.end().isEmpty)
    }

    @Test func shapeChanges_betweenTwoFrames() {
        var packets = make()
        packets.begin(lookBack: 0)
        _ = hear(&packets, sound(600))
        packets.setShape(TalkShape(frame: 20, bitrate: 24_000))
        let sent = hear(&packets, sound(960))
        #expect(sent.count == 1)
        #expect(sent[0].payload[..<2] == [40, 24])
        #expect(
            TalkShape(frame: 7, bitrate: 9_999_999, redundancy: 99).clamped
                == TalkShape(frame: 10, bitrate: 128_000, redundancy: 4))
    }
}

@Suite struct TalkGateTests {
    private func hear(
        _ gate: inout TalkGate, seconds: Double, _ value: Float = 0.1
    ) -> [TalkGate.Event] {
        let samples = sound(480, value)
        return (0..<Int(saturating: seconds * 100)).flatMap { index in
            // A microphone that gives one number alone has no sound, but it has a level.
            samples.withUnsafeBufferPointer { gate.hear($0) }
        }
    }

    @Test func key_opensAndCloses() {
        var gate = TalkGate(mode: .pushToTalk)
        #expect(hear(&gate, seconds: 1).isEmpty)
        #expect(gate.setKey(down: true) == [.began(lookBack: 0)])
        #expect(gate.setKey(down: true).isEmpty)
        #expect(gate.setWanted(!gate.isWanted) == [.ended])
        #expect(!gate.isOpen)
    }

    @Test func key_fallsBack_whenNobodySpeaksForAMinute() {
        var gate = TalkGate(mode: .pushToTalk)
        _ = gate.setKey(down: true)
        #expect(hear(&gate, seconds: 10).isEmpty)
        #expect(hear(&gate, seconds: 54, 0.0001).isEmpty)
        #expect(hear(&gate, seconds: 2, 0.0001) == [.endsSoon])
        // A word in time, and nothing happens.
        #expect(hear(&gate, seconds: 1).isEmpty)
        #expect(hear(&gate, seconds: 61, 0.0001) == [.endsSoon, .fellBack])
        #expect(!gate.isOpen)
        #expect(gate.setKey(down: true) == [.began(lookBack: 0)])
    }

    @Test func key_fallsBack_afterFiveMinutes() {
        var gate = TalkGate(mode: .pushToTalk)
        _ = gate.setKey(down: true)
        #expect(hear(&gate, seconds: 294).isEmpty)
        #expect(hear(&gate, seconds: 7) == [.endsSoon, .fellBack])
    }

    @Test func open_staysOpen() {
        var gate = TalkGate(mode: .open)
        #expect(hear(&gate, seconds: 0.01) == [.began(lookBack: 0)])
        #expect(hear(&gate, seconds: 400).isEmpty)
        #expect(gate.setMuted(true) == [.ended])
        #expect(hear(&gate, seconds: 1).isEmpty)
        #expect(gate.setMuted(false) == [.began(lookBack: 0)])
        #expect(gate.setWanted(false) == [.ended])
        #expect(gate.letGo().isEmpty)
        #expect(hear(&gate, seconds: 1).isEmpty, "who is muted stays so")
        #expect(gate.setWanted(true) == [.began(lookBack: 0)])
        #expect(gate.letGo() == [.ended])
        #expect(hear(&gate, seconds: 0.01) == [.began(lookBack: 0)])
    }

    @Test func voice_opensWithSpeech_andWaitsForItsPauses() {
        var gate = TalkGate(mode: .voice)
        #expect(hear(&gate, seconds: 2, 0.004).isEmpty)
        #expect(hear(&gate, seconds: 0.5) == [.began(lookBack: 60)])
        #expect(hear(&gate, seconds: 0.15, 0.004).isEmpty)
        #expect(hear(&gate, seconds: 0.5).isEmpty)
        #expect(hear(&gate, seconds: 0.5, 0.004) == [.ended])
        #expect(gate.setKey(down: true).isEmpty)
    }

    @Test(arguments: [TalkGate.Mode.open, .voice])
    func whoeverIsRefused_triesAgainInAWhile(mode: TalkGate.Mode) {
        var gate = TalkGate(mode: mode)
        _ = hear(&gate, seconds: 2, 0.004)
        _ = hear(&gate, seconds: 0.5)
        #expect(gate.isOpen && gate.refused() == [.ended])
        #expect(hear(&gate, seconds: 1.9).isEmpty)
        #expect(hear(&gate, seconds: 0.2).count == 1 && gate.isOpen)
        // Whoever asks for it himself need not wait.
        _ = gate.refused()
        _ = gate.setWanted(false)
        _ = gate.setWanted(true)
        #expect(hear(&gate, seconds: 0.1).count <= 1 && gate.isOpen)
    }

    @Test func microphone_isTold_whenItGivesNothingOrTooMuch() {
        var gate = TalkGate(mode: .pushToTalk)
        _ = hear(&gate, seconds: 10, 0)
        _ = gate.setKey(down: true)
        #expect(hear(&gate, seconds: 2.5, 0).isEmpty)
        #expect(hear(&gate, seconds: 10, 0) == [.microphoneIsSilent])
        #expect(hear(&gate, seconds: 1, 1) == [.microphoneClips])
        #expect(gate.letGo() == [.ended])
        #expect(gate.letGo().isEmpty)
    }
}

@Suite struct LinkAdaptationTests {
    private let usual = TalkShape(frame: 10, bitrate: 40_000)

    @Test func redundancyComesAtOnce_andGoesSlowly() {
        var link = LinkAdaptation(usual: usual)
        #expect(link.update([LinkQuality(loss: 0.004)], now: .zero) == false)
        #expect(link.update([LinkQuality(loss: 0.006)], now: .seconds(1)) == true)
        #expect(link.shape.redundancy == 1)
        #expect(link.update([LinkQuality(loss: 0.06)], now: .seconds(2)) == true)
        #expect(link.shape.redundancy == 2)
        // A run may be chance, and that nothing newer is told is no second one.
        let run = [LinkQuality(loss: 0.02, longestRun: 4)]
        for tenth in 0..<10 {
            #expect(link.update(run, now: .seconds(3) + .milliseconds(100) * tenth) == false)
        }
        #expect(link.update(run, now: .seconds(5)) == true)
        #expect(link.shape.redundancy == 4)
        #expect(link.update([LinkQuality()], now: .seconds(14)) == false)
        #expect(link.update([LinkQuality()], now: .seconds(15)) == true)
        #expect(link.shape.redundancy == 2)
        for second in 16..<60 { _ = link.update([], now: .seconds(second)) }
        #expect(link.shape == usual)
    }

    @Test func worstTenth_costsNobodyElse() {
        var link = LinkAdaptation(usual: usual)
        let good = [LinkQuality](repeating: LinkQuality(), count: 9)
        #expect(link.update(good + [LinkQuality(loss: 0.5, longestRun: 9)], now: .zero) == false)
        #expect(link.update([LinkQuality(loss: 0.1)], now: .seconds(1)) == true)
    }

    @Test func bitsAreSaved_whenMuchIsLost() {
        var link = LinkAdaptation(usual: usual)
        _ = link.update([LinkQuality(loss: 0.3)], now: .seconds(1))
        #expect(link.shape.bitrate == 24_000)
        #expect(link.shape.frame == 10)
        for tenth in 1..<10 {
            let now = Duration.seconds(1) + .milliseconds(100) * tenth
            #expect(link.update([LinkQuality(loss: 0.3)], now: now) == false)
        }
        _ = link.update([LinkQuality(loss: 0.3)], now: .seconds(3))
        #expect(link.shape.frame == 20)
        _ = link.update([LinkQuality(loss: 0)], now: .seconds(13))
        #expect(link.shape.frame == 10)
        _ = link.update([LinkQuality(loss: 0)], now: .seconds(23))
        #expect(link.shape.bitrate == 40_000)
    }

    @Test func runsThatAreFarApart_areChance() {
        var link = LinkAdaptation(usual: usual)
        for second in stride(from: 0, to: 100, by: 11) {
            let run = [LinkQuality(loss: 0.1, longestRun: 3)]
            _ = link.update(run, now: .seconds(second))
            #expect(link.shape.redundancy == 2)
        }
    }

    @Test func framesAreLonger_whereTimesVaryMuch() {
        var link = LinkAdaptation(usual: usual)
        #expect(link.update([LinkQuality(jitter: 35)], now: .zero) == true)
        #expect(link.shape.frame == 20)
        #expect(link.update([LinkQuality(jitter: 5)], now: .seconds(10)) == true)
        #expect(link.shape.frame == 10)
    }
}

@Suite struct ReceptionCounterTests {
    @Test func lossesAreCounted_overTheTurnOfTheSequence() {
        var counter = ReceptionCounter()
        for index in 0..<400 where index % 10 != 3 {
            #expect(
                counter.arrived(sequence: UInt16(truncatingIfNeeded: 65_400 + index), transit: 0)
                    == true)
        }
        #expect(counter.expected == 400)
        #expect(counter.lost == 40)
        let report = counter.report(of: 9)
        #expect(report.fractionLost == 25)
        #expect(report.lost == 40)
        #expect(report.highestSequence == 2 << 16 | UInt32(clamping: 65_799 - 65_536))
        #expect(counter.report(of: 9).fractionLost == 0)
        let map = counter.losses(of: 9)
        #expect(map?.longestRun == 1)
        #expect(map?.received.count == 253)
        let again = counter.losses(of: 9)
        #expect(again == nil)
    }

    @Test func runsAreTold_asWhoeverSendsCanReadThem() throws {
        var counter = ReceptionCounter()
        for sequence in UInt16(65_500)...65_535 where !(65_510..<65_514).contains(sequence) {
            _ = counter.arrived(sequence: sequence, transit: 0)
        }
        let told = counter.losses(of: 9)
        let map = try #require(told)
        #expect(map.first == 65_500)
        #expect(map.longestRun == 4)
        #expect(abs(map.loss - 4.0 / 33) < 0.001)
        for sequence in UInt16(0)..<100 { _ = counter.arrived(sequence: sequence, transit: 0) }
        let toldNext = counter.losses(of: 9)
        let next = try #require(toldNext)
        #expect(next.first == 65_533)
        #expect(next.loss == 0)
        let packet = RTCPPacket(source: 7, losses: [map, next], name: "x")
        let bytes = packet.bytes
        let read = try bytes.withUnsafeBytes { try RTCPPacket(parsing: $0) }
        #expect(read == packet)
    }

    @Test func jitterIsThatOfTheStandard() {
        var counter = ReceptionCounter()
        for index in 0..<1_000 {
            _ = counter.arrived(
                sequence: UInt16(clamping: index), transit: index.isMultiple(of: 2) ? 0 : 160)
        }
        #expect(abs(counter.jitter - 160) < 1)
    }

    @Test func jitterIsTold_howeverGreat() {
        var counter = ReceptionCounter()
        for index in 0..<100 {
            let transit = index.isMultiple(of: 2) ? 0 : 1e12
            _ = counter.arrived(sequence: UInt16(clamping: index), transit: transit)
        }
        #expect(counter.report(of: 1).jitter == .max)
    }

    @Test func leapsAreToldAndNothingElse() {
        var counter = ReceptionCounter()
        _ = counter.arrived(sequence: 10, transit: nil)
        #expect(counter.arrived(sequence: 700, transit: nil) == true)
        #expect(counter.arrived(sequence: 60, transit: nil) == true)
        #expect(counter.arrived(sequence: 5_000, transit: nil) == false)
        #expect(counter.expected == 691)
    }
}

@Suite struct MixerTests {
    private func mix(_ mixer: inout Mixer, _ voices: [(UInt32, Float, [Float])]) -> [Float] {
        var sum = sound(240, 9)
        let buffers = voices.map { (source, gain, samples) in
            let copy = UnsafeMutableBufferPointer<Float>.allocate(capacity: samples.count)
            _ = copy.initialize(from: samples)
            return (source, gain, copy)
        }
        defer { for buffer in buffers { buffer.2.deallocate() } }
        sum.withUnsafeMutableBufferPointer { sum in
            mixer.mix(
                buffers.map {
                    Mixer.Voice(source: $0.0, gain: $0.1, samples: UnsafeBufferPointer($0.2))
                }, into: sum)
        }
        return sum
    }

    @Test func voicesAreAdded_withoutAClick() {
        var mixer = Mixer()
        let first = mix(&mixer, [(1, 1, sound(240, 0.2)), (2, 0.5, sound(240, 0.4))])
        #expect(first[0] < 0.01)
        let second = mix(&mixer, [(1, 1, sound(240, 0.2)), (2, 0.5, sound(240, 0.4))])
        #expect(second.allSatisfy { abs($0 - 0.4) < 0.000_1 })
        #expect(mix(&mixer, []) == sound(240, 0))
    }

    @Test func fourLoudestAreHeard_andGiveWayToLouderOnesOnly() {
        var mixer = Mixer()
        let five = (1...5).map { (UInt32(clamping: $0), Float(1), sound(240, 0.1)) }
        _ = mix(&mixer, five)
        #expect(abs(mix(&mixer, five)[0] - 0.4) < 0.000_1)
        var louder = five
        louder[4].2 = sound(240, 0.12)
        _ = mix(&mixer, louder)
        #expect(abs(mix(&mixer, louder)[239] - 0.4) < 0.000_1)
        louder[4].2 = sound(240, 0.2)
        for _ in 0..<4 { _ = mix(&mixer, louder) }
        #expect(abs(mix(&mixer, louder)[239] - 0.5) < 0.000_1)
    }

    @Test func nothingIsBeyondFullScale() {
        var mixer = Mixer()
        let loud = [(UInt32(1), Float(1), sound(240, 1)), (2, 1, sound(240, .infinity))]
        for _ in 0..<3 {
            #expect(mix(&mixer, loud).allSatisfy { abs($0) <= 1 })
        }
        #expect(mix(&mixer, [(1, 1, sound(240, -3))])[239] > -1)
        #expect(mix(&mixer, [(1, 1, sound(240, .nan))]).allSatisfy { $0 == 0 })
    }
}
