/// Breaks a caption into cues of two rows.
///
/// Invariant: no row is empty or wider than ``width``, and the rows have all of the text in order.
public enum CaptionRows {
    /// The longest row, in columns of ``CaptionWidth``: what broadcasters use.
    public static let width = 42
    /// Rows that are on the screen at once.
    public static let rowsOfCue = 2

    /// The rows of each cue of `text`; none where nothing of it can be seen.
    ///
    /// Rows end at blanks, or between ideographs; a word longer than a row is broken between
    /// characters. The rows are about equally long: a caption of 45 columns is not 42 and 3.
    public static func cues(of text: String) -> [[String]] {
        let words = CaptionWord.words(in: text, limit: width)
        var rows = ranges(of: words, width: width)
        if rows.count > 1 { rows = balanced(words, atMost: rows.count) }
        let texts = DirectionalRows.closed(rows.map { row(words[$0]) })
        return stride(from: 0, to: texts.count, by: rowsOfCue).map { first in
            Array(texts[first..<min(first + rowsOfCue, texts.count)])
        }
    }

    /// The rows of `text` where each takes as many words as fit into `width` (at least 2) columns.
    ///
    /// A row that fills as words come does not change any more when the next one begins, which
    /// balanced rows would do.
    public static func rows(of text: String, width: Int) -> [String] {
        let words = CaptionWord.words(in: text, limit: width)
        return DirectionalRows.closed(ranges(of: words, width: width).map { row(words[$0]) })
    }

    /// Rows as short as they can be without being more. Where there are several cues, each gets
    /// all of its rows.
    private static func balanced(_ words: [CaptionWord], atMost count: Int) -> [Range<Int>] {
        let count = (count + rowsOfCue - 1) / rowsOfCue * rowsOfCue
        var tooNarrow = (words.map(\.columns).max() ?? 1) - 1
        var enough = width
        while tooNarrow + 1 < enough {
            let middle = (tooNarrow + enough) / 2
            if ranges(of: words, width: middle).count <= count {
                enough = middle
            } else {
                tooNarrow = middle
            }
        }
        return ranges(of: words, width: enough)
    }

    /// Rows that each take as many words as fit.
    private static func ranges(of words: [CaptionWord], width: Int) -> [Range<Int>] {
        var rows: [Range<Int>] = []
        var first = 0
        var columns = 0
        for (index, word) in words.enumerated() {
            let more = (word.isJoined ? 0 : 1) + word.columns
            if index == first {
                columns = word.columns
            } else if columns + more <= width {
                columns += more
            } else {
                rows.append(first..<index)
                first = index
                columns = word.columns
            }
        }
        return words.isEmpty ? [] : rows + [first..<words.count]
    }

    private static func row(_ words: ArraySlice<CaptionWord>) -> String {
        var row = ""
        for word in words {
            if !row.isEmpty, !word.isJoined { row += " " }
            row += word.text
        }
        return row
    }
}
