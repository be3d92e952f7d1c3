import BeamscribeCore

/// What stands before the samples of a WAV file (RIFF, WAVE; Microsoft's and IBM's "Multimedia Programming Interface",
/// 1991), where a stream that is to be raw sound turns out to be one.
///
///     | "RIFF" size "WAVE" | "fmt " 16 kind channels rate bytes/s block bits | ... | "data" size | samples
public enum WaveHeader {
    /// What the beginning of a stream is.
    public enum Verdict: Equatable, Sendable {
        /// It cannot be told from so few bytes.
        case tooShort
        /// Raw sound from the first byte on.
        case none
        /// Sound as it is wanted, behind so many bytes; and how many bytes there are of it, nil where nobody has
        /// counted them.
        case sound(from: Int, bytes: Int?)
        /// Sound of another kind: what is wrong with it.
        case unusable(String)
    }

    /// A file may have pictures and words before its sound; no more than that is waited for, in bytes.
    static let limit = 65_536
    /// What programs write that do not know yet how much will follow.
    private static let uncounted = 0x7FFF_0000

    /// Looks at what a stream begins with.
    ///
    /// - Parameter rate: what it is to have, in samples a second.
    public static func judge(_ bytes: [UInt8], rate: Int) -> Verdict {
        guard isBegun("RIFF", bytes, at: 0) else { return .none }
        guard isBegun("WAVE", bytes, at: 8) else { return .none }
        var place = 12
        var hasFormat = false
        while place + 8 <= bytes.count {
            let size = Int(number(bytes, at: place + 4, count: 4))
            if isBegun("data", bytes, at: place) {
                guard hasFormat else { return .unusable("its header is damaged") }
                return .sound(from: place + 8, bytes: size < uncounted && size > 0 ? size : nil)
            }
            if isBegun("fmt ", bytes, at: place) {
                guard size >= 16 else { return .unusable("its header is damaged") }
                guard place + 24 <= bytes.count else { return .tooShort }
                if let fault = fault(of: bytes, at: place + 8, rate) { return .unusable(fault) }
                hasFormat = true
            }
            // A chunk of an odd length has a byte more.
            place += 8 + size + size % 2
            guard place <= limit else { return .unusable("its sound begins too far behind") }
        }
        return .tooShort
    }

    /// Whether there may be such a word: as far as there are bytes.
    private static func isBegun(_ word: String, _ bytes: [UInt8], at place: Int) -> Bool {
        zip(bytes.dropFirst(place), word.utf8).allSatisfy { $0 == $1 }
    }

    private static func fault(of bytes: [UInt8], at place: Int, _ wanted: Int) -> String? {
        let (kind, channels) = (
            number(bytes, at: place, count: 2), number(bytes, at: place + 2, count: 2)
        )
        let (rate, bits) = (
            number(bytes, at: place + 4, count: 4), number(bytes, at: place + 14, count: 2)
        )
        // 0xFFFE: what it is stands further behind; of 16 bits it is PCM in all but name.
        if kind != 1, kind != 0xFFFE { return "it is a WAV file of another kind than PCM" }
        if bits != 16 { return "it has \(bits) bits a sample, not 16" }
        if channels != 1 { return "it has \(channels) channels, not one" }
        if rate != wanted { return "it has \(rate) samples a second: give --rate \(rate)" }
        return nil
    }

    private static func number(_ bytes: [UInt8], at place: Int, count: Int) -> UInt32 {
        bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
