import ArgumentParser
import Beamscribe
import BeamscribeCore
import BeamscribeIO
import BeamscribeVoice
import FoundationEssentials
import Logging

/// Tells what happens on an intercom: a line for each change, never one over speech that nothing has changed.
struct TalkReporter: Sendable {
    /// How status is written.
    enum Format: String, ExpressibleByArgument, CaseIterable, Sendable {
        case text, jsonl
    }

    private let format: Format
    private let interval: Double?
    /// Whether standard output has sound, so that JSON goes elsewhere.
    private let stream: Terminal.Stream
    private let logger: Logger
    private let screen: TalkScreen?
    /// How a talk begins, where nothing else says so.
    private let hint: String?

    /// - Parameters:
    ///   - interval: how often to tell how everybody is heard, in seconds; nil for never.
    ///   - writesSound: whether standard output has sound.
    ///   - screen: where there is one, it shows what there is to be said.
    ///   - hint: how a talk begins, where nothing else says so.
    init(
        _ format: Format, _ interval: Double?, writesSound: Bool, _ verbosity: Verbosity,
        on screen: TalkScreen?, hint: String?
    ) {
        (self.format, self.interval) = (format, interval)
        (self.screen, self.hint) = (screen, hint)
        stream = writesSound ? .error : .output
        logger = verbosity.logger()
    }

    // MARK: Events

    func report(_ event: IntercomEvent) {
        switch event {
        case .session(let event): report(event)
        case .inputEnded: say("The input has ended.", State("input_ended"))
        case .outputBehind:
            warn(
                "output_behind",
                "Who reads the output is too slow: some of what was said is left out there.")
        case .device(let news): report(news)
        case .noWay(let why): warn("no_udp", "Packets cannot go by UDP: \(why).")
        case .notCleaned:
            tell(
                .info,
                "This beamscribe was built without webrtc-audio-processing: with a loudspeaker the others hear themselves. Headphones spare them that."
            )
        case .notInTime:
            tell(
                .info,
                "The system does not let sound go before other work here: on a busy machine it may stutter (RealtimeKit, package rtkit, or LimitRTPRIO would)."
            )
        // What ends the program is told by it.
        case .wrongCode, .noCode, .outputGone, .inputUnusable: break
        }
    }

    private func report(_ news: DeviceNews) {
        switch news {
        case .uses(let direction, let name, let isChange):
            let words = direction == .microphone ? "The microphone is" : "The loudspeaker is"
            let advice =
                isChange && direction == .microphone
                ? ": you are not heard until you talk again" : ""
            say(
                "\(words) \(SafeText.line(name))\(advice).",
                Device(direction: direction.rawValue, name: name))
        case .missing(.microphone):
            warn(
                "no_microphone",
                "There is no microphone any more; you can talk again when there is one.")
        case .missing(.speaker):
            warn("no_speaker", "There is no loudspeaker any more; it goes on when there is one.")
        case .lost:
            warn("no_sound_server", "The sound server is gone; it is tried again until it is back.")
        case .microphone(let isOpen):
            say("The microphone is \(isOpen ? "open" : "closed").", Microphone(open: isOpen))
        // What ends the program is told by it.
        case .refused: break
        }
    }

    private func report(_ event: VoiceEvent) {
        switch event {
        case .ready:
            screen?.begin()
            say("On the channel. The host can hear what is said.", State("ready"))
            if format == .text, let hint { tell(.notice, hint) }
        case .moved(let channel):
            say("On the channel \(channel).", State("ready", channel: channel))
        case .stayed(let reason):
            warn("no_channel", "You stay on your channel: \(Self.words(for: reason)).")
        case .apart:
            say("Reconnecting: nobody hears you, and you hear nobody.", State("reconnecting"))
        case .path(let isTunnelled):
            screen?.setWay(isTunnelled: isTunnelled)
            say(
                isTunnelled
                    ? "By TCP: UDP packets do not get through, and it takes longer."
                    : "By UDP again.", State("ready", path: isTunnelled ? "tcp" : "udp"))
        case .person(let name, let channel, let news): report(name, channel, news)
        case .talk(let event): report(event)
        case .talkRefused:
            warn("talk_refused", "As many talk already as may at once: you are not heard.")
        case .captioned(let captioned): report(captioned)
        // What ends the program is told by it.
        case .refused, .noVoices: break
        }
    }

