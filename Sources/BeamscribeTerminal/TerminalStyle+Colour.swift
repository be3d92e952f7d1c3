extension TerminalStyle {
    /// A colour that stresses what words say already.
    public enum Colour: Sendable {
        case plain
        case green
        case yellow
        case red
    }

    /// `text` in a colour, where attributes may be written.
    public func coloured(_ text: String, _ colour: Colour) -> String {
        guard self.colour, let attribute = colour.attribute else { return text }
        return attribute + text + Control.resetAttributes
    }
}

extension TerminalStyle.Colour {
    /// ECMA-48's "select graphic rendition" for the foreground.
    fileprivate var attribute: String? {
        switch self {
        case .plain: nil
        case .green: "\u{1B}[32m"
        case .yellow: "\u{1B}[33m"
        case .red: "\u{1B}[31m"
        }
    }
}
