import BeamscribeCore
import CSystemd

/// Reads what a message holds.
///
/// Invariant: `room` values may still be read; a message that holds more is given up, however
/// little memory it asks for itself.
struct BusMessageReader {
    private let message: OpaquePointer
    private var room = Limits.busValues

    init(_ message: OpaquePointer) {
        self.message = message
    }

    /// All that is left at this place: of a message, or of the container that was entered.
    mutating func values(depth: Int = 0) throws(BusError) -> [BusValue] {
        var values: [BusValue] = []
        while let value = try next(depth) { values.append(value) }
        return values
    }

    private mutating func next(_ depth: Int) throws(BusError) -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard try BusError.check(sd_bus_message_peek_type(message, &type, &contents)) > 0 else {
            return nil
        }
        room -= 1
        guard room >= 0, depth < Limits.busDepth else { throw .unreadable }
        let signature = contents.map { String(cString: $0) } ?? ""
        switch UInt8(bitPattern: type) {
        case UInt8(ascii: "a"): return try array(of: signature, depth)
        case UInt8(ascii: "v"):
            let inner = try container(type, signature, depth)
            guard let value = inner.first, inner.count == 1 else { throw .unreadable }
            return .variant(value)
        case UInt8(ascii: "r"): return .structure(try container(type, signature, depth))
        default: return try basic(type)
        }
    }

    private mutating func container(
        _ type: CChar, _ signature: String, _ depth: Int
    ) throws(BusError) -> [BusValue] {
        try BusError.check(sd_bus_message_enter_container(message, type, signature))
        let values = try values(depth: depth + 1)
        try BusError.check(sd_bus_message_exit_container(message))
        return values
    }

    private mutating func array(of element: String, _ depth: Int) throws(BusError) -> BusValue {
        if element == "y" { return .bytes(try bytes()) }
        let type = CChar(clamping: UInt8(ascii: "a"))
        guard element.hasPrefix("{") else {
            return .array(try container(type, element, depth), of: element)
        }
        try BusError.check(sd_bus_message_enter_container(message, type, element))
        let entries = try entries(element, depth + 1)
        try BusError.check(sd_bus_message_exit_container(message))
        // A key is always of a basic type, whose signature is one character.
        let types = element.dropFirst().dropLast()
        return .dictionary(
            entries, key: String(types.prefix(1)), value: String(types.dropFirst()))
    }

    private mutating func entries(
        _ element: String, _ depth: Int
    ) throws(BusError) -> [BusValue: BusValue] {
        var entries: [BusValue: BusValue] = [:]
        let signature = String(element.dropFirst().dropLast())
        let type = CChar(clamping: UInt8(ascii: "e"))
        while try BusError.check(sd_bus_message_at_end(message, 0)) == 0 {
            let entry = try container(type, signature, depth)
            guard entry.count == 2 else { throw .unreadable }
            entries[entry[0]] = entry[1]
        }
        return entries
    }

    private func bytes() throws(BusError) -> [UInt8] {
        var start: UnsafeRawPointer?
        var count = 0
        try BusError.check(
            sd_bus_message_read_array(message, CChar(clamping: UInt8(ascii: "y")), &start, &count))
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    private func basic(_ type: CChar) throws(BusError) -> BusValue {
        switch UInt8(bitPattern: type) {
        case UInt8(ascii: "y"): .byte(try number(type, UInt8(0)))
        case UInt8(ascii: "b"): .boolean(try number(type, Int32(0)) != 0)
        case UInt8(ascii: "n"): .int16(try number(type, Int16(0)))
        case UInt8(ascii: "q"): .uint16(try number(type, UInt16(0)))
        case UInt8(ascii: "i"): .int32(try number(type, Int32(0)))
        case UInt8(ascii: "u"): .uint32(try number(type, UInt32(0)))
        case UInt8(ascii: "x"): .int64(try number(type, Int64(0)))
        case UInt8(ascii: "t"): .uint64(try number(type, UInt64(0)))
        case UInt8(ascii: "d"): .double(try number(type, Double(0)))
        case UInt8(ascii: "s"): .string(try text(type))
        case UInt8(ascii: "o"): .objectPath(try text(type))
        case UInt8(ascii: "g"): .signature(try text(type))
        default: throw .unreadable
        }
    }

    private func number<Number: BitwiseCopyable>(
        _ type: CChar, _ zero: Number
    ) throws(BusError) -> Number {
        var number = zero
        try BusError.check(sd_bus_message_read_basic(message, type, &number))
        return number
    }

    private func text(_ type: CChar) throws(BusError) -> String {
        var start: UnsafePointer<CChar>?
        try BusError.check(sd_bus_message_read_basic(message, type, &start))
        return start.map { String(cString: $0) } ?? ""
    }
}
