import BeamscribeCore
import BeamscribeDiscovery

/// What comes out of `SafeText` holds nothing that moves a terminal's cursor or turns text around
/// behind its end, fits, and stays so in rows.
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
        try expect(isHarmless(label), "a label that is not safe: \(label)")
        try expect(same(SafeText.label(label, bytes: limit), label), "cut twice: \(label)")
        if line.utf8.count <= limit || !line.unicodeScalars.contains(where: isDirectional) {
            let isBeginning = line.utf8.starts(with: label.utf8)
            try expect(isBeginning, "\(label) is no beginning of \(line)")
        }
        try checkRows(line, limit)
        try checkName(SafeText.name(text, bytes: limit), limit)
        let name = InstanceName.from(text)
        try expect((1...63).contains(name.utf8.count), "an instance name of \(name.utf8.count)")
        try expect(isHarmless(name), "an instance name that is not safe: \(name)")
    }

    /// What is drawn as nothing is in a name only where it has neighbours to change.
    private static func checkName(_ name: String, _ limit: Int) throws(BrokenProperty) {
        try expect(name.utf8.count <= limit, "a name of \(name.utf8.count) bytes for \(limit)")
        try expect(isHarmless(name), "a name that is not safe: \(name)")
        try expect(same(SafeText.name(name, bytes: limit), name), "a name cut twice: \(name)")
        let scalars = Array(name.unicodeScalars)
        for (index, scalar) in scalars.enumerated()
        where scalar.properties.isDefaultIgnorableCodePoint {
            let isAllowed = [0x200C, 0x200D, 0xFE0E, 0xFE0F].contains(scalar.value)
            let isBehind = index > 0 && !"abcXYZ <>".unicodeScalars.contains(scalars[index - 1])
            try expect(isAllowed && isBehind, "a name with something unseen: \(name)")
        }
    }

    /// A safe text in rows has safe rows, which hold all of it.
    private static func checkRows(_ line: String, _ length: Int) throws(BrokenProperty) {
        let scalars = Array(line.unicodeScalars)
        let step = length % 9 + 1
        let rows = stride(from: 0, to: scalars.count, by: step).map { first in
            text(scalars[first..<min(first + step, scalars.count)])
        }
        let closed = DirectionalRows.closed(rows)
        for row in closed { try expect(isHarmless(row), "a row that is not safe: \(row)") }
        let words = { (text: String) in
            String.UnicodeScalarView(text.unicodeScalars.filter { !isDirectional($0) })
        }
        let isWhole = words(closed.joined()).elementsEqual(words(line))
        try expect(isWhole, "\(closed) are not the rows of \(line)")
        for row in CaptionRows.cues(of: line).joined() {
            try expect(isHarmless(row), "a subtitle's row that is not safe: \(row)")
        }
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }

    /// The rule itself: no control characters, line separators or overrides; embeddings and
    /// isolates each with their end, told by their nesting alone.
    static func isHarmless(_ text: String) -> Bool {
        var open: [Bool] = []
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202D, 0x202E: return false
            case 0x202A, 0x202B: open.append(false)
            case 0x2066...0x2068: open.append(true)
            case 0x202C: if open.popLast() != false { return false }
            case 0x2069: if open.popLast() != true { return false }
            default: continue
            }
            if open.count > 125 { return false }
        }
        return open.isEmpty
    }

    private static func isDirectional(_ scalar: Unicode.Scalar) -> Bool {
        (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    }

    /// Whether two texts are the same bytes; `==` takes equivalent ones for the same.
    private static func same(_ one: String, _ other: String) -> Bool {
        one.utf8.elementsEqual(other.utf8)
    }
}
