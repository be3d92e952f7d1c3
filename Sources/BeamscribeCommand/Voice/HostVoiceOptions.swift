import ArgumentParser
import Beamscribe
import BeamscribeCore
import BeamscribeVoice
import FoundationEssentials

/// What a host offers of voices.
struct HostVoiceOptions: ParsableArguments {
    @Flag(help: "Offer voices beside the captions: `beamscribe talk`, `beamscribe listen`.")
    var voice = false

    @Option(
        name: .customLong("crew-code"), defaultAsFlag: "", parsing: .next,
        help: ArgumentHelp(
            "Let those talk with each other, on the channel crew, who know this code: one that is made up and shown, or yours (better in BEAMSCRIBE_CREW_CODE).",
            valueName: "code"))
    var crewCode: String?

    @Option(
        help: ArgumentHelp(
            "Let everybody hear this on the channel floor: a microphone, as `talk --devices` names it (default: the usual one), or raw PCM, 16 bits, little-endian, mono, from a file or - for standard input.",
            valueName: "device or file"))
    var floor: String?

    @Option(help: ArgumentHelp("Samples a second of --floor.", valueName: "hz"))
    var floorRate: Int = OpusPacket.clock

    @Option(
        help: ArgumentHelp(
            "Another channel, and who may talk and hear there: crew (default), event or host; may be repeated.",
            valueName: "name[:talk=who][:hear=who]"))
    var channel: [String] = []

    @Option(
        help: ArgumentHelp(
            "Make captions of what is said on a channel, by a command that is run for each talker and reads raw PCM at 16 kHz; may be repeated.",
            valueName: "channel=command"))
    var captionVoice: [String] = []

    @Option(help: ArgumentHelp("How many may talk on a channel at once.", valueName: "n"))
    var maxTalkers: Int = Limits.talkers

    @Option(help: ArgumentHelp("How many may hear or talk at once.", valueName: "n"))
    var maxListeners: Int = Limits.listeners

    @Option(
        help: "The UDP port of voices (default: the event's number, or a free one if it is taken).")
    var voicePort: UInt16?

    /// Whether there is a code for the crew, yet to be read or to be made up.
    private var isCodeGiven: Bool {
        crewCode != nil
            || ProcessInfo.processInfo.environment[GivenCode.crewVariable] != nil && voice
    }

    /// What there is to be heard.
    func channels() throws -> [VoiceChannel] {
        var all: [VoiceChannel] = isCodeGiven ? [.crew] : []
        if floor != nil { all.append(.floor) }
        for text in channel {
            let made = try VoiceChannel(argument: text)
            try check(
                !all.contains { $0.name == made.name },
                "--channel \(SafeText.line(made.name)) is there twice.")
            all.append(made)
        }
        return all
    }

    /// Refuses what cannot be offered.
    ///
    /// - Parameters:
    ///   - isInsecure: whether guests may do without encryption.
    ///   - readsCaptionsElsewhere: whether captions do not come from standard input.
    func checkOffer(isInsecure: Bool, readsCaptionsElsewhere: Bool) throws {
        guard voice else {
            let isGiven =
                crewCode != nil || floor != nil || floorRate != OpusPacket.clock || !channel.isEmpty
                || voicePort != nil || !captionVoice.isEmpty
                || maxTalkers != Limits.talkers || maxListeners != Limits.listeners
            return try check(
                !isGiven,
                "--crew-code, --floor, --floor-rate, --channel, --caption-voice, --max-talkers, --max-listeners and --voice-port go with --voice."
            )
        }
        try check(
            VoiceLibraries.areHere, "this beamscribe was built without voices.")
        try check(
            !isInsecure,
            "--voice and --insecure exclude each other: there are no voices without encryption.")
        try check(
            floor != "-" || readsCaptionsElsewhere,
            "captions come from standard input: --floor - goes with --input or --run.")
        try RawSound.checkIsNoKeyboard(floor, "--floor")
        try check(RawSound.rates.contains(floorRate), "--floor-rate takes 8000 to 48000.")
        let channels = try channels()
        try check(
            !channels.isEmpty,
            "--voice has nothing to offer yet: --floor is for all, --crew-code for a crew, --channel for others."
        )
        try check(
            channels.count <= Limits.channels, "an event has \(Limits.channels) channels at most.")
        let needsCode = channels.first { $0.talk == .crew || $0.hear == .crew }
        try check(
            isCodeGiven || needsCode == nil,
            "the channel \(needsCode?.name ?? "") is for the crew, which needs --crew-code.")
        try checkCaptions(of: channels.map(\.name))
        try check(
            (1...64).contains(maxTalkers), "--max-talkers takes a number from 1 to 64.")
        try check(
            (1...1_024).contains(maxListeners), "--max-listeners takes a number from 1 to 1024.")
    }

