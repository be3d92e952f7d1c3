// Numbers from outside (a peer, a file, a recogniser, a command line) become ours here, and nowhere
// else. None of these conversions can trap. `UncheckedConversions.swift` makes the compiler refuse
// those that can.

extension FixedWidthInteger {
    /// Returns `value` without its fraction: the nearest number that the type has, and 0 for NaN.
    public init(saturating value: Double) {
        if value.isNaN {
            self = 0
        } else {
            self = Self(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
        }
    }
}

extension FixedWidthInteger {
    /// The same of a number of less precision.
    package init(saturating value: Float) { self.init(saturating: Double(value)) }
}

extension Int {
    /// Returns the nearest whole number that JSON readers share (``Limits/lineNumber``), so that
    /// sums of a few of them cannot overflow.
    package init(bounding value: Int) {
        self = Swift.min(Swift.max(value, -Limits.lineNumber), Limits.lineNumber)
    }

    /// Reads a whole number in decimal digits, as the nearest one within ``Limits/lineNumber``.
    ///
    /// - Returns: nil where `text` is none, or does not fit 64 bits.
    package init?(bounding text: some StringProtocol) {
        guard let value = Int(text, radix: 10) else { return nil }
        self.init(bounding: value)
    }

    /// Reads a whole number in decimal digits.
    ///
    /// - Returns: nil where `text` is none, or beyond ``Limits/lineNumber`` either way.
    package init?(bounded text: some StringProtocol) {
        guard let value = Int(text, radix: 10), Self(bounding: value) == value else { return nil }
        self = value
    }
}

extension Double {
    /// Returns the nearest number of seconds within ``Limits/seconds`` of zero, and 0 for NaN: a
    /// time from the year 1653 to 2286, or a length of at most 300 years.
    package init(boundingSeconds value: Double) {
        self = value.isNaN ? 0 : Swift.min(Swift.max(value, -Limits.seconds), Limits.seconds)
    }
}

extension Duration {
    /// Returns `value` seconds, bounded as ``Swift/Double/init(boundingSeconds:)`` says.
    package static func seconds(saturating value: Double) -> Duration {
        let bounded = Double(boundingSeconds: value)
        let whole = bounded.rounded(.towardZero)
        return .seconds(Int(saturating: whole))
            + .nanoseconds(Int(saturating: ((bounded - whole) * 1e9).rounded()))
    }
}
