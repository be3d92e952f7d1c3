import BeamscribeCore
import FoundationEssentials

/// How inputs of JSON objects begin.
enum ObjectRules {
    /// What the first object says: the form, or nil where more is needed.
    struct Verdict {
        var format: InputFormat?
    }

    /// The verdict on an input that begins with `bytes`; nil where it begins with no object.
    static func verdict(of bytes: [UInt8], isQuiet: Bool) -> Verdict? {
        let rest = JSONText.withoutMark(bytes).drop(while: JSONText.isSpace)
        guard rest.first == UInt8(ascii: "{") else { return nil }
        guard let inside = rest.dropFirst().first(where: { !JSONText.isSpace($0) }) else {
            // Of a brace alone nothing is known, and it may be all that a person typed.
            return isQuiet ? nil : Verdict()
        }
        guard inside == UInt8(ascii: "\"") else { return nil }
        if rest.starts(with: Array(#"{"b":"#.utf8)) { return Verdict(format: .pocketsphinx) }
        return verdict(ofObject: rest, isQuiet: isQuiet)
    }

    private static func verdict(ofObject rest: ArraySlice<UInt8>, isQuiet: Bool) -> Verdict? {
        var scanner = ObjectScanner()
        let pieces = rest.withUnsafeBytes { scanner.feed($0) }
        // An object may take as long as it likes; one that is broken is none.
        guard let first = pieces.first else { return Verdict() }
        guard case .object(let bytes, _) = first else { return nil }
        let object = rest.prefix(bytes.count)
        guard let keys = keys(of: object) else { return nil }
        if let format = keys.format(isSpread: object.contains(0x0A)) {
            return Verdict(format: format)
        }
        // The line has to be the object and nothing else.
        let newline = rest[object.endIndex...].firstIndex(of: 0x0A)
        guard isQuiet || newline != nil else { return Verdict() }
        let line = rest[..<(newline ?? rest.endIndex)]
        return self.keys(of: line)?.text == nil ? nil : Verdict(format: .jsonl)
    }

    private static func keys(of object: ArraySlice<UInt8>) -> ObjectKeys? {
        try? object.withUnsafeBytes {
            try JSONText.decode(ObjectKeys.self, from: $0, with: OutsideJSON())
        }
    }
}
