/// A line of the input.
struct InputLine: Equatable {
    /// The line's number, from 1.
    var number: Int
    /// What is written on it, without escape sequences and without its end.
    var text: String
    /// The line was longer than is read, and `text` is empty.
    var isTooLong = false

    /// Whether nothing is written on it.
    var isBlank: Bool { !isTooLong && text.allSatisfy(\.isWhitespace) }
}
