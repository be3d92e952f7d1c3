import BeamscribeCore
import BeamscribeIO
import BeamscribeInput

/// A host's input: where it comes from, and its rules. What they say its owner does.
///
/// Invariant: the source rests while the rules do, and a timer is set for what they have due.
final class HostInput {
    /// Does what the rules say.
    var perform: (InputPipeline.Action, Moment) -> Void = { _, _ in }
    /// Told what becomes of the command that gives it, where one does.
    var tell: (RecogniserNews) -> Void = { _ in }
    /// Why nothing more can be read; nil where it can, or all was.
    private(set) var failure: SystemError?
    private let origin: HostConfiguration.Input
    /// A command that has done what it had to is not started again.
    private let endsWithInput: Bool
    private let isFed: Bool
    private let surroundings: any Surroundings
    private var rules: InputPipeline
    private var source: (any InputSource)?
    private var recogniser: Recogniser?
    @OwnedTimer private var timer: LoopTimer?
    /// When that fires.
    private var due: Duration?
    private var isClosed = false

    private var loop: any Loop { surroundings.network.loop }

    /// - Parameters:
    ///   - seq: the newest line of earlier runs.
    ///   - isFed: a command that gives it is given sound to listen to.
    init(
        _ configuration: HostConfiguration, after seq: Int, isFed: Bool = false,
        in surroundings: any Surroundings
    ) {
        origin = configuration.input
        self.isFed = isFed
        endsWithInput = configuration.endsWithInput
        rules = InputPipeline(configuration.pipeline(after: seq))
        self.surroundings = surroundings
    }

    /// Whether it has ended, with all that it brought.
    var isOver: Bool { rules.isOver }
    /// What gets out.
    var gate: InputGate { rules.gate }
    /// Typed lines that wait for the event to go on.
    var waitingLines: Int { rules.waitingLines }
    /// How long ago it brought something last; nil before the first, and once it has ended.
    func age(at now: Duration) -> Duration? { rules.age(at: now) }
    var hasSpoken: Bool { rules.hasSpoken }

    // MARK: Bytes

    /// Begins to read.
    func open() throws(SystemError) {
        switch origin {
        case .standardInput: try open(nil)
        case .file(let path): try open(path)
        case .command(let command): try run(command)
        case .typed: break
        }
        rules.begin(now: loop.now)
        follow([], loop.now)
    }

    private func open(_ path: String?) throws(SystemError) {
        source = try surroundings.openInput(path) { [unowned self] bytes in
            take(bytes)
        } ended: { [unowned self] failure in
            end(failure)
        }
    }

    private func run(_ command: String) throws(SystemError) {
        let recogniser = Recogniser(
            command, endsByItself: endsWithInput, isFed: isFed, in: surroundings)
        recogniser.take = { [unowned self] in take($0) }
        recogniser.ended = { [unowned self] in end(nil) }
        recogniser.tell = { [unowned self] news in
            if case .ended = news { follow { $0.beginAnew(now: $1) } }
            tell(news)
        }
        (self.recogniser, source) = (recogniser, recogniser)
        // Who listens to somebody is one of several, and the event goes on without.
        if isFed { recogniser.begin() } else { try recogniser.start() }
    }

    /// Gives the command sound to listen to; see ``Recogniser/feed(_:)``.
    func feed(_ samples: [UInt8]) -> Bool { recogniser?.feed(samples) ?? false }

    /// Gives it nothing more; the input ends with its last words.
    func endFeeding() { recogniser?.endInput() }

    /// Takes as much of what has come as a turn of the loop has time for.
    ///
    /// - Returns: how many bytes that is.
    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        var now = loop.now
        var slice = InputSlice(of: bytes, at: now.uptime)
        while let actions = rules.take(&slice, now: now) {
            actions.forEach { perform($0, now) }
            now = loop.now
        }
        follow([], now)
        return slice.taken
    }

    private func end(_ failure: SystemError?) {
        guard !isClosed else { return }
        (source, self.failure) = (nil, failure)
        follow { $0.end(now: $1) }
    }

    // MARK: Rules

    /// Has the rules say what follows from a step, and has it done.
    func follow(_ step: (inout InputPipeline, Moment) -> [InputPipeline.Action]) {
        let now = loop.now
        follow(step(&rules, now), now)
    }

    /// Takes a line that was typed.
    func type(_ text: String, speaker: String?) -> InputPipeline.Reception {
        let now = loop.now
        let (reception, actions) = rules.type(text, speaker: speaker, now: now)
        follow(actions, now)
        return reception
    }

    /// Whoever gets copies of the finals takes no more for now.
    func readerFellBehind() { rules.readerFellBehind() }

    func readerCaughtUp() {
        let now = loop.now
        rules.readerCaughtUp(now: now)
        follow([], now)
    }

    private func follow(_ actions: [InputPipeline.Action], _ now: Moment) {
        actions.forEach { perform($0, now) }
        assert(rules.brokenInvariant == nil, rules.brokenInvariant ?? "")
        source?.isPaused = rules.isResting
        arm()
    }

    /// One that fires too early, because something else has come meanwhile, does no harm.
    private func arm() {
        guard !isClosed, let next = rules.nextDeadline, next < due ?? next + .seconds(1)
        else { return }
        due = next
        timer = loop.schedule(at: next) { [unowned self] in
            due = nil
            follow { $0.tick(now: $1) }
        }
    }

    /// Nothing is read any more, nor falls due.
    ///
    /// - Parameter gone: called when the command that gave it has gone.
    func close(_ gone: @escaping () -> Void = {}) {
        isClosed = true
        rules.close()
        (source, timer) = (nil, nil)
        if let recogniser { recogniser.stop(gone) } else { gone() }
    }
}
