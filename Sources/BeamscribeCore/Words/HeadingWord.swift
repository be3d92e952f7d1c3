/// Words that stand before a colon to say what a line is, and not who speaks: `Notes: bring water`.
public enum HeadingWord {
    private static let words: Set<String> = [
        "ACTION", "ACTION ITEM", "AGENDA", "ANSWER", "APPLAUSE", "ATTENTION", "BREAK", "CHAPTER",
        "CONCLUSION", "DATE", "DEBUG", "DECISION", "DETAIL", "ERROR", "EXAMPLE", "FIXME", "FYI",
        "HINT", "IDEA", "IMPORTANT", "INFO", "ISSUE", "LAUGHTER", "LINK", "LOCATION", "MUSIC", "NB",
        "NOTE", "OPEN QUESTION", "PART", "PLACE", "PLEASE NOTE", "POINT", "PS", "QUESTION", "RE",
        "REMINDER", "RESULT", "SECTION", "STEP", "SUBJECT", "SUMMARY", "TASK", "TIME", "TIP",
        "TITLE", "TODO", "TOPIC", "UPDATE", "WARNING",
    ]

    /// Whether `label` is one of them, of one or of several, however it is written.
    public static func isOne(_ label: some StringProtocol) -> Bool {
        let label = label.uppercased()
        return words.contains(label)
            || label.hasSuffix("S") && words.contains(String(label.dropLast()))
    }
}
