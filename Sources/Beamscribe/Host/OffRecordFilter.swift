import BeamscribeCore
package import BeamscribeInput

/// Throws away what comes in off the record, and what is still to come of a line of which a part
/// came so.
///
/// The input is read on, so that its parser knows where it is. A line that is open when the operator
/// goes back on the record is dropped whole: half of it was not meant for anybody.
///
/// Invariant: what gets through was read on the record, from the beginning of its line.
package struct OffRecordFilter {
    /// Whether the operator is off the record.
    package private(set) var hasBegun = false
    /// Whether bytes go to nobody up to the end of the line that was open at the end.
    private var skipsLine = false
    /// The lines of which something came off the record, by their ids; one without an id is nil.
    private var tainted: Set<String?> = []
    /// The lines that were said off the record, by their ids: what corrects them is not meant for
    /// anybody, either.
    private var hidden: Set<String> = []
    /// Whether the last byte was a line's end.
    private var isAtLineStart = true
    /// Whether a parser that does not know yet what it reads holds bytes from off the record.
    private var isHeldBack = false

    /// On the record.
    package init() {}

    /// Whether anything has to be kept back.
    package var isActive: Bool {
        hasBegun || skipsLine || isHeldBack || !tainted.isEmpty || !hidden.isEmpty
    }

    /// Goes off the record.
    package mutating func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        // What is open now was said on the record; only what comes from here on is not.
        isAtLineStart = !skipsLine
        skipsLine = false
    }

    /// Goes back on the record.
    package mutating func end() {
        guard hasBegun else { return }
        hasBegun = false
        skipsLine = !isAtLineStart
    }

    /// Has `parser` read bytes, and gives those of its events that may be seen.
    package mutating func take(
        _ bytes: UnsafeRawBufferPointer, by parser: inout InputReader
    ) -> [InputEvent] {
        guard let last = bytes.last else { return [] }
        if hasBegun {
            isAtLineStart = last == 0x0A
            drop(parser.feed(bytes))
            isHeldBack = parser.format == nil
            return []
        }
        guard skipsLine || isHeldBack else { return passing(parser.feed(bytes)) }
        // What still belongs to what came off the record ends with its line.
        guard let end = bytes.firstIndex(of: 0x0A) else {
            drop(parser.feed(bytes))
            return []
        }
        skipsLine = false
        drop(parser.feed(UnsafeRawBufferPointer(rebasing: bytes[...end])))
        isHeldBack = isHeldBack && parser.format == nil
        return take(UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...]), by: &parser)
    }

    /// The parser gives these without a byte, because of the time or at its input's end: gives those
    /// that may be seen.
    package mutating func pass(_ events: [InputEvent]) -> [InputEvent] {
        guard isActive else { return events }
        guard !hasBegun, !skipsLine, !isHeldBack else {
            drop(events)
            return []
        }
        return passing(events)
    }

    private mutating func drop(_ events: [InputEvent]) { events.forEach { note($0) } }

    private mutating func passing(_ events: [InputEvent]) -> [InputEvent] {
        events.filter { event in
            if case .correction(let caption) = event, let id = caption.line, hidden.contains(id) {
                return false
            }
            guard let line = Self.line(of: event), tainted.contains(line) else { return true }
            note(event)
            return false
        }
    }

    private mutating func note(_ event: InputEvent) {
        switch event {
        case .final(let caption) where caption.line != nil:
            if hidden.count >= Limits.correctableLines { hidden = [] }
            caption.line.map { _ = hidden.insert($0) }
            tainted.remove(caption.line)
        case .partial(let caption) where !caption.text.isEmpty:
            // An input that opens line upon line and ends none must not cost memory without end.
            if tainted.count >= Limits.correctableLines { tainted = tainted.filter { $0 == nil } }
            tainted.insert(caption.line)
        case .partial(let caption), .final(let caption), .correction(let caption):
            tainted.remove(caption.line)
        case .warning: break
        }
    }

    private static func line(of event: InputEvent) -> String?? {
        switch event {
        case .partial(let caption), .final(let caption), .correction(let caption):
            .some(caption.line)
        case .warning: nil
        }
    }
}
