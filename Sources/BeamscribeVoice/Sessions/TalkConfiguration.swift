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

    /// A guest that talks on a channel and hears it.
    public init(
        talksOn: String? = "crew", hears: [String: Double] = ["crew": 0],
        mode: TalkGate.Mode = .pushToTalk,
        coding: VoiceCoding = .speech
    ) {
        shape = coding.shape
        (self.talksOn, self.hears) = (talksOn, hears)
        (self.mode, self.coding) = (mode, coding)
    }
}
