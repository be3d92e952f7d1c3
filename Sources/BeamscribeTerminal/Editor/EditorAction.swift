/// What a key in a ``CaptionEditor`` asks for.
public enum EditorAction: Equatable, Sendable {
    /// Readers may see this much of the line that is being typed; nothing takes it back.
    case partial(text: String, speaker: String?)
    /// The line is done.
    case final(text: String, speaker: String?)
    /// Line `seq` is to be said so; without a speaker whoever spoke before.
    case correction(seq: Int, text: String, speaker: String?)
    /// There is nothing more to be typed (Ctrl-D on an empty line).
    case end
}
