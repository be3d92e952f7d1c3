import BeamscribeCore
import BeamscribeIO
import BeamscribeInput
import BeamscribeVoice

/// What one talker says, as captions: his voice goes to a command of his own, what that prints is said.
///
/// Once he has gone the command is given what is left, and then nothing more; it has a while for its last words.
///
/// Invariant: a timer is set for the sound that is due, and once he has gone for the end of the command.
final class TalkerCaptions {
    /// Says what was heard.
    var say: ([InputEvent]) -> Void = { _ in }
    /// What was said is to be given out.
    var giveOut: () -> Void = {}
    var tell: (VoiceCaptionNews) -> Void = { _ in }
    /// Told once he has gone, and his command, too.
    var gone: () -> Void = {}

    /// His name for people, safe to show.
    var name: String { lines.speaker }

    private let loop: any Loop
    private let sound: EvenSound
    private let input: HostInput
    private var lines: TalkerLines
    private var hasLeft = false
    private var isClosed = false
    /// Whether the command has ended for good.
    private var isOver = false
    /// Called once it has.
    private var waiting: [() -> Void] = []
    private var hasToldBehind = false
    @OwnedTimer private var feeding: LoopTimer?
    @OwnedTimer private var patience: LoopTimer?

    /// - Parameters:
    ///   - configuration: the host's.
    ///   - gate: what the operator lets through.
    init(
        _ lines: TalkerLines, by command: String, _ sound: EvenSound, gate: InputGate,
        of configuration: HostConfiguration, in surroundings: any Surroundings
    ) {
        (self.lines, self.sound, loop) = (lines, sound, surroundings.network.loop)
        var own = configuration
        (own.input, own.inputFormat, own.pace) = (.command(command), .auto, nil)
        own.endsWithInput = false
        input = HostInput(own, after: 0, isFed: true, in: surroundings)
        input.perform = { [unowned self] action, _ in perform(action) }
        input.tell = { [unowned self] in told(of: $0) }
        set(gate)
    }

    /// Starts the command. One that cannot be started is told of like one that has ended.
    func begin() { try? input.open() }

    private func perform(_ action: InputPipeline.Action) {
        switch action {
        case .say(let events): say(events.map { lines.own($0) })
        case .giveOut: giveOut()
        case .ended: finishSoon()
        // That nobody talks is no news, nor what becomes of the event.
        case .arrived, .form, .silent, .quiet, .stalled, .cameAgain, .lost, .gate, .tellEnded:
            return
        }
    }

    private func told(of recogniser: RecogniserNews) {
        switch recogniser {
        case .ended(let outcome, let words, let pause):
            tell(.ended(outcome, words: words, pause: pause, of: name))
        case .gaveUp(let outcome, let words): tell(.cannotRun(outcome, words: words))
        }
    }

    // MARK: His voice

    /// A packet of his came.
    func put(_ packet: RTPPacket, now: Duration) {
        feed(sound.put(packet, now: now))
        feedLater()
    }

    /// He has ended a talk.
    func endTalk(at timestamp: UInt32) { sound.endTalk(at: timestamp) }

    private func feedLater() {
        guard feeding == nil, let due = sound.nextDeadline, !isClosed else { return }
        feeding = loop.schedule(at: due) { [unowned self] in
            feeding = nil
            feed(sound.take(now: loop.uptime))
            feedLater()
        }
    }

    private func feed(_ samples: [UInt8]) {
        if !samples.isEmpty, input.feed(samples), !hasToldBehind {
            hasToldBehind = true
            tell(.behind(name))
        }
        if hasLeft, sound.nextDeadline == nil { input.endFeeding() }
    }

    // MARK: The operator

    /// The operator lets this through from now on.
    func set(_ gate: InputGate) {
        input.follow {
            switch gate {
            case .open: $0.resume(now: $1)
            case .paused: $0.pause(now: $1)
            case .offRecord: $0.goOffRecord(now: $1)
            }
        }
    }

    // MARK: His end

    /// He has gone.
    func leave() {
        hasLeft = true
        waitForLastWords()
        feed([])
    }

    /// What waits in a paused event is not to be lost.
    private func waitForLastWords() {
        patience = loop.schedule(after: Limits.lastWords) { [unowned self] in
            if input.gate == .paused { waitForLastWords() } else { finish() }
        }
    }

    /// The input, which tells of its end, is in the midst of a step.
    private func finishSoon() {
        patience = loop.schedule(after: .zero) { [unowned self] in finish() }
    }

    private func finish() { close { [self] in gone() } }

    /// Says what was begun, and ends the command.
    ///
    /// - Parameter gone: called once it has ended; soon, or at once.
    func close(_ gone: @escaping () -> Void) {
        guard !isOver else { return gone() }
        waiting.append(gone)
        guard !isClosed else { return }
        isClosed = true
        (feeding, patience) = (nil, nil)
        input.follow { $0.leave(now: $1) }
        input.close { [self] in
            isOver = true
            waiting.forEach { $0() }
            waiting = []
        }
    }
}
