import BeamscribeVoice
import Testing

@Suite struct WaveHeaderTests {
    private func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private func chunk(_ name: String, _ body: [UInt8], size: Int? = nil) -> [UInt8] {
        Array(name.utf8) + number(size ?? body.count, 4) + body + (body.count % 2 == 1 ? [0] : [])
    }

    private func header(
        kind: Int = 1, channels: Int = 1, rate: Int = 48_000, bits: Int = 16,
        more: [UInt8] = [], size: Int = 8
    ) -> [UInt8] {
        let format =
            number(kind, 2) + number(channels, 2) + number(rate, 4)
            + number(rate * channels * bits / 8, 4) + number(channels * bits / 8, 2)
            + number(bits, 2)
        return Array("RIFF".utf8) + number(100, 4) + Array("WAVE".utf8) + chunk("fmt ", format)
            + more + Array("data".utf8) + number(size, 4)
    }

    @Test func soundBehindAHeader_isFound_howeverMuchOfItHasCome() {
        let bytes = header(more: chunk("LIST", [1, 2, 3])) + [7, 7]
        let whole = WaveHeader.Verdict.sound(from: bytes.count - 2, bytes: 8)
        for count in 0...bytes.count {
            let verdict = WaveHeader.judge(Array(bytes[..<count]), rate: 48_000)
            #expect(verdict == (count < bytes.count - 2 ? .tooShort : whole), "\(count)")
        }
    }

    @Test(arguments: [0, 0xFFFF_FFFF, 0x7FFF_F000])
    func whatIsStillBeingWritten_hasNoEnd(size: Int) {
        let bytes = header(size: size)
        #expect(
            WaveHeader.judge(bytes, rate: 48_000) == .sound(from: bytes.count, bytes: nil))
    }

    @Test(arguments: [
        [], [0, 0, 1, 0], Array("RIFX".utf8), Array("RIFF1234AVI LIST".utf8), Array("OggS".utf8),
    ])
    func otherBytes_areSound(bytes: [UInt8]) {
        #expect(
            WaveHeader.judge(bytes, rate: 48_000) == (bytes.isEmpty ? .tooShort : .none))
    }

    @Test func soundOfAnotherKind_isRefused_withWhatIsWrongWithIt() {
        let cases: [([UInt8], String)] = [
            (header(kind: 3, bits: 32), "another kind than PCM"), (header(bits: 24), "24 bits"),
            (header(channels: 2), "2 channels"), (header(rate: 44_100), "--rate 44100"),
            (header(more: chunk("JUNK", [], size: 70_000)), "too far"),
            (Array(header().prefix(12)) + chunk("fmt ", [1, 0]), "damaged"),
            (Array(header().prefix(12)) + chunk("data", [0, 0]), "damaged"),
        ]
        for (bytes, words) in cases {
            guard case .unusable(let why) = WaveHeader.judge(bytes, rate: 48_000) else {
                Issue.record("\(words)")
                continue
            }
            #expect(why.contains(words))
        }
        #expect(WaveHeader.judge(header(rate: 16_000), rate: 16_000) != .none)
    }

    /// Whatever a stranger's file says, there is an answer, and none reads beyond its end.
    @Test func damagedHeaders_haveAVerdict() {
        var generator = SystemRandomNumberGenerator()
        let good = header(more: chunk("LIST", [1, 2, 3]))
        for _ in 0..<5_000 {
            var bytes = Array(good.prefix(Int.random(in: 0...good.count, using: &generator)))
            for _ in 0..<3 where !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] =
                    UInt8.random(in: 0...255, using: &generator)
            }
            if case .sound(let place, _) = WaveHeader.judge(bytes, rate: 48_000) {
                #expect(place <= bytes.count)
            }
        }
    }
}
