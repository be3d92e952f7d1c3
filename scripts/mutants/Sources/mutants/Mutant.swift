/// A small change that can be chosen while the program runs: what is written before the text of its
/// range and behind it.
struct Mutant: Codable {
    /// Relative to the root of the tree.
    let file: String
    let line: Int
    /// Bytes of the file.
    let start: Int
    let end: Int
    /// With `#` where the mutant's number belongs.
    let before: String
    let after: String
    let change: String
}
