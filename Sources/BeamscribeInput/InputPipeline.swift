package import BeamscribeCore

/// The way of a host's input, from what comes in to what is said: bytes are parsed, what is off the
/// record is kept back, captions with times wait for theirs, and typed ones for a paused event.
///
/// It does nothing itself: each call gives the actions that follow from it, in their order. Behind
/// each, ``isResting`` says whether the input is to be read on, and ``nextDeadline`` when
/// ``tick(now:)`` is to be called.
///
/// Invariant: what waits, waits for a reason that passes: typed captions and an end for a paused
/// event to go on, paced captions for their time; and nothing of the input is left once it is over.
package struct InputPipeline: Sendable {
    package struct Configuration: Sendable {
        package var format = InputFormat.auto
        package var options = InputOptions()
        /// How many seconds of the recording pass in a second; nil to send each caption as it comes.
        package var pace: Double?
        /// Whether the input is typed, rather than read.
        package var isTyped = false
        package var timing = Timing()
        /// The newest line of the session.
        package var lastSeq = 0

        package init() {}
    }

    /// What is to be done.
    package enum Action: Equatable, Sendable {
        /// Say these into the log.
        case say([InputEvent])
        /// Store what was said, and send it to everybody.
        case giveOut
        /// Something has come, whoever may see it.
        case arrived
        /// The input turned out to have this form.
        case form(InputFormat)
        /// The input has been open for this long, and has never said anything.
        case silent(Duration)
        /// The input has said nothing for this long, and it may be that nobody speaks.
        case quiet(Duration)
        /// The input has said nothing for so long that something is wrong.
        case stalled(Duration)
        /// It goes on after that.
        case cameAgain
        /// What gave it has gone, and will be started again.
        case lost
        /// The operator lets this through from now on.
        case gate(InputGate)
        /// Everything in the input has been said.
        case ended
        /// Guests are to know that, since nothing else is to be said of the input.
        case tellEnded
    }

    /// What became of a line that was typed.
    package enum Reception: Equatable, Sendable {
        case said
        case waits
        case offRecord
        case refused
    }

    /// How far the input has got.
    private enum Stage {
        case open
        /// It has ended while the event was paused.
        case endWaits
        /// It has ended, but for what waits for its time.
        case ending
        case over
    }

    private let configuration: Configuration
    private var parser: InputReader
    private var pacer: Pacer?
    private var offRecord = OffRecordFilter()
    private var typing: TypedCaptions
    private var watch = InputWatch()
    private var stage = Stage.open
    /// What the operator lets through.
    package private(set) var gate = InputGate.open
    /// Nobody takes the finals.
    private var isReaderBehind = false
    private var isFormTold = false
    /// Something was found in a slice of which the rest is still to be taken.
    private var isAmidNews = false
    /// When it has been quiet for long enough to tell the parser; nil where that says nothing.
    private var quietDue: Duration?
    /// Nothing is wanted any more.
    private var isClosed = false

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        parser = InputReader(configuration.format, configuration.options)
        pacer = configuration.pace.map { Pacer(pace: $0) }
        typing = TypedCaptions(
            after: configuration.lastSeq, in: configuration.options.language)
    }

    // MARK: How it stands

    /// Whether everything of the input has been said.
    package var isOver: Bool { stage == .over }

    package var hasSpoken: Bool { watch.hasSpoken }

    /// Typed lines that wait for the event to go on.
    package var waitingLines: Int { typing.waiting.count }

    /// How long nothing has come; nil once the input is over.
    package func age(at now: Duration) -> Duration? { isOver ? nil : watch.age(now) }

    /// Whether the input is to rest, because nothing more can be passed on for now. What comes off
    /// the record is not: were it left where it is, it would be read, and said, later.
    package var isResting: Bool {
        gate == .paused || isReaderBehind && gate == .open || pacer?.isFull ?? false
    }

    /// When ``tick(now:)`` has something to do; nil for not before something else has happened.
    package var nextDeadline: Duration? {
        guard !isClosed else { return nil }
        return [pacedDue, isResting ? nil : quietDue, silenceDue].compactMap(\.self).min()
    }

    private var pacedDue: Duration? { gate == .paused ? nil : pacer?.nextRelease }

    private var silenceDue: Duration? {
        guard gate == .open, stage == .open, !configuration.isTyped else { return nil }
        return watch.nextLook(configuration.timing)
    }

    /// What of the invariant does not hold; nil while it does.
    package var brokenInvariant: String? {
        if !typing.waiting.isEmpty, gate != .paused { return "typed lines wait for nothing" }
        if stage == .endWaits, gate == .open { return "the end waits for nothing" }
        if stage == .ending, pacer?.isEmpty ?? true { return "the end waits for no caption" }
        if stage == .over, !(pacer?.isEmpty ?? true) { return "captions are left over" }
        if offRecord.hasBegun != (gate == .offRecord) { return "the filter is of another mind" }
        if stage != .open, quietDue != nil { return "what has ended is not quiet" }
        return nil
    }

    // MARK: What comes in

    /// The input is open.
    package mutating func begin(now: Moment) {
        watch.begin(at: now.uptime)
    }

    /// Takes the next piece of what has come. To be called until it gives nil: then as much of the
    /// slice was taken as there is time and room for, and is given out.
    package mutating func take(_ slice: inout InputSlice, now: Moment) -> [Action]? {
        guard !isClosed, stage == .open, !slice.isEmpty else { return nil }
        var actions: [Action] = []
        if slice.taken == 0 {
            arrive(now, &actions)
        } else if isResting || !slice.goesOn(at: now.uptime) {
            return endSlice(now)
        }
        let piece = slice.next()
        if !offRecord.isActive {
            accept(parser.feed(piece), now, &actions)
        } else if pacer == nil {
            accept(offRecord.take(piece, by: &parser), now, &actions)
        } else {
            accept(offRecord.judge(piece, by: &parser), now, &actions)
        }
        return actions
    }

    private mutating func endSlice(_ now: Moment) -> [Action]? {
        quietDue = parser.awaitsQuiet ? now.uptime + Limits.inputQuiet : nil
        guard isAmidNews else { return nil }
        isAmidNews = false
        var actions: [Action] = []
        giveOut(now, &actions)
        return actions
    }

    /// Has said what the parser has found, or keeps it until it is time.
    private mutating func accept(
        _ events: [InputEvent], _ now: Moment, _ actions: inout [Action]
    ) {
        tellForm(&actions)
        guard !events.isEmpty else { return }
        isAmidNews = true
        if events.contains(where: { $0.caption != nil }), watch.heardWords(), gate == .open {
            actions += [.cameAgain, .giveOut]
        }
        if pacer == nil { actions.append(.say(events)) }
        pacer?.add(events, now: now.uptime)
    }

    private mutating func accept(
        _ events: [JudgedEvent], _ now: Moment, _ actions: inout [Action]
    ) {
        tellForm(&actions)
        isAmidNews = true
        pacer?.add(events, now: now.uptime)
    }

    private mutating func acceptUnread(
        _ events: [InputEvent], _ now: Moment, _ actions: inout [Action]
    ) {
        if pacer == nil {
            accept(offRecord.pass(events), now, &actions)
        } else {
            accept(offRecord.judge(events), now, &actions)
        }
    }

    private mutating func tellForm(_ actions: inout [Action]) {
        guard !isFormTold, !configuration.isTyped, configuration.format == .auto,
            let format = parser.format
        else { return }
        isFormTold = true
        actions.append(.form(format))
    }

    /// Gives out what was accepted, as far as its time has come.
    private mutating func giveOut(_ now: Moment, _ actions: inout [Action]) {
        isAmidNews = false
        if pacer == nil { actions.append(.giveOut) } else { release(now, &actions) }
    }

    private mutating func arrive(_ now: Moment, _ actions: inout [Action]) {
        actions.append(.arrived)
        let endsStall = watch.arrived(at: now.uptime)
        // Guests know of a reason already why nothing came, and will be told when it is over.
        if endsStall, gate == .open { actions += [.cameAgain, .giveOut] }
    }

    /// Nobody takes the finals; the input rests until they do.
    package mutating func readerFellBehind() { isReaderBehind = true }

    package mutating func readerCaughtUp(now: Moment) {
        isReaderBehind = false
        readOn(now)
    }

    /// What has waited meanwhile is still to be read before it can be called quiet.
    private mutating func readOn(_ now: Moment) {
        if quietDue != nil { quietDue = now.uptime + Limits.inputQuiet }
    }

    // MARK: Its end

    /// The input has ended, whatever the reason.
    package mutating func end(now: Moment) -> [Action] {
        guard !isClosed, stage == .open else { return [] }
        guard gate != .paused else {
            (stage, quietDue) = (.endWaits, nil)
            return []
        }
        var actions: [Action] = []
        finish(now, &actions)
        return actions
    }

    /// What gave the input has ended, and is started again: says what it had begun, and reads what
    /// comes then as an input of its own.
    package mutating func beginAnew(now: Moment) -> [Action] {
        guard !isClosed, stage == .open else { return [] }
        var actions: [Action] = []
        acceptUnread(parser.finish(), now, &actions)
        if isAmidNews { giveOut(now, &actions) }
        parser = InputReader(configuration.format, configuration.options)
        offRecord.beginAnew()
        quietDue = nil
        let isNews = watch.lost()
        if isNews, gate == .open { actions += [.lost, .giveOut] }
        return actions
    }

    /// There is nothing more to be typed, where the captions are.
    package mutating func endTyping(now: Moment) -> [Action] {
        configuration.isTyped ? end(now: now) : []
    }

    private mutating func finish(_ now: Moment, _ actions: inout [Action]) {
        (stage, quietDue) = (.ending, nil)
        acceptUnread(parser.finish(), now, &actions)
        if pacer == nil, isAmidNews { giveOut(now, &actions) }
        pacer?.finish()
        release(now, &actions)
    }

    /// The program goes, whatever the input does: gives out what was begun, and what was typed.
    package mutating func leave(now: Moment) -> [Action] {
        guard !isClosed else { return [] }
        var actions: [Action] = []
        // What waits for its time has not been said.
        if pacer == nil, stage == .open || stage == .endWaits {
            acceptUnread(parser.finish(), now, &actions)
            if isAmidNews { giveOut(now, &actions) }
        }
        (stage, quietDue, pacer) = (.over, nil, nil)
        let waiting = typing.release()
        if !waiting.isEmpty { actions += [.say(waiting.map { .final($0) }), .giveOut] }
        close()
        return actions
    }

    /// Nothing is wanted any more.
    package mutating func close() { isClosed = true }

    // MARK: Time

    /// Does what is due.
    package mutating func tick(now: Moment) -> [Action] {
        var actions: [Action] = []
        guard !isClosed else { return actions }
        if !isResting, let quietDue, quietDue <= now.uptime { settle(now, &actions) }
        release(now, &actions)
        lookForSilence(now, &actions)
        return actions
    }

    private mutating func settle(_ now: Moment, _ actions: inout [Action]) {
        acceptUnread(parser.settle(), now, &actions)
        if isAmidNews { giveOut(now, &actions) }
        quietDue = parser.awaitsQuiet ? now.uptime + Limits.inputQuiet : nil
    }

    /// Has those captions said whose time has come; what comes to be said off the record is thrown
    /// away. While the event is paused, time stands still for them.
    private mutating func release(_ now: Moment, _ actions: inout [Action]) {
        guard gate != .paused else { return }
        let wasFull = pacer?.isFull ?? false
        let due = pacer?.release(now: now.uptime) ?? []
        if gate == .open, !due.isEmpty { actions += [.say(due), .giveOut] }
        if wasFull { readOn(now) }
        guard stage == .ending, pacer?.isEmpty ?? true else { return }
        stage = .over
        actions.append(.ended)
        if gate == .open { actions += [.tellEnded, .giveOut] }
    }

    private mutating func lookForSilence(_ now: Moment, _ actions: inout [Action]) {
        while let due = silenceDue, due <= now.uptime {
            // What waits for its time is not late.
            if pacer?.isEmpty == false { return arrive(now, &actions) }
            switch watch.look(at: now.uptime, configuration.timing) {
            case .neverSaidAnything(let time): actions.append(.silent(time))
            case .quiet(let time): actions.append(.quiet(time))
            case .stalled(let time): actions += [.stalled(time), .giveOut]
            case nil: return
            }
        }
    }

    // MARK: What the operator does

    /// Lets the input rest. Nothing is lost: what waits goes out with ``resume(now:)``. An event that
    /// is off the record stays so.
    package mutating func pause(now: Moment) -> [Action] {
        guard !isClosed, gate == .open else { return [] }
        var actions: [Action] = []
        release(now, &actions)
        gate = .paused
        pacer?.stop(at: now.uptime)
        return actions + [.gate(.paused)]
    }

    /// Throws away what comes in from now on, and what waits for a paused event to go on.
    package mutating func goOffRecord(now: Moment) -> [Action] {
        guard !isClosed, gate != .offRecord else { return [] }
        var actions: [Action] = []
        // What was due before is not off the record because nobody has looked yet.
        release(now, &actions)
        _ = typing.release()
        offRecord.begin()
        gate = .offRecord
        pacer?.goOn(at: now.uptime)
        readOn(now)
        return actions + [.gate(.offRecord)]
    }

    /// Goes on after ``pause(now:)`` or ``goOffRecord(now:)``. A line that was begun off the record
    /// does not come out, its end neither.
    package mutating func resume(now: Moment) -> [Action] {
        guard !isClosed, gate != .open else { return [] }
        var actions: [Action] = []
        // What was due off the record is not on it because nobody has looked yet.
        release(now, &actions)
        let wasOver = isOver
        offRecord.end()
        watch.begin(anewAt: now.uptime)
        gate = .open
        pacer?.goOn(at: now.uptime)
        readOn(now)
        actions.append(.gate(.open))
        let waiting = typing.release()
        if !waiting.isEmpty { enter(waiting.map { .final($0) }, now, &actions) }
        release(now, &actions)
        if stage == .endWaits { finish(now, &actions) }
        if wasOver { actions += [.tellEnded, .giveOut] }
        return actions
    }

    // MARK: Typed captions

    /// What is being typed; an empty text takes it back.
    package mutating func type(
        partial text: String, speaker: String?, now: Moment
    ) -> [Action] {
        guard mayType, gate == .open || isOwnLine else { return [] }
        return say(typed: .partial(typing.caption(text, speaker)), now)
    }

    /// A whole line was typed.
    package mutating func type(
        _ text: String, speaker: String?, now: Moment
    ) -> (Reception, [Action]) {
        let caption = typing.caption(text, speaker)
        guard mayType || gate == .offRecord, !isClosed,
            caption.text.contains(where: { !$0.isWhitespace })
        else { return (.refused, []) }
        if gate == .offRecord { return (.offRecord, []) }
        if gate == .paused, !isOwnLine {
            guard typing.hold(caption) else { return (.refused, []) }
            typing.begin()
            return (.waits, [])
        }
        typing.begin()
        return (.said, say(typed: .final(caption), now))
    }

    private var mayType: Bool {
        !isClosed && gate != .offRecord && (isOwnLine || stage == .open)
    }

    /// Whether what is typed is the operator's own, beside an input that may rest.
    private var isOwnLine: Bool { !configuration.isTyped }

    private mutating func say(typed event: InputEvent, _ now: Moment) -> [Action] {
        if isOwnLine { return [.say([event]), .giveOut] }
        var actions: [Action] = []
        enter([event], now, &actions)
        return actions
    }

    /// What is typed is the input.
    private mutating func enter(
        _ events: [InputEvent], _ now: Moment, _ actions: inout [Action]
    ) {
        arrive(now, &actions)
        actions += [.say(events), .giveOut]
    }
}
