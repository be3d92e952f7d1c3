extension TerminalStyle {
    /// The colours of speakers, in the order in which they were first heard. All six can be read
    /// on dark and on light grounds, most so the first.
    private static let speakerColours = [36, 35, 32, 34, 31, 33]

    /// A speaker's name: bold and in a colour, where attributes may be written. Who it is, the name
    /// says.
    func name(_ text: String, speaker number: Int) -> String {
        guard colour else { return text }
        let code = Self.speakerColours[number % Self.speakerColours.count]
        return "\u{1B}[1;\(code)m" + text + Control.resetAttributes
    }
}
