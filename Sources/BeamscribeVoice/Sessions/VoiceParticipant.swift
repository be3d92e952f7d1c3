/// Somebody on a host's channels, as who runs the event sees him.
public struct VoiceParticipant: Equatable, Sendable {
    /// Which of all devices he comes from.
    public var device: String
    /// For people.
    public var name: String
    /// The channel that he may talk on; nil for somebody who only listens.
    public var channel: String?
    /// Whether he is heard now.
    public var isTalking = false
    /// Whether he was put out, and may not come back.
    public var isPutOut = false
}
