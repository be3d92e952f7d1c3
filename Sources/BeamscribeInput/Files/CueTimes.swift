/// When a cue is shown.
struct CueTimes {
    let start: Double
    let end: Double
}

extension CueTimes {
    /// `00:00:01,000 --> 00:00:02,500`, with or without hours, by a point or a comma, with a cue's
    /// settings behind it.
    init?(arrow line: String) {
        var rest = LineText.trimmed(line[...], start: true)
        guard let start = ClockTime.take(from: &rest) else { return nil }
        rest = rest.drop { $0 == " " || $0 == "\t" }
        guard rest.hasPrefix("-->") else { return nil }
        rest = rest.dropFirst(3).drop { $0 == " " || $0 == "\t" }
        guard let end = ClockTime.take(from: &rest), rest.first?.isWhitespace ?? true else {
            return nil
        }
        self.init(start: start, end: end)
    }

    /// `0:00:01.000,0:00:03.500`
    init?(comma line: String) {
        var rest = LineText.trimmed(line[...], start: true)
        guard let start = ClockTime.take(from: &rest, fraction: .point), rest.popFirst() == ",",
            let end = ClockTime.take(from: &rest, fraction: .point), rest.isEmpty
        else { return nil }
        self.init(start: start, end: end)
    }

    /// Whether a row is a cue's number.
    static func isCounter(_ row: String) -> Bool {
        let digits = LineText.trimmed(row[...], start: true)
        return !digits.isEmpty && digits.allSatisfy { $0.isASCII && $0.isNumber }
    }
}
