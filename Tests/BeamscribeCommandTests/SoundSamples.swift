import Foundation

/// Raw sound and WAV files to talk and listen with: mono, 16 bits.
enum SoundSamples {
    /// A voice: a tone of 0.3 s in each second, or of so long in each period, in seconds.
    static func voice(
        seconds: Int, rate: Int = 48_000, tone: Double = 0.3, every period: Double = 1
    ) -> Data {
        var samples = Data()
        for index in 0..<seconds * rate {
            let time = Double(index) / Double(rate)
            let isTone = time.truncatingRemainder(dividingBy: period) < tone
            let value = isTone ? Int16(16_000 * sin(2 * .pi * 440 * time)) : 0
            withUnsafeBytes(of: value.littleEndian) { samples.append(contentsOf: $0) }
        }
        return samples
    }

    /// How many tones are to be heard. A gap in one that a busy machine has made does not make it two.
    static func tones(in sound: Data, rate: Int = 48_000) -> Int {
        let samples = stride(from: 0, to: sound.count - 1, by: 2).map { index in
            Int16(bitPattern: UInt16(sound[index]) | UInt16(sound[index + 1]) << 8)
        }
        var count = 0
        var isLoud = false
        /// For how many hundredths of a second it has been quiet.
        var quiet = 20
        for start in stride(from: 0, to: samples.count, by: rate / 100) {
            let level = samples[start..<min(start + rate / 100, samples.count)].map { abs(Int($0)) }
            isLoud = (level.max() ?? 0) > (isLoud ? 1_000 : 6_000)
            if isLoud, quiet >= 20 { count += 1 }
            quiet = isLoud ? 0 : quiet + 1
        }
        return count
    }

    /// The WAV file of raw samples.
    static func wave(_ samples: Data, rate: UInt32 = 48_000) -> Data {
        func bytes(_ value: some FixedWidthInteger) -> Data {
            withUnsafeBytes(of: value.littleEndian) { Data($0) }
        }
        let size = UInt32(samples.count)
        return Data("RIFF".utf8) + bytes(36 + size) + Data("WAVEfmt ".utf8) + bytes(UInt32(16))
            + bytes(UInt16(1)) + bytes(UInt16(1)) + bytes(rate) + bytes(rate * 2)
            + bytes(UInt16(2)) + bytes(UInt16(16)) + Data("data".utf8) + bytes(size) + samples
    }

    /// The samples of a WAV file of 16 bits, also of one that was not finished.
    static func samples(ofWave file: Data) -> Data {
        guard let start = file.range(of: Data("data".utf8)) else { return Data() }
        return Data(file[(start.upperBound + 4)...])
    }
}
