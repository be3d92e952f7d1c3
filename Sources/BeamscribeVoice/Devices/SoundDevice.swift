/// A microphone or a loudspeaker, as the sound server knows it.
public struct SoundDevice: Equatable, Sendable {
    /// Which way sound goes.
    public enum Direction: String, Sendable, CaseIterable {
        /// What hears.
        case microphone
        /// What is heard: a loudspeaker, or headphones.
        case speaker
    }

    /// Which way sound goes.
    public var direction: Direction
    /// What it is chosen by.
    public var name: String
    /// What people call it.
    public var description: String
    /// Whether it is what the system uses where none is named.
    public var isUsual: Bool

    /// Whether a loudspeaker that people call so is one that only its user hears.
    public static func soundsLikeHeadphones(_ description: String) -> Bool {
        let words = description.lowercased()
        return ["headphone", "headset", "earphone", "earbud", "airpod"].contains {
            words.contains($0)
        }
    }

    /// A device.
    public init(
        _ direction: Direction, name: String, description: String, isUsual: Bool = false
    ) {
        (self.direction, self.name) = (direction, name)
        (self.description, self.isUsual) = (description, isUsual)
    }
}
