/// The units in which a line settles: words between blanks, and each character of double width
/// alone, because East Asian writing has no blanks.
enum SettlingWords {
    /// The end of each unit in `text`, as an offset in its UTF-8; a unit begins where the one
    /// before ends.
    static func ends(in text: String) -> [Int] {
        var ends: [Int] = []
        var isInWord = false
        var index = text.startIndex
        while index < text.endIndex {
            let cell = WrapCell(text, at: index)
            let start = text.utf8.distance(from: text.startIndex, to: index)
            if cell.isBlank || cell.columns == 2 {
                if isInWord { ends.append(start) }
                isInWord = false
            } else {
                isInWord = true
            }
            index = cell.next
            if cell.columns == 2 {
                ends.append(text.utf8.distance(from: text.startIndex, to: index))
            }
        }
        if isInWord { ends.append(text.utf8.count) }
        return ends
    }
}
