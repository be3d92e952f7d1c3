/// The forms of input that the host reads.
public enum InputFormat: String, CaseIterable, Sendable {
    /// The first line decides: a JSON object with a "text" means ``jsonl``, all else ``text``.
    case auto

    /// Text as a person types it or a recogniser prints it, repairs on the same line included.
    case text

    /// One JSON object a line.
    case jsonl

    /// A parser of this form that has seen nothing yet.
    public func makeParser() -> any InputParser {
        switch self {
        case .auto: AutoParser()
        case .text: TextParser()
        case .jsonl: JSONLinesParser()
        }
    }
}
