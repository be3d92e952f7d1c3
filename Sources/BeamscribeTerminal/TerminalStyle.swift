/// How text may be set off from other text.
public struct TerminalStyle: Sendable {
    /// Whether attributes (dim, bold, reverse) may be written; false where `NO_COLOR` is set.
    /// Nothing that is said with an attribute is left out without: it is said with characters.
    public var colour: Bool

    /// A style with or without attributes.
    public init(colour: Bool) {
        self.colour = colour
    }

    func dim(_ text: String) -> String { wrapped(text, "\u{1B}[2m") }

    func bold(_ text: String) -> String { wrapped(text, "\u{1B}[1m") }

    func reverse(_ text: String) -> String { wrapped(text, "\u{1B}[7m") }

    private func wrapped(_ text: String, _ attribute: String) -> String {
        colour ? attribute + text + Control.resetAttributes : text
    }
}
