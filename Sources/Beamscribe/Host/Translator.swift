import BeamscribeCore
public import BeamscribeIO

/// What becomes of the command that translates an event.
public enum TranslationNews: Sendable, Equatable {
    /// It has ended, with these last words on standard error, and is started again after a pause.
    case ended(ShellCommand.Outcome, words: [String], pause: Duration)
    /// It has never run, and would not.
    case gaveUp(ShellCommand.Outcome, words: [String])
    /// It was asked for a line and has not answered for this long; it is started again.
    case silent(Duration)
    /// This line is left without a translation.
    case left(line: Int)
    /// It prints more lines than it is given.
    case unasked
    /// What it answers now was said so long ago.
    case behind(Duration)
    /// It keeps up with what is said again.
    case caughtUp
    /// The event is at its end, and waits for the translation of so many lines.
    case finishing(lines: Int)
    /// So many lines are left without a translation.
    case unfinished(lines: Int)
}

/// A translation of an event's lines: asks a command of the user's for one line after another, and
/// has its answers said.
///
/// What is to be translated is read from the log, which is the queue. The command is asked for a
/// line when it has answered the one before: so an answer belongs to its line, and what it prints
/// beside that, a greeting say, to none.
///
/// Invariant: the command is asked for at most one line, while a time is set for its answer.
final class Translator {
    /// Says a line; nil where it could not be said.
    var say: (Caption) -> Int? = { _ in nil }
    var tell: (TranslationNews) -> Void = { _ in }

    private struct Question {
        let task: TranslatedLines.Task
        /// How often it was asked.
        var count = 0
    }

    private let command: String
    private let log: EventLog
    private let surroundings: any Surroundings
    private var lines: TranslatedLines
    private var rules = RestartRules()
    private var running: (any RunningInput)?
    private var question: Question?
    private var answer: [UInt8] = []
    /// Whether what runs has answered before.
    private var hasAnswered = false
    private var isBehind = false
    /// Whether an answer is being said, and is not noted yet.
    private var isSaying = false
    private var hasToldOfUnasked = false
    /// It is not started again.
    private var isOver = false
    /// Called once all is translated, or cannot be; nil while nobody waits for that.
    private var finished: (() -> Void)?
    @OwnedTimer private var patience: LoopTimer?
    @OwnedTimer private var next: LoopTimer?

    private var loop: any Loop { surroundings.network.loop }

    /// Goes on behind what there is of this translation, or where `log` ends.
    ///
    /// - Parameter own: the log that the translation is said in; nil for `log` itself.
    init(
        _ translation: HostConfiguration.Translation, of log: EventLog, saidIn own: EventLog?,
        in surroundings: any Surroundings
    ) {
        command = translation.command
        self.log = log
        self.surroundings = surroundings
        lines = TranslatedLines(into: translation.language, of: log, saidIn: own)
    }

    // MARK: The command

    /// Starts it. What cannot be started now is tried again like what has ended.
    func start() {
        guard !isOver else { return }
        rules.begin(at: loop.uptime)
        (answer, hasAnswered) = ([], false)
        do throws(SystemError) {
            running = try surroundings.run(command, isAsked: true) { [weak self] bytes in
                self?.take(bytes)
                return bytes.count
            } ended: { [weak self] in
                self?.end($0, $1)
            }
        } catch {
            return end(.cannotStart(error), [])
        }
        if question != nil { ask() } else { look() }
    }

    private func end(_ outcome: ShellCommand.Outcome, _ words: [String]) {
        (running, patience) = (nil, nil)
        guard !isOver else { return }
        // A line that the command has ended at twice is why.
        if let question, question.count > 1 { leave(question.task) }
        switch rules.end(outcome, endsByItself: false, at: loop.uptime) {
        case .again(let pause):
            next = loop.schedule(after: pause) { [unowned self] in start() }
            if outcome != .timedOut { tell(.ended(outcome, words: words, pause: pause)) }
        case .cannotRun, .isDone:
            isOver = true
            tell(.gaveUp(outcome, words: words))
        }
        finishIfDone()
    }

