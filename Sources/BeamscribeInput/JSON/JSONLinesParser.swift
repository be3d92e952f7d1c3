import BeamscribeCore
import FoundationEssentials

/// Reads one JSON object a line: `{"text":"Good morning","final":false}`.
///
/// Invariant: `held` is the beginning of the open line, at most `Limits.inputObject` bytes of it,
/// and is empty while `isPassingOver` is true.
public struct JSONLinesParser: InputParser {
    private var events: [InputEvent] = []
    private var held: [UInt8] = []
    /// The open line is too long; its rest is not looked at.
    private var isPassingOver = false
    private var linesBefore = 0
    private var partials = PartialBatch()
    private let decoder = OutsideJSON()

    public init() {}

    public mutating func feed(_ bytes: UnsafeRawBufferPointer) -> [InputEvent] {
        var rest = bytes[...]
        while let newline = rest.firstIndex(of: 0x0A) {
            hold(rest[..<newline], endsLine: true)
            rest = rest[(newline + 1)...]
        }
        hold(rest, endsLine: false)
        return endBatch()
    }

    public mutating func finish() -> [InputEvent] {
        takeHeld()
        defer { self = JSONLinesParser() }
        return endBatch()
    }

    /// Takes a part of a line. A whole line is read where it lies, without a copy.
    private mutating func hold(_ part: Slice<UnsafeRawBufferPointer>, endsLine: Bool) {
        let isTooLong = held.count + part.count > Limits.inputObject
        if isTooLong, !isPassingOver { passOver() }
        if !isPassingOver {
            if endsLine, held.isEmpty {
                takeLine(UnsafeRawBufferPointer(rebasing: part))
            } else {
                held += part
                if endsLine { takeHeld() }
            }
        }
        if endsLine {
            linesBefore += 1
            isPassingOver = false
        }
    }

    private mutating func passOver() {
        isPassingOver = true
        held = []
        warn("it is longer than \(Limits.inputObject) bytes")
    }

    private mutating func takeHeld() {
        let line = held
        held.removeAll(keepingCapacity: line.count <= Limits.inputRead)
        line.withUnsafeBytes { takeLine($0) }
    }

    private mutating func takeLine(_ line: UnsafeRawBufferPointer) {
        let line = UnsafeRawBufferPointer(
            rebasing: linesBefore == 0 ? JSONText.withoutMark(line) : line[...])
        if let object = CaptionObject(quickly: line) { return add(object) }
        guard !line.allSatisfy(JSONText.isSpace) else { return }
        do {
            add(try JSONText.decode(CaptionObject.self, from: line, with: decoder))
        } catch {
            warn(CaptionObject.reason(for: error))
        }
    }

    private mutating func add(_ object: CaptionObject) {
        let pieces = LineText.pieces(of: object.caption.text)
        var caption = object.caption
        guard object.isFinal, !pieces.isEmpty else {
            // Of a partial over the limit the newest words are what a reader waits for.
            caption.text = pieces.last ?? ""
            return partials.add(caption)
        }
        partials.close(line: caption.line)
        for piece in pieces {
            caption.text = piece
            events.append(.final(caption))
            (caption.replaces, caption.of) = (nil, nil)
        }
    }

    private mutating func endBatch() -> [InputEvent] {
        for partial in partials.take() { events.append(.partial(partial)) }
        defer { events = [] }
        return events
    }

    private mutating func warn(_ reason: String) {
        let line = linesBefore + 1
        events.append(.warning("line \(line) of the input is not usable: \(reason)"))
    }
}
