package import FoundationEssentials

/// Reads JSON from outside so that no number in it is too great to count with.
///
/// Whole numbers saturate at ``Limits/lineNumber``, others at ``Limits/seconds``: all others that
/// our packets and files have are times and lengths in seconds. So a packet, a record or a line
/// of a recogniser that was decoded here holds no number that makes a sum or a conversion trap.
package struct OutsideJSON {
    private let json = JSONDecoder()

    /// Makes a decoder; one serves for any number of texts.
    package init() {}

    /// Returns what `data` holds.
    ///
    /// - Throws: `DecodingError`, also for a whole number that does not fit 64 bits.
    package func decode<Value: Decodable>(_: Value.Type, from data: Data) throws -> Value {
        try json.decode(Saturated<Value>.self, from: data).value
    }
}

/// A value whose numbers are bounded, however deep they lie.
private struct Saturated<Value: Decodable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        // The decoder has a way of its own for these, and none of them holds a number.
        if Value.self == Data.self || Value.self == String.self {
            value = try decoder.singleValueContainer().decode(Value.self)
        } else {
            value = try Value(from: SaturatingDecoder(base: decoder))
        }
    }
}

private struct SaturatingDecoder: Decoder {
    let base: any Decoder

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(SaturatingKeys(base: try base.container(keyedBy: type)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        SaturatingElements(base: try base.unkeyedContainer())
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SaturatingValue(base: try base.singleValueContainer())
    }
}

/// The keys of an object and, below, the elements of an array: each value is read by the one
/// generic way, which ends at ``SaturatingValue``.
private struct SaturatingKeys<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let base: KeyedDecodingContainer<Key>

    var codingPath: [any CodingKey] { base.codingPath }
    var allKeys: [Key] { base.allKeys }

    func contains(_ key: Key) -> Bool { base.contains(key) }
    func decodeNil(forKey key: Key) throws -> Bool { try base.decodeNil(forKey: key) }

    private func value<Value: Decodable>(_ key: Key) throws -> Value {
        try base.decode(Saturated<Value>.self, forKey: key).value
    }

    func decode(_: Bool.Type, forKey key: Key) throws -> Bool { try value(key) }
    func decode(_: String.Type, forKey key: Key) throws -> String { try value(key) }
    func decode(_: Double.Type, forKey key: Key) throws -> Double { try value(key) }
    func decode(_: Float.Type, forKey key: Key) throws -> Float { try value(key) }
    func decode(_: Int.Type, forKey key: Key) throws -> Int { try value(key) }
    func decode(_: Int8.Type, forKey key: Key) throws -> Int8 { try value(key) }
    func decode(_: Int16.Type, forKey key: Key) throws -> Int16 { try value(key) }
    func decode(_: Int32.Type, forKey key: Key) throws -> Int32 { try value(key) }
    func decode(_: Int64.Type, forKey key: Key) throws -> Int64 { try value(key) }
    func decode(_: UInt.Type, forKey key: Key) throws -> UInt { try value(key) }
    func decode(_: UInt8.Type, forKey key: Key) throws -> UInt8 { try value(key) }
    func decode(_: UInt16.Type, forKey key: Key) throws -> UInt16 { try value(key) }
    func decode(_: UInt32.Type, forKey key: Key) throws -> UInt32 { try value(key) }
    func decode(_: UInt64.Type, forKey key: Key) throws -> UInt64 { try value(key) }
    func decode<Value: Decodable>(_: Value.Type, forKey key: Key) throws -> Value {
        try value(key)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(
            SaturatingKeys<Nested>(base: try base.nestedContainer(keyedBy: type, forKey: key)))
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        SaturatingElements(base: try base.nestedUnkeyedContainer(forKey: key))
    }
    func superDecoder() throws -> any Decoder { SaturatingDecoder(base: try base.superDecoder()) }
    func superDecoder(forKey key: Key) throws -> any Decoder {
        SaturatingDecoder(base: try base.superDecoder(forKey: key))
    }
}

