import BeamscribeCore
import BeamscribeIO
import BeamscribeInput
import BeamscribeVoice

/// The captions of an event: says what its input brings and what its operator wants said, and tells
/// the operator what becomes of the input.
///
/// Invariant: nothing but translations, and what was heard before, is said once this is closed, and what an operator has said is given out in the
/// same step; for what the input brings its rules say when.
final class HostCaptions {
    /// Stores what was said, and sends it to everybody.
    var giveOut: () -> Void = {}
    /// Told of a typed line that begins as a command does. Never called from within what brings it.
    var command: (String) -> Void = { _ in }
    /// Told that the input has brought something, before that is said.
    var arrived: () -> Void = {}
    /// Told that the input brings nothing any more.
    var ended: () -> Void = {}
    /// Told that the command that was to give the input cannot.
    var gaveUp: () -> Void = {}
    /// Tells a talker himself whether what he says becomes captions.
    var inform: (ConnectionID, VoiceCaptioned) -> Void = { _, _ in }
    private let log: EventLog
    private let publisher: Publisher
    private let sides: SideLogs
    private let input: HostInput
    private let translators: [Translator]
    private let voices: VoiceCaptions?
    private let news: EventBuffer<HostNews>
    /// Nil where nobody wants copies.
    private let copies: EventBuffer<Caption>?
    private let loop: any Loop
    private var glossary: Glossary
    /// Whether it is this host's turn to caption.
    private var turn: AirFilter
    /// Who captions instead, for guests; nil where nobody does, or they are not told yet.
    private var others: String?
    /// Called once the last line of a turn is said.
    private var turnIsOver: (() -> Void)?
    @OwnedTimer private var lastLine: LoopTimer?
    private let isTyped: Bool
    /// Whether lines of the input may be commands.
    private let takesCommands: Bool
    /// Whether what is said here may be the translation of another log's lines.
    private let translates: Bool
    private var isClosed = false

    /// - Parameter sides: the logs that translations are said in, and what is said by who talks, where these do not go
    ///   among the other lines.
    init(
        _ configuration: HostConfiguration, into log: EventLog, _ sides: SideLogs,
        telling news: EventBuffer<HostNews>, copying finals: EventBuffer<Caption>,
        in surroundings: any Surroundings
    ) {
        (self.log, self.sides, self.news) = (log, sides, news)
        copies = configuration.copiesFinals ? finals : nil
        loop = surroundings.network.loop
        glossary = configuration.glossary ?? Glossary()
        turn = AirFilter(isOn: !configuration.beginsOffAir)
        isTyped = configuration.input == .typed
        takesCommands = configuration.mesh != nil && configuration.isTypedLineByLine
        translates = configuration.contribution?.of != nil
        publisher = Publisher(into: log, masking: configuration.wordMask)
        input = HostInput(configuration, after: log.lastSeq, in: surroundings)
        let logs =
            sides.translations.map(Optional.some) + configuration.translations.map { _ in nil }
        translators = zip(configuration.translations, logs).map {
            Translator($0, of: log, saidIn: $1?.log, in: surroundings)
        }
        let isListening = configuration.voices.map { !$0.captions.isEmpty } ?? false
        voices =
            isListening
            ? VoiceCaptions(configuration, run: log.runs.current, in: surroundings) : nil
        input.perform = { [unowned self] in perform($0, $1) }
        input.tell = { [unowned self] in tell($0) }
        for ((translator, translation), own) in zip(
            zip(translators, configuration.translations), logs)
        {
            translator.say = { [unowned self] in say(translation: $0, in: own) }
            translator.tell = { news.push([.translation(into: translation.language, $0)]) }
        }
        connectVoices()
    }

    private func connectVoices() {
        voices?.say = { [unowned self] in say(heard: $0, of: $1) }
        voices?.giveOut = { [unowned self] in spread() }
        voices?.inform = { [unowned self] in inform($0, $1) }
        voices?.tell = { [unowned self] in
            if case .began(let name) = $1 { openLog(of: name) }
            // Whoever may talk can make any number of them.
            news.offer([.voiceCaptions(channel: $0, $1)])
        }
    }

    /// Begins to read the input.
    func open() throws(SystemError) {
        try input.open()
        translators.forEach { $0.start() }
    }

