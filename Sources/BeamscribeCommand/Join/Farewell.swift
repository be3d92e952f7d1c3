import BeamscribeCore

/// The last thing that a reader is told.
enum Farewell {
    /// `Town Hall: 42 lines in 12 min. Saved to a.srt and b.txt (the first 40).`
    ///
    /// - Parameters:
    ///   - seconds: since the reader joined.
    ///   - file: has all that came.
    ///   - copies: have as many lines as there were when the reader saved them.
    static func sentence(
        event: String, lines: Int, seconds: Double, file: String? = nil,
        copies: [(file: String, lines: Int)] = []
    ) -> String {
        let files =
            [file].compactMap(\.self)
            + copies.map { $0.lines < lines ? "\($0.file) (the first \($0.lines))" : $0.file }
        let count = lines == 0 ? "no lines" : plural(lines, "line")
        let saved = files.isEmpty ? "" : " Saved to \(files.joined(separator: " and "))."
        return "\(event): \(count) in \(duration(seconds)).\(saved)"
    }

    private static func duration(_ seconds: Double) -> String {
        let whole = Int(saturating: max(0, min(seconds, 1e9)))
        if whole < 120 { return "\(whole) s" }
        return whole < 7_200 ? "\(whole / 60) min" : "\(whole / 3_600) h \(whole / 60 % 60) min"
    }
}