private struct SaturatingElements: UnkeyedDecodingContainer {
    var base: any UnkeyedDecodingContainer

    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int? { base.count }
    var isAtEnd: Bool { base.isAtEnd }
    var currentIndex: Int { base.currentIndex }

    private mutating func next<Value: Decodable>() throws -> Value {
        try base.decode(Saturated<Value>.self).value
    }

    mutating func decodeNil() throws -> Bool { try base.decodeNil() }
    mutating func decode(_: Bool.Type) throws -> Bool { try next() }
    mutating func decode(_: String.Type) throws -> String { try next() }
    mutating func decode(_: Double.Type) throws -> Double { try next() }
    mutating func decode(_: Float.Type) throws -> Float { try next() }
    mutating func decode(_: Int.Type) throws -> Int { try next() }
    mutating func decode(_: Int8.Type) throws -> Int8 { try next() }
    mutating func decode(_: Int16.Type) throws -> Int16 { try next() }
    mutating func decode(_: Int32.Type) throws -> Int32 { try next() }
    mutating func decode(_: Int64.Type) throws -> Int64 { try next() }
    mutating func decode(_: UInt.Type) throws -> UInt { try next() }
    mutating func decode(_: UInt8.Type) throws -> UInt8 { try next() }
    mutating func decode(_: UInt16.Type) throws -> UInt16 { try next() }
    mutating func decode(_: UInt32.Type) throws -> UInt32 { try next() }
    mutating func decode(_: UInt64.Type) throws -> UInt64 { try next() }
    mutating func decode<Value: Decodable>(_: Value.Type) throws -> Value { try next() }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(
            SaturatingKeys<Nested>(base: try base.nestedContainer(keyedBy: type)))
    }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        SaturatingElements(base: try base.nestedUnkeyedContainer())
    }
    mutating func superDecoder() throws -> any Decoder {
        SaturatingDecoder(base: try base.superDecoder())
    }
}

private struct SaturatingValue: SingleValueDecodingContainer {
    let base: any SingleValueDecodingContainer

    var codingPath: [any CodingKey] { base.codingPath }

    func decodeNil() -> Bool { base.decodeNil() }

    /// Returns what `base` has; for a number that does not fit, an error that names its place.
    /// Foundation has an error of its own for that, by which the whole text is damaged.
    private func number<Value: Decodable>() throws -> Value {
        do {
            return try base.decode(Value.self)
        } catch let error where !(error is DecodingError) {
            throw DecodingError.dataCorrupted(
                .init(codingPath: codingPath, debugDescription: "The number does not fit."))
        }
    }

    func decode(_: Int.Type) throws -> Int { Int(bounding: try number()) }
    func decode(_: Int64.Type) throws -> Int64 { Int64(try decode(Int.self)) }
    func decode(_: UInt.Type) throws -> UInt {
        min(try number(), UInt(Limits.lineNumber.magnitude))
    }
    func decode(_: UInt64.Type) throws -> UInt64 {
        min(try number(), UInt64(Limits.lineNumber.magnitude))
    }
    func decode(_: Double.Type) throws -> Double { Double(boundingSeconds: try number()) }
    func decode(_: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    func decode(_ type: Bool.Type) throws -> Bool { try base.decode(type) }
    func decode(_ type: String.Type) throws -> String { try base.decode(type) }
    func decode(_: Int8.Type) throws -> Int8 { try number() }
    func decode(_: Int16.Type) throws -> Int16 { try number() }
    func decode(_: Int32.Type) throws -> Int32 { try number() }
    func decode(_: UInt8.Type) throws -> UInt8 { try number() }
    func decode(_: UInt16.Type) throws -> UInt16 { try number() }
    func decode(_: UInt32.Type) throws -> UInt32 { try number() }
    func decode<Value: Decodable>(_: Value.Type) throws -> Value {
        try base.decode(Saturated<Value>.self).value
    }
}