    /// Says what was begun and what was typed. Nothing is read or translated any more.
    ///
    /// - Parameter gone: called when the programs are gone, too, that were started for that; soon,
    ///   or at once.
    func close(_ gone: @escaping () -> Void = {}) {
        let others = Countdown(translators.count + 2, then: gone)
        closeVoices { others.next() }
        closeInput { others.next() }
        for translator in translators { translator.close { others.next() } }
    }

    /// The same, but those who listen to talkers have a while for their last words, and what was said is translated first.
    ///
    /// - Parameter translated: called when it is, or cannot be; soon, or at once.
    func finish(translated: @escaping () -> Void, gone: @escaping () -> Void) {
        let programs = Countdown(translators.count + 2, then: gone)
        closeInput { programs.next() }
        finishVoices { [self] in
            let translations = Countdown(translators.count, then: translated)
            for translator in translators {
                translator.finish {
                    translations.next()
                    translator.close { programs.next() }
                }
            }
        } gone: {
            programs.next()
        }
    }

    /// Waits for no last words and no translation any more.
    func hurry() {
        voices?.close {}
        for translator in translators { translator.close {} }
    }

    private func finishVoices(said: @escaping () -> Void, gone: @escaping () -> Void) {
        guard let voices else {
            said()
            return gone()
        }
        voices.finish(said: said, gone: gone)
    }

    private func closeVoices(_ gone: @escaping () -> Void) {
        if let voices { voices.close(gone) } else { gone() }
    }

    private func closeInput(_ gone: @escaping () -> Void) {
        input.follow { $0.leave(now: $1) }
        isClosed = true
        input.close(gone)
    }

    /// Whether the input has ended, with all that it brought.
    var isOver: Bool { input.isOver }

    /// What says lines in the event: in its main log, and in those of who talks.
    private var publishers: [Publisher] { [publisher] + sides.ofTalkers.map(\.publisher) }

    /// How many lines there are, as readers count them: corrections go with what they correct.
    var saidLines: Int { publishers.reduce(0) { $0 + $1.saidLines } }

    /// What says lines in a log: that of one who talks, by its id, or for nil the main one.
    private func publisher(of log: String?) -> Publisher? {
        guard let log else { return publisher }
        return sides.ofTalkers.first { $0.log.session.wireName == log }?.publisher
    }

    /// How readers have line `seq` now; nil where that is not known.
    ///
    /// - Parameter log: that of one who talks, by its id; nil for the main one.
    func wording(of seq: Int, in log: String? = nil) -> String? {
        publisher(of: log)?.wording(of: seq)
    }

    /// How long ago the input brought something last; nil before the start, and once it has ended.
    func inputAge(at now: Duration) -> Duration? { input.age(at: now) }

    /// What gets out.
    var gate: InputGate { input.gate }

    /// How the event stands, as far as that is said here.
    func view(with counts: GuestCounts, now: Moment) -> HostView {
        let publishers = publishers
        var view = HostView(
            lines: newestLines, open: publishers.flatMap(\.recent.open),
            lineCount: saidLines, counts: counts, gate: input.gate)
        view.lastSeq = newestLog.lastSeq
        view.isOnAir = turn.isOn
        view.inputAge = input.hasSpoken ? input.age(at: now.uptime) : nil
        view.isInputOver = input.isOver
        view.linesPerMinute = publishers.reduce(0) {
            $0 + $1.throughput.linesPerMinute(at: now.uptime)
        }
        view.wordsPerMinute = publishers.reduce(0) {
            $0 + $1.throughput.wordsPerMinute(at: now.uptime)
        }
        view.waitingLines = input.waitingLines
        return view
    }

    /// The newest lines of all logs, in the event's order.
    private var newestLines: [RecentLines.Line] {
        guard !sides.ofTalkers.isEmpty else { return Array(publisher.recent.newest) }
        let ofTalkers = sides.ofTalkers.flatMap { side in
            side.publisher.recent.newest.map { $0.inLog(side.log.session.wireName) }
        }
        return (publisher.recent.newest + ofTalkers).sorted { $0.at < $1.at }
            .suffix(Limits.recentLines)
    }

    /// The log in which something was said last; the main one before anything was.
    private var newestLog: EventLog { newestSide?.log ?? log }

    /// That log, where it is none but the main one.
    private var newestSide: SideLog? {
        let newest = sides.ofTalkers.max { $0.log.lastPlace < $1.log.lastPlace }
        return newest.flatMap { $0.log.lastPlace > log.lastPlace ? $0 : nil }
    }

