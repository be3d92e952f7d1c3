/// A part of the program that takes bytes from outside, and what holds whatever they are.
///
/// libFuzzer looks for bytes that break the promise; an ordinary test replays those that it found.
public struct FuzzTarget: Sendable, CustomStringConvertible {
    /// The name on the command line and of the folder in the corpus.
    public let name: String
    /// What is tried, in a few words.
    public let summary: String
    /// The longest input that is worth trying, in bytes.
    public let longest: Int
    /// Words that the input is likely to need, for a fuzzer's dictionary.
    public let words: [String]

    private let property: @Sendable (UnsafeRawBufferPointer) throws(BrokenProperty) -> Void

    init(
        _ name: String, _ summary: String, longest: Int, words: [String] = [],
        _ property: @escaping @Sendable (UnsafeRawBufferPointer) throws(BrokenProperty) -> Void
    ) {
        self.name = name
        self.summary = summary
        self.longest = longest
        self.words = words
        self.property = property
    }

    public var description: String { name }

    /// Tries `bytes`, which need be valid during the call only.
    ///
    /// - Throws: ``BrokenProperty`` saying which promise they break. What stops the program
    ///   (a trap, a sanitizer's finding) breaks one, too.
    public func check(_ bytes: UnsafeRawBufferPointer) throws(BrokenProperty) {
        try property(bytes)
    }
}
