/// Somebody else on a channel, as a row shows him.
public struct TalkPerson: Equatable, Sendable {
    /// What he is called.
    public var name: String
    /// Where he is.
    public var channel: String
    /// Whether he talks.
    public var isTalking: Bool
    /// How loud he is, in decibels of full scale.
    public var level: Double
    /// How well he is heard, in a word.
    public var quality: String
    /// How late he is heard by the program's doing, in milliseconds.
    public var delay: Int
    /// How much of what he says does not arrive, in percent.
    public var lost: Int
    /// How much louder or quieter than usual he is made, in decibels; nil for not at all to be heard.
    public var volume: Double?

    /// Somebody who is there.
    public init(
        name: String, channel: String, isTalking: Bool = false, level: Double = -120,
        quality: String, delay: Int = 0, lost: Int = 0, volume: Double? = 0
    ) {
        (self.name, self.channel, self.isTalking, self.level) = (name, channel, isTalking, level)
        (self.quality, self.delay, self.lost, self.volume) = (quality, delay, lost, volume)
    }
}
