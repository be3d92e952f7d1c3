import ArgumentParser
import Beamscribe
import BeamscribeCore
import BeamscribeIO
import BeamscribeVoice
import FoundationEssentials

struct TalkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "talk",
        abstract: "Talk with the others on a channel of an event.",
        discussion: """
            Examples:
              beamscribe talk
              beamscribe talk "Town Hall" --channel es --hear floor=-12
              beamscribe talk --devices
              beamscribe talk --input - --output - < microphone.raw > ear.raw
            The host offers voices with --voice. The channel crew needs the crew's code: \
            BEAMSCRIBE_CREW_CODE. Without --input and --output it is the microphone and the \
            loudspeaker that the system uses; with one of them, the other end is silent unless \
            --speaker or --mic names a device. The microphone is opened when a talk begins, and \
            closed 30 s after it. The host can hear what is said. Status goes to standard error.
            """,
        version: Version.current)

    @OptionGroup var choice: EventOptions

    @Option(help: ArgumentHelp("Where to talk.", valueName: "name"))
    var channel: String = VoiceChannel.crew.name

    @Option(
        help: ArgumentHelp(
            "Say what is read there, - for standard input: raw PCM, 16 bits, little-endian, mono.",
            valueName: "file"))
    var input: String?

    @Option(
        name: .customLong("mic"),
        help: ArgumentHelp(
            "The microphone, as --devices names it: default for the usual one, none for none (default: the usual one, where neither --input nor --output is given).",
            valueName: "device"))
    var microphone: String?

    @Option(
        name: .customLong("talk"),
        help: ArgumentHelp(
            "When it is said: open for always (default with --input), voice for when somebody speaks, ptt from one SIGUSR2, or --control's talk on, to the next (default with a microphone).",
            valueName: "mode"))
    var mode: Mode?

    @Option(
        name: .customLong("ptt-key"),
        help: ArgumentHelp(
            "Talk while this key is held, of a foot pedal say: its device, as a path or a name in /dev/input, and the kernel's name of the key, as in by-id/usb-pedal-event-kbd:KEY_B.",
            valueName: "device:key"))
    var pushToTalkKey: String?

    @Option(
        name: .customLong("aec"),
        help: ArgumentHelp(
            "Take what the loudspeaker says out of what the microphone hears: on, off, or auto for unless it is headphones (default).",
            valueName: "when"))
    var echo: EchoCancelling = .auto

    @Flag(help: "Make noise around the microphone less.")
    var denoise = false

    @Flag(
        name: .customLong("no-agc"),
        help:
            "Leave it to the microphone how loud it is; usually who speaks quietly is made louder.")
    var keepsGain = false

    @Option(
        help: ArgumentHelp(
            "How soon one is heard: low for 5 ms at a time, normal for 10 (default), safe for 20, over networks that keep packets waiting.",
            valueName: "how"))
    var latency: Latency = .normal

    @Flag(help: "Spare the battery: fewer packets, less work, a plainer voice.")
    var lowPower = false

    @Flag(
        help:
            "Make the others quieter while you talk (anyway with --talk ptt and a loudspeaker that is no headphones)."
    )
    var duck = false

    @Flag(help: "List the microphones and loudspeakers that there are, and end.")
    var devices = false

    @Flag(help: "With --devices: one JSON object a line.")
    var json = false

    @Flag(
        name: .customLong("try"),
        help: "Hear yourself as others would: 5 s are recorded and played, and sent nowhere.")
    var isTrial = false

    @Flag(help: "End once --input has ended.")
    var untilEof = false

    @OptionGroup var options: TalkOptions

    @Flag(help: "End when the connection is lost.")
    var noReconnect = false

    @OptionGroup var security: JoinSecurityOptions

    @OptionGroup var verbosity: Verbosity

    /// When echoes are taken out.
    enum EchoCancelling: String, ExpressibleByArgument, CaseIterable {
        case auto, on, off

        var cleaning: VoiceCleaning.Echo {
            switch self {
            case .auto: .auto
            case .on: .on
            case .off: .off
            }
        }
    }

    /// How soon one is heard.
    enum Latency: String, ExpressibleByArgument, CaseIterable {
        case low, normal, safe

        var coding: VoiceCoding {
            switch self {
            case .low: .lowDelay
            case .normal: .speech
            case .safe: .safe
            }
        }
    }

    /// What opens the microphone.
    enum Mode: String, ExpressibleByArgument, CaseIterable {
        case voice, open
        case pushToTalk = "ptt"

        var gate: TalkGate.Mode {
            switch self {
            case .voice: .voice
            case .open: .open
            case .pushToTalk: .pushToTalk
            }
        }
    }

    func validate() throws {
        try options.checkSafety(security)
        try check(
            VoiceChannel.isName(channel),
            "--channel takes a channel's name, not '\(SafeText.line(channel))'.")
        try check(
            pushToTalkKey.map { PushToTalkKey.Choice($0) != nil } ?? true,
            "--ptt-key takes DEVICE:KEY, as in event3:KEY_F13, not '\(SafeText.line(pushToTalkKey ?? ""))'; evtest shows what a key is called."
        )
        try check(
            pushToTalkKey == nil || mode ?? .pushToTalk == .pushToTalk,
            "--ptt-key goes with --talk ptt.")
        try check(!(devices && isTrial), "--devices and --try exclude each other.")
        try check(
            !lowPower || latency == .normal && !denoise,
            "--low-power decides itself what --latency and --denoise ask for.")
        try check(!json || devices, "--json goes with --devices; --format jsonl is for the rest.")
        try check(
            input == nil || microphone == nil || microphone == "none",
            "--input and --mic exclude each other: what is said comes from one of them.")
        try check(
            !isTrial || input == nil && options.output == nil,
            "--try is for a microphone and a loudspeaker, without --input and --output.")
        try check(
            mouth != nil || ear != nil,
            "with neither a microphone nor a loudspeaker there is nothing to do.")
        try RawSound.checkIsNoKeyboard(input, "--input")
        try check(!untilEof || input != nil, "--until-eof goes with --input.")
    }

    /// Whether devices are meant where nothing is said of them.
    private var isLive: Bool { input == nil && options.output == nil }

    /// Where what is said comes from; nil for nowhere.
    private var mouth: SoundEnd? {
        if let input { return .raw(RawSound(argument: input)) }
        return SoundEnd(device: microphone, usual: isLive)
    }

    private var ear: SoundEnd? { options.ear(usual: isLive) }

    func run() async throws {
        if devices { return try await DeviceList(isJSON: json).run() }
        if isTrial {
            return try await Trial(microphone: microphone, speaker: options.speaker).run()
        }
        let usual: Mode = input == nil || pushToTalkKey != nil ? .pushToTalk : .open
        var session = TalkConfiguration(
            talksOn: mouth == nil ? nil : channel,
            hears: [channel: 0].merging(try options.gains()) { $1 }, mode: (mode ?? usual).gate)
        session.channel = channel
        session.coding = lowPower ? .frugal : latency.coding
        var configuration = IntercomConfiguration(session)
        (configuration.input, configuration.output) = (mouth, ear)
        configuration.ducks = duck
        configuration.cleaning.echo = echo.cleaning
        configuration.cleaning.reducesNoise = denoise
        configuration.cleaning.controlsGain = !keepsGain
        try await Talk(
            configuration, options, choice, security, verbosity, reconnects: !noReconnect,
            untilEof: untilEof, key: pushToTalkKey.flatMap { PushToTalkKey.Choice($0) }
        ).run()
    }
}

