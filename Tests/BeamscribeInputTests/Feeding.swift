import BeamscribeCore
import BeamscribeInput

extension InputParser {
    mutating func feed(_ bytes: [UInt8]) -> [InputEvent] {
        bytes.withUnsafeBytes { feed($0) }
    }

    mutating func feed(_ text: String) -> [InputEvent] {
        feed(Array(text.utf8))
    }
}

/// What each feed of `parts` gives, and what the end of the input gives.
func batches(_ format: InputFormat, _ parts: [[UInt8]]) -> [[InputEvent]] {
    var parser = format.makeParser()
    var batches = parts.map { parser.feed($0) }
    batches.append(parser.finish())
    return batches
}

/// All events of `parts`, each of which is fed on its own.
func events(_ format: InputFormat, _ parts: String...) -> [InputEvent] {
    batches(format, parts.map { Array($0.utf8) }).flatMap { $0 }
}

/// The finals' texts of `parts`, each of which is fed on its own.
func finals(_ format: InputFormat, _ parts: String...) -> [String] {
    batches(format, parts.map { Array($0.utf8) }).flatMap { $0 }.compactMap(\.finalText)
}

/// `bytes` in pieces of a random length, mostly short ones.
func randomParts(_ bytes: [UInt8], using random: inout SeededGenerator) -> [[UInt8]] {
    var parts: [[UInt8]] = []
    var rest = bytes[...]
    let longest = Int.random(in: 1...max(2, min(bytes.count, 600)), using: &random)
    while !rest.isEmpty {
        let count = Int.random(in: 1...longest, using: &random)
        parts.append(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
    }
    return parts
}

extension InputEvent {
    static func final(_ text: String) -> InputEvent { .final(Caption(text: text)) }
    static func partial(_ text: String) -> InputEvent { .partial(Caption(text: text)) }

    var finalText: String? {
        if case .final(let line) = self { line.text } else { nil }
    }

    static func correction(_ text: String, line: String) -> InputEvent {
        .correction(Caption(text: text, line: line))
    }

    static func final(_ text: String, line: String) -> InputEvent {
        .final(Caption(text: text, line: line))
    }

    var partialLine: Caption? {
        if case .partial(let line) = self { line } else { nil }
    }

    var isPartial: Bool { partialLine != nil }

    /// Whether the event may be shown on a terminal and fits the protocol's limits.
    var isHarmless: Bool {
        switch self {
        case .final(let line), .correction(let line): !line.text.isEmpty && line.isHarmless
        case .partial(let line): line.isHarmless
        case .warning(let sentence): SafeText.isSafe(sentence)
        }
    }
}

extension Caption {
    fileprivate var isHarmless: Bool {
        let labels = [line, speaker, lang].compactMap { $0 }
        return text.utf8.count <= Limits.lineBytes
            && ([text] + labels).allSatisfy(SafeText.isSafe)
            && labels.allSatisfy { $0.utf8.count <= Limits.labelBytes }
    }
}
