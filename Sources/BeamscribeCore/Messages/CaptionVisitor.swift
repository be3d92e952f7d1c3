/// What a text among a caption's keys may hold, and how much of it.
enum CaptionText {
    /// The line itself: at most ``Limits/lineBytes``.
    case words
    /// Who speaks: at most ``Limits/labelBytes``.
    case name
    /// An id or a tag: at most ``Limits/labelBytes``.
    case label
    /// None: a number.
    case none
}

/// Does one thing to each of a caption's keys, in the order of their table: writes it, or reads it,
/// or looks at its size. A table is walked by calls that the compiler puts together into what one
/// would write by hand; there is none left at run time.
protocol CaptionVisitor {
    /// - Returns: whether to look at no other key.
    mutating func field(
        _ key: StaticString, _ value: inout some CaptionValue, _ text: CaptionText
    ) -> Bool
}

extension CaptionVisitor {
    @inline(__always)
    mutating func field(_ key: StaticString, _ value: inout some CaptionValue) -> Bool {
        field(key, &value, .none)
    }
}

/// A packet whose keys stand in a table, and all of whose values are in it.
protocol FlatPacket {
    /// Walks the table.
    mutating func visit(_ visitor: inout some CaptionVisitor) -> Bool
}

/// What can stand under a key: a text, a number or a truth value, or an optional one of these,
/// which is not there where it is nil.
protocol CaptionValue {
    static var isRequired: Bool { get }
    /// The text; nil for a number, and where there is none.
    var text: String? { get set }
    func write(_ key: StaticString, to writer: inout JSONObjectWriter)
    /// Whether there was such a value of the usual shape.
    mutating func read(from reader: inout FlatObjectReader) -> Bool
    mutating func decode(
        _ key: CaptionKey, from container: KeyedDecodingContainer<CaptionKey>
    ) throws
    func encode(_ key: CaptionKey, to container: inout KeyedEncodingContainer<CaptionKey>) throws
}

/// A value that can be optional.
protocol CaptionScalar: CaptionValue, Codable {
    static func read(from reader: inout FlatObjectReader, into field: inout Self?) -> Bool
}

extension CaptionScalar {
    static var isRequired: Bool { true }
    var text: String? {
        get { nil }
        set {}
    }

    @inline(__always)
    mutating func read(from reader: inout FlatObjectReader) -> Bool {
        var field: Self?
        guard Self.read(from: &reader, into: &field), let field else { return false }
        self = field
        return true
    }

    mutating func decode(
        _ key: CaptionKey, from container: KeyedDecodingContainer<CaptionKey>
    ) throws {
        self = try container.decode(Self.self, forKey: key)
    }

    func encode(_ key: CaptionKey, to container: inout KeyedEncodingContainer<CaptionKey>) throws {
        try container.encode(self, forKey: key)
    }
}

extension String: CaptionScalar {
    var text: String? {
        get { self }
        set { self = newValue ?? "" }
    }

    @inline(__always)
    func write(_ key: StaticString, to writer: inout JSONObjectWriter) { writer.write(key, self) }

    @inline(__always)
    static func read(from reader: inout FlatObjectReader, into field: inout Self?) -> Bool {
        reader.read(into: &field)
    }
}

extension Int: CaptionScalar {
    @inline(__always)
    func write(_ key: StaticString, to writer: inout JSONObjectWriter) { writer.write(key, self) }

    @inline(__always)
    static func read(from reader: inout FlatObjectReader, into field: inout Self?) -> Bool {
        reader.read(into: &field)
    }
}

extension Double: CaptionScalar {
    @inline(__always)
    func write(_ key: StaticString, to writer: inout JSONObjectWriter) { writer.write(key, self) }

    @inline(__always)
    static func read(from reader: inout FlatObjectReader, into field: inout Self?) -> Bool {
        reader.read(into: &field)
    }
}

extension Bool: CaptionScalar {
    @inline(__always)
    func write(_ key: StaticString, to writer: inout JSONObjectWriter) { writer.write(key, self) }

    @inline(__always)
    static func read(from reader: inout FlatObjectReader, into field: inout Self?) -> Bool {
        reader.read(into: &field)
    }
}

extension Optional: CaptionValue where Wrapped: CaptionScalar {
    static var isRequired: Bool { false }
    var text: String? {
        get { self?.text }
        set { self?.text = newValue }
    }

    @inline(__always)
    func write(_ key: StaticString, to writer: inout JSONObjectWriter) {
        if let self { self.write(key, to: &writer) }
    }

