import BeamscribeCore
import BeamscribeVoice
import Testing

@Suite struct PacketTests {
    private func parse(_ bytes: [UInt8]) throws(PacketFault) -> RTPPacket {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(1, bytes.count), alignment: 1)
        defer { buffer.deallocate() }
        buffer.copyBytes(from: bytes)
        return try RTPPacket(parsing: UnsafeRawBufferPointer(rebasing: buffer[..<bytes.count]))
    }

    private func parseControl(_ bytes: [UInt8]) throws(PacketFault) -> RTCPPacket {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(1, bytes.count), alignment: 1)
        defer { buffer.deallocate() }
        buffer.copyBytes(from: bytes)
        return try RTCPPacket(parsing: UnsafeRawBufferPointer(rebasing: buffer[..<bytes.count]))
    }

    @Test func rtp_isWhatItWas_whenReadAgain() throws {
        let header = RTPHeader(
            payloadType: 97, isMarked: true, sequence: 0xFFFE, timestamp: 0x8000_0001,
            source: 0xDEAD_BEEF)
        let packet = RTPPacket(header, payload: [1, 2, 3])
        #expect(
            packet.bytes == [
                0x80, 0xE1, 0xFF, 0xFE, 0x80, 0, 0, 1, 0xDE, 0xAD, 0xBE, 0xEF, 1, 2, 3,
            ])
        #expect(try parse(packet.bytes) == packet)
    }

    @Test func rtp_isRead_whenItHasWhatWeNeverWrite() throws {
        // Padding, an extension of one word, and a contributing source.
        let bytes: [UInt8] =
            [0xB1, 96, 0, 5, 0, 0, 0, 9, 0, 0, 0, 7] + [1, 1, 1, 1] + [0xBE, 0xDE, 0, 1]
            + [9, 9, 9, 9] + [42, 43] + [0, 0, 3]
        let packet = try parse(bytes)
        #expect(packet.payload == [42, 43])
        #expect(packet.header.sequence == 5)
    }

    @Test func rtp_isDropped_whenItReachesBeyondItsEnd() {
        let head: [UInt8] = [96, 0, 5, 0, 0, 0, 9, 0, 0, 0, 7]
        let cases: [([UInt8], PacketFault)] = [
            ([], .tooShort), ([0x80] + head.dropLast(), .tooShort), ([0x40] + head, .version),
            ([0x81] + head, .bounds), ([0x90] + head, .bounds),
            ([0x90] + head + [0, 0, 0xFF, 0xFF], .bounds), ([0xA0] + head + [0], .bounds),
            ([0xA0] + head + [9], .bounds),
        ]
        for (bytes, fault) in cases {
            #expect(throws: fault) { try parse(bytes) }
        }
    }

    @Test func redundantAudio_isWhatItWas_whenReadAgain() throws {
        let audio = RedundantAudio(
            [1, 2, 3], payloadType: 96,
            copies: [
                .init(payloadType: 96, age: 960, bytes: [7]),
                .init(payloadType: 96, age: 480, bytes: [8, 9]),
            ])
        // RFC 2198, section 3: F, block PT, 14 bits of offset, 10 bits of length.
        #expect(
            audio.payload == [0xE0, 0x0F, 0, 1, 0xE0, 0x07, 0x80, 2, 96, 7, 8, 9, 1, 2, 3])
        #expect(try RedundantAudio(parsing: audio.payload) == audio)
    }

    @Test func redundantAudio_leavesOut_whatCannotBeTold() {
        let audio = RedundantAudio(
            [1], payloadType: 96,
            copies: [
                .init(payloadType: 96, age: 0x4000, bytes: [7]),
                .init(payloadType: 96, age: 480, bytes: [UInt8](repeating: 0, count: 1_024)),
            ])
        #expect(audio.blocks.count == 1)
    }

    @Test func redundantAudio_isDropped_whenLengthsReachPastItsEnd() {
        let wrong: [[UInt8]] = [
            [], [0xE0], [0xE0, 0, 0, 9], [0xE0, 0, 0, 9, 96], [0xE0, 0, 0, 9, 96, 1, 2],
            [UInt8](repeating: 0xE0, count: 64),
        ]
        for payload in wrong {
            #expect(throws: PacketFault.bounds) { try RedundantAudio(parsing: payload) }
        }
    }

    @Test func rtcp_isWhatItWas_whenReadAgain() throws {
        var report = RTCPPacket.Report(source: 9)
        report.fractionLost = 200
        report.lost = -3
        report.highestSequence = 0x0001_FFFF
        report.jitter = 77
        report.lastReport = 5
        report.sinceLastReport = 6
        let packet = RTCPPacket(
            source: 7,
            sending: .init(time: 1 << 40, timestamp: 8, packets: 9, bytes: 10),
            reports: [report], name: "abc", leaving: [7, 8])
        #expect(packet.bytes.count.isMultiple(of: 4))
        #expect(try parseControl(packet.bytes) == packet)
        let listening = RTCPPacket(source: 7, name: "abcd")
        #expect(try parseControl(listening.bytes) == listening)
        #expect(listening.bytes[1] == 201)
    }

    @Test func rtcp_isDropped_whenItReachesBeyondItsEnd() throws {
        let good = RTCPPacket(
            source: 7, reports: [.init(source: 1), .init(source: 2)], name: "someone",
            leaving: [7]
        ).bytes
        for length in 0..<good.count {
            if [56, 76].contains(length) { continue }
            #expect(throws: PacketFault.self, "\(length)") {
                try parseControl(Array(good[..<length]))
            }
        }
        #expect(throws: PacketFault.payloadType) {
            try parseControl([0x80, 96, 0, 1, 0, 0, 0, 7])
        }
    }

    @Test func opusPackets_tellTheirDuration() {
        // RFC 6716, table 2.
        let cases: [([UInt8], Int?)] = [
            ([0x00], 480), ([0x18], 2_880), ([12 << 3], 480), ([13 << 3], 960), ([16 << 3], 120),
            ([31 << 3], 960), ([31 << 3 | 1], 1_920), ([31 << 3 | 3, 6], 5_760),
            ([31 << 3 | 3, 7], nil), ([3], nil), ([3, 0], nil), ([], nil),
            ([UInt8](repeating: 0, count: 1_276), nil),
        ]
        for (bytes, duration) in cases { #expect(OpusPacket.duration(of: bytes) == duration) }
    }

    @Test func anything_isReadOrDropped() {
        var generator = SeededGenerator(seed: 1)
        let seeds: [[UInt8]] = [
            RTPPacket(
                RTPHeader(
                    payloadType: 97, isMarked: true, sequence: 1, timestamp: 2, source: 3),
                payload: RedundantAudio(
                    [1], payloadType: 96, copies: [.init(payloadType: 96, age: 9, bytes: [2])]
                ).payload
            ).bytes,
            RTCPPacket(source: 7, reports: [.init(source: 1)], name: "x", leaving: [7]).bytes,
        ]
        for round in 0..<20_000 {
            var bytes = seeds[round % 2]
            for _ in 0...Int.random(in: 0..<4, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[index] = UInt8.random(in: 0...255, using: &generator)
            }
            bytes.removeLast(Int.random(in: 0..<4, using: &generator))
            if let packet = try? parse(bytes) {
                _ = try? RedundantAudio(parsing: packet.payload)
            }
            if let packet = try? parseControl(bytes) { _ = packet.bytes }
        }
    }
}
