/// What the row above the status says.
enum ReaderMessages {
    /// The longest of `wordings` that fits, or else the last, cut.
    static func fitting(
        _ wordings: [String], columns: Int, _ widths: CharacterWidths
    ) -> String {
        let fits = wordings.first { widths.columns(of: $0) <= columns }
        return fits ?? widths.truncated(wordings.last ?? "", columns: columns)
    }

    static let help = [
        "? keys · Up: back · / search · m mark · w what did I miss · s save · q leave",
        "? keys · Up: back · / search · q leave", "? keys · q leave", "? keys",
    ]

    /// The same where there are logs to choose from.
    static let helpWithLogs = [
        "? keys · Up: back · / search · l logs · w what did I miss · s save · q leave",
        "? keys · Up: back · l logs · q leave", "? keys · l logs", "? keys",
    ]

    static let noLog = ["No log is shown · l chooses · q leave", "No log · l chooses", "l logs"]

    static func over(_ ending: ReaderEnding) -> [String] {
        ["\(ending.sentence) q leaves, s saves.", "\(ending.word): q leaves, s saves"]
            + ["\(ending.word): q leaves", "\(ending.word) · q"]
    }

    /// That the reader is not at the newest line, and how many he has not seen.
    static func newLines(_ count: Int) -> [String] {
        guard count > 0 else {
            return ["Scrolled back · End or space: live", "back · End: live", "back"]
        }
        let lines = "\(count) new line\(count == 1 ? "" : "s")"
        return ["\(lines) below · End or space: live", "\(count) new · End: live", "\(count) new"]
    }

    static func awayLines(_ count: Int) -> String {
        "\(count) line\(count == 1 ? "" : "s") came while you were away · w shows them"
    }

    static func found(_ term: String) -> [String] {
        ["\"\(term)\" · n older · N newer · End: live", "n older · N newer", "n N"]
    }

    /// - Parameter hasMore: whether there are rows below.
    static func inHelp(hasMore: Bool) -> [String] {
        hasMore ? ["More: Down, PageDown", "More: Down"] : ["Any key: back", "back"]
    }

    static let inLogs = [
        "Space: show or hide · a: all captions · Esc: back", "Space: show, hide · Esc: back",
        "Esc: back", "Esc",
    ]

    static func notFound(_ term: String, direction: String) -> String {
        "No \(direction)match of \"\(term)\""
    }
}
