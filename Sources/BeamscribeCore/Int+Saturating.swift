extension Int {
    /// `value` without its fraction: the nearest number that there is for what is out of range, and
    /// 0 for what is no number. The plain conversion ends the program for these, and numbers come
    /// from others: even one that is finite where it comes in may not be after a subtraction.
    public init(saturating value: Double) {
        if value.isNaN {
            self = 0
        } else {
            self = Int(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
        }
    }
}
