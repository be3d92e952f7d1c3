import BeamscribeCore
import BeamscribeIO
import BeamscribeInput
import BeamscribeVoice

/// What one talker says, as captions: his voice goes to a command of his own, what that prints is said.
///
/// While the event is paused what the command prints waits here: it hears him on, and what it could not write would keep it
/// from that. Off the record it hears nothing: however long it takes for its words, none of them are of what was said then.
///
/// Once he has gone the command is given what is left, and then nothing more; it has a while for its last words.
///
/// Invariant: a timer is set for the sound that is due, and once he has gone for the end of the command; words wait in a
/// paused event alone.
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
    private var gate: InputGate
    private var words = WaitingWords()
    private var hasLeft = false
    private var isClosed = false
    /// Whether the command has ended for good.
    private var isOver = false
    /// Called once it has.
    private var waiting: [() -> Void] = []
    /// Called once its last words are said; nil while nobody waits for that.
    private var said: (() -> Void)?
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
        self.gate = gate
        var own = configuration
        (own.input, own.inputFormat, own.pace) = (.command(command), .auto, nil)
        own.endsWithInput = false
        input = HostInput(own, after: 0, isFed: true, in: surroundings)
        input.perform = { [unowned self] action, _ in perform(action) }
        input.tell = { [unowned self] in told(of: $0) }
        if gate == .offRecord { input.follow { $0.goOffRecord(now: $1) } }
    }

    /// Starts the command. One that cannot be started is told of like one that has ended.
    func begin() { try? input.open() }

    private func perform(_ action: InputPipeline.Action) {
        switch action {
        case .say(let events): take(events.map { lines.own($0) })
        case .giveOut: giveOut()
        case .ended: finishSoon()
        // That nobody talks is no news, nor what becomes of the event.
        case .arrived, .form, .silent, .quiet, .stalled, .cameAgain, .lost, .gate, .tellEnded:
            return
        }
    }

    private func take(_ events: [InputEvent]) {
        guard gate == .paused else { return say(events) }
        words.add(events)
        if words.areFull { input.follow { $0.pause(now: $1) } }
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
        guard gate != .offRecord else { return }
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
        self.gate = gate
        let waited = words.take()
        switch gate {
        case .open:
            if !waited.isEmpty {
                say(waited)
                giveOut()
            }
            input.follow { $0.resume(now: $1) }
        case .paused: break
        case .offRecord: input.follow { $0.goOffRecord(now: $1) }
        }
        // What was kept from reading on has its while from now on.
        if hasLeft, gate != .paused { waitForLastWords() }
    }

    // MARK: His end

    /// He has gone.
    func leave() {
        hasLeft = true
        waitForLastWords()
        feed([])
    }

    private func waitForLastWords() {
        guard !isClosed else { return }
        let time = input.isOver ? .zero : Limits.lastWords
        patience = loop.schedule(after: time) { [unowned self] in finish() }
    }

    /// The input, which tells of its end, is in the midst of a step.
    private func finishSoon() {
        patience = loop.schedule(after: .zero) { [unowned self] in finish() }
    }

    /// What waits in a paused event is not to be lost: it goes on with ``set(_:)``.
    private func finish() {
        if gate == .paused { return patience = nil }
        close { [self] in gone() }
    }

    /// The event is over: nothing more is heard of him, and the command has its while for its last words. What waits in a
    /// paused event is not said any more.
    ///
    /// - Parameters:
    ///   - said: called once they are said; soon, or at once.
    ///   - gone: called once the command has ended.
    func finish(said: @escaping () -> Void, gone: @escaping () -> Void) {
        guard !isClosed else {
            said()
            return close(gone)
        }
        (self.said, waiting) = (said, waiting + [gone])
        if gate == .paused { return close {} }
        if !hasLeft { leave() }
        if !isClosed { tell(.finishing(name)) }
    }

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
        words = WaitingWords()
        said.take()?()
        input.close { [self] in
            isOver = true
            waiting.forEach { $0() }
            waiting = []
        }
    }
}
