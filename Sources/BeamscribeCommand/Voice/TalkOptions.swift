import ArgumentParser
import Beamscribe
import BeamscribeCore
import BeamscribeIO
import BeamscribeVoice
import FoundationEssentials

/// What `talk` and `listen` have in common.
struct TalkOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write what is heard there, - for standard output: raw PCM, 16 bits, little-endian, mono.",
            valueName: "file"))
    var output: String?

    @Option(
        help: ArgumentHelp(
            "The loudspeaker, as `talk --devices` names it: default for the usual one, none for none (default: the usual one, where neither --input nor --output is given).",
            valueName: "device"))
    var speaker: String?

    @Option(help: ArgumentHelp("Samples a second of --input and --output.", valueName: "hz"))
    var rate: Int = OpusPacket.clock

    @Option(
        help: ArgumentHelp(
            "Hear this channel, too, so much louder or quieter in decibels; may be repeated.",
            valueName: "name[=dB]"))
    var hear: [String] = []

    @Option(
        help: ArgumentHelp(
            "The crew's code (better in BEAMSCRIBE_CREW_CODE, where nobody sees it).",
            valueName: "code"))
    var crewCode: String?

    @Option(
        help: ArgumentHelp(
            "Do what is written to this named pipe, a line each: talk on|off|toggle, mute NAME on|off, volume NAME DB, channel NAME, quit. It is made if it is not there.",
            valueName: "file"))
    var control: String?

    @Option(
        help: ArgumentHelp(
            "What the others see you called (default: this machine's name).", valueName: "name"))
    var name: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Show the event's captions on the same terminal (default: where one listens).")
    var captions: Bool?

    @Flag(help: "Draw nothing: a line for each change.")
    var plain = false

    @Option(
        help: ArgumentHelp(
            "Run this by the shell whenever a talk begins or ends, with a line that says so on its standard input.",
            valueName: "command"))
    var exec: String?

    @Option(help: "How status is written: text or jsonl.")
    var format: TalkReporter.Format = .text

    @Option(
        help: ArgumentHelp("Tell how everybody is heard this often.", valueName: "seconds"))
    var stats: Double?

    func validate() throws {
        try check(
            RawSound.rates.contains(rate), "--rate takes 8000 to 48000.")
        try check(
            exec?.allSatisfy(\.isWhitespace) != true,
            "--exec takes a command, such as 'notify-send -- \"$(cat)\"'.")
        try check((0.1...3_600).contains(stats ?? 1), "--stats takes 0.1 to 3600 seconds.")
        _ = try gains()
        try check(
            name.map { (1...64).contains($0.count) && !$0.allSatisfy(\.isWhitespace) } ?? true,
            "--name takes a name of 1 to 64 characters.")
        try check(
            captions != true || format == .text && Terminal.isTerminal(.error),
            "--captions shows them on a terminal; `beamscribe join` writes them to a pipe.")
        try check(
            output == nil || speaker == nil || speaker == "none",
            "--output and --speaker exclude each other: what is heard goes to one of them.")
        try check(
            output != "-" || !Terminal.isTerminal(.output),
            "--output - writes sound to a pipe, and standard output is a terminal.")
    }

    /// Where what is heard goes; nil for nowhere.
    ///
    /// - Parameter usual: whether it is the usual loudspeaker where nothing is said of it.
    func ear(usual: Bool) -> SoundEnd? {
        if let output { return .raw(RawSound(argument: output)) }
        return SoundEnd(device: speaker, usual: usual)
    }

    /// Whether keys are taken, and where nothing speaks against it a screen is drawn.
    ///
    /// - Parameter input: where what is said is read.
    func takesKeys(besides input: String?) -> Bool {
        format == .text && input != "-" && Terminal.isTerminal(.input)
            && Terminal.isTerminal(.error)
    }

    /// How much louder or quieter somebody may be made, in decibels.
    static let gainRange = -60.0...20.0

    /// What is heard besides, and how loud.
    func gains() throws -> [String: Double] {
        var gains: [String: Double] = [:]
        for text in hear {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            let gain = parts.count == 2 ? Double(parts[1]) : 0
            guard let name = parts.first, VoiceChannel.isName(name), let gain,
                Self.gainRange.contains(gain)
            else {
                throw ValidationError(
                    "--hear takes a channel's name, or NAME=DB from -60 to 20, not '\(SafeText.line(text))'."
                )
            }
            gains[name] = gain
        }
        return gains
    }

    /// Refuses what cannot be had.
    ///
    /// - Parameter security: what is asked of the host.
    func checkSafety(_ security: JoinSecurityOptions) throws {
        try check(
            VoiceLibraries.areHere, "this beamscribe was built without voices.")
        try check(
            !security.insecure, "there are no voices without encryption: leave out --insecure.")
    }

}

extension SoundEnd {
    /// A device that somebody names; nil for `none`, and for no name where that does not mean the usual one.
    init?(device name: String?, usual: Bool) {
        guard name != "none", name != nil || usual else { return nil }
        self = .device(name.flatMap(Self.deviceName))
    }

    /// The name of a device; nil for `default`.
    static func deviceName(_ name: String) -> String? { name == "default" ? nil : name }
}

extension RawSound {
    /// What somebody names by a path, or by - for standard input or output.
    init(argument name: String) { self = name == "-" ? .standard : .file(name) }

    /// Refuses what somebody types in place of sound.
    static func checkIsNoKeyboard(_ name: String?, _ option: String) throws {
        try check(
            name != "-" || !Terminal.isTerminal(.input),
            "\(option) - takes sound from a pipe, and standard input is a terminal.")
    }
}
