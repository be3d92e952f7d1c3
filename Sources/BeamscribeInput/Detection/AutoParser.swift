import BeamscribeCore

/// Finds out from the beginning which form the input has, and reads it so.
///
/// Invariant: until ``decided`` is set, `held` is everything that was read, at most
/// `Limits.inputObject` bytes, and no event has come out; afterwards it is empty.
public struct AutoParser: InputParser {
    /// The form that the input turned out to have, once that is known.
    public private(set) var decided: InputFormat?

    private var parser: any InputParser = TextParser()
    private var held: [UInt8] = []
    private var points = DetectionPoints()

    public init() {}

    public var awaitsQuiet: Bool {
        decided == nil ? held.contains { !JSONText.isSpace($0) } : parser.awaitsQuiet
    }

    public var isAmidst: Bool { decided == nil ? !held.isEmpty : parser.isAmidst }

    public mutating func feed(_ bytes: UnsafeRawBufferPointer) -> [InputEvent] {
        guard decided == nil else { return parser.feed(bytes) }
        for (index, byte) in bytes.enumerated() {
            held.append(byte)
            guard points.isPoint(behind: byte) || held.count >= Limits.inputObject,
                let format = verdict()
            else { continue }
            // One call is one batch.
            held += bytes[(index + 1)...]
            return decide(format)
        }
        return []
    }

    public mutating func settle() -> [InputEvent] {
        guard decided == nil else { return parser.settle() }
        guard let format = FormatDetector.verdict(of: held, isQuiet: true) else { return [] }
        return decide(format)
    }

    public mutating func finish() -> [InputEvent] {
        var events: [InputEvent] = []
        // What has said nothing has no form.
        if decided == nil, !held.isEmpty {
            // The end makes the open line a final, so a partial of it would be out of date.
            let format = FormatDetector.verdict(of: held, isQuiet: true) ?? .text
            events = decide(format).filter { !$0.isPartial }
        }
        return events + parser.finish()
    }

    private mutating func decide(_ format: InputFormat) -> [InputEvent] {
        decided = format
        parser = format.makeParser()
        let bytes = held
        held = []
        return bytes.withUnsafeBytes { parser.feed($0) }
    }

    private func verdict() -> InputFormat? {
        let found = FormatDetector.verdict(of: held, isQuiet: false)
        return found ?? (held.count >= Limits.inputObject ? .text : nil)
    }
}
