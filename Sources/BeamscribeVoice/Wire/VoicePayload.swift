import BeamscribeCore

/// What a packet's payload is : dynamic numbers (RFC 3551, section 6).
public enum VoicePayload: UInt8, Sendable {
    /// One Opus packet (RFC 7587).
    case opus = 96
    /// One Opus packet, and copies of those before it (RFC 2198).
    case redundant = 97
}
