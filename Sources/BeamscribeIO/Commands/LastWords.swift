internal import BeamscribeCore

/// The end of what a program has written to standard error, as an operator is shown it.
///
/// Invariant: it keeps at most ``Limits/recogniserWords`` bytes, the last ones.
struct LastWords {
    private var bytes: [UInt8] = []

    mutating func add(_ more: UnsafeRawBufferPointer) {
        bytes += more.suffix(Limits.recogniserWords)
        bytes.removeFirst(max(0, bytes.count - Limits.recogniserWords))
    }

    /// The last lines that have words, made harmless. A return ends a line, too: progress is shown so.
    var lines: [String] {
        bytes.split { $0 == 0x0A || $0 == 0x0D }
            .map { SafeText.line(String(decoding: $0, as: UTF8.self)) }
            .filter { $0.contains { !$0.isWhitespace } }
            .suffix(Limits.recogniserWordLines)
    }
}
