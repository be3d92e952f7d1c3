/// How many captions a reader has not had on the screen yet.
///
/// Invariant: `certain` is the number of captions among the blocks `seen..<counted`, none of which
/// is open: they do not change any more.
struct UnreadCount: Sendable {
    /// The blocks before it have been on the screen.
    private var seen = 0
    private var counted = 0
    private var certain = 0

    /// The captions from the first unseen block on.
    ///
    /// - Parameter seen: the blocks before it are on the screen or have been.
    mutating func update(_ rows: ReaderTypesetter, seen newlySeen: Int) -> Int {
        let document = rows.document
        see(min(max(newlySeen, seen), rows.blockCount), document)
        let firstOpen = document.firstOpenBlock
        while counted < firstOpen {
            certain += Self.captions(in: counted, document)
            counted += 1
        }
        var count = certain
        for block in counted..<max(counted, rows.blockCount) where rows.isShown(block) {
            count += Self.captions(in: block, document)
        }
        return count
    }

    /// A caption has come between others. Above what was seen it is not waited for.
    ///
    /// - Parameter isShown: whether it is one that the reader wants.
    mutating func inserted(at index: Int, isShown: Bool) {
        if index < seen { seen += 1 }
        guard index < counted else { return }
        if index >= seen, isShown { certain += 1 }
        counted += 1
    }

    /// Other captions are shown now.
    mutating func countAnew() { (counted, certain) = (seen, 0) }

    private mutating func see(_ block: Int, _ document: ReaderDocument) {
        if block >= counted {
            (seen, counted, certain) = (block, block, 0)
            return
        }
        while seen < block {
            certain -= Self.captions(in: seen, document)
            seen += 1
        }
    }

    private static func captions(in block: Int, _ document: ReaderDocument) -> Int {
        document.blocks[block].isNotice || !document.isShown(block) ? 0 : 1
    }
}
