/// Safe text in rows, or cut short, in which every row is safe for itself.
///
/// Terminals and readers of subtitles take each row for a paragraph, and what follows a row may be
/// somebody else's: a direction must not outlast its row.
public enum DirectionalRows {
    /// `rows` of one safe text: what is open at a row's end is ended there, and opened again at
    /// the beginning of the next.
    public static func closed(_ rows: [String]) -> [String] {
        guard rows.contains(where: mayHoldFormatting) else { return rows }
        var open: [Unicode.Scalar] = []
        return rows.map { row in
            let start = text(open)
            follow(row, &open)
            return start + row + text(open.reversed().map(end))
        }
    }

    /// The beginning of a safe text, with the ends that were cut off.
    public static func closed(beginning: some StringProtocol) -> String {
        closed([String(beginning)])[0]
    }

    /// Every directional formatting character is E2 80 xx or E2 81 xx, and little else is.
    private static func mayHoldFormatting(_ row: String) -> Bool { row.utf8.contains(0xE2) }

    private static func follow(_ row: String, _ open: inout [Unicode.Scalar]) {
        for scalar in row.unicodeScalars {
            switch DirectionalFormatting(scalar.value) {
            case .embedding?, .isolate?: open.append(scalar)
            case .endOfEmbedding?, .endOfIsolate?: _ = open.popLast()
            case .override?, nil: break
            }
        }
    }

    private static func end(of opening: Unicode.Scalar) -> Unicode.Scalar {
        DirectionalFormatting(opening.value) == .isolate ? "\u{2069}" : "\u{202C}"
    }

    private static func text(_ scalars: [Unicode.Scalar]) -> String {
        String(String.UnicodeScalarView(scalars))
    }
}
