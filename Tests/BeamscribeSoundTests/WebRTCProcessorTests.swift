import BeamscribeSound
import BeamscribeVoice
import Foundation
import TestSupport
import Testing

/// What the loudspeaker says is taken out of what the microphone hears, in a room that is made up.
@Suite struct WebRTCProcessorTests {
    private static let frame = 480
    private static let words = """
        The quick brown fox jumps over the lazy dog. Camera two, ready, and take. Lights to half. \
        Five minutes to the doors. Please take your seats, the session is about to begin, and do \
        not forget to turn off your telephones.
        """

    /// Sixteen seconds of speech, 48 kHz.
    private func speech() async throws -> [Float] {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "speech.wav")
        let speaker = try RunningProgram(
            Launch("espeak-ng", "-v", "en-us", "-s", "150", "-w", path, Self.words))
        #expect(try await speaker.waitForExit() == .exited(0))
        let file = try Data(contentsOf: URL(filePath: path))
        // eSpeak NG's files have 44 bytes before their samples, of 22,050 a second.
        let samples = stride(from: 44, to: file.count - 1, by: 2).map { index in
            Float(Int16(bitPattern: UInt16(file[index]) | UInt16(file[index + 1]) << 8)) / 32_768
        }
        let ratio = 22_050.0 / 48_000
        return (0..<Int(Double(samples.count - 1) / ratio)).map { index in
            let place = Double(index) * ratio
            let (low, part) = (Int(place), Float(place - place.rounded(.down)))
            return 0.7 * (samples[low] + (samples[low + 1] - samples[low]) * part)
        }
    }

    /// The echo's power before and after, in the last quarter.
    private func play(
        _ speech: [Float], cancelsEcho: Bool
    ) throws -> (echo: Double, left: Double) {
        var cleaning = VoiceCleaning()
        cleaning.controlsGain = false
        let processor = try #require(WebRTCProcessor(cleaning))
        processor.cancelsEcho = cancelsEcho
        // 30 ms later from the wall, and three more reflections.
        let path: [(delay: Int, gain: Float)] = [
            (1_440, 0.25), (1_900, 0.12), (2_600, 0.06), (3_500, 0.03),
        ]
        let silence = [Float](repeating: 0, count: 3_500)
        let played = silence + speech
        var (echo, left) = (0.0, 0.0)
        for start in stride(from: silence.count, to: played.count - Self.frame, by: Self.frame) {
            played[start..<start + Self.frame].withUnsafeBufferPointer { processor.play($0) }
            var near = (start..<start + Self.frame).map { index in
                path.reduce(Float(0)) { $0 + played[index - $1.delay] * $1.gain }
            }
            let power = near.reduce(0.0) { $0 + Double($1 * $1) }
            near.withUnsafeMutableBufferPointer { processor.process($0) }
            guard start > played.count * 3 / 4 else { continue }
            echo += power
            left += near.reduce(0.0) { $0 + Double($1 * $1) }
        }
        return (echo, left)
    }

    @Test(Skip.without("espeak-ng"))
    func echo_is40DecibelsLess() async throws {
        let speech = try await speech()
        let (echo, left) = try play(speech, cancelsEcho: true)
        #expect(echo > 1)
        #expect(left < echo / 10_000, "\(left) of \(echo) is left")
        let kept = try play(speech, cancelsEcho: false)
        #expect(kept.left > echo / 4)
    }

    private final class Doubler: VoiceProcessor {
        var cancelsEcho = false
        var played = 0

        func play(_ frame: UnsafeBufferPointer<Float>) { played += frame.count }

        func process(_ frame: UnsafeMutableBufferPointer<Float>) {
            for index in frame.indices { frame[index] *= 2 }
        }
    }

    @Test func cleaner_cutsSoundIntoFrames_andLosesNothing() {
        let doubler = Doubler()
        let cleaner = VoiceCleaner(canceller: nil, denoiser: doubler)
        var cleaned: [Float] = []
        for start in stride(from: 0, to: 1_280, by: 128) {
            cleaned += cleaner.clean((start..<start + 128).map(Float.init), afterGap: false)
            cleaner.play([Float](repeating: 0.5, count: 240))
        }
        #expect(cleaned == (0..<960).map { Float($0) * 2 })
        #expect(doubler.played == 2_400)
        #expect(cleaner.clean([1], afterGap: true).isEmpty)
        let frame = (0..<480).map(Float.init)
        #expect(cleaner.clean(Array(frame.dropFirst()), afterGap: false).first == 2)
    }

    @Test func gain_makesNothingLater_andNeverJumps() {
        let cleaner = VoiceCleaner(canceller: nil, leveller: Doubler())
        // So that each sample tells where it comes from.
        let tone = (0..<48_000).map { Float($0 % 97 + 48) / 480 }
        var raised: [Float] = []
        for start in stride(from: 0, to: tone.count - 128, by: 128) {
            let part = cleaner.clean(Array(tone[start..<start + 128]), afterGap: false)
            #expect(part.count == 128)
            raised += part
        }
        let gains = zip(raised, tone).map { $0 / $1 }
        #expect(zip(gains, gains.dropFirst()).allSatisfy { abs($0 - $1) < 0.01 })
        #expect(gains.first.map { $0 < 1.1 } == true)
        #expect(gains.suffix(1_000).allSatisfy { abs($0 - 2) < 0.01 })
    }

    @Test func gain_staysAsItWas_inSilence_andNothingIsTooLoud() {
        let cleaner = VoiceCleaner(canceller: nil, leveller: Doubler())
        let loud = [Float](repeating: 0.9, count: Self.frame)
        for _ in 0..<50 {
            #expect(cleaner.clean(loud, afterGap: false).allSatisfy { abs($0) <= 1 })
        }
        for _ in 0..<50 {
            _ = cleaner.clean([Float](repeating: 0, count: Self.frame), afterGap: true)
        }
        let quiet = [Float](repeating: 0.1, count: Self.frame)
        #expect(cleaner.clean(quiet, afterGap: false).allSatisfy { abs($0 - 0.2) < 0.01 })
    }

    @Test(Skip.without("espeak-ng"))
    func whoeverSpeaksQuietly_isMadeLouder_asTheLibraryWouldDo() async throws {
        let speech = try await speech().map { $0 * 0.1 }
        let library = try #require(WebRTCProcessor(VoiceCleaning()))
        let leveller = try #require(WebRTCProcessor(VoiceCleaning()))
        let cleaner = VoiceCleaner(canceller: nil, leveller: leveller)
        var (given, own, theirs) = (0.0, 0.0, 0.0)
        for start in stride(from: 0, to: speech.count - Self.frame, by: Self.frame) {
            let frame = Array(speech[start..<start + Self.frame])
            var processed = frame
            processed.withUnsafeMutableBufferPointer { library.process($0) }
            let cleaned = cleaner.clean(frame, afterGap: false)
            func energy(_ samples: [Float]) -> Double {
                samples.reduce(0.0) { $0 + Double($1 * $1) }
            }
            given += energy(frame)
            theirs += energy(processed)
            own += energy(cleaned)
        }
        #expect(own > given * 4, "it is \(10 * log10(own / given)) dB louder")
        #expect((0.5...2).contains(own / theirs), "\(own / theirs) of what the library makes")
    }

    @Test func canceller_rests_whileNothingIsPlayed() {
        let doubler = Doubler()
        let cleaner = VoiceCleaner(canceller: doubler)
        cleaner.cancelsEcho = true
        let frame = [Float](repeating: 1, count: Self.frame)
        func hear() -> [Float] { cleaner.clean(frame, afterGap: false) }
        #expect(cleaner.clean([1, 2, 3], afterGap: false) == [1, 2, 3])
        cleaner.play(frame)
        #expect(hear() == frame)
        let entering = hear()
        #expect(entering.first == 1 && entering == entering.sorted())
        #expect(hear() == frame.map { $0 * 2 })
        for _ in 0..<49 { cleaner.play([Float](repeating: 0, count: Self.frame)) }
        #expect(hear().first == 2)
        #expect(doubler.played == 50 * Self.frame)
        cleaner.play([Float](repeating: 0, count: Self.frame))
        let leaving = hear()
        #expect(leaving.first == 2 && leaving == leaving.sorted(by: >))
        #expect(cleaner.clean([1], afterGap: false) == [1])
        #expect(doubler.played == 50 * Self.frame)
    }

    @Test(Skip.without("espeak-ng"))
    func canceller_knowsTheRoomStill_whenItHasRested() async throws {
        let speech = Array(try await speech().prefix(240_000))
        var cleaning = VoiceCleaning()
        cleaning.controlsGain = false
        let canceller = try #require(WebRTCProcessor(cleaning))
        canceller.cancelsEcho = true
        let cleaner = VoiceCleaner(canceller: canceller)
        cleaner.cancelsEcho = true
        let pause = [Float](repeating: 0, count: 96_000)
        let played = pause + speech + pause + speech
        var (echo, left) = (0.0, 0.0)
        for start in stride(from: Self.frame * 4, to: played.count - Self.frame, by: Self.frame) {
            cleaner.play(Array(played[start..<start + Self.frame]))
            let near = (start..<start + Self.frame).map { played[$0 - 1_440] * 0.25 }
            let cleaned = cleaner.clean(near, afterGap: false)
            // The first two seconds of what is played after the rest.
            guard start > 2 * pause.count + speech.count,
                start < 3 * pause.count + speech.count
            else { continue }
            echo += near.reduce(0.0) { $0 + Double($1 * $1) }
            left += cleaned.reduce(0.0) { $0 + Double($1 * $1) }
        }
        #expect(echo > 1)
        #expect(left < echo / 1_000, "\(left) of \(echo) is left")
    }
}
