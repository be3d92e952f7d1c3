import BeamscribeCore

/// What a guest wants.
public struct TalkConfiguration: Sendable {
    /// Where it talks; nil for nowhere.
    public var talksOn: String?
    /// What it hears, and how loud, in decibels.
    public var hears: [String: Double]
    /// What opens its microphone.
    public var mode: TalkGate.Mode
    /// What its voice is coded for.
    public var coding: VoiceCoding {
        didSet { shape = coding.shape }
    }
    /// What its packets are like where nothing is wrong.
    public var shape: TalkShape
    /// A delay of what is heard that is not estimated, in milliseconds.
    public var fixedDelay: Double?
    /// The channel that it is there for, which it may leave for another: where it talks, or what it hears.
    public var channel: String?

    /// A guest that talks on a channel and hears it.
    public init(
        talksOn: String? = "crew", hears: [String: Double] = ["crew": 0],
        mode: TalkGate.Mode = .pushToTalk,
        coding: VoiceCoding = .speech
    ) {
        shape = coding.shape
        channel = talksOn ?? hears.keys.min()
        (self.talksOn, self.hears) = (talksOn, hears)
        (self.mode, self.coding) = (mode, coding)
    }

    /// Where it is at first.
    var place: VoicePlace { VoicePlace(channel: channel, talksOn: talksOn, hears: hears) }

    /// Where it is once it has left its channel for another: what it hears besides it goes on hearing.
    func place(on other: String) -> VoicePlace {
        guard let channel, other != channel else { return place }
        var hears = hears
        hears[other] = hears.removeValue(forKey: channel) ?? hears[other] ?? 0
        return VoicePlace(
            channel: other, talksOn: talksOn == channel ? other : talksOn, hears: hears)
    }
}

/// Where a guest is.
struct VoicePlace: Equatable, Sendable {
    /// What it is there for.
    var channel: String?
    /// Where it talks; nil for nowhere.
    var talksOn: String?
    /// What it hears, and how loud, in decibels.
    var hears: [String: Double]

    /// What is said to the host to be there.
    var join: VoiceJoin { VoiceJoin(channels: hears.keys.sorted(), talk: talksOn) }
}
