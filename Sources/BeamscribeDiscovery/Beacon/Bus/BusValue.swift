import BeamscribeCore

/// A value as it goes over D-Bus (D-Bus Specification, "Type System"), but for descriptors, which
/// are neither sent nor taken.
enum BusValue: Hashable, Sendable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(String)
    case signature(String)
    /// An array of bytes, which is by far the most frequent of the long ones.
    case bytes([UInt8])
    /// An array of anything else, with its elements' signature.
    case array([BusValue], of: String)
    /// An array of dictionary entries, with the keys' and the values' signature. Of entries with
    /// the same key the last counts.
    case dictionary([BusValue: BusValue], key: String, value: String)
    case structure([BusValue])
    /// A value that says itself what it is.
    indirect case variant(BusValue)
}

extension BusValue {
    /// The signature of its type, such as `a{sv}`.
    var signature: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .bytes: "ay"
        case .array(_, let element): "a" + element
        case .dictionary(_, let key, let value): "a{\(key)\(value)}"
        case .structure(let members): "(\(members.map(\.signature).joined()))"
        case .variant: "v"
        }
    }
}
