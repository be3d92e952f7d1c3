/// How deep a place of a text lies in embeddings and isolates, each of which must be ended by a
/// character of its own. Nothing is allocated.
///
/// Invariant: `depth` is 0...``limit``; bit n of `isolates` says whether the one that was opened
/// at the depth n is an isolate, and bits from `depth` on are 0.
struct DirectionalNesting {
    /// What UAX #9 (BD2, max_depth) asks a reader to follow.
    static let limit = 125

    private(set) var depth = 0
    private var isolates: UInt128 = 0

    /// Goes past a character.
    ///
    /// - Returns: false where it has no place in safe text: an override, an end of nothing, or one
    ///   embedding or isolate too many.
    mutating func pass(_ character: DirectionalFormatting) -> Bool {
        switch character {
        case .embedding: open(isolate: false)
        case .isolate: open(isolate: true)
        case .endOfEmbedding: close(isolate: false)
        case .endOfIsolate: close(isolate: true)
        case .override: false
        }
    }

    private mutating func open(isolate: Bool) -> Bool {
        guard depth < Self.limit else { return false }
        if isolate { isolates |= 1 << depth }
        depth += 1
        return true
    }

    private mutating func close(isolate: Bool) -> Bool {
        guard depth > 0, (isolates >> (depth - 1)) & 1 == (isolate ? 1 : 0) else { return false }
        depth -= 1
        isolates &= ~(1 << depth)
        return true
    }
}
