import BeamscribeCore

/// What a turn of the loop takes of the input: pieces of what was read, for as long as there is time.
///
/// A line costs a microsecond or, on a small machine, fifty, so that neither bytes nor lines say how
/// long guests would have to wait. A piece is small enough to wait for, and ends with a line where it
/// can: a line that is cut is shown in half.
///
/// Invariant: `bytes[..<taken]` was given out in pieces, in order, each byte once.
public struct InputSlice {
    private let bytes: UnsafeRawBufferPointer
    private let deadline: Duration
    /// The bytes that were given out.
    public private(set) var taken = 0

    /// - Parameters:
    ///   - bytes: what was read, valid for as long as the slice is used.
    ///   - now: the time by a clock that only goes forward.
    public init(of bytes: UnsafeRawBufferPointer, at now: Duration) {
        self.bytes = bytes
        deadline = now + Limits.inputTurn
    }

    public mutating func next() -> UnsafeRawBufferPointer {
        var piece = bytes[taken...].prefix(Limits.inputPiece)
        if piece.endIndex < bytes.count, let newline = piece.lastIndex(of: 0x0A) {
            piece = piece[...newline]
        }
        taken = piece.endIndex
        return UnsafeRawBufferPointer(rebasing: piece)
    }

    public var isEmpty: Bool { bytes.isEmpty }

    /// Whether there is something left, and time for it.
    public func goesOn(at now: Duration) -> Bool { taken < bytes.count && now < deadline }
}