    private func checkCaptions(of channels: [String]) throws {
        var known: Set<String> = []
        for entry in captionVoice {
            let captions = try VoiceConfiguration.Captions(argument: entry)
            try check(
                channels.contains(captions.channel),
                "--caption-voice \(SafeText.line(captions.channel)) is no channel of this host: there \(channels.count == 1 ? "is" : "are") \(WordList.of(channels))."
            )
            try check(
                known.insert(captions.channel).inserted,
                "--caption-voice \(captions.channel) is given twice: give it once.")
        }
    }

    /// What the host is to do; nil for no voices.
    ///
    /// - Parameter name: the host's, for people.
    func begin(calledBy name: String) throws -> (
        configuration: VoiceConfiguration, proof: CrewProof?
    )? {
        guard voice else { return nil }
        let channels = try channels()
        let proof = isCodeGiven ? try CrewProof(crewCode) : nil
        var configuration = VoiceConfiguration(channels: channels, crew: proof?.record)
        configuration.maximumTalkers = maxTalkers
        configuration.maximumListeners = maxListeners
        configuration.port = voicePort
        configuration.captions = try captionVoice.map {
            try VoiceConfiguration.Captions(argument: $0)
        }
        configuration.floor = floor.map {
            VoiceConfiguration.Floor(SoundEnd(floor: $0), rate: floorRate, name: name)
        }
        return (configuration, proof)
    }
}

extension SoundEnd {
    /// A file, or `-`, or else a microphone: a name without a folder in it, of which there is no file.
    fileprivate init(floor name: String) {
        let isFile =
            name == "-" || name.contains("/") || FileManager.default.fileExists(atPath: name)
        self = isFile ? .raw(RawSound(argument: name)) : .device(SoundEnd.deviceName(name))
    }
}

extension VoiceChannel {
    /// `NAME[:talk=WHO][:hear=WHO]`
    fileprivate init(argument text: String) throws {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let name = parts[0]
        try check(
            Self.isName(name),
            "--channel takes a name of letters, figures and '-', 32 at most, not '\(SafeText.line(name))'."
        )
        var channel = VoiceChannel(name, talk: .crew, hear: .crew)
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2, let who = Audience(rawValue: pair[1]) else {
                throw ValidationError(
                    "--channel \(name) takes :talk=WHO and :hear=WHO, of crew, event and host, not '\(SafeText.line(part))'."
                )
            }
            switch pair[0] {
            case "talk": channel.talk = who
            case "hear": channel.hear = who
            default:
                throw ValidationError(
                    "--channel \(name) takes :talk=WHO and :hear=WHO, not '\(SafeText.line(part))'."
                )
            }
        }
        self = channel
    }
}

extension VoiceConfiguration.Captions {
    /// `CHANNEL=COMMAND`
    fileprivate init(argument text: String) throws {
        let parts = text.split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false
        ).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty, parts[1].contains(where: { !$0.isWhitespace })
        else {
            throw ValidationError(
                "--caption-voice takes a channel and a command, as in crew='my-recogniser -', not '\(SafeText.line(text))'."
            )
        }
        self.init(of: parts[0], by: parts[1])
    }
}
