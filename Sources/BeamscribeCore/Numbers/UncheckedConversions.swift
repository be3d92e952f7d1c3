// The conversions of the standard library that end the program for a number out of range. Here they
// are declared once more, so that the compiler prefers these and refuses them: each target turns
// the use of what is deprecated into an error (Package.swift). Write instead, by what the number
// means:
//
//     Int(exactly: x)               nil where the number does not fit
//     UInt32(clamping: x)           the nearest number of the type
//     UInt16(truncatingIfNeeded: x) the low bits alone, where these are what is wanted
//     Int(saturating: x)            of a Double
//     Int(bounded: text)            of digits
//     .seconds(saturating: x)       a Duration of a Double
//     a &+ b                        where numbers of 8, 16 or 32 bits wrap around
//
// A file sees them where it imports BeamscribeCore; `NumberRulesTests` looks for files that convert
// numbers and do not.

extension Int8 {
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int16) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int32) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int64) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt8) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt16) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt32) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt64) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use saturating:")
    package init(_ value: Double) { self.init(saturating: value) }
    @available(*, deprecated, message: "it traps: use saturating:")
    package init(_ value: Float) { self.init(saturating: Double(value)) }
}

extension Int16 {
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int32) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int64) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt16) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt32) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt64) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use saturating:")
    package init(_ value: Double) { self.init(saturating: value) }
    @available(*, deprecated, message: "it traps: use saturating:")
    package init(_ value: Float) { self.init(saturating: Double(value)) }
}

extension Int32 {
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int64) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt32) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt64) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use saturating:")
    package init(_ value: Double) { self.init(saturating: value) }
    @available(*, deprecated, message: "it traps: use saturating:")
    package init(_ value: Float) { self.init(saturating: Double(value)) }
}

extension Int64 {
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt64) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use saturating:")
    package init(_ value: Double) { self.init(saturating: value) }
    @available(*, deprecated, message: "it traps: use saturating:")
    package init(_ value: Float) { self.init(saturating: Double(value)) }
    @available(*, deprecated, message: "it has no bounds: use bounded:")
    package init?(_ text: String) { self.init(text, radix: 10) }
    @available(*, deprecated, message: "it has no bounds: use bounded:")
    package init?(_ text: Substring) { self.init(text, radix: 10) }
}

extension Int {
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt64) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use saturating:")
    package init(_ value: Double) { self.init(saturating: value) }
    @available(*, deprecated, message: "it traps: use saturating:")
    package init(_ value: Float) { self.init(saturating: Double(value)) }
    @available(*, deprecated, message: "it has no bounds: use bounded:")
    package init?(_ text: String) { self.init(text, radix: 10) }
    @available(*, deprecated, message: "it has no bounds: use bounded:")
    package init?(_ text: Substring) { self.init(text, radix: 10) }
}

extension UInt8 {
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int8) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int16) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int32) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int64) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt16) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt32) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt64) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use saturating:")
    package init(_ value: Double) { self.init(saturating: value) }
    @available(*, deprecated, message: "it traps: use saturating:")
    package init(_ value: Float) { self.init(saturating: Double(value)) }
}

extension UInt16 {
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int8) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int16) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int32) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int64) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt32) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt64) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use saturating:")
    package init(_ value: Double) { self.init(saturating: value) }
    @available(*, deprecated, message: "it traps: use saturating:")
    package init(_ value: Float) { self.init(saturating: Double(value)) }
}

extension UInt32 {
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int8) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int16) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int32) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int64) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt64) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: UInt) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use saturating:")
    package init(_ value: Double) { self.init(saturating: value) }
    @available(*, deprecated, message: "it traps: use saturating:")
    package init(_ value: Float) { self.init(saturating: Double(value)) }
}

extension UInt64 {
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int8) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int16) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int32) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int64) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use saturating:")
    package init(_ value: Double) { self.init(saturating: value) }
    @available(*, deprecated, message: "it traps: use saturating:")
    package init(_ value: Float) { self.init(saturating: Double(value)) }
    @available(*, deprecated, message: "it has no bounds: use bounded:")
    package init?(_ text: String) { self.init(text, radix: 10) }
    @available(*, deprecated, message: "it has no bounds: use bounded:")
    package init?(_ text: Substring) { self.init(text, radix: 10) }
}

