/// A line with its times in brackets: `[00:00:01.000 --> 00:00:02.500]  Good morning.`, without
/// hours where there are none, or `[1.00s -> 2.50s]`.
struct TimedLine {
    let start: Double
    let end: Double
    let text: String

    init?(_ line: String) {
        var rest = line[...]
        guard rest.popFirst() == "[", let start = Self.time(&rest),
            Self.skipArrow(in: &rest), let end = Self.time(&rest),
            rest.popFirst() == "]"
        else { return nil }
        self.start = start
        self.end = end
        text = String(LineText.trimmed(rest, start: true))
    }

    private static func time(_ rest: inout Substring) -> Double? {
        ClockTime.take(from: &rest) ?? ClockTime.takeSeconds(from: &rest)
    }

    private static func skipArrow(in rest: inout Substring) -> Bool {
        for arrow in [" --> ", " -> "] where rest.hasPrefix(arrow) {
            rest.removeFirst(arrow.count)
            return true
        }
        return false
    }
}
