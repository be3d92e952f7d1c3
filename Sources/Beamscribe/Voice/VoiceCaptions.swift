import BeamscribeCore
public import BeamscribeIO
import BeamscribeInput
import BeamscribeVoice

/// What becomes of the captions of what is said.
public enum VoiceCaptionNews: Sendable, Equatable {
    /// A command listens to somebody.
    case began(String)
    /// As many are listened to as may be: what this one says becomes no captions.
    case full(String)
    /// The command that listens to somebody has ended, with these last words on standard error, and is started again after a
    /// pause.
    case ended(ShellCommand.Outcome, words: [String], pause: Duration, of: String)
    /// The command has never run, and would not: nothing that is said there becomes captions.
    case cannotRun(ShellCommand.Outcome, words: [String])
    /// The command is slower than this one talks, and has missed something. Told once of each.
    case behind(String)
    /// The event is at its end, and waits for the last words of the command that listens to this one.
    case finishing(String)
}

/// The captions of what is said on channels: a command for each talker, from his first word until he has gone.
///
/// Invariant: at most ``Limits/captionedTalkers`` talk into a command, and at most ``Limits/listeningPrograms`` run.
final class VoiceCaptions {
    /// Says what was heard of somebody.
    var say: ([InputEvent], _ speaker: String) -> Void = { _, _ in }
    /// What was said is to be given out.
    var giveOut: () -> Void = {}
    /// Told what becomes of a channel's commands.
    var tell: (_ channel: String, VoiceCaptionNews) -> Void = { _, _ in }
    /// Tells a talker himself whether what he says becomes captions.
    var inform: (ConnectionID, VoiceCaptioned) -> Void = { _, _ in }

    private let configuration: HostConfiguration
    private let commands: [String: String]
    private let run: Int
    private let surroundings: any Surroundings
    private var gate = InputGate.open
    private var talkers: [ConnectionID: TalkerCaptions] = [:]
    /// Those who have gone, whose commands have not.
    private var leaving: [ObjectIdentifier: TalkerCaptions] = [:]
    /// Those who are not listened to, and of whom that was told.
    private var unheard: Set<ConnectionID> = []
    /// Channels whose command cannot be run.
    private var hopeless: Set<String> = []
    private var count = 0
    private var isClosed = false

    /// - Parameter run: of the event.
    init(_ configuration: HostConfiguration, run: Int, in surroundings: any Surroundings) {
        (self.configuration, self.run) = (configuration, run)
        self.surroundings = surroundings
        let entries = configuration.voices?.captions.map { ($0.channel, $0.command) } ?? []
        commands = Dictionary(entries) { first, _ in first }
    }

    /// Something was heard.
    func hear(_ voice: HeardVoice<ConnectionID>) {
        guard !isClosed else { return }
        switch voice {
        case .packet(let bytes, let id, let name, let channel, let now):
            guard let packet = try? bytes.withUnsafeBytes({ try RTPPacket(parsing: $0) }),
                let talker = talkers[id] ?? admit(id, called: name, on: channel)
            else { return }
            talker.put(packet, now: now)
        case .talkEnded(let id, let timestamp): talkers[id]?.endTalk(at: timestamp)
        case .gone(let id): part(id)
        }
    }

    private func admit(
        _ id: ConnectionID, called name: String, on channel: String
    ) -> TalkerCaptions? {
        guard !hopeless.contains(channel), let command = commands[channel] else { return nil }
        let name = SafeText.name(name, bytes: Limits.labelBytes)
        guard talkers.count < Limits.captionedTalkers,
            talkers.count + leaving.count < Limits.listeningPrograms,
            let decoder = VoiceLibraries.decoder(),
            let resampler = VoiceLibraries.resampler(
                from: OpusPacket.clock, to: Limits.captionedRate)
        else {
            if unheard.insert(id).inserted {
                tell(channel, .full(name))
                inform(id, VoiceCaptioned(not: .full))
            }
            return nil
        }
        unheard.remove(id)
        count += 1
        let talker = TalkerCaptions(
            TalkerLines(of: name, run: run, number: count), by: command,
            EvenSound(decoder: decoder, resampler: resampler), gate: gate, of: configuration,
            in: surroundings)
        talkers[id] = talker
        connect(talker, id, on: channel)
        tell(channel, .began(name))
        inform(id, VoiceCaptioned())
        talker.begin()
        return talkers[id]
    }

    private func connect(_ talker: TalkerCaptions, _ id: ConnectionID, on channel: String) {
        let key = ObjectIdentifier(talker)
        talker.say = { [unowned self, unowned talker] in say($0, talker.name) }
        talker.giveOut = { [unowned self] in giveOut() }
        talker.tell = { [unowned self] news in
            guard case .cannotRun = news else { return tell(channel, news) }
            if hopeless.insert(channel).inserted { tell(channel, news) }
            inform(id, VoiceCaptioned(not: .off))
            part(id)
        }
        talker.gone = { [unowned self] in leaving[key] = nil }
    }

    private func part(_ id: ConnectionID) {
        unheard.remove(id)
        guard let talker = talkers.removeValue(forKey: id) else { return }
        leaving[ObjectIdentifier(talker)] = talker
        talker.leave()
    }

    /// The operator lets this through from now on.
    func set(_ gate: InputGate) {
        self.gate = gate
        all.forEach { $0.set(gate) }
    }

    private var all: [TalkerCaptions] { Array(talkers.values) + Array(leaving.values) }

    /// The event is over: nothing more is heard, and the commands have a while for their last words.
    ///
    /// - Parameters:
    ///   - said: called once these are said; soon, or at once.
    ///   - gone: called once all commands have ended.
    func finish(said: @escaping () -> Void, gone: @escaping () -> Void) {
        isClosed = true
        let all = all
        let (words, commands) = (
            Countdown(all.count, then: said), Countdown(all.count, then: gone)
        )
        all.forEach { $0.finish(said: { words.next() }, gone: { commands.next() }) }
    }

    /// Says what was begun, and ends all commands.
    ///
    /// - Parameter gone: called once they have ended; soon, or at once.
    func close(_ gone: @escaping () -> Void) {
        isClosed = true
        let all = all
        let commands = Countdown(all.count, then: gone)
        all.forEach { $0.close { commands.next() } }
    }
}
