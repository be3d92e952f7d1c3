/// What the user is told of his talks where the host refuses them.
///
/// Where no key begins a talk it is asked for again and again, and nobody wants to read of each try: that it was refused
/// is told once, and that one is on once it has stood for a while.
///
/// Invariant: only a talk after a refusal that was told is `tried`.
struct RefusedTalks {
    /// A refusal comes sooner than that, in milliseconds.
    private static let standing = 500.0

    private var hasTold = false
    /// What began the talk that is on, and how long ago in milliseconds.
    private var tried: (beginning: TalkGate.Event, time: Double)?

    /// What is to be told of something that has happened to the own talk.
    mutating func news(of event: TalkGate.Event) -> [VoiceEvent] {
        guard hasTold else { return [.talk(event)] }
        switch event {
        case .began: tried = (event, 0)
        case .ended, .fellBack: tried = nil
        case .endsSoon, .microphoneIsSilent, .microphoneClips: return [.talk(event)]
        }
        return []
    }

    /// The host has refused the talk.
    ///
    /// - Parameters:
    ///   - events: what that made of it.
    ///   - isTriedAgain: whether it is asked for again without a key.
    mutating func refused(_ events: [TalkGate.Event], isTriedAgain: Bool) -> [VoiceEvent] {
        let told = events.flatMap { news(of: $0) }
        guard !hasTold else { return told }
        hasTold = isTriedAgain
        return told + [.talkRefused]
    }

    /// Some milliseconds of the own voice are on their way.
    mutating func heard(_ time: Double) -> [VoiceEvent] {
        guard let (beginning, before) = tried else { return [] }
        tried = (beginning, before + time)
        guard before + time >= Self.standing else { return [] }
        forget()
        return [.talk(beginning)]
    }

    /// What follows is news again: it is another connection, or the user has asked for something.
    mutating func forget() { (hasTold, tried) = (false, nil) }
}
