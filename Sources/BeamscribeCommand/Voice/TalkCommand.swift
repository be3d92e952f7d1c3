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
              beamscribe talk --input - --output - < microphone.raw > ear.raw
              arecord -t raw -f S16_LE -r 48000 | beamscribe talk --input -
              beamscribe talk "Town Hall" --channel es --hear floor=-12 --input - --output -
            The host offers voices with --voice. The channel crew needs the crew's code: \
            BEAMSCRIBE_CREW_CODE. Sound devices are not opened by this version: samples come from \
            --input and go to --output. The host can hear what is said. Status goes to standard error.
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
        name: .customLong("talk"),
        help: ArgumentHelp(
            "When it is said: open for always (default), voice for when somebody speaks, ptt from one SIGUSR2, or --control's talk on, to the next.",
            valueName: "mode"))
    var mode: Mode = .open

    @Flag(help: "End once --input has ended.")
    var untilEof = false

    @OptionGroup var options: TalkOptions

    @Flag(help: "End when the connection is lost.")
    var noReconnect = false

    @OptionGroup var security: JoinSecurityOptions

    @OptionGroup var verbosity: Verbosity

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
            input != nil || options.output != nil,
            "give --input, --output or both: this version opens no sound devices.")
        try RawSound.checkIsNoKeyboard(input, "--input")
        try check(!untilEof || input != nil, "--until-eof goes with --input.")
    }

    func run() async throws {
        var session = TalkConfiguration(
            talksOn: input == nil ? nil : channel,
            hears: [channel: 0].merging(try options.gains()) { $1 }, mode: mode.gate)
        if options.output == nil { session.hears = [channel: 0] }
        var configuration = IntercomConfiguration(session)
        configuration.input = input.map(RawSound.init(argument:))
        try await Talk(
            configuration, options, choice, security, verbosity, reconnects: !noReconnect,
            untilEof: untilEof
        ).run()
    }
}

struct ListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Hear what is said on a channel of an event.",
        discussion: """
            Examples:
              beamscribe listen --output - | aplay -t raw -f S16_LE -r 48000
              beamscribe listen --channel es --output - --rate 16000 | recogniser
            Sound devices are not opened by this version: samples go to --output. Status goes to \
            standard error.
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
            options.output != nil, "--output is needed: this version opens no sound devices.")
    }

    func run() async throws {
        let hears = [channel: 0].merging(try options.gains()) { $1 }
        let configuration = IntercomConfiguration(
            TalkConfiguration(talksOn: nil, hears: hears))
        try await Talk(
            configuration, options, choice, security, verbosity, reconnects: !noReconnect,
            untilEof: false
        ).run()
    }
}
