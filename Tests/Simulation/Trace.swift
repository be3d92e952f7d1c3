/// What happened in a run: always as a hash, to compare two runs, and where it is asked for as
/// words, to be read.
struct Trace {
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var events = 0
    private let keepsWords: Bool
    private var words: [String] = []
    private static let kept = 400

    init(keepsWords: Bool) {
        self.keepsWords = keepsWords
    }

    mutating func add(_ time: Int, _ who: String, _ what: StaticString, _ number: Int) {
        events += 1
        mix(UInt64(truncatingIfNeeded: time))
        mix(UInt64(truncatingIfNeeded: number))
        for byte in who.utf8 { mix(UInt64(byte)) }
        mix(UInt64(what.utf8CodeUnitCount))
        guard keepsWords else { return }
        if words.count >= 4 * Self.kept { words.removeFirst(3 * Self.kept) }
        let seconds = "\(time / 1_000_000).\(String(1_000_000 + time % 1_000_000).dropFirst())"
        words.append("\(seconds) s  \(who): \(what) \(number)")
    }

    /// FNV-1a, a number at a time.
    private mutating func mix(_ number: UInt64) {
        hash = (hash ^ number) &* 0x100_0000_01B3
    }

    /// The last events, oldest first.
    var text: String { words.suffix(Self.kept).joined(separator: "\n") }
}