    // MARK: Input

    private func perform(_ action: InputPipeline.Action, _ now: Moment) {
        switch action {
        case .say(let events): say(turn.pass(events, now: now.uptime), by: publisher, now)
        case .giveOut: spread()
        case .arrived:
            log.inputArrived(now: now)
            arrived()
        case .form(let format): news.push([.inputFormat(format)])
        case .silent(let time): news.push([.inputSilent(time)])
        case .quiet(let time): news.push([.inputQuiet(time)])
        case .stalled(let time):
            news.push([.inputStalled(time)])
            let message =
                "Nothing has come in for a long time: the recogniser or the microphone may have "
                + "stopped."
            tellOnAir(.inputStalled, message, now)
        case .lost:
            tellOnAir(.inputStalled, "The recogniser has ended, and is started again.", now)
        case .cameAgain:
            news.push([.inputResumed])
            tellOnAir(.resumed, "Captions come in again.", now)
        case .gate(let gate):
            for publisher in publishers { publisher.set(gate, now: now) }
            spread()
            voices?.set(gate)
            if gate == .open, let others { log.tell(.offAir, others, now: now) }
            news.push([.gate(gate)])
        case .ended:
            if let failure = input.failure { news.push([.inputFailed(failure)]) }
            news.push([.inputEnded(lines: saidLines)])
            ended()
        case .tellEnded:
            // Where people talk there may be more.
            guard !isClosed, voices == nil else { return }
            tellEnded(now)
        }
    }

    private func tellEnded(_ now: Moment) {
        tellOnAir(.inputEnded, "The input has ended; there may be no more captions.", now)
    }

    /// While others caption, guests need not know what becomes of this input.
    private func tellOnAir(_ kind: Alert.Kind, _ message: String, _ now: Moment) {
        if turn.isOn { log.tell(kind, message, now: now) }
    }

    private func tell(_ recogniser: RecogniserNews) {
        news.push([.recogniser(recogniser)])
        if case .gaveUp = recogniser { gaveUp() }
    }

    private func say(_ events: [InputEvent], by publisher: Publisher, _ now: Moment) {
        var said: [Caption] = []
        for event in events {
            switch event {
            case .final(let typed) where takesCommands && Whisper.isMeant(typed.text):
                loop.schedule(after: .zero) { [weak self] in self?.command(typed.text) }
            case .partial(let typed) where takesCommands && Whisper.isMeant(typed.text): break
            case .final(let heard):
                let caption = meant(heard)
                publisher.publish(final: caption, now: now)
                if copies != nil { said.append(caption) }
            case .correction(let heard):
                let caption = meant(heard)
                publisher.publish(correction: caption, now: now)
                if copies != nil { said.append(caption) }
            case .partial(let caption):
                publisher.publish(partial: caption.mended(by: glossary), now: now)
            // Bad input can be long, and whoever reads the warnings may be slow.
            case .warning(let text): news.offer([.inputWarning(text)])
            }
        }
        copy(said)
        endTurnIfDone()
    }

    /// What an input calls a translation is one where that is what is said here: what was copied from another
    /// event has the numbers of that.
    private func meant(_ heard: Caption) -> Caption {
        var caption = heard.mended(by: glossary)
        if takesCommands { caption.text = Whisper.unescaped(caption.text) }
        if !translates { caption.of = nil }
        return caption
    }

    private func copy(_ captions: [Caption]) {
        if copies?.push(captions) == false { input.readerFellBehind() }
    }

    /// Whoever gets copies of the finals takes more again.
    func readerCaughtUp() { input.readerCaughtUp() }

    // MARK: Voices

    /// Something was heard on a channel that is captioned.
    func hear(_ voice: HeardVoice<ConnectionID>) { voices?.hear(voice) }

    /// Somebody is listened to.
    private func openLog(of talker: String) {
        guard let side = sides.open(for: talker) else { return }
        side.publisher.set(publisher.gate, now: loop.now)
    }

    private func say(heard events: [InputEvent], of talker: String) {
        let (now, side) = (loop.now, sides.log(of: talker))
        log.inputArrived(now: now)
        side?.log.inputArrived(now: now)
        if turn.isOn { say(events, by: side?.publisher ?? publisher, now) }
    }

    // MARK: Whose turn it is

