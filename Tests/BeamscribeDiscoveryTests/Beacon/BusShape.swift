import BeamscribeCore

@testable import BeamscribeDiscovery

/// A type of D-Bus, to draw values of: the elements of an array are all of one.
indirect enum BusShape {
    case basic(Character)
    case array(BusShape)
    case dictionary(key: Character, BusShape)
    case structure([BusShape])
    case variant

    private static let basics = Array("ybnqiuxtdsog")
    private static let texts = ["", "a", "Town Hall", "日本語会議", "👨‍👩‍👧‍👦", "\u{1B}[2J\n", "é"]
    private static let paths = ["/", "/org/bluez/hci0", "/a/b_1/Z"]
    private static let signatures = ["", "a{sv}", "ay", "(ii)s"]

    /// A type with at most `depth` containers within each other.
    static func random(_ depth: Int, using generator: inout SeededGenerator) -> BusShape {
        let kind = Int.random(in: 0..<(depth > 0 ? 8 : 4), using: &generator)
        switch kind {
        case 4: return .array(random(depth - 1, using: &generator))
        case 5:
            let key = basics.randomElement(using: &generator) ?? "s"
            return .dictionary(key: key, random(depth - 1, using: &generator))
        case 6:
            let count = Int.random(in: 1...3, using: &generator)
            return .structure((0..<count).map { _ in random(depth - 1, using: &generator) })
        case 7: return .variant
        default: return .basic(basics.randomElement(using: &generator) ?? "s")
        }
    }

    /// A value of this type; what is in a variant has at most `depth` containers.
    func value(_ depth: Int, using generator: inout SeededGenerator) -> BusValue {
        let count = Int.random(in: 0...4, using: &generator)
        switch self {
        case .basic(let type): return Self.basic(type, using: &generator)
        case .array(.basic("y")):
            return .bytes((0..<count * 40).map { _ in .random(in: 0...255, using: &generator) })
        case .array(let element):
            let values = (0..<count).map { _ in element.value(depth - 1, using: &generator) }
            return .array(values, of: element.signature)
        case .dictionary(let key, let element):
            var entries: [BusValue: BusValue] = [:]
            for _ in 0..<count {
                entries[Self.basic(key, using: &generator)] =
                    element.value(depth - 1, using: &generator)
            }
            return .dictionary(entries, key: String(key), value: element.signature)
        case .structure(let members):
            return .structure(members.map { $0.value(depth - 1, using: &generator) })
        case .variant:
            let inner = BusShape.random(max(0, depth - 1), using: &generator)
            return .variant(inner.value(depth - 1, using: &generator))
        }
    }

    private var signature: String {
        switch self {
        case .basic(let type): String(type)
        case .array(let element): "a" + element.signature
        case .dictionary(let key, let element): "a{\(key)\(element.signature)}"
        case .structure(let members): "(\(members.map(\.signature).joined()))"
        case .variant: "v"
        }
    }

    private static func basic(
        _ type: Character, using generator: inout SeededGenerator
    ) -> BusValue {
        let bits = generator.next()
        switch type {
        case "y": return .byte(UInt8(truncatingIfNeeded: bits))
        case "b": return .boolean(bits & 1 == 1)
        case "n": return .int16(Int16(truncatingIfNeeded: bits))
        case "q": return .uint16(UInt16(truncatingIfNeeded: bits))
        case "i": return .int32(Int32(truncatingIfNeeded: bits))
        case "u": return .uint32(UInt32(truncatingIfNeeded: bits))
        case "x": return .int64(Int64(bitPattern: bits))
        case "t": return .uint64(bits)
        case "d": return .double(Double(Int64(bitPattern: bits)) / 7)
        case "o": return .objectPath(paths.randomElement(using: &generator) ?? "/")
        case "g": return .signature(signatures.randomElement(using: &generator) ?? "")
        default: return .string(texts.randomElement(using: &generator) ?? "")
        }
    }
}
