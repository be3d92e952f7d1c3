import BeamscribeCore
import CSystemd
import Glibc

/// Appends values to a message that is not yet sent.
struct BusMessageWriter {
    let message: OpaquePointer

    /// - Throws: when a value is none: an object path without its stroke, an array whose elements
    ///   are not of its type.
    func append(_ values: some Sequence<BusValue>) throws(BusError) {
        for value in values { try append(value) }
    }

    private func append(_ value: BusValue) throws(BusError) {
        switch value {
        case .byte(let number): try append(number, "y")
        case .boolean(let flag): try append(Int32(clamping: flag ? 1 : 0), "b")
        case .int16(let number): try append(number, "n")
        case .uint16(let number): try append(number, "q")
        case .int32(let number): try append(number, "i")
        case .uint32(let number): try append(number, "u")
        case .int64(let number): try append(number, "x")
        case .uint64(let number): try append(number, "t")
        case .double(let number): try append(number, "d")
        case .string(let text): try append(text: text, "s")
        case .objectPath(let text): try append(text: text, "o")
        case .signature(let text): try append(text: text, "g")
        case .bytes(let bytes):
            try BusError.check(
                sd_bus_message_append_array(message, Self.code("y"), bytes, bytes.count))
        case .array(let values, let element): try append(values, in: "a", of: element)
        case .dictionary(let entries, let key, let value):
            try append(entries, key + value)
        case .structure(let members):
            // sd-bus takes one without members; the bus then throws the sender out.
            guard !members.isEmpty else { throw .failed(code: EINVAL) }
            try append(members, in: "r", of: members.map(\.signature).joined())
        case .variant(let content): try append([content], in: "v", of: content.signature)
        }
    }

    private func append(
        _ values: [BusValue], in container: Unicode.Scalar, of contents: String
    ) throws(BusError) {
        try BusError.check(
            sd_bus_message_open_container(message, Self.code(container), contents))
        try append(values)
        try BusError.check(sd_bus_message_close_container(message))
    }

    private func append(_ entries: [BusValue: BusValue], _ types: String) throws(BusError) {
        try BusError.check(
            sd_bus_message_open_container(message, Self.code("a"), "{\(types)}"))
        for (key, value) in entries { try append([key, value], in: "e", of: types) }
        try BusError.check(sd_bus_message_close_container(message))
    }

    private func append<Number: BitwiseCopyable>(
        _ number: Number, _ type: Unicode.Scalar
    ) throws(BusError) {
        var number = number
        try BusError.check(sd_bus_message_append_basic(message, Self.code(type), &number))
    }

    private func append(text: String, _ type: Unicode.Scalar) throws(BusError) {
        try BusError.check(sd_bus_message_append_basic(message, Self.code(type), text))
    }

    private static func code(_ type: Unicode.Scalar) -> CChar {
        CChar(clamping: UInt8(ascii: type))
    }
}
