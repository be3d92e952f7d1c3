import BeamscribeCore
import FoundationEssentials

/// Finds out from the first line which form the input has, and reads it so.
///
/// Invariant: until ``decided`` is set, `held` is everything that was read, at most one feed more
/// than `Limits.inputObject` bytes, and no event has come out; afterwards it is empty.
public struct AutoParser: InputParser {
    /// The form that the input turned out to have, once that is known.
    public private(set) var decided: InputFormat?

    private var text = TextParser()
    private var json = JSONLinesParser()
    private var held: [UInt8] = []
    /// Where the next look at `held` begins: what is before it is blank, or follows the brace.
    private var lookedAt = 0
    private var brace: Int?

    private struct Caption: Decodable {
        var text: String
    }

    /// A parser that has seen nothing yet.
    public init() {}

    public mutating func feed(_ bytes: UnsafeRawBufferPointer) -> [InputEvent] {
        guard decided == nil else { return feedDecided(bytes) }
        held += bytes
        guard let format = format(inputEnded: false) else { return [] }
        return decide(format)
    }

    public mutating func finish() -> [InputEvent] {
        var events: [InputEvent] = []
        if decided == nil {
            // The end makes the open line a final, so a partial of it would be out of date.
            events = decide(format(inputEnded: true) ?? .text).filter { !$0.isPartial }
        }
        return events + (decided == .jsonl ? json.finish() : text.finish())
    }

    private mutating func feedDecided(_ bytes: UnsafeRawBufferPointer) -> [InputEvent] {
        decided == .jsonl ? json.feed(bytes) : text.feed(bytes)
    }

    private mutating func decide(_ format: InputFormat) -> [InputEvent] {
        decided = format
        let bytes = held
        held = []
        return bytes.withUnsafeBytes { feedDecided($0) }
    }

    /// The form, if what is held tells it.
    private mutating func format(inputEnded: Bool) -> InputFormat? {
        if brace == nil {
            guard let first = firstByte() else { return isFull || inputEnded ? .text : nil }
            guard held[first] == UInt8(ascii: "{") else { return .text }
            brace = first
        }
        let newline = held[lookedAt...].firstIndex(of: 0x0A)
        lookedAt = newline ?? held.count
        guard newline != nil || inputEnded else { return isFull ? .text : nil }
        return isCaption(held[brace!..<lookedAt]) ? .jsonl : .text
    }

    /// The index of the first byte that is not blank, looking on from where the last look ended.
    /// The bytes of a byte order mark that is not yet complete count as blank.
    private mutating func firstByte() -> Int? {
        if lookedAt == 0 {
            if held.count < JSONText.mark.count, JSONText.mark.starts(with: held) { return nil }
            if held.starts(with: JSONText.mark) { lookedAt = JSONText.mark.count }
        }
        lookedAt = held[lookedAt...].firstIndex { !JSONText.isSpace($0) } ?? held.count
        return lookedAt < held.count ? lookedAt : nil
    }

    private var isFull: Bool { held.count > Limits.inputObject }

    private func isCaption(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.count <= Limits.inputObject else { return false }
        return line.withUnsafeBytes {
            (try? JSONText.decode(Caption.self, from: $0, with: JSONDecoder())) != nil
        }
    }
}
