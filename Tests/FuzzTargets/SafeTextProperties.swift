import BeamscribeCore
import BeamscribeDiscovery

/// What comes out of `SafeText` holds nothing that moves a terminal's cursor, and fits.
enum SafeTextProperties {
    static func check(_ bytes: UnsafeRawBufferPointer) throws(BrokenProperty) {
        var choices = Choices(bytes)
        let limit = Int(choices.byte())
        let text = String(decoding: choices.remainder(), as: UTF8.self)
        let line = SafeText.line(text)
        try expect(isHarmless(line), "a line that is not safe: \(line)")
        try expect(SafeText.isSafe(line), "isSafe is wrong of \(line)")
        try expect(same(SafeText.line(line), line), "changed twice: \(line)")
        try expect(SafeText.isSafe(text) == same(text, line), "isSafe is wrong of \(text)")
        let label = SafeText.label(text, bytes: limit)
        try expect(label.utf8.count <= limit, "a label of \(label.utf8.count) bytes for \(limit)")
        try expect(line.utf8.starts(with: label.utf8), "\(label) is no beginning of \(line)")
        let name = InstanceName.from(text)
        try expect((1...63).contains(name.utf8.count), "an instance name of \(name.utf8.count)")
        try expect(isHarmless(name), "an instance name that is not safe: \(name)")
    }

    /// The rule itself, by scalars: no control characters, line separators or text reordering.
    static func isHarmless(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: false
            default: true
            }
        }
    }

    /// Whether two texts are the same bytes; `==` takes equivalent ones for the same.
    private static func same(_ one: String, _ other: String) -> Bool {
        one.utf8.elementsEqual(other.utf8)
    }
}
