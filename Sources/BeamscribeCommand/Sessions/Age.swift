import ArgumentParser
import BeamscribeCore

/// A time in the units in which people think of keeping: "30d", "2w", "12h"; a number alone is days.
struct Age: Equatable, ExpressibleByArgument {
    let duration: Duration
    /// For people: "30 days".
    let words: String

    private static let units: [(letter: String, noun: String, seconds: Int)] = [
        ("h", "hour", 3_600), ("d", "day", 86_400), ("w", "week", 604_800),
    ]
    /// A hundred years in the smallest unit.
    private static let most = 876_000

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        let letter = digits.count == argument.count ? "d" : argument.dropFirst(digits.count)
        guard let count = Int(bounded: digits), count <= Self.most,
            let unit = Self.units.first(where: { $0.letter == letter })
        else { return nil }
        duration = .seconds(count * unit.seconds)
        words = plural(count, unit.noun)
    }

    /// In the largest unit of which it is a whole number.
    init(seconds: Int) {
        let unit = Self.units.last { seconds % $0.seconds == 0 } ?? Self.units[0]
        duration = .seconds(seconds)
        words = plural(seconds / unit.seconds, unit.noun)
    }
}
