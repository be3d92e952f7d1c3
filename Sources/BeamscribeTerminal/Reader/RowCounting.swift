/// Blocks one below the other, each of some rows. Rows are counted only where somebody walks, so
/// that the length of all of it costs nothing.
protocol RowCounting {
    var blockCount: Int { get }
    /// At least 0. A block of 0 rows is passed over.
    func rowCount(of block: Int) -> Int
}

/// A row by its block, and by its place in it.
struct RowPosition: Equatable, Sendable {
    var block: Int
    var row: Int
}

extension RowCounting {
    /// Behind the last row.
    var end: RowPosition { RowPosition(block: blockCount, row: 0) }

    /// The row `rows` rows above `position`, or the first row if there are fewer.
    func position(_ rows: Int, above position: RowPosition) -> RowPosition {
        var position = position
        var left = rows
        while left > position.row {
            guard let previous = firstShown(above: position.block) else {
                return RowPosition(block: position.block, row: 0)
            }
            left -= position.row
            position = RowPosition(block: previous, row: rowCount(of: previous))
        }
        position.row -= max(0, left)
        return position
    }

    /// The row `rows` rows below `position`, or ``end`` if there are fewer.
    func position(_ rows: Int, below position: RowPosition) -> RowPosition {
        var position = position
        position.row += max(0, rows)
        while position.block < blockCount {
            let count = rowCount(of: position.block)
            if position.row < count { return position }
            position = RowPosition(block: position.block + 1, row: position.row - count)
        }
        return end
    }

    /// How many rows there are from the first row of `block` on; `limit` if there are more.
    func rows(from block: Int, limit: Int) -> Int {
        var rows = 0
        var block = block
        while block < blockCount, rows < limit {
            rows += rowCount(of: block)
            block += 1
        }
        return min(rows, limit)
    }

    private func firstShown(above block: Int) -> Int? {
        var block = min(block, blockCount) - 1
        while block >= 0, rowCount(of: block) == 0 { block -= 1 }
        return block >= 0 ? block : nil
    }
}
