import BeamscribeSound
import BeamscribeVoice
import Testing

@Suite struct PacketProtectionTests {
    private let keys = VoiceKeys(exported: (0..<56).map { UInt8($0) })

    private func packet(_ sequence: UInt16, source: UInt32 = 7) -> [UInt8] {
        RTPPacket(
            RTPHeader(
                payloadType: 96, isMarked: false, sequence: sequence,
                timestamp: UInt32(sequence) * 480, source: source),
            payload: [1, 2, 3, 4]
        ).bytes
    }

    private func protect(_ bytes: [UInt8], by protection: PacketProtection) -> [UInt8]? {
        var buffer = bytes + [UInt8](repeating: 0, count: PacketProtection.growth)
        let count = buffer.withUnsafeMutableBytes { protection.protect($0, count: bytes.count) }
        return count.map { Array(buffer[..<$0]) }
    }

    private func open(_ bytes: [UInt8], by protection: PacketProtection) -> [UInt8]? {
        var buffer = bytes
        let count = buffer.withUnsafeMutableBytes { protection.open($0) }
        return count.map { Array(buffer[..<$0]) }
    }

    @Test func openSSL_encrypts() {
        #expect(PacketProtection.usesOpenSSL)
    }

    @Test func packets_areReadByTheOtherSideAlone() throws {
        let host = try #require(PacketProtection(keys: keys, side: .host))
        let guest = try #require(PacketProtection(keys: keys, side: .guest))
        let sent = try #require(protect(packet(1), by: guest))
        #expect(sent.count == 12 + 4 + 16)
        // The header is there to be seen, the payload is not.
        #expect(sent[..<12] == packet(1)[..<12])
        #expect(Array(sent[12..<16]) != [1, 2, 3, 4])
        #expect(open(sent, by: guest) == nil)
        #expect(open(sent, by: host) == packet(1))
        #expect(open(sent, by: host) == nil, "it came before")
        let back = try #require(protect(packet(1), by: host))
        #expect(back != sent)
        #expect(open(back, by: guest) == packet(1))
    }

    @Test func packets_areDropped_whenAnythingWasChanged() throws {
        let guest = try #require(PacketProtection(keys: keys, side: .guest))
        let sent = try #require(protect(packet(1), by: guest))
        for index in sent.indices {
            let host = try #require(PacketProtection(keys: keys, side: .host))
            var changed = sent
            changed[index] ^= 1
            #expect(open(changed, by: host) == nil, "byte \(index)")
            #expect(open(sent, by: host) == packet(1))
        }
        var other = (0..<56).map { UInt8($0) }
        other[0] ^= 1
        let host = try #require(PacketProtection(keys: VoiceKeys(exported: other), side: .host))
        #expect(open(sent, by: host) == nil)
        for length in 0..<sent.count {
            let host = try #require(PacketProtection(keys: keys, side: .host))
            #expect(open(Array(sent[..<length]), by: host) == nil)
        }
    }

    @Test func packets_mayOvertakeEachOther_butNotByFar() throws {
        let host = try #require(PacketProtection(keys: keys, side: .host))
        let guest = try #require(PacketProtection(keys: keys, side: .guest))
        let sent = (0..<400).compactMap { protect(packet(UInt16($0)), by: guest) }
        #expect(open(sent[399], by: host) != nil)
        #expect(open(sent[200], by: host) != nil)
        #expect(open(sent[100], by: host) == nil)
    }

    @Test func control_isReadByTheOtherSideAlone() throws {
        let host = try #require(PacketProtection(keys: keys, side: .host))
        let guest = try #require(PacketProtection(keys: keys, side: .guest))
        let report = RTCPPacket(source: 7, name: "x").bytes
        let sent = try #require(protect(report, by: guest))
        #expect(sent.count == report.count + PacketProtection.growth)
        #expect(open(sent, by: host) == report)
        #expect(open(sent, by: host) == nil)
    }

    @Test func lateListener_hears_thoughTheNumbersWentRoundAtOnce() throws {
        let host = try #require(PacketProtection(keys: keys, side: .host))
        let guest = try #require(PacketProtection(keys: keys, side: .guest))
        // He joined with the last number, which was lost.
        _ = protect(packet(65_535), by: host)
        let next = try #require(protect(packet(0), by: host))
        #expect(open(next, by: guest) == packet(0))
        let after = try #require(protect(packet(1), by: host))
        #expect(open(after, by: guest) == packet(1))
    }

    @Test func sources_areForgotten() throws {
        let host = try #require(PacketProtection(keys: keys, side: .host))
        let guest = try #require(PacketProtection(keys: keys, side: .guest))
        let sent = try #require(protect(packet(1), by: guest))
        _ = open(sent, by: host)
        host.forget(7)
        host.forget(8)
        // Sources are never given twice: of this one nothing is remembered.
        #expect(open(sent, by: host) == packet(1))
    }
}

@Suite struct OpusCodecTests {
    private func tone(_ count: Int) -> [Float] {
        // A voice's wave: 150 Hz with harmonics, as a triangle.
        (0..<count).map { index in
            let phase = Float(index % 320) / 320
            return 0.5 * (abs(4 * phase - 2) - 1)
        }
    }

    @Test func speech_comesOutAsItWentIn() throws {
        for (frame, purpose) in [(240, OpusPurpose.lowDelay), (480, .speech), (960, .audio)] {
            let encoder = try #require(OpusAudioEncoder(for: purpose))
            let decoder = try #require(OpusAudioDecoder())
            let said = tone(48_000)
            var heard: [Float] = []
            var lengths: Set<Int> = []
            for start in stride(from: 0, to: said.count, by: frame) {
                let packet = said[start..<start + frame].withUnsafeBufferPointer {
                    encoder.encode($0, bitrate: 40_000)
                }
                let coded = try #require(packet)
                #expect(OpusPacket.duration(of: coded) == frame)
                lengths.insert(coded.count)
                let isDecoded = decoder.decode(coded, appendingTo: &heard)
                #expect(isDecoded)
            }
            // Lengths that differ would tell what is said.
            #expect(lengths == [40_000 / 8 * frame / 48_000])
            #expect(likeness(said, heard) > 0.95)
        }
    }

    /// The greatest correlation within the codec's look-ahead.
    private func likeness(_ said: [Float], _ heard: [Float]) -> Float {
        (0..<400).map { lag in
            var (product, power, other): (Float, Float, Float) = (0, 1e-9, 1e-9)
            for index in 9_600..<14_400 {
                product += said[index] * heard[index + lag]
                power += said[index] * said[index]
                other += heard[index + lag] * heard[index + lag]
            }
            return product / (power * other).squareRoot()
        }.max() ?? 0
    }

    @Test func guess_isAsLongAsIsMissing() throws {
        let decoder = try #require(OpusAudioDecoder())
        var heard: [Float] = []
        for count in [120, 240, 480, 960, 1_920] {
            heard = []
            decoder.conceal(count, appendingTo: &heard)
            #expect(heard.count == count)
        }
    }

    @Test func garbage_isNotDecoded_orHasItsLength() throws {
        let decoder = try #require(OpusAudioDecoder())
        var heard: [Float] = []
        for first in UInt8.min ... .max {
            let packet = [first, 7, 200, 3, 9, 55]
            let before = heard.count
            let isDecoded = decoder.decode(packet, appendingTo: &heard)
            #expect(heard.count - before == (isDecoded ? OpusPacket.duration(of: packet) : 0))
        }
        let isDecoded = decoder.decode([], appendingTo: &heard)
        #expect(!isDecoded)
    }
}
