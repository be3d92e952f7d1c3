import BeamscribeCore
import BeamscribeIO
import FoundationEssentials

/// A count with its noun: "1 line", "2 lines".
func plural(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
}

extension Int {
    /// "05"
    var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }

    /// A time in milliseconds; one that is negative, by clocks that differ, is none.
    init(milliseconds seconds: Double) {
        self = Swift.max(0, Int(saturating: (seconds * 1_000).rounded()))
    }
}

extension Character {
    /// A letter or a figure of ASCII.
    var isPlain: Bool { isASCII && (isLetter || isNumber) }
}

extension LocalTime {
    /// "09:05"
    var timeOfDay: String { hour.twoDigits + ":" + minute.twoDigits }

    /// "2026-09-05 09:05"
    var dayAndTime: String { "\(year)-\(month.twoDigits)-\(day.twoDigits) \(timeOfDay)" }
}

extension Encodable {
    /// One line of JSON without its end, the keys in order.
    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

/// Words put together as a sentence has them.
enum WordList {
    /// "a", "a and b", "a, b and c"; of more than `limit` the rest by its number.
    static func of(_ words: [String], limit: Int = 4) -> String {
        var shown = words
        if words.count > limit {
            shown = Array(words.prefix(limit - 1)) + ["\(words.count - limit + 1) more"]
        }
        guard shown.count > 1, let last = shown.last else { return shown.first ?? "" }
        return shown.dropLast().joined(separator: ", ") + " and " + last
    }
}
