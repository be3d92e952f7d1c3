/// The newest text of a line that is still open, as a reader gets it.
public struct PartialLine: Codable, Equatable, Sendable {
    /// The open line's id: the next partial of it, or its final, replaces this one.
    public var line: String
    /// All of its text so far; empty when the line was withdrawn.
    public var text: String
    /// Who speaks.
    public var speaker: String?
    /// A BCP 47 language tag.
    public var lang: String?

    /// `Speaker: text`, or the text alone.
    public var spokenText: String {
        speaker.map { "\($0): \(text)" } ?? text
    }
}

extension PartialLine {
    /// What says that `line` is open no more, and is not to be shown.
    public init(withdrawing line: String) {
        self.init(line: line, text: "")
    }
}