struct ListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Hear what is said on a channel of an event.",
        discussion: """
            Examples:
              beamscribe listen
              beamscribe listen "Town Hall" --channel es --speaker default
              beamscribe listen --channel es --output - --rate 16000 | recogniser
            Without --output it is the loudspeaker that the system uses. Status goes to standard \
            error.
            """,
        version: Version.current)

    @OptionGroup var choice: EventOptions

    @Option(help: ArgumentHelp("What to hear.", valueName: "name"))
    var channel: String = VoiceChannel.floor.name

    @OptionGroup var options: TalkOptions

    @Flag(help: "End when the connection is lost.")
    var noReconnect = false

    @OptionGroup var security: JoinSecurityOptions

    @OptionGroup var verbosity: Verbosity

    func validate() throws {
        try options.checkSafety(security)
        try check(
            VoiceChannel.isName(channel),
            "--channel takes a channel's name, not '\(SafeText.line(channel))'.")
        try check(
            options.ear(usual: true) != nil,
            "without a loudspeaker there is nothing to do; --output writes what is heard.")
    }

    func run() async throws {
        let hears = [channel: 0].merging(try options.gains()) { $1 }
        var session = TalkConfiguration(talksOn: nil, hears: hears)
        session.channel = channel
        var configuration = IntercomConfiguration(session)
        configuration.output = options.ear(usual: true)
        try await Talk(
            configuration, options, choice, security, verbosity, reconnects: !noReconnect,
            untilEof: false, showsCaptions: true
        ).run()
    }
}
