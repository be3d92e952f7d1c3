import BeamscribeCore
import BeamscribeInput
import Testing

/// What holds of a host's input whatever comes, whatever its operator does, and whenever.
@Suite struct InputPipelineTests {
    private static let seeds = 0..<400

    private func configuration(
        _ format: InputFormat, pace: Double? = nil, isTyped: Bool = false
    ) -> InputPipeline.Configuration {
        var configuration = InputPipeline.Configuration()
        configuration.format = format
        configuration.pace = pace
        configuration.isTyped = isTyped
        return configuration
    }

    /// A moment, a second, or a time in which people would notice that nothing comes.
    private func passTime(_ play: inout InputPlay) {
        let unit = [Duration.microseconds(500), .milliseconds(90), .seconds(1), .seconds(19)]
        play.pass(unit[play.any(0..<4)] * play.any(1..<5))
    }

    /// A line in the format, and what of it is to come out.
    private func line(_ number: Int, _ format: InputFormat, _ play: inout InputPlay) -> String {
        let text = "o\(number) is what they say"
        guard format == .jsonl else { return text + "\n" }
        let partial = #"{"final":false,"line":\#(number),"text":"o\#(number) is"}"# + "\n"
        let id = play.chance(2) ? #""line":\#(number),"# : ""
        return (id.isEmpty ? "" : partial) + #"{\#(id)"text":"\#(text)"}"# + "\n"
    }

    // MARK: Nothing is lost

    @Test(arguments: seeds)
    func lines_comeOutOnce_whateverPauses(seed: Int) {
        let format = [InputFormat.text, .auto, .jsonl][seed % 3]
        let pace = seed % 5 == 0 ? 2.0 : nil
        var play = InputPlay(configuration(format, pace: pace), seed: seed)
        play.laziness = seed % 4
        play.isPunctual = seed % 2 == 0
        let count = play.any(0..<60)
        var bytes = Array((0..<count).map { line($0, format, &play) }.joined().utf8)
        // The last line is ended by the input's end.
        if play.chance(2), !bytes.isEmpty { bytes.removeLast() }
        while !bytes.isEmpty {
            let piece = play.any(1..<90)
            play.write(Array(bytes.prefix(piece)))
            bytes.removeFirst(min(piece, bytes.count))
            if play.chance(9) { play.set(play.pipeline.gate == .open ? .paused : .open) }
            if play.chance(4) { passTime(&play) }
            if play.chance(5) { play.catchUp() }
        }
        if play.chance(2) { play.end() }
        passTime(&play)
        play.windUp()
        #expect(play.finals == (0..<count).map { "o\($0) is what they say" })
    }

    // MARK: Off the record

    /// Text that is cut anywhere, each piece of which names when it came: `o` on, `x` off the record.
    @Test(arguments: seeds)
    func words_stayOffTheRecord(seed: Int) {
        let form = seed % 2 == 0 ? InputFormat.text : .auto
        let pace = seed % 5 == 0 ? 1.0 : nil
        var play = InputPlay(configuration(form, pace: pace), seed: seed)
        (play.laziness, play.isPunctual) = (seed % 4, seed % 3 == 0)
        // Whether what is written now is read at once, and in which form, is known.
        play.write("the first line, which ends.\nAnd the second.\n")
        play.pass(.seconds(2))
        play.catchUp()
        var expected: [String] = []
        var (line, isWhole) = ("", true)
        for number in 0..<150 {
            if play.chance(8) {
                play.set([.open, .paused, .offRecord][play.any(0..<3)])
            }
            if play.chance(5) { play.catchUp() }
            if play.chance(6) { passTime(&play) }
            if play.chance(9) { own("own\(number)", &play, &expected) }
            let isOff = play.pipeline.gate == .offRecord
            let piece = isOff ? "x\(number)x" : "o\(number)o"
            let ends = play.chance(3)
            play.write(piece + (ends ? "\n" : ""))
            line += piece
            // What waits in a paused input may be thrown away.
            isWhole = isWhole && play.pipeline.gate == .open && play.isReadUp
            guard ends else { continue }
            if isWhole { expected.append(line) }
            (line, isWhole) = ("", true)
        }
        play.windUp()
        #expect(!play.words.contains("x"))
        var rest = play.finals[...]
        for line in expected {
            guard let index = rest.firstIndex(of: line) else {
                Issue.record("\(line) is lost")
                return
            }
            rest = rest[(index + 1)...]
        }
    }

    private func own(_ text: String, _ play: inout InputPlay, _ expected: inout [String]) {
        let outcome = play.type(text)
        #expect(outcome == (play.pipeline.gate == .offRecord ? .offRecord : .said))
        if outcome == .said { expected.append(text) }
    }