    @inline(__always)
    mutating func read(from reader: inout FlatObjectReader) -> Bool {
        Wrapped.read(from: &reader, into: &self)
    }

    mutating func decode(
        _ key: CaptionKey, from container: KeyedDecodingContainer<CaptionKey>
    ) throws {
        self = try container.decodeIfPresent(Wrapped.self, forKey: key)
    }

    func encode(_ key: CaptionKey, to container: inout KeyedEncodingContainer<CaptionKey>) throws {
        try container.encodeIfPresent(self, forKey: key)
    }
}

/// A key of a caption, for the general coders.
struct CaptionKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ key: StaticString) { stringValue = key.description }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

// MARK: What is done with the keys

extension JSONObjectWriter: CaptionVisitor {
    @inline(__always)
    mutating func field(
        _ key: StaticString, _ value: inout some CaptionValue, _: CaptionText
    ) -> Bool {
        value.write(key, to: &self)
        return false
    }
}

extension FlatObjectReader: CaptionVisitor {
    /// Reads the value of `key`, which is next, and passes over that of a key that is in no table;
    /// false where it is out of the ordinary.
    @inline(__always)
    mutating func readField(_ key: UnsafeRawBufferPointer, of packet: inout some FlatPacket) -> Bool
    {
        (self.key, row, isRead) = (key, 1, false)
        return packet.visit(&self) ? isRead : skipValue(of: key)
    }

    @inline(__always)
    mutating func field(
        _ key: StaticString, _ value: inout some CaptionValue, _: CaptionText
    ) -> Bool {
        guard self.key.spell(key) else {
            row <<= 1
            return false
        }
        isRead = seen & row == 0 && value.read(from: &self)
        seen |= row
        return true
    }
}

/// A bit for each row of a table that must be there.
struct RequiredFields: CaptionVisitor {
    private(set) var rows: UInt32 = 0
    private var next: UInt32 = 1

    static func of(_ packet: some FlatPacket) -> UInt32 {
        var (packet, fields) = (packet, RequiredFields())
        _ = packet.visit(&fields)
        return fields.rows
    }

    mutating func field<Value: CaptionValue>(
        _ key: StaticString, _ value: inout Value, _: CaptionText
    ) -> Bool {
        if Value.isRequired { rows |= next }
        next <<= 1
        return false
    }
}

/// Takes values from the general decoder.
struct CaptionFieldDecoder: CaptionVisitor {
    let container: KeyedDecodingContainer<CaptionKey>
    private(set) var failure: (any Error)?

    init(_ decoder: any Decoder) throws {
        container = try decoder.container(keyedBy: CaptionKey.self)
    }

    mutating func field(
        _ key: StaticString, _ value: inout some CaptionValue, _: CaptionText
    ) -> Bool {
        do {
            try value.decode(CaptionKey(key), from: container)
            return false
        } catch {
            failure = error
            return true
        }
    }
}

/// Gives values to the general encoder.
struct CaptionFieldEncoder: CaptionVisitor {
    private var container: KeyedEncodingContainer<CaptionKey>
    private(set) var failure: (any Error)?

    init(_ encoder: any Encoder) {
        container = encoder.container(keyedBy: CaptionKey.self)
    }

    mutating func field(
        _ key: StaticString, _ value: inout some CaptionValue, _: CaptionText
    ) -> Bool {
        do {
            try value.encode(CaptionKey(key), to: &container)
            return false
        } catch {
            failure = error
            return true
        }
    }
}

/// Finds an id, a tag or a name that is longer than it may be.
struct LongLabels: CaptionVisitor {
    mutating func field(
        _ key: StaticString, _ value: inout some CaptionValue, _ text: CaptionText
    ) -> Bool {
        (text == .name || text == .label) && (value.text?.utf8.count ?? 0) > Limits.labelBytes
    }
}

/// Puts other texts in the places of those that are there.
struct MappedFields: CaptionVisitor {
    let map: (String, CaptionText) -> String

    mutating func field(
        _ key: StaticString, _ value: inout some CaptionValue, _ text: CaptionText
    ) -> Bool {
        if let old = value.text { value.text = map(old, text) }
        return false
    }
}

extension SafeText {
    /// A text that others have written, made harmless. What becomes visible in it takes more room;
    /// the limits hold for what a reader gets.
    static func limited(_ text: String, _ kind: CaptionText) -> String {
        switch kind {
        case .words: label(text, bytes: Limits.lineBytes)
        case .name: name(text, bytes: Limits.labelBytes)
        case .label, .none: label(text, bytes: Limits.labelBytes)
        }
    }
}
