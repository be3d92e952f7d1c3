/// A row of the screen.
struct ReaderRow: Equatable, Sendable {
    /// What is written, attributes included.
    var text: String
    /// The same without attributes.
    var plain: String
    /// The block that it is of; nil for a row of the program's own, such as the status.
    var block: Int?
    /// Which row of the block it is.
    var row = 0

    static let empty = ReaderRow(text: "", plain: "")

    init(text: String, plain: String, block: Int? = nil, row: Int = 0) {
        (self.text, self.plain, self.block, self.row) = (text, plain, block, row)
    }
}
