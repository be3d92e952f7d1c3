import BeamscribeCore
import BeamscribeVoice
import Testing

/// One talker's voice as a program hears it, with packets of the ruler, 10 ms each.
@Suite struct EvenSoundTests {
    /// Gives what it gets: 48 kHz.
    private final class NoResampler: Resampler {
        func resample(
            _ input: UnsafeBufferPointer<Float>, appendingTo samples: inout [Float]
        ) { samples += input }
    }

    private let sound = EvenSound(decoder: RulerDecoder(), resampler: NoResampler())

    private func packet(_ index: Int, isMarked: Bool = false) -> RTPPacket {
        let header = RTPHeader(
            payloadType: VoicePayload.opus.rawValue, isMarked: isMarked,
            sequence: UInt16(clamping: 100 + index),
            timestamp: UInt32(clamping: 48_000 + 480 * index), source: 7)
        return RTPPacket(header, payload: RulerCodec.packet(at: 480 * index, duration: 480))
    }

    private func samples(_ bytes: [UInt8]) -> [Float] {
        stride(from: 0, to: bytes.count, by: 2).map {
            Float(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)) / 32_767
        }
    }

    /// How many samples were said, rather than silence.
    private func said(_ samples: [Float]) -> Int { samples.count { $0 > 0.04 } }

    /// Packets that come at such moments, in milliseconds, and what is asked for every `pause`.
    private func play(
        _ arrivals: [(index: Int, at: Int)], until end: Int, every pause: Int
    ) -> [Float] {
        var bytes: [UInt8] = []
        for now in 0...end {
            for arrival in arrivals where arrival.at == now {
                let packet = packet(arrival.index, isMarked: arrival.index == 0)
                bytes += sound.put(packet, now: .milliseconds(5_000 + now))
            }
            if now % pause == 0 { bytes += sound.take(now: .milliseconds(5_000 + now)) }
        }
        return samples(bytes)
    }

    @Test func talk_isGivenWhole_andSilenceBehindIt_andThenNothing() {
        let heard = play((0..<100).map { ($0, $0 * 10) }, until: 4_000, every: 20)
        #expect((47_000...49_000).contains(said(heard)))
        // What comes last, and a second and a half.
        #expect((48 * 2_450...48 * 2_550).contains(heard.count))
        #expect(sound.nextDeadline == nil && heard.suffix(48_000).allSatisfy { $0 == 0 })
        #expect(sound.take(now: .seconds(60)) == [])
    }

    @Test func whoAsksLate_isGivenTheSame() {
        let arrivals = (0..<100).map { ($0, $0 * 10 + $0 % 3) }
        let often = play(arrivals, until: 4_000, every: 20)
        let seldom = EvenSoundTests().play(arrivals, until: 4_000, every: 700)
        #expect(often == seldom && said(often) > 47_000)
    }

    @Test func packetsThatAreLate_areHeard() {
        let arrivals = (0..<100).map { ($0, $0 * 10 + ($0 % 20 == 7 ? 120 : 0)) }
        let heard = play(arrivals, until: 4_000, every: 20)
        #expect(said(heard) > 47_000)
    }

    @Test func nextTalk_isHeard_whateverLiesBetween() {
        let first = play((0..<50).map { ($0, $0 * 10) }, until: 10_000, every: 20)
        #expect(said(first) > 23_000)
        var bytes: [UInt8] = []
        for index in 0..<50 {
            let now = Duration.milliseconds(60_000 + index * 10)
            bytes += sound.put(packet(1_000 + index, isMarked: index == 0), now: now)
        }
        bytes += sound.take(now: .seconds(70))
        #expect(said(samples(bytes)) > 23_000 && sound.nextDeadline == nil)
    }
}
