import BeamscribeCore
import BeamscribeTerminal

/// A diagnosis for people: a block of rows for each check, and the verdict.
///
///     problem  Firewall      The rules drop TCP 23267.
///              -> Open it with `sudo ufw allow 23267/tcp`.
struct DiagnosisReport {
    private let columns: Int
    private let style: TerminalStyle
    private let alignment: TableAlignment

    /// - Parameters:
    ///   - columns: the rows' greatest width; a report for less than 40 would be no help.
    ///   - alignment: how the rows are aligned.
    init(columns: Int, style: TerminalStyle, _ alignment: TableAlignment = .blanks) {
        self.columns = max(40, min(columns, 80))
        (self.style, self.alignment) = (style, alignment)
    }

    /// The rows, each ended by a newline.
    func text(_ diagnosis: Diagnosis) -> String {
        let blocks = diagnosis.checks.flatMap(rows)
        let verdict = wrapped(diagnosis.sentence, columns: columns)
        return (blocks + [""] + verdict).map { $0 + "\n" }.joined()
    }

    private func rows(_ result: CheckResult) -> [String] {
        let status = alignment.cell(
            result.status.rawValue, start: 0, columns: Self.statusColumns)
        let head = alignment.cell(
            result.check.title, start: Self.statusColumns, columns: Self.titleColumns)
        let indent = Self.statusColumns + Self.titleColumns
        let found = wrapped(result.found, columns: columns - indent)
        let blank = String(repeating: " ", count: indent)
        var rows = found.enumerated().map { index, row in
            (index == 0 ? style.coloured(status, colour(result.status)) + head : blank) + row
        }
        if let advice = result.advice { rows += adviceRows(advice) }
        return rows
    }

    /// Further to the left than what was found, so that most commands fit in a row.
    private func adviceRows(_ advice: String) -> [String] {
        let blank = String(repeating: " ", count: Self.statusColumns)
        let columns = self.columns - Self.statusColumns - 3
        return wrapped(advice, columns: columns).enumerated().map {
            blank + ($0 == 0 ? "-> " : "   ") + $1
        }
    }

    /// The rows of `text`. A command between backticks stays in one row where that is possible, so
    /// that it can be copied.
    private func wrapped(_ text: String, columns: Int) -> [String] {
        let parts = SafeText.line(text).split(separator: "`", omittingEmptySubsequences: false)
        let glued = parts.enumerated().map { index, part in
            let isCommand =
                index % 2 == 1 && CharacterWidths.largest.columns(of: part) + 3 <= columns
            return isCommand ? String(part).replacing(" ", with: Self.glue) : String(part)
        }
        return LineWrap.rows(glued.joined(separator: "`"), columns: columns, .largest)
            .map { $0.replacing(Self.glue, with: " ") }
    }

    private func colour(_ status: CheckResult.Status) -> TerminalStyle.Colour? {
        switch status {
        case .ok: .green
        case .note: nil
        case .warning: .yellow
        case .problem: .red
        }
    }

    /// Stands for a blank that must not end a row; of the private use area, as wide as a blank.
    private static let glue = "\u{E000}"
    private static let statusColumns = 9
    private static let titleColumns = 14
}
