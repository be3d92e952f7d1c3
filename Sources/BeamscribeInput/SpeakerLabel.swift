import BeamscribeCore

/// What speakers are called of whom an input knows a number only, and labels that are safe to show.
enum SpeakerLabel {
    private static let word = "Speaker "

    /// `Speaker 1`
    static func numbered(_ number: some BinaryInteger) -> String { word + String(number) }

    /// `1` of `Speaker 1`; nil where there is none.
    static func id(in label: String) -> String? {
        label.hasPrefix(word) ? String(label.dropFirst(word.count)) : nil
    }

    /// `text` within its limit; an empty label says nothing, so it is none.
    static func safe(_ text: String?) -> String? {
        guard let text else { return nil }
        let label = SafeText.label(text, bytes: Limits.labelBytes)
        return label.isEmpty ? nil : label
    }
}
