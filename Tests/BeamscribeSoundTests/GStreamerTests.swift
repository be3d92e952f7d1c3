import BeamscribeSound
import BeamscribeVoice
import Foundation
import TestSupport
import Testing

/// Whether somebody else's program, which knows the standards alone, hears what is said here.
@Suite(Skip.without("gst-launch-1.0"), .timeLimit(.minutes(1))) struct GStreamerTests {
    private static let clock = OpusPacket.clock
    private static let source: UInt32 = 0x1234_5678

    private let exported = (0..<56).map { UInt8($0 * 3) }

    private func tone(seconds: Int) -> [Float] {
        (0..<seconds * Self.clock).map {
            Float(0.5 * sin(2 * .pi * 440 * Double($0) / Double(Self.clock)))
        }
    }

    /// A tone, as a guest sends it: encrypted packets.
    private func talk(_ shape: TalkShape, seconds: Int) throws -> [[UInt8]] {
        let encoder = try #require(OpusAudioEncoder(for: .speech))
        let protection = try #require(
            PacketProtection(keys: VoiceKeys(exported: exported), side: .guest))
        var packets = TalkPackets(source: Self.source, shape: shape, encoder: encoder, seed: 1)
        packets.begin(lookBack: 0)
        let sound = tone(seconds: seconds)
        let made = sound.withUnsafeBufferPointer { packets.hear($0) } + packets.end()
        return try made.map { packet in
            let plain = packet.bytes
            var bytes = plain + [UInt8](repeating: 0, count: PacketProtection.growth)
            let count = try #require(
                bytes.withUnsafeMutableBytes { protection.protect($0, count: plain.count) })
            return Array(bytes[..<count])
        }
    }

    /// What GStreamer hears: samples at 48 kHz.
    private func heard(_ packets: [[UInt8]], by elements: [String]) async throws -> [Int16] {
        let folder = try TemporaryFolder()
        let (sent, ear) = (folder.path(of: "sent"), folder.path(of: "ear"))
        // Each packet behind its length (RFC 4571).
        let stream = packets.flatMap { [UInt8($0.count >> 8), UInt8($0.count & 0xFF)] + $0 }
        try Data(stream).write(to: URL(filePath: sent))
        // The guest's key, and its salt (RFC 5764, section 4.2).
        let key = (exported[..<16] + exported[32..<44]).map { String(format: "%02x", $0) }
        let kind = "media=(string)audio,clock-rate=(int)48000,encoding-name=(string)OPUS"
        // This cipher authenticates, too.
        let ciphers = ["srtp", "srtcp"]
            .map { "\($0)-cipher=(string)aes-128-gcm,\($0)-auth=(string)null" }
            .joined(separator: ",")
        // `payload` is that of the first packet.
        let secret =
            "application/x-srtp-stream,\(kind),payload=(int)\(packets[0][1] & 0x7F),"
            + "ssrc=(uint)\(Self.source),srtp-key=(buffer)\(key.joined()),\(ciphers)"
        let pipeline =
            [
                "filesrc", "location=\(sent)", "!", secret, "!", "rtpstreamdepay", "!", "srtpdec",
                "!",
            ]
            + elements + ["rtpopusdepay", "!"]
        return try await play(pipeline, into: ear)
    }

    /// What comes of these elements, once it is decoded.
    private func play(_ elements: [String], into ear: String) async throws -> [Int16] {
        let pipeline =
            elements + [
                "opusdec", "!", "audioconvert", "!",
                "audio/x-raw,format=S16LE,rate=48000,channels=1", "!", "filesink",
                "location=\(ear)",
            ]
        let program = try RunningProgram(Launch("gst-launch-1.0", arguments: ["-q"] + pipeline))
        let status = try await program.waitForExit(within: Deadline.generous)
        #expect(status == .success, "\(program.standardErrorText)")
        let sound = FileManager.default.contents(atPath: ear) ?? Data()
        return stride(from: 0, to: sound.count - 1, by: 2).map {
            Int16(bitPattern: UInt16(sound[$0]) | UInt16(sound[$0 + 1]) << 8)
        }
    }

    /// The amplitude of a tone, within full scale.
    private func amplitude(_ sound: ArraySlice<Int16>, at frequency: Double) -> Double {
        var (real, imaginary) = (0.0, 0.0)
        for (index, sample) in sound.enumerated() {
            let angle = 2 * .pi * frequency * Double(index) / Double(Self.clock)
            real += Double(sample) * cos(angle)
            imaginary += Double(sample) * sin(angle)
        }
        let sum = (real * real + imaginary * imaginary).squareRoot()
        return 2 * sum / Double(sound.count) / 32_768
    }

    @Test(arguments: [
        (TalkShape(frame: 10, bitrate: 40_000), [String]()),
        (TalkShape(frame: 20, bitrate: 24_000), []),
        (TalkShape(frame: 10, bitrate: 40_000, redundancy: 2), ["rtpreddec", "pt=97", "!"]),
    ])
    func packets_areHeardByGStreamer(shape: TalkShape, elements: [String]) async throws {
        let packets = try talk(shape, seconds: 2)
        let sound = try await heard(packets, by: elements)
        // The first frames tell a decoder how the tone begins.
        #expect(abs(sound.count - 2 * Self.clock) <= Self.clock / 25)
        let middle = sound.dropFirst(Self.clock / 4).prefix(Self.clock)
        #expect(middle.count == Self.clock)
        #expect(abs(amplitude(middle, at: 440) - 0.5) < 0.05)
        #expect(amplitude(middle, at: 1_000) < 0.01)
    }

    @Test func pagesOfAudio_arePlayed_whateverIsMissing() async throws {
        let encoder = try #require(OpusAudioEncoder(for: .audio))
        let pages = AudioPages(in: try #require(OggOpusStream(serial: 7)))
        let shape = TalkShape(frame: 20, bitrate: 64_000, redundancy: 1)
        var packets = TalkPackets(source: 1, shape: shape, encoder: encoder, seed: 1)
        packets.begin(lookBack: 0)
        let sound = tone(seconds: 4)
        let made = try sound.withUnsafeBufferPointer { packets.hear($0) }.map { packet in
            try packet.bytes.withUnsafeBytes { try RTPPacket(parsing: $0) }
        }
        // One is lost, one comes twice, and one late.
        let came = made[..<40] + made[41..<60] + [made[58]] + made[60...]
        var stream = pages.beginning
        // Who comes later has the beginning, too.
        for page in came.compactMap({ pages.take($0) }).dropFirst(5) { stream += page }
        let folder = try TemporaryFolder()
        let (file, ear) = (folder.path(of: "floor.ogg"), folder.path(of: "ear"))
        try Data(stream).write(to: URL(filePath: file))
        let heard = try await play(
            ["filesrc", "location=\(file)", "!", "oggdemux", "!"], into: ear)
        #expect(heard.count > 3 * Self.clock && heard.count < 4 * Self.clock)
        let middle = heard.dropFirst(Self.clock).prefix(Self.clock)
        #expect(abs(amplitude(middle, at: 440) - 0.5) < 0.05)
    }

    @Test func nothingIsHeard_withAnotherKey() async throws {
        var packets = try talk(TalkShape(frame: 10, bitrate: 40_000), seconds: 1)
        for index in packets.indices { packets[index][20] ^= 1 }
        let sound = try await heard(packets, by: [])
        #expect(sound.isEmpty)
    }
}
