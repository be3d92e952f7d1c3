public import BeamscribeCore

/// What a parser found in the input.
public enum InputEvent: Equatable, Sendable {
    /// A caption that is done. It ends the partial of its line, if one was open.
    case final(Caption)

    /// The newest state of a caption that still changes. An empty text withdraws it.
    case partial(Caption)

    /// A sentence for the person who runs the host: a part of the input could not be used.
    case warning(String)

    var isPartial: Bool {
        if case .partial = self { true } else { false }
    }
}
