/// Draws a QR code with characters.
public enum QRTerminal {
    /// The quiet zones to try, in modules: the standard's, and one that phones still read.
    private static let quietZones = [QRCode.quietZone, 2]

    /// The rows of text that show a code, without line breaks.
    ///
    /// The code is black on white whatever the terminal's own colours are. Each row sets its
    /// colours at its beginning and resets them at its end.
    ///
    /// - Parameters:
    ///   - columns: the character cells that a row may fill.
    ///   - rows: the rows that there is room for, without what else is to be seen beside the code.
    /// - Returns: nil where the code does not fit. A code of which a part is missing, or that is
    ///   scrolled, cannot be read.
    public static func rows(
        of code: QRCode, columns: Int, rows: Int, form: QRTerminalForm
    ) -> [String]? {
        let fitting = quietZones.first { zone in
            let size = size(of: code, quietZone: zone, form: form)
            return size.columns <= columns && size.rows <= rows
        }
        guard let fitting else { return nil }
        return draw(code, quietZone: fitting, form: form)
    }

    private static func size(
        of code: QRCode, quietZone: Int, form: QRTerminalForm
    ) -> (columns: Int, rows: Int) {
        let modules = code.width + 2 * quietZone
        // What is left of the last row is white.
        let rows = (modules + form.modulesPerRow - 1) / form.modulesPerRow
        return (modules * form.columnsPerModule, rows)
    }

    private static func draw(
        _ code: QRCode, quietZone: Int, form: QRTerminalForm
    ) -> [String] {
        let columns = -quietZone..<code.width + quietZone
        return stride(from: columns.lowerBound, to: columns.upperBound, by: form.modulesPerRow)
            .map { row in
                switch form {
                case .halfBlocks: halfBlocks(code, row: row, columns: columns)
                case .spaces: spaces(code, row: row, columns: columns)
                }
            }
    }

    private static func halfBlocks(_ code: QRCode, row: Int, columns: Range<Int>) -> String {
        let blocks = columns.map { column -> Character in
            let upper = code.isBlack(column: column, row: row)
            let lower = code.isBlack(column: column, row: row + 1)
            return switch (upper, lower) {
            case (true, true): "█"
            case (true, false): "▀"
            case (false, true): "▄"
            case (false, false): " "
            }
        }
        return blackOnWhite + String(blocks) + reset
    }

    private static func spaces(_ code: QRCode, row: Int, columns: Range<Int>) -> String {
        var text = ""
        var ground: Bool?
        for column in columns {
            let isBlack = code.isBlack(column: column, row: row)
            if isBlack != ground { text += isBlack ? onBlack : onWhite }
            ground = isBlack
            text += "  "
        }
        return text + reset
    }

    // A theme may give the first sixteen colours any shade, "black" a light grey, say; the colours
    // of the 256 that follow are fixed (xterm's ctlseqs, "SGR"). The first sixteen come before
    // them for a terminal that has no others and ignores the second sequence.
    private static let blackOnWhite = "\u{1B}[0;30;47m\u{1B}[38;5;16;48;5;231m"
    private static let onBlack = "\u{1B}[0;40m\u{1B}[48;5;16m"
    private static let onWhite = "\u{1B}[0;47m\u{1B}[48;5;231m"
    private static let reset = "\u{1B}[0m"
}