    /// Turns that grow, end and are corrected: one of which a part came off the record stays away
    /// with all that follows of it.
    @Test(arguments: seeds)
    func turns_stayOffTheRecord_withWhatCorrectsThem(seed: Int) {
        var play = InputPlay(configuration(.assemblyAI), seed: seed)
        (play.laziness, play.isPunctual) = (seed % 4, seed % 3 == 0)
        var expected: [Int] = []
        var (turn, isEnded, isSecret) = (0, false, false)
        for version in 0..<150 {
            if isEnded, play.chance(2) { (turn, isEnded, isSecret) = (turn + 1, false, false) }
            if play.chance(6) { play.set([.open, .paused, .offRecord][play.any(0..<3)]) }
            if play.chance(5) { play.catchUp() }
            if play.chance(6) { passTime(&play) }
            let ends = isEnded || play.chance(3)
            let object =
                #"{"type":"Turn","turn_order":\#(turn),"end_of_turn":\#(ends),"#
                + #""transcript":"n\#(turn)n \#(version)"}"# + "\n"
            let bytes = Array(object.utf8)
            let cut = play.chance(4) ? play.any(1..<bytes.count) : 0
            isSecret = isSecret || cut > 0 && play.pipeline.gate == .offRecord
            play.write(Array(bytes[..<cut]))
            var isSeen = play.pipeline.gate == .open && play.isReadUp
            if cut > 0 { play.set([.open, .offRecord][play.any(0..<2)]) }
            isSecret = isSecret || play.pipeline.gate == .offRecord
            let count = play.said.count
            play.write(Array(bytes[cut...]))
            isSeen = isSeen && play.pipeline.gate == .open && play.isReadUp
            let name = "n\(turn)n"
            let isOut = play.said[count...].contains { $0.event.text?.contains(name) ?? false }
            if isOut, isSecret { Issue.record("turn \(turn)") }
            if ends, !isEnded, isSeen, !isSecret { expected.append(turn) }
            isEnded = ends
        }
        play.windUp()
        #expect(expected.allSatisfy { turn in play.finals.contains { $0.contains("n\(turn)n") } })
    }

    // MARK: Typed captions

    @Test(arguments: seeds)
    func typedLines_areAsGoodAsTheirWord(seed: Int) {
        var play = InputPlay(configuration(.auto, isTyped: true), seed: seed)
        play.laziness = seed % 4
        var (expected, waiting): ([String], [String]) = ([], [])
        for number in 0..<120 {
            if play.chance(6) {
                let gate = [InputGate.open, .paused, .offRecord][play.any(0..<3)]
                play.set(gate)
                if play.pipeline.gate == .open { expected += waiting }
                if play.pipeline.gate != .paused { waiting = [] }
            }
            if play.chance(4) { passTime(&play) }
            if play.chance(3) { play.type(partial: "p\(number)") }
            if number == 100, play.chance(2) { play.end() }
            let text = play.chance(9) ? "  " : "t\(number)"
            switch play.type(text) {
            case .said: expected.append(text)
            case .waits: waiting.append(text)
            case .offRecord: #expect(play.pipeline.gate == .offRecord)
            case .refused: #expect(text == "  " || number >= 100)
            }
            if play.pipeline.waitingLines != waiting.count || play.finals != expected {
                Issue.record("\(text) went elsewhere")
            }
        }
        if play.pipeline.gate == .paused { expected += waiting }
        play.windUp()
        #expect(play.finals == expected && play.stalls == 0)
        #expect(Set(play.finalLines).count == expected.count, "each is a line of its own")
        #expect(play.type("late") == .refused)
    }

    // MARK: Pace

