public import BeamscribeCore

/// A channel of an event, and who may do what there.
public struct VoiceChannel: Equatable, Sendable {
    /// Who may talk there, or hear it.
    public enum Audience: String, CaseIterable, Sendable {
        /// Whoever has proved the crew's code.
        case crew
        /// Whoever reads the event's captions.
        case event
        /// The host itself.
        case host

        /// Whether somebody is of it.
        ///
        /// - Parameters:
        ///   - isCrew: whether it has proved the crew's code.
        ///   - isHost: whether it is the host itself.
        func admits(isCrew: Bool, isHost: Bool = false) -> Bool {
            switch self {
            case .crew: isCrew || isHost
            case .event: true
            case .host: isHost
            }
        }
    }

    /// Its name.
    public var name: String
    /// Who may talk.
    public var talk: Audience
    /// Who may hear.
    public var hear: Audience

    /// A channel.
    public init(_ name: String, talk: Audience, hear: Audience) {
        (self.name, self.talk, self.hear) = (name, talk, hear)
    }

    /// Whether it may be a channel's name, which people type and `=` and `:` follow.
    public static func isName(_ name: String) -> Bool {
        (1...32).contains(name.utf8.count)
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    }

    /// Where a few people talk with each other.
    public static let crew = VoiceChannel("crew", talk: .crew, hear: .crew)
    /// What everybody hears.
    public static let floor = VoiceChannel("floor", talk: .host, hear: .event)

    /// What is told of it to who comes.
    public var offered: VoiceOffer.Channel {
        VoiceOffer.Channel(
            name: name, talk: talk.admits(isCrew: false), hear: hear.admits(isCrew: false),
            code: talk == .crew || hear == .crew)
    }
}
