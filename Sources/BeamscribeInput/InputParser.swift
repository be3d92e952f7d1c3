/// Turns the bytes of the input into events. It reads nothing itself and knows no time.
public protocol InputParser: Sendable {
    /// The events that `bytes` complete, in order. One call is one batch: of a line that changed
    /// several times in it, only the newest partial comes out, after the finals.
    mutating func feed(_ bytes: UnsafeRawBufferPointer) -> [InputEvent]

    /// The events that are due because nothing more has come for a second. To be called where
    /// ``awaitsQuiet`` asks for it.
    mutating func settle() -> [InputEvent]

    /// The events that are due because the input has ended: a line that was open becomes a final.
    mutating func finish() -> [InputEvent]

    /// Whether a second without bytes would tell the parser something.
    var awaitsQuiet: Bool { get }

    /// Whether, at a line's end, it holds words that were in no event yet, not even in a partial.
    var isAmidst: Bool { get }
}

extension InputParser {
    public mutating func settle() -> [InputEvent] { [] }
    public var awaitsQuiet: Bool { false }
    public var isAmidst: Bool { false }
}
