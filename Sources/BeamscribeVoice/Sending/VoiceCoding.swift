/// What a talker's voice is coded for.
public enum VoiceCoding: Equatable, Sendable {
    /// Speech, 10 ms at a time.
    case speech
    /// Speech that is heard as soon as can be: 5 ms at a time, for twice as many packets.
    case lowDelay
    /// Speech over a network that keeps packets waiting: 20 ms at a time.
    case safe
    /// Speech at the least cost in packets and work.
    case frugal
    /// Whatever a room is to hear, its music too.
    case room

    /// How many samples a device is to give or take at once: 2.7 ms, or half of that where that is what counts.
    public var period: Int { self == .lowDelay ? 64 : 128 }

    /// How a talk is cut and coded where nothing is wrong.
    public var shape: TalkShape {
        switch self {
        case .speech: .usual
        case .lowDelay: TalkShape(frame: 5, bitrate: 64_000)
        case .safe: TalkShape(frame: 20, bitrate: 40_000)
        case .frugal: TalkShape(frame: 20, bitrate: 16_000)
        case .room: TalkShape(frame: 20, bitrate: 64_000)
        }
    }
}
