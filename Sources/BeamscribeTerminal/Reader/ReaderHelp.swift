/// What the keys do, for a screen of any width.
enum ReaderHelp {
    private static let keys: [(keys: String, does: String)] = [
        ("Up k", "back a row"), ("Down j", "on a row"), ("PageUp", "back a screen"),
        ("PageDown", "on a screen"), ("Home", "to the first line"),
        ("End G Space", "to the newest line: live"), ("w", "what did I miss?"),
        ("m", "mark this place (> shows it)"), ("'", "back to the mark"),
        ("l", "choose among the event's logs"), ("/", "search"),
        ("n N", "older match, newer match"),
        ("t", "times: off, of day, elapsed"), ("p", "unfinished lines or not"),
        ("c", "colours or not"), ("< >", "narrower, wider"), ("s", "save the lines to a file"),
        ("?", "these keys"), ("q Ctrl-C", "leave"),
    ]

    /// The rows, none wider than `columns`.
    static func rows(columns: Int, _ widths: CharacterWidths) -> [String] {
        let title = LineWrap.rows(
            "Keys (any other goes back to the captions)", columns: columns, widths)
        guard columns >= 36 else {
            let texts = keys.map { "\($0.keys): \($0.does)" }
            return title + texts.flatMap { LineWrap.rows($0, columns: columns, widths) }
        }
        return title
            + keys.map { entry in
                widths.truncated(
                    widths.padded(entry.keys, to: 13) + entry.does, columns: columns)
            }
    }
}
