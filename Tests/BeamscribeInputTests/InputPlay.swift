import BeamscribeCore
import BeamscribeInput
import Testing

/// An `InputPipeline` as a host has it, with a source, an operator and a clock that a seed drives.
///
/// What is written is read as soon as the pipeline does not rest, in pieces of any size. What must
/// always hold is looked at behind each step; what came out is in ``said``, for the test to judge.
struct InputPlay {
    /// An event that came out, and when, by a clock that stands while the event is paused.
    struct Said {
        var event: InputEvent
        var time: Duration
    }

    private(set) var pipeline: InputPipeline
    private(set) var said: [Said] = []
    /// Whether guests were told of the end since the event went on last.
    private(set) var isEndTold = false
    private var hasEnded = false
    /// What everybody was told of the gate.
    private var gate = InputGate.open
    private(set) var now = Duration.seconds(1_000)
    /// How long the event was paused.
    private(set) var paused = Duration.zero
    /// Whether what is due is done at once, or when somebody looks.
    var isPunctual = true
    /// How often the reader of the finals falls behind.
    var laziness = 0
    /// Whether guests and operator have been told last that nothing comes.
    private(set) var quiets = 0
    private(set) var stalls = 0
    private var isStalled = false
    private var ungiven = false
    private var isOwnLine = false
    private var unread: [UInt8] = []
    private var random: SeededGenerator

    init(_ configuration: InputPipeline.Configuration, seed: Int) {
        pipeline = InputPipeline(configuration)
        random = SeededGenerator(seed: UInt64(clamping: seed))
        pipeline.begin(now: moment)
    }

    /// The time that has passed while the event was not paused.
    var time: Duration { now - paused }

    var finals: [String] { said.compactMap(\.event.finalText) }

    /// The ids of the finals' lines.
    var finalLines: [String?] {
        said.compactMap { if case .final(let caption) = $0.event { caption.line } else { nil } }
    }

    var words: String {
        said.map { said in
            switch said.event {
            case .final(let caption), .partial(let caption), .correction(let caption): caption.text
            case .warning(let text): text
            }
        }.joined(separator: "\n")
    }

    /// Whether everything that was written has been taken.
    var isReadUp: Bool { unread.isEmpty }

    private var moment: Moment { Moment(uptime: now, wall: now.seconds) }

    mutating func chance(_ number: Int) -> Bool { Int.random(in: 0..<number, using: &random) == 0 }

    mutating func any(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    // MARK: What happens

    mutating func write(_ text: String) { write(Array(text.utf8)) }

    mutating func write(_ bytes: [UInt8]) {
        unread += bytes
        pump()
    }

    mutating func set(_ gate: InputGate) {
        let actions =
            switch gate {
            case .open: pipeline.resume(now: moment)
            case .paused: pipeline.pause(now: moment)
            case .offRecord: pipeline.goOffRecord(now: moment)
            }
        follow(actions)
        pump()
    }

    mutating func type(_ text: String) -> InputPipeline.Reception {
        isOwnLine = true
        defer { isOwnLine = false }
        let (reception, actions) = pipeline.type(text, speaker: nil, now: moment)
        let before = said.count
        follow(actions)
        require((reception == .said) == (said.count == before + 1), "a line is said, or is not")
        return reception
    }

    mutating func type(partial text: String) {
        isOwnLine = true
        defer { isOwnLine = false }
        follow(pipeline.type(partial: text, speaker: nil, now: moment))
    }

    mutating func catchUp() {
        pipeline.readerCaughtUp(now: moment)
        pump()
    }

    mutating func end() {
        pump()
        follow(unread.isEmpty ? pipeline.end(now: moment) : [])
    }

    mutating func leave() { follow(pipeline.leave(now: moment)) }

    mutating func pass(_ duration: Duration) {
        let end = now + duration
        while isPunctual, let next = pipeline.nextDeadline, next <= end { tick(at: next) }
        if pipeline.gate == .paused { paused += end - now }
        now = end
        if chance(2), pipeline.nextDeadline ?? end < end { tick(at: end) }
    }

    private mutating func tick(at time: Duration) {
        if pipeline.gate == .paused { paused += max(.zero, time - now) }
        now = max(now, time)
        follow(pipeline.tick(now: moment))
        require(pipeline.nextDeadline ?? now + .seconds(1) > now, "it would be called for ever")
        pump()
    }

    /// Everything that keeps something back goes; says whether nothing is left behind.
    mutating func windUp() {
        catchUp()
        set(.open)
        for _ in 0..<100 where !unread.isEmpty || pipeline.isResting {
            pass(.seconds(100))
            catchUp()
        }
        #expect(unread.isEmpty && !pipeline.isResting, "it rests for good")
        end()
        for _ in 0..<100 where !isEndTold { pass(.seconds(100)) }
        #expect(isEndTold && pipeline.isOver && pipeline.nextDeadline == nil)
    }

    // MARK: What follows

    private mutating func pump() {
        while !unread.isEmpty, !pipeline.isResting {
            let read = Array(unread.prefix(any(1..<200)))
            let taken = read.withUnsafeBytes { bytes in
                var slice = InputSlice(of: bytes, at: now)
                while let actions = pipeline.take(&slice, now: moment) {
                    follow(actions, isAmidst: true)
                }
                return slice.taken
            }
            follow([])
            require(taken > 0, "what was not taken comes again")
            unread.removeFirst(taken)
        }
    }

    private mutating func follow(_ actions: [InputPipeline.Action], isAmidst: Bool = false) {
        for action in actions { follow(action) }
        if !isAmidst { require(!ungiven, "what was said was not given out") }
        if let broken = pipeline.brokenInvariant { Issue.record("\(broken)") }
    }

    private mutating func follow(_ action: InputPipeline.Action) {
        let isOpen = gate == .open
        switch action {
        case .say(let events):
            require(isOwnLine || isOpen && !hasEnded, "nothing was to come out")
            said += events.map { Said(event: $0, time: time) }
            ungiven = true
            if laziness > 0, chance(laziness) { pipeline.readerFellBehind() }
        case .giveOut: ungiven = false
        case .silent: require(isOpen && said.isEmpty, "it was not silent")
        case .quiet:
            require(isOpen && !isStalled, "it was not quiet")
            quiets += 1
        case .stalled:
            require(isOpen && !isStalled, "that it stalls was known")
            (isStalled, ungiven) = (true, true)
            stalls += 1
        case .lost:
            require(isOpen && !isStalled, "that it stalls was known")
            (isStalled, ungiven) = (true, true)
        case .cameAgain:
            require(isOpen && isStalled, "it had not stalled")
            (isStalled, ungiven) = (false, true)
        case .gate(let gate): (self.gate, isStalled, isEndTold) = (gate, false, false)
        case .ended:
            require(!hasEnded && pipeline.isOver, "it ends once")
            hasEnded = true
        case .tellEnded:
            require(isOpen && hasEnded && !isEndTold, "the end is told once")
            (isEndTold, ungiven) = (true, true)
        case .arrived, .form: break
        }
    }

    /// An expectation that costs nothing while it is met: there are millions of them.
    private func require(_ condition: Bool, _ sentence: String) {
        if !condition { Issue.record("\(sentence)") }
    }
}
