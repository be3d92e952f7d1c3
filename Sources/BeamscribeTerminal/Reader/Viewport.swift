/// Which rows of a document are on the screen.
///
/// Positions are kept by block and row, never counted from the start, so that 100,000 lines above
/// cost nothing and lines that come above or below do not move what is read.
///
/// Following, the newest row is shown. A row stays where it is on the screen until the rows below
/// it need the room, and then goes up by whole rows. The end does not come down again because a
/// line has become shorter: rows stay blank until they are needed. Where a line with others below
/// it changes its height, those below stay, if they can, and those above give way.
///
/// Invariant: `top` is nil exactly while following.
struct Viewport: Sendable {
    private(set) var top: RowPosition?
    /// The row of the screen where a block's first row is, or would be: it can be above.
    private var shown: [(block: Int, y: Int)] = []

    var isFollowing: Bool { top == nil }
    var firstBlock: Int? { shown.first?.block }
    var lastBlock: Int? { shown.last?.block }

    /// The row of the document that is on the screen's first.
    mutating func first(in rows: ReaderTypesetter, height: Int) -> RowPosition {
        guard let top else { return following(rows, height: height) }
        let count = top.block < rows.blockCount ? rows.rowCount(of: top.block) : 0
        let valid = RowPosition(block: top.block, row: max(0, min(top.row, count - 1)))
        let first = rows.position(0, below: valid)
        guard first == rows.end else { return first }
        return rows.position(height, above: first)
    }

    /// What the screen shows now, to be gone by when it changes.
    ///
    /// - Parameter blocks: with the rows where they begin, which may be above the screen.
    mutating func wasShown(_ blocks: [(block: Int, y: Int)]) {
        shown = blocks
    }

    /// Shows the newest row from now on.
    mutating func follow() {
        guard !isFollowing else { return }
        top = nil
        shown = []
    }

    /// Shows the screenful from `position` on, and stays there.
    mutating func hold(at position: RowPosition) { top = position }

    /// As ``hold(at:)``, but nothing stays blank that could be filled from above.
    mutating func hold(at position: RowPosition, in rows: ReaderTypesetter, height: Int) {
        let last = rows.position(height, above: rows.end)
        hold(at: Self.isAbove(last, position) ? last : position)
    }

    /// A block has come between others. What the screen shows at its top stays there.
    mutating func inserted(at index: Int) {
        if let top, index <= top.block { self.top?.block += 1 }
        for shown in self.shown.indices where index <= self.shown[shown].block {
            self.shown[shown].block += 1
        }
    }

    /// Rows are others now, or in other places.
    mutating func forgetRows() { shown = [] }

    private func following(_ rows: ReaderTypesetter, height: Int) -> RowPosition {
        let bottom = rows.position(height, above: rows.end)
        // A line of which nothing would be left on the screen holds nothing in its place.
        let pin = shown.last {
            guard $0.block < rows.blockCount else { return false }
            let count = rows.rowCount(of: $0.block)
            return count > 0 && $0.y + count > 0
        }
        guard let pin, rows.rows(from: pin.block, limit: height - pin.y + 1) <= height - pin.y
        else { return bottom }
        let pinned = RowPosition(block: pin.block, row: max(0, -pin.y))
        let first = rows.position(max(0, pin.y), above: pinned)
        return highest(above: first, bottom: bottom)
    }

    /// `first`, or a row above it if it would make rows go that have room: the row that was the
    /// first, or the first of the last screenful.
    private func highest(above first: RowPosition, bottom: RowPosition) -> RowPosition {
        guard let old = shown.first else { return first }
        let top = RowPosition(block: old.block, row: max(0, -old.y))
        let needed = Self.isAbove(bottom, top) ? top : bottom
        return Self.isAbove(needed, first) ? needed : first
    }

    private static func isAbove(_ one: RowPosition, _ other: RowPosition) -> Bool {
        one.block < other.block || (one.block == other.block && one.row < other.row)
    }
}
