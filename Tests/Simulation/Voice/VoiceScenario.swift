import BeamscribeVoice

/// The kind of event that a seed stands for: its people, its channels and its troubles.
struct VoiceScenario {
    /// A place that somebody wants, and the rights to it.
    struct Part {
        let isCrew: Bool
        let isHost: Bool
        let talksOn: String?
        let hears: [String]
        let mode: TalkGate.Mode
        let coding: VoiceCoding

        /// The channel that it may leave for another.
        var channel: String? { talksOn ?? hears.min() }
        /// Whether the host has to let it in.
        var isAllowed: Bool { isCrew || isHost || talksOn == nil && !hears.contains("crew") }
    }

    static let channels: [VoiceChannel] = [
        .crew, .floor, VoiceChannel("es", talk: .crew, hear: .event),
    ]

    let parts: [Part]
    let maximumTalkers: Int
    /// The channels to which the host listens itself.
    let captioned: Set<String>
    /// Microseconds of trouble, before everything heals.
    let duration: Int
    /// The time between two moments without radio, in microseconds; nil for no such moments.
    let absencePause: Int?
    /// The time between two talks, and between two troubles, in microseconds.
    let talkPause: Int
    let troublePause: Int
    /// The kinds of trouble of this run, each as often as it stands here.
    let troubles: [VoiceTrouble]

    init(_ world: World) {
        let hasFloor = world.chance(percent: 40)
        var parts = (1...world.random(2...4)).map { _ in Self.part(world) }
        if hasFloor {
            parts.append(
                Part(
                    isCrew: false, isHost: true, talksOn: "floor", hears: [], mode: .open,
                    coding: .room))
        }
        self.parts = parts
        maximumTalkers = world.chance(percent: 30) ? world.random(1...2) : 8
        captioned = world.chance(percent: 30) ? ["crew"] : []
        duration = .seconds(world.random(3...14))
        absencePause = world.chance(percent: 30) ? .milliseconds(world.random(100...1_000)) : nil
        talkPause = .milliseconds(world.random(200...2_000))
        troublePause = .milliseconds(world.random(300...4_000))
        var kinds: [VoiceTrouble] = []
        for kind in VoiceTrouble.allCases where world.chance(percent: 40) {
            kinds += [VoiceTrouble](repeating: kind, count: world.random(1...3))
        }
        troubles = kinds
    }

    private static func part(_ world: World) -> Part {
        let modes: [TalkGate.Mode] = [.pushToTalk, .pushToTalk, .pushToTalk, .voice, .open]
        let codings: [VoiceCoding] = [.speech, .speech, .lowDelay, .safe]
        let places: [(String?, [String])] = [
            ("crew", ["crew"]), ("crew", ["crew"]), ("crew", ["crew", "floor"]),
            ("es", ["crew"]), ("es", ["es", "floor"]), (nil, ["floor"]), (nil, ["es", "floor"]),
            (nil, ["crew"]),
        ]
        let (talksOn, hears) = world.pick(places) ?? ("crew", ["crew"])
        return Part(
            isCrew: world.chance(percent: 85), isHost: false, talksOn: talksOn, hears: hears,
            mode: world.pick(modes) ?? .pushToTalk, coding: world.pick(codings) ?? .speech)
    }
}

/// The troubles of people on voice channels, of their networks and of their host.
enum VoiceTrouble: CaseIterable {
    case loss, jitter, absence, doubles, blocked, moved, stolen
    case cut, stalled, sleep, deviceDrops
    case putOut, letIn, changeChannel, mute
    case replay, garbage, hostRestarts
}
