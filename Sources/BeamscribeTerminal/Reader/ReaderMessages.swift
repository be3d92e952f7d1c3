/// What the row above the status says.
enum ReaderMessages {
    /// The longest of `wordings` that fits, or else the last, cut.
    static func fitting(_ wordings: [String], columns: Int) -> String {
        let fits = wordings.first { DisplayWidth.columns(of: $0) <= columns }
        return fits ?? DisplayWidth.truncated(wordings.last ?? "", columns: columns)
    }

    /// That the reader is not at the newest line, and how many he has not seen.
    static func newLines(_ count: Int, columns: Int) -> String {
        guard count > 0 else {
            return fitting(
                ["Scrolled back · End or space: live", "back · End: live", "back"],
                columns: columns)
        }
        let lines = "\(count) new line\(count == 1 ? "" : "s")"
        return fitting(
            ["\(lines) below · End or space: live", "\(count) new · End: live", "\(count) new"],
            columns: columns)
    }

    static func help(columns: Int) -> String {
        fitting(
            [
                "? keys · Up: back · / search · m mark · w what did I miss · s save · q leave",
                "? keys · Up: back · / search · q leave", "? keys · q leave", "? keys",
            ], columns: columns)
    }

    static func over(columns: Int) -> String {
        fitting(
            ["The event has ended; all of it is here. q leaves", "Event ended · q", "Ended · q"],
            columns: columns)
    }

    static func awayLines(_ count: Int) -> String {
        "\(count) line\(count == 1 ? "" : "s") came while you were away · w shows them"
    }

    static func found(_ term: String, columns: Int) -> String {
        fitting(
            ["\"\(term)\" · n older · N newer · End: live", "n older · N newer", "n N"],
            columns: columns)
    }

    /// - Parameter hasMore: whether there are rows below.
    static func inHelp(hasMore: Bool, columns: Int) -> String {
        guard hasMore else { return fitting(["Any key: back", "back"], columns: columns) }
        return fitting(["More: Down, PageDown", "More: Down"], columns: columns)
    }

    static func notFound(_ term: String, direction: String) -> String {
        "No \(direction)match of \"\(term)\""
    }
}
