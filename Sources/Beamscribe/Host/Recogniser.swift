import BeamscribeCore
public import BeamscribeIO
import BeamscribeVoice

/// What becomes of the command that gives a host its input.
public enum RecogniserNews: Sendable, Equatable {
    /// It has ended, with these last words on standard error, and is started again after a pause.
    case ended(ShellCommand.Outcome, words: [String], pause: Duration)
    /// It has never run, and would not: the host stops.
    case gaveUp(ShellCommand.Outcome, words: [String])
}

/// The command that gives a host its input: started again whenever it ends. Some are given sound to listen to.
///
/// Invariant: from the start on it runs, or a time is set for its next start, until it has ended for
/// good.
final class Recogniser: InputSource {
    /// Gets what it prints; as that of ``ByteSource``.
    var take: (UnsafeRawBufferPointer) -> Int = { $0.count }
    /// Told when it has ended and is not started again, for it has done what it had to.
    var ended: () -> Void = {}
    var tell: (RecogniserNews) -> Void = { _ in }

    private let command: String
    private let endsByItself: Bool
    private let isFed: Bool
    /// It is given nothing more, and not started again.
    private var hasAllInput = false
    private let surroundings: any Surroundings
    private var rules = RestartRules()
    private var running: (any RunningInput)?
    @OwnedTimer private var next: LoopTimer?

    private var loop: any Loop { surroundings.network.loop }

    /// Whether reading rests; also what is started meanwhile.
    var isPaused = false {
        didSet { running?.isPaused = isPaused }
    }

    /// - Parameters:
    ///   - endsByItself: it is not started again when it has ended well.
    ///   - isFed: it reads what ``feed(_:)`` gives.
    init(
        _ command: String, endsByItself: Bool, isFed: Bool = false,
        in surroundings: any Surroundings
    ) {
        (self.command, self.endsByItself, self.isFed) = (command, endsByItself, isFed)
        self.surroundings = surroundings
    }

    /// Gives it sound to listen to, as samples of two bytes; nobody listens while it does not run.
    ///
    /// - Returns: whether older sound had to be left out, as it does not keep up.
    func feed(_ samples: [UInt8]) -> Bool {
        running?.feed(samples: samples, keeping: Limits.captionedSound) ?? false
    }

    /// It is given nothing more: once it has had its last words, it has ended.
    func endInput() {
        guard !hasAllInput else { return }
        (hasAllInput, next) = (true, nil)
        if let running { running.endInput() } else { ended() }
    }

    /// Starts it for the first time.
    func start() throws(SystemError) {
        rules.begin(at: loop.uptime)
        let started = try surroundings.run(command, isAsked: isFed) { [weak self] bytes in
            self?.take(bytes) ?? bytes.count
        } ended: { [weak self] in
            self?.end($0, $1)
        }
        if isPaused { started.isPaused = true }
        running = started
    }

    /// Starts it, or tries again after a while.
    func begin() {
        do throws(SystemError) {
            try start()
        } catch {
            end(.cannotStart(error), [])
        }
    }

    private func end(_ outcome: ShellCommand.Outcome, _ words: [String]) {
        running = nil
        guard !hasAllInput else { return ended() }
        switch rules.end(outcome, endsByItself: endsByItself, at: loop.uptime) {
        case .isDone: ended()
        case .cannotRun: tell(.gaveUp(outcome, words: words))
        case .again(let pause):
            next = loop.schedule(after: pause) { [unowned self] in begin() }
            tell(.ended(outcome, words: words, pause: pause))
        }
    }

    /// Ends it for good; `gone` is called once it has.
    func stop(_ gone: @escaping () -> Void) {
        next = nil
        if let running { running.stop(gone) } else { gone() }
    }
}
