import BeamscribeCore

/// Times as programs and subtitles write them: `1:02:03.450`, `02:03,45`, `3.45s`.
enum ClockTime {
    /// How a time's fraction is set off.
    enum Fraction {
        case point
        case pointOrComma
    }

    private static let longestNumber = 9

    /// Takes a time of two or three parts with colons off the front of `text`, in seconds; nil, with
    /// `text` unchanged, where there is none.
    static func take(from text: inout Substring, fraction: Fraction = .pointOrComma) -> Double? {
        var rest = text
        guard var value = number(&rest) else { return nil }
        var parts = 1
        while parts < 3, rest.first == ":" {
            var behind = rest.dropFirst()
            guard let next = number(&behind) else { break }
            value = value * 60 + next
            rest = behind
            parts += 1
        }
        guard parts > 1 else { return nil }
        takeFraction(&rest, fraction, into: &value)
        text = rest
        return value
    }

    /// Takes a number of seconds off the front of `text`, with its unit if there is one.
    static func takeSeconds(from text: inout Substring) -> Double? {
        var rest = text
        guard var value = number(&rest) else { return nil }
        takeFraction(&rest, .point, into: &value)
        if rest.first == "s" { rest.removeFirst() }
        text = rest
        return value
    }

    static func seconds(in text: String) -> Double? {
        var rest = text[...]
        guard let value = take(from: &rest) ?? takeSeconds(from: &rest), rest.isEmpty else {
            return nil
        }
        return value
    }

    private static func takeFraction(
        _ rest: inout Substring, _ fraction: Fraction, into value: inout Double
    ) {
        guard let mark = rest.first, mark == "." || (mark == "," && fraction == .pointOrComma)
        else { return }
        var behind = rest.dropFirst()
        let digits = behind.utf8.prefix { isDigit($0) }.count
        guard let number = number(&behind) else { return }
        value += number / (0..<digits).reduce(1) { power, _ in power * 10 }
        rest = behind
    }

    private static func number(_ rest: inout Substring) -> Double? {
        let digits = rest.utf8.prefix { isDigit($0) }
        guard (1...longestNumber).contains(digits.count), let value = Double(Substring(digits))
        else { return nil }
        rest = rest[digits.endIndex...]
        return value
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