    /// Whether there is anything to caption with.
    var inputLives: Bool {
        guard !isClosed, let age = input.age(at: loop.uptime) else { return false }
        return isTyped || age < Limits.airInput
    }

    /// Others are off the record: what is heard here is not meant for anybody, nor is a line that was
    /// begun meanwhile.
    func forgetHeard() { turn.forget(until: loop.uptime + Limits.airPatience) }

    /// Captions are said from now on.
    ///
    /// - Parameter lastWord: see ``AirFilter/begin(after:)``.
    func goOnAir(after lastWord: Duration?) {
        (others, turnIsOver, lastLine) = (nil, nil, nil)
        say(turn.begin(after: lastWord), by: publisher, loop.now)
        publisher.tellGate(now: loop.now)
        if isOver, publisher.gate == .open, voices == nil { tellEnded(loop.now) }
    }

    /// Whether it is this host's turn to caption.
    var isOnAir: Bool { turn.isOn }
    /// Whether it is another's, and the last line of the turn is said.
    var isOffAir: Bool { turn.isOff }

    /// Another captions, once the line is said that is open.
    ///
    /// - Parameter isOver: called once that is so.
    func goOffAir(to other: AirClaim, isOver: @escaping () -> Void) {
        turn.end(now: loop.uptime)
        turnIsOver = { [unowned self] in
            tellOffAir("\"\(other.label)\" on \(other.deviceName) captions from now on.")
            isOver()
        }
        endTurnIfDone()
        guard let due = turn.nextDeadline else { return }
        lastLine = loop.schedule(at: due) { [unowned self] in
            say(turn.tick(now: loop.uptime), by: publisher, loop.now)
            spread()
        }
    }

    /// Guests of this log alone are to know why nothing more comes in it.
    func tellOffAir(_ message: String) {
        others = message
        log.tell(.offAir, message, now: loop.now)
    }

    private func endTurnIfDone() {
        guard turn.isOff, let turnIsOver = turnIsOver.take() else { return }
        lastLine = nil
        turnIsOver()
    }

    // MARK: What an operator does

    /// Has the rules of the input say what follows from a step, and does it.
    func follow(_ step: (inout InputPipeline, Moment) -> [InputPipeline.Action]) {
        input.follow(step)
    }

    func type(_ text: String, speaker: String?) -> TypedOutcome {
        guard turn.isOn else { return .offAir }
        return switch input.type(text, speaker: speaker) {
        case .said: .sent(log.lastSeq)
        case .waits: .waits
        case .offRecord: .offRecord
        case .refused: .refused
        }
    }

    /// Marks the place behind the newest line, in the log in which that was said.
    ///
    /// - Returns: the line before the mark, and in which log of who talks, nil for the main one; nil where that was
    ///   made before.
    func mark() -> (line: Int, side: SideLog?)? {
        guard !isClosed else { return nil }
        defer { spread() }
        guard let side = newestSide else {
            return publisher.mark(now: loop.now).map { ($0, nil) }
        }
        // What an event is told is told by its main log.
        let line = side.publisher.mark(now: loop.now, tellingIn: log)
        return line.map { ($0, side) }
    }

    /// What comes from now on is mended so.
    func mend(_ pair: GlossaryPair) { glossary.insert(pair.wrong, pair.right) }

    /// - Parameter log: that of one who talks, by its id; nil for the main one.
    func correct(_ seq: Int, in log: String?, text: String, speaker: String?) -> TypedOutcome {
        let (now, old) = (loop.now, wording(of: seq, in: log))
        guard !isClosed, let publisher = publisher(of: log),
            let number = publisher.correct(seq, text: text, speaker: speaker, now: now)
        else { return .refused }
        spread()
        if copies != nil, !text.isEmpty { copy([Caption(text: text, speaker: speaker)]) }
        input.follow { _, _ in [] }
        news.push([.corrected(line: seq, seq: number, from: old)])
        return .sent(number)
    }

    /// Has something said and given out.
    private func say<Result>(_ body: (Publisher) -> Result) -> Result {
        defer { spread() }
        return body(publisher)
    }

    private func say(translation: Caption, in own: SideLog?) -> Int? {
        say { (own?.publisher ?? $0).publish(final: translation, now: loop.now) }
    }

    private func spread() {
        giveOut()
        translators.forEach { $0.look() }
    }
}
