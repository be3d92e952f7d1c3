/// Words put together as a sentence has them.
enum WordList {
    /// "a", "a and b", "a, b and c"; of more than `limit` the rest by its number.
    static func of(_ words: [String], limit: Int = 4) -> String {
        var shown = words
        if words.count > limit {
            shown = Array(words.prefix(limit - 1)) + ["\(words.count - limit + 1) more"]
        }
        guard shown.count > 1, let last = shown.last else { return shown.first ?? "" }
        return shown.dropLast().joined(separator: ", ") + " and " + last
    }
}
