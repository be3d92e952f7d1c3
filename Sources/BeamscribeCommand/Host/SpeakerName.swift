import BeamscribeCore

/// An entry of `--speaker-map`: `1=Ann`.
struct SpeakerName: Equatable {
    /// The number or label that the input has for the speaker.
    let id: String
    /// The name to show, safe and within its limit.
    let name: String

    /// - Parameter entry: an id, an equals sign and a name; the name may have more of these.
    init?(_ entry: String) {
        guard let sign = entry.firstIndex(of: "=") else { return nil }
        id = String(entry[..<sign])
        name = SafeText.label(
            String(entry[entry.index(after: sign)...]), bytes: Limits.labelBytes)
        guard !id.isEmpty, name.contains(where: { !$0.isWhitespace }) else { return nil }
    }
}
