public import BeamscribeCore

/// What the user is told.
public enum VoiceEvent: Equatable, Sendable {
    /// It is on its channels.
    case ready
    /// It has left its channel for this one.
    case moved(to: String)
    /// It stays on its channel, as the host does not let it go to another, and why; nil where it does not answer.
    case stayed(VoiceRefused.Reason?)
    /// It is not, and why: a reason of the contract's, or one that this version does not know.
    case refused(VoiceRefused.Reason?)
    /// The host offers no voices.
    case noVoices
    /// The connection is gone: nobody hears it, and it hears nobody.
    case apart
    /// Packets go by the connection, or by UDP again.
    case path(isTunnelled: Bool)
    /// There is news of somebody else.
    case person(name: String, channel: String, PersonNews)
    /// Of one's own talk.
    case talk(TalkGate.Event)
    /// The own talk was refused, as too many talk.
    case talkRefused

    /// What one says becomes captions, or becomes none where that of others does.
    case captioned(VoiceCaptioned)

    /// What is told of somebody else.
    public enum PersonNews: Equatable, Sendable {
        /// He is there.
        case came
        /// He talks.
        case talks
        /// He has ended his talk.
        case stopped
        /// He is there no more.
        case left
    }
}