    /// A recording that is read ahead of its time: each line comes in its own, unless that was off
    /// the record, and a pause makes all that follows later.
    @Test(arguments: seeds)
    func pacedLines_comeInTheirTime(seed: Int) {
        let pace = [0.5, 1, 3][seed % 3]
        var play = InputPlay(configuration(.jsonl, pace: pace), seed: seed)
        play.isPunctual = seed % 2 == 0
        var starts: [Double] = []
        for _ in 0..<play.any(1..<200) {
            starts.append((starts.last ?? 7) + Double(play.any(1..<4_000)) / 1_000)
        }
        let objects = starts.enumerated().map { #"{"text":"\#($0)","start":\#($1)}"# + "\n" }
        play.write(objects.joined())
        play.end()
        let begin = play.time
        let due = starts.map { begin + .seconds(saturating: ($0 - starts[0]) / pace) }
        var gates = [(play.time, InputGate.open)]
        while play.time < due[due.count - 1] + .seconds(1) {
            passTime(&play)
            // No caption is due in the same microsecond.
            play.pass(.nanoseconds(1_003))
            guard play.chance(3) || play.pipeline.gate == .paused else { continue }
            play.set([.open, .paused, .offRecord][play.any(0..<3)])
            gates.append((play.time, play.pipeline.gate))
        }
        play.windUp()
        let expected = due.indices.filter { index in
            gates.last { $0.0 < due[index] }?.1 != .offRecord
        }
        #expect(play.finals == expected.map(String.init))
        for (line, index) in zip(play.said, expected) {
            if line.time < due[index] || play.isPunctual && line.time > due[index] {
                Issue.record("line \(index) came at \(line.time), not at \(due[index])")
            }
        }
    }

    // MARK: Single cases

    @Test func quiet_isASecondWithoutAnything_andNotWhileTheInputRests() {
        var play = InputPlay(configuration(.sherpaOnnx), seed: 1)
        play.write("\r0: good morning, I am\n")
        play.pass(.milliseconds(900))
        play.write("\r still speaking\n")
        play.pass(.milliseconds(900))
        #expect(play.finals.isEmpty)
        play.set(.paused)
        play.pass(.seconds(9))
        play.set(.open)
        play.pass(.milliseconds(900))
        #expect(play.finals.isEmpty, "what waits is not read yet")
        play.pass(.milliseconds(200))
        #expect(play.finals == ["good morning, I am still speaking"])
    }

    @Test func input_rests_whileEnoughWaitsForItsTime() {
        var play = InputPlay(configuration(.jsonl, pace: 1), seed: 1)
        let numbers = 0..<4 * Limits.pacedEvents
        play.write(numbers.map { #"{"text":"\#($0)","start":\#($0)}"# + "\n" }.joined())
        #expect(play.pipeline.isResting && !play.isReadUp)
        play.windUp()
        #expect(play.finals == numbers.map(String.init))
    }

    @Test func form_isNotTold_ofCaptionsThatAreTyped() {
        var pipeline = InputPipeline(configuration(.auto, isTyped: true))
        let now = Moment(uptime: .seconds(1), wall: 1)
        pipeline.begin(now: now)
        #expect(pipeline.endTyping(now: now) == [.ended, .tellEnded, .giveOut])
    }

    @Test func silence_isTold_andItsEnd() {
        var configuration = configuration(.text)
        configuration.timing.quietAfter = .seconds(5)
        configuration.timing.stalledAfter = .seconds(50)
        var play = InputPlay(configuration, seed: 1)
        play.write("one\n")
        play.pass(.seconds(20))
        #expect(play.quiets == 1 && play.stalls == 0)
        play.pass(.seconds(40))
        #expect(play.quiets == 1 && play.stalls == 1)
        play.write("two\n")
        play.pass(.seconds(60))
        play.set(.paused)
        play.pass(.seconds(60))
        play.set(.open)
        play.pass(.seconds(60))
        #expect(play.stalls == 3)
    }

    @Test func leaving_makesALineOfWhatIsOpen_butNotOffTheRecord() {
        for gate in [InputGate.open, .offRecord] {
            var play = InputPlay(configuration(.text), seed: 1)
            play.write("last wor")
            play.set(gate)
            play.write("ds")
            play.leave()
            #expect(play.finals == (gate == .open ? ["last words"] : []))
            #expect(play.pipeline.isOver && play.pipeline.nextDeadline == nil)
            #expect(play.type("more") == .refused)
        }
    }

    @Test func leaving_saysTypedLinesThatWait_whileTheEventIsPaused() {
        var pipeline = InputPipeline(configuration(.text, isTyped: true))
        let now = Moment(uptime: .zero, wall: 0)
        _ = pipeline.pause(now: now)
        #expect(pipeline.type("typed", speaker: nil, now: now).0 == .waits)
        var said: [String] = []
        for case .say(let events) in pipeline.leave(now: now) {
            for case .final(let caption) in events { said.append(caption.text) }
        }
        #expect(said == ["typed"])
    }

    @Test func end_isToldOnce_whenTheLastCaptionWasDueOffTheRecord() {
        var play = InputPlay(configuration(.jsonl, pace: 1), seed: 1)
        play.isPunctual = false
        play.write(#"{"text":"a","start":0}"# + "\n" + #"{"text":"b","start":5}"# + "\n")
        play.end()
        play.pass(.seconds(1))
        play.set(.offRecord)
        // Nobody has looked when it goes on.
        play.pass(.seconds(4) - .milliseconds(1))
        play.set(.open)
        play.windUp()
        #expect(play.finals == ["a", "b"])
    }
}

extension InputEvent {
    fileprivate var text: String? {
        switch self {
        case .final(let caption), .partial(let caption), .correction(let caption): caption.text
        case .warning: nil
        }
    }
}