extension UInt {
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int8) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int16) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int32) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int64) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use exactly:, clamping: or truncatingIfNeeded:")
    package init(_ value: Int) { self.init(clamping: value) }
    @available(*, deprecated, message: "it traps: use saturating:")
    package init(_ value: Double) { self.init(saturating: value) }
    @available(*, deprecated, message: "it traps: use saturating:")
    package init(_ value: Float) { self.init(saturating: Double(value)) }
    @available(*, deprecated, message: "it has no bounds: use bounded:")
    package init?(_ text: String) { self.init(text, radix: 10) }
    @available(*, deprecated, message: "it has no bounds: use bounded:")
    package init?(_ text: Substring) { self.init(text, radix: 10) }
}

extension UInt8 {
    @available(*, deprecated, message: "it traps: use &+, or Int")
    package static func + (a: Self, b: Self) -> Self { a &+ b }
    @available(*, deprecated, message: "it traps: use &+=, or Int")
    package static func += (a: inout Self, b: Self) { a = a &+ b }
    @available(*, deprecated, message: "it traps: use &-, or Int")
    package static func - (a: Self, b: Self) -> Self { a &- b }
    @available(*, deprecated, message: "it traps: use &-=, or Int")
    package static func -= (a: inout Self, b: Self) { a = a &- b }
    @available(*, deprecated, message: "it traps: use &*, or Int")
    package static func * (a: Self, b: Self) -> Self { a &* b }
    @available(*, deprecated, message: "it traps: use &*=, or Int")
    package static func *= (a: inout Self, b: Self) { a = a &* b }
}

extension UInt16 {
    @available(*, deprecated, message: "it traps: use &+, or Int")
    package static func + (a: Self, b: Self) -> Self { a &+ b }
    @available(*, deprecated, message: "it traps: use &+=, or Int")
    package static func += (a: inout Self, b: Self) { a = a &+ b }
    @available(*, deprecated, message: "it traps: use &-, or Int")
    package static func - (a: Self, b: Self) -> Self { a &- b }
    @available(*, deprecated, message: "it traps: use &-=, or Int")
    package static func -= (a: inout Self, b: Self) { a = a &- b }
    @available(*, deprecated, message: "it traps: use &*, or Int")
    package static func * (a: Self, b: Self) -> Self { a &* b }
    @available(*, deprecated, message: "it traps: use &*=, or Int")
    package static func *= (a: inout Self, b: Self) { a = a &* b }
}

extension UInt32 {
    @available(*, deprecated, message: "it traps: use &+, or Int")
    package static func + (a: Self, b: Self) -> Self { a &+ b }
    @available(*, deprecated, message: "it traps: use &+=, or Int")
    package static func += (a: inout Self, b: Self) { a = a &+ b }
    @available(*, deprecated, message: "it traps: use &-, or Int")
    package static func - (a: Self, b: Self) -> Self { a &- b }
    @available(*, deprecated, message: "it traps: use &-=, or Int")
    package static func -= (a: inout Self, b: Self) { a = a &- b }
    @available(*, deprecated, message: "it traps: use &*, or Int")
    package static func * (a: Self, b: Self) -> Self { a &* b }
    @available(*, deprecated, message: "it traps: use &*=, or Int")
    package static func *= (a: inout Self, b: Self) { a = a &* b }
}

extension Duration {
    @available(*, deprecated, message: "it traps: use saturating:")
    package static func seconds(_ value: Double) -> Duration { .seconds(saturating: value) }
    @available(*, deprecated, message: "it traps: use .seconds(saturating:)")
    package static func milliseconds(_ value: Double) -> Duration {
        .seconds(saturating: value / 1e3)
    }
    @available(*, deprecated, message: "it traps: use .seconds(saturating:)")
    package static func microseconds(_ value: Double) -> Duration {
        .seconds(saturating: value / 1e6)
    }
    @available(*, deprecated, message: "it traps: use .seconds(saturating:)")
    package static func nanoseconds(_ value: Double) -> Duration {
        .seconds(saturating: value / 1e9)
    }
}
