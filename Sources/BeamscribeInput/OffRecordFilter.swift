import BeamscribeCore

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
    private var tainted = LineSet()
    /// The lines that were said off the record, by their ids: what corrects them is not meant for
    /// anybody, either.
    private var hiddenLines = LineSet()
    /// Whether the last byte was a line's end.
    private var isAtLineStart = true
    /// Whether the parser holds something from off the record that was in no event yet.
    private var isHeldBack = false

    /// On the record.
    package init() {}

    /// Whether anything has to be kept back.
    package var isActive: Bool {
        hasBegun || skipsLine || isHeldBack || !tainted.isEmpty || !hiddenLines.isEmpty
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

    /// What the parser had is out, and another begins anew: nothing that follows belongs to it.
    package mutating func beginAnew() {
        let isOff = hasBegun
        self = OffRecordFilter()
        if isOff { begin() }
    }

    /// Has `parser` read bytes, and gives those of its events that may be seen.
    package mutating func take(
        _ bytes: UnsafeRawBufferPointer, by parser: inout InputReader
    ) -> [InputEvent] {
        Self.seen(judge(bytes, by: &parser))
    }

    /// The parser gives these without a byte, because of the time or at its input's end: gives those
    /// that may be seen.
    package mutating func pass(_ events: [InputEvent]) -> [InputEvent] {
        isActive ? Self.seen(judge(events)) : events
    }

    private static func seen(_ judged: [JudgedEvent]) -> [InputEvent] {
        judged.filter { !$0.isSecret }.map(\.event)
    }

    /// Has `parser` read bytes, and says of each of its events whether it may be seen.
    mutating func judge(
        _ bytes: UnsafeRawBufferPointer, by parser: inout InputReader
    ) -> [JudgedEvent] {
        guard let last = bytes.last else { return [] }
        if hasBegun {
            isAtLineStart = last == 0x0A
            let events = parser.feed(bytes)
            isHeldBack = parser.isAmidst
            return hidden(events)
        }
        isHeldBack = isHeldBack && parser.isAmidst
        guard skipsLine || isHeldBack else { return passing(parser.feed(bytes)) }
        // What still belongs to what came off the record ends with its line, or a later one.
        guard let end = bytes.firstIndex(of: 0x0A) else { return hidden(parser.feed(bytes)) }
        skipsLine = false
        let rest = hidden(parser.feed(UnsafeRawBufferPointer(rebasing: bytes[...end])))
        return rest + judge(UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...]), by: &parser)
    }

    /// Says of events that came without a byte whether they may be seen.
    mutating func judge(_ events: [InputEvent]) -> [JudgedEvent] {
        hasBegun || skipsLine || isHeldBack ? hidden(events) : passing(events)
    }

    private mutating func hidden(_ events: [InputEvent]) -> [JudgedEvent] {
        events.forEach { note($0) }
        return events.map { JudgedEvent(event: $0, isSecret: true) }
    }

    private mutating func passing(_ events: [InputEvent]) -> [JudgedEvent] {
        events.map { JudgedEvent(event: $0, isSecret: isSecret($0)) }
    }

    /// Whether the event belongs to something of which a part came off the record.
    private mutating func isSecret(_ event: InputEvent) -> Bool {
        if case .correction(let caption) = event, caption.line != nil,
            hiddenLines.contains(caption.line)
        {
            return true
        }
        guard let line = Self.line(of: event), tainted.contains(line) else { return false }
        note(event)
        return true
    }

    private mutating func note(_ event: InputEvent) {
        switch event {
        case .final(let caption), .correction(let caption):
            if caption.line != nil { hiddenLines.insert(caption.line) }
            tainted.remove(caption.line)
        case .partial(let caption) where caption.text.isEmpty: tainted.remove(caption.line)
        case .partial(let caption): tainted.insert(caption.line)
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

/// An event, and whether it is of what came off the record.
struct JudgedEvent {
    var event: InputEvent
    var isSecret: Bool
}

/// Lines by their ids, of which the oldest gives way: an input that names line upon line must not
/// cost memory without end.
///
/// Invariant: `lines` are those of `order`, each once, at most ``Limits/correctableLines``.
private struct LineSet {
    private var lines: Set<String?> = []
    private var order: [String?] = []

    var isEmpty: Bool { lines.isEmpty }

    func contains(_ line: String?) -> Bool { lines.contains(line) }

    mutating func insert(_ line: String?) {
        guard lines.insert(line).inserted else { return }
        order.append(line)
        if order.count > Limits.correctableLines { lines.remove(order.removeFirst()) }
    }

    mutating func remove(_ line: String?) {
        guard lines.remove(line) != nil else { return }
        order.removeAll { $0 == line }
    }
}
