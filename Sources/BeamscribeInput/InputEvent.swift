public import BeamscribeCore

/// What a parser found in the input.
public enum InputEvent: Equatable, Sendable {
    /// A caption that is done. It ends the partial of its line, if one was open.
    case final(Caption)

    /// The newest state of a caption that still changes. An empty text withdraws it.
    case partial(Caption)

    /// A new wording of a line that was final already, the newest final of the id `caption.line`.
    /// Where nobody knows that line any more, it is a line of its own.
    case correction(Caption)

    /// A sentence for the person who runs the host: a part of the input could not be used.
    case warning(String)

    /// What was said, unless the event is a warning.
    package var caption: Caption? {
        switch self {
        case .final(let caption), .partial(let caption), .correction(let caption): caption
        case .warning: nil
        }
    }

    var isPartial: Bool {
        if case .partial = self { true } else { false }
    }
}
