/// How much was said within the last minute.
///
/// Invariant: `seconds` are the seconds in which something was said, in order, none older than a
/// minute before the newest.
public struct Throughput: Equatable, Sendable {
    private struct Second: Equatable {
        let number: Int64
        var lines = 0
        var words = 0
    }

    /// The time that is looked at, in seconds.
    private static let window: Int64 = 60

    private var seconds: [Second] = []

    /// Before anything was said.
    public init() {}

    /// A line was said.
    public mutating func note(_ text: String, at now: Duration) {
        let number = now.components.seconds
        if seconds.last?.number != number {
            seconds.append(Second(number: number))
            seconds.removeAll { $0.number <= number - Self.window }
        }
        seconds[seconds.count - 1].lines += 1
        seconds[seconds.count - 1].words += Self.words(in: text)
    }

    /// Lines within the minute before `now`.
    public func linesPerMinute(at now: Duration) -> Int { recent(now).reduce(0) { $0 + $1.lines } }

    /// Words within the minute before `now`.
    public func wordsPerMinute(at now: Duration) -> Int { recent(now).reduce(0) { $0 + $1.words } }

    private func recent(_ now: Duration) -> some Sequence<Second> {
        let oldest = now.components.seconds - Self.window
        return seconds.lazy.filter { $0.number > oldest }
    }

    /// What stands between blanks; every line goes through here, so its bytes must do.
    private static func words(in text: String) -> Int {
        var words = 0
        var isInside = false
        for byte in text.utf8 {
            let isBlank = byte == 0x20
            if !isBlank, !isInside { words += 1 }
            isInside = !isBlank
        }
        return words
    }
}