    private static func words(for reason: VoiceRefused.Reason?) -> String {
        switch reason {
        case .full: "as many are there as the host lets in"
        case .noRight: "the other one is not for you"
        case .noChannel: "the host has no such channel"
        case .off, .wrongCode: "the host takes no voice from here"
        case nil: "the host does not answer"
        }
    }

    private func report(
        _ name: String, _ channel: String, _ news: VoiceEvent.PersonNews
    ) {
        let (words, state): (String, VoicePeer.State) =
            switch news {
            case .came: ("is here", .here)
            case .talks: ("talks", .talking)
            case .stopped: ("has stopped", .here)
            case .left: ("is gone", .gone)
            }
        say(
            "\(name) \(words) (\(channel)).",
            Peer(name: name, channel: channel, state: state.rawValue))
    }

    private func report(_ captioned: VoiceCaptioned) {
        if format == .jsonl { return write(Captioned(captioned)) }
        switch (captioned.on, captioned.reason.flatMap(VoiceCaptioned.Reason.init)) {
        case (true, _): tell(.notice, "What you say becomes captions.")
        case (false, .full?):
            tell(
                .warning,
                "What you say becomes no captions: as many are listened to already as may be at once."
            )
        case (false, _): tell(.warning, "What you say becomes no captions.")
        }
    }

    private func report(_ event: TalkGate.Event) {
        switch event {
        case .began: say("You are heard.", State("talking"))
        case .ended: say("You are not heard.", State("ready"))
        case .endsSoon: warn("talk_ends", "Nothing was said for long: in 5 s you are not heard.")
        case .fellBack: say("You are not heard: nothing was said for long.", State("ready"))
        case .microphoneIsSilent:
            warn("silent_input", "Nothing but silence comes in: is that the right input?")
        case .microphoneClips: warn("loud_input", "What comes in is too loud, and is cut.")
        }
    }

    func report(_ event: GuestEvent) {
        switch event {
        case .joined(let joined):
            screen?.setEvent(joined.eventName)
            tell(
                .notice,
                "In \"\(SafeText.line(joined.eventName))\" on \(SafeText.line(joined.deviceName)).")
        case .stillLost(let loss): tell(.warning, "\(StateWords.loss(loss)): \(loss.why).")
        case .trouble(let what): logger.debug("\(what); trying again.")
        case .turnedAway(let place, let refusal):
            tell(.warning, "\(refusal.passedOver(at: place))")
        default: break
        }
    }

    /// What becomes of the device of `--ptt-key`.
    func report(_ news: InputKey.News) {
        switch news {
        case .pressed: break
        case .missing(let error):
            let advice =
                error.isPermission
                ? ": who is of the group input may (`sudo usermod -aG input $USER`, and a new login)"
                : "; it is tried again until it is there"
            warn("no_key", "The key of --ptt-key is of no use: \(error)\(advice).")
        case .found: say("The key of --ptt-key is there again.", Key())
        }
    }

    // MARK: What was asked for

    /// A request is none.
    ///
    /// - Parameter line: nil for one that is too long.
    func tellOfUnknown(_ line: String?) {
        let what = line.map { "'\(SafeText.line($0))'" } ?? "a line of over 512 bytes"
        warn("unknown_request", "--control does not take \(what), but \(TalkRequest.grammar).")
    }

    /// A request is about somebody who is not there.
    func tellOfNobody(_ name: String) {
        warn("nobody", "\(SafeText.line(name)) is not there; it is done when that name comes.")
    }

    /// A request is about a channel that is not there, or not for this guest.
    func tellOfNoChannel(_ name: String) {
        warn("no_channel", "The host has no channel \(SafeText.line(name)) for you.")
    }

    /// Something has gone wrong beside the voices.
    func tellWarning(_ words: String) { warn("exec", words) }

