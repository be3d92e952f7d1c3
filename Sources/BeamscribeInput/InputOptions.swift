/// What the operator says of the input, whatever its form.
public struct InputOptions: Equatable, Sendable {
    /// Pass on what a recogniser writes for silence and noise, `[BLANK_AUDIO]` or `(music)`.
    public var keepsNoise = false

    /// The names of speakers, by the ids and labels that the input has for them.
    public var speakerNames: [String: String] = [:]

    /// The language of captions for which the input names none, a BCP 47 tag.
    public var language: String?

    /// Nothing is known.
    public init() {}
}
