/// How text may be set off from other text.
public struct TerminalStyle: Sendable {
    /// A colour that stresses what words say already, by ECMA-48's number for the foreground.
    public enum Colour: Int, Sendable {
        case red = 31
        case green = 32
        case yellow = 33
    }

    /// The colours of speakers, in the order in which they were first heard. All six can be read
    /// on dark and on light grounds, most so the first.
    private static let speakerColours = [36, 35, 32, 34, 31, 33]

    /// Whether attributes (dim, bold, reverse) may be written; false where `NO_COLOR` is set.
    /// Nothing that is said with an attribute is left out without: it is said with characters.
    public var colour: Bool

    public init(colour: Bool) {
        self.colour = colour
    }

    /// `text` in a colour, if in any.
    public func coloured(_ text: String, _ colour: Colour?) -> String {
        colour.map { rendered(text, "\($0.rawValue)") } ?? text
    }

    func dim(_ text: String) -> String { rendered(text, "2") }

    func bold(_ text: String) -> String { rendered(text, "1") }

    func reverse(_ text: String) -> String { rendered(text, "7") }

    /// A speaker's name: bold and in a colour. Who it is, the name says.
    func name(_ text: String, speaker number: Int) -> String {
        rendered(text, "1;\(Self.speakerColours[number % Self.speakerColours.count])")
    }

    /// `text` without what sets it off: what the terminal counts columns of.
    static func plain(_ text: String) -> String {
        var isSequence = false
        let scalars = text.unicodeScalars.filter { scalar in
            if scalar == "\u{1B}" { isSequence = true }
            defer { if scalar == "m" { isSequence = false } }
            return !isSequence
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// `text` with ECMA-48's "select graphic rendition", where attributes may be written.
    private func rendered(_ text: String, _ rendition: String) -> String {
        colour ? "\u{1B}[\(rendition)m" + text + Control.resetAttributes : text
    }
}
