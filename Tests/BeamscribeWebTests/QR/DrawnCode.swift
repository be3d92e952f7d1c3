/// What somebody sees of rows of text on a terminal: squares, black and white.
///
/// It knows the terminal and nothing of QR codes: escape sequences and characters, no sizes.
struct DrawnCode: Equatable {
    /// Whether a square is black; row after row. Two spaces in one row, or half a character, are
    /// one square.
    private(set) var squares: [[Bool]] = []
    /// The widest row, in character cells.
    private(set) var columns = 0

    /// Reads rows; nil where a row leaves the terminal's colours changed, or has squares without
    /// colours of their own.
    init?(_ rows: [String]) {
        for row in rows {
            guard let cells = TerminalCells(row) else { return nil }
            columns = max(columns, cells.upper.count)
            if cells.isOfBlocks {
                squares += [cells.upper, cells.lower]
            } else {
                let lefts = stride(from: 0, to: cells.upper.count, by: 2)
                squares.append(lefts.map { cells.upper[$0] })
            }
        }
    }

    /// The white rows above the first that has black in it.
    var quietZone: Int { squares.prefix { !$0.contains(true) }.count }

    /// A picture (PGM, as of netpbm), with as many pixels a square as `scale` says.
    func picture(scale: Int) -> [UInt8] {
        let width = (squares.first?.count ?? 0) * scale
        var bytes = Array("P5\n\(width) \(squares.count * scale)\n255\n".utf8)
        for row in squares {
            let line = row.flatMap { Array(repeating: $0 ? UInt8(0) : 255, count: scale) }
            for _ in 0..<scale { bytes += line }
        }
        return bytes
    }
}