    private func leave(_ task: TranslatedLines.Task) {
        question = nil
        tell(.left(line: task.seq))
        perform(lines.caption("", for: task))
    }

    // MARK: Questions and answers

    /// There may be lines to be translated.
    func look() {
        guard !isSaying else { return }
        while !isOver, question == nil, running != nil, let step = lines.step(in: log) {
            perform(step)
        }
        finishIfDone()
    }

    private func perform(_ step: TranslatedLines.Step?) {
        switch step {
        case .translate(let task):
            question = Question(task: task)
            ask()
        case .say(let caption, let task):
            isSaying = true
            if let seq = say(caption) { lines.said(task, as: seq) }
            isSaying = false
        case nil: break
        }
    }

    private func ask() {
        question?.count += 1
        let words = (question?.task.text ?? "").utf8.map { $0 == 0x0A ? 0x20 : $0 }
        // What has just been started may have a model to load.
        let time = hasAnswered ? Limits.translationPatience : Limits.translationBeginning
        patience = loop.schedule(after: time) { [unowned self] in isSilent(for: time) }
        running?.ask(words + [0x0A])
    }

    private func isSilent(for time: Duration) {
        guard let stuck = running, let task = question?.task else { return }
        running = nil
        tell(.silent(time))
        leave(task)
        stuck.stop { [weak self] in self?.end(.timedOut, []) }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        for byte in bytes {
            if byte == 0x0A {
                let words = answer.drop { $0 == 0x20 }
                answer = []
                hear(
                    SafeText.label(
                        String(decoding: words, as: UTF8.self), bytes: Limits.lineBytes))
            } else if byte != 0x0D, answer.count < Limits.lineBytes {
                answer.append(byte)
            }
        }
    }

    private func hear(_ text: String) {
        guard let task = question?.task else {
            if hasAnswered, !hasToldOfUnasked { tell(.unasked) }
            return hasToldOfUnasked = hasToldOfUnasked || hasAnswered
        }
        (question, patience, hasAnswered) = (nil, nil, true)
        note(delayOf: task)
        perform(lines.caption(text, for: task))
        look()
    }

    private func note(delayOf task: TranslatedLines.Task) {
        let delay = Duration.seconds(
            saturating: max(0, min(loop.now.wall - task.time, Limits.seconds)))
        if !isBehind, delay > Limits.translationDelay {
            isBehind = true
            tell(.behind(delay))
        } else if isBehind, delay < Limits.translationDelay / 2 {
            isBehind = false
            tell(.caughtUp)
        }
    }

    // MARK: The end

    /// Lines that have no translation yet.
    private var left: Int { lines.waiting(in: log) + (question == nil ? 0 : 1) }

    /// Nothing more is said that is to be translated.
    ///
    /// - Parameter finished: called once all of it is, or it turns out that it cannot be; at once, or later.
    func finish(_ finished: @escaping () -> Void) {
        self.finished = finished
        look()
        if self.finished != nil, left > 0 { tell(.finishing(lines: left)) }
    }

    /// Nobody waits for a command that is not there.
    private func finishIfDone() {
        guard let finished, running == nil || question == nil else { return }
        if left > 0 { tell(.unfinished(lines: left)) }
        self.finished = nil
        finished()
    }

    /// Ends the command; nothing is translated any more. Who waits for that waits no longer.
    ///
    /// - Parameter gone: called once the command has ended.
    func close(_ gone: @escaping () -> Void) {
        isOver = true
        if finished != nil, left > 0 { tell(.unfinished(lines: left)) }
        (next, patience, question) = (nil, nil, nil)
        if let finished = finished.take() { finished() }
        guard let running = running.take() else { return gone() }
        running.stop(gone)
    }
}