    /// Answers somebody who asks.
    func tellNotice(_ words: String) { tell(.notice, words) }

    // MARK: How everybody is heard

    /// Tells it again and again.
    func tellStatistics(of intercom: Intercom) async {
        guard let interval else { return }
        while (try? await Task.sleep(for: .seconds(saturating: interval))) != nil {
            tellAll(await intercom.others)
        }
    }

    /// Tells it of everybody.
    func tellAll(_ others: [VoicePersonState]) { others.forEach(tell) }

    private func tell(_ person: VoicePersonState) {
        let figures = Statistics(person)
        guard format == .text else { return write(figures) }
        let delay = "\(Int(saturating: figures.delay)) ms"
        let lost = "\(Int(saturating: (figures.lost * 100).rounded())) % lost"
        tell(.notice, "\(person.name): \(person.quality.rawValue), \(delay), \(lost)")
    }

    // MARK: Writing

    private func say(_ words: String, _ record: some Encodable) {
        if format == .jsonl { return write(record) }
        tell(.notice, words)
    }

    private func warn(_ what: String, _ words: String) {
        if format == .jsonl { return write(Trouble(what: what, message: words)) }
        tell(.warning, words)
    }

    private func tell(_ level: Logger.Level, _ words: String) {
        guard level >= logger.logLevel else { return }
        let line = level >= .warning ? "warning: \(words)" : words
        if screen?.tell(line) != true { logger.log(level: level, "\(words)") }
    }

    private func write(_ record: some Encodable) {
        try? Terminal.write(record.json + "\n", to: stream)
    }

    private struct State: Encodable {
        var type = "voice_state"
        let state: String
        var path: String?
        var channel: String?

        init(_ state: String, path: String? = nil, channel: String? = nil) {
            (self.state, self.path, self.channel) = (state, path, channel)
        }
    }

    private struct Peer: Encodable {
        var type = "voice_peer"
        let name: String
        let channel: String
        let state: String
    }

    private struct Captioned: Encodable {
        var type = "voice_captioned"
        let on: Bool
        var reason: String?

        init(_ captioned: VoiceCaptioned) {
            on = captioned.on
            reason = captioned.reason.map(SafeText.line)
        }
    }

    private struct Device: Encodable {
        var type = "voice_device"
        let direction: String
        let name: String
    }

    private struct Microphone: Encodable {
        var type = "voice_microphone"
        let open: Bool
    }

    private struct Key: Encodable {
        let type = "voice_key"
        let found = true
    }

    private struct Trouble: Encodable {
        var type = "voice_error"
        let what: String
        let message: String
    }

    /// Times are in milliseconds. The keys are those of docs/VOICE.md.
    private struct Statistics: Encodable {
        var type = "voice_stats"
        let ssrc: UInt32
        let name: String
        let delay: Double
        let target: Double
        let jitter: Double
        let lost: Double
        let recovered: Int
        let concealed: Double
        let late: Int
        let accelerated: Int
        let expanded: Int
        let behind: Int
        let level: Double
        let quality: String

        private enum CodingKeys: String, CodingKey {
            case type, ssrc, name, lost, recovered, late, accelerated, expanded, behind, quality
            case delay = "delay_ms"
            case target = "target_ms"
            case jitter = "jitter_ms"
            case concealed = "concealed_ms"
            case level = "level_db"
        }

        init(_ person: VoicePersonState) {
            let figures = person.figures
            (ssrc, name, quality) = (person.source, person.name, person.quality.rawValue)
            delay = Self.rounded(figures.delay)
            target = Self.rounded(figures.target)
            jitter = Self.rounded(person.jitter)
            lost = person.expected == 0 ? 0 : Double(person.lost) / Double(person.expected)
            recovered = figures.recovered
            concealed = Self.rounded(
                Double(figures.concealed) * 1_000 / Double(OpusPacket.clock))
            (late, accelerated, expanded) = (figures.late, figures.shortened, figures.lengthened)
            behind = figures.behind
            level = Self.rounded(person.level)
        }

        private static func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
    }
}
