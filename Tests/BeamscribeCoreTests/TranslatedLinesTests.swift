import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// What is to be translated of an event, and what becomes of it.
@Suite struct TranslatedLinesTests {
    private let log: EventLog
    private let order = EventOrder()
    private let publisher: Publisher
    private let now = Moment(uptime: .seconds(10), wall: 1_800_000_000)

    init() {
        log = EventLog(session: UUID(), in: order, now: now)
        publisher = Publisher(into: log)
    }

    private func say(_ text: String, lang: String? = "en", replaces: Int? = nil) {
        publisher.publish(
            final: Caption(text: text, speaker: "Ann", lang: lang, start: 1, replaces: replaces),
            now: now)
    }

    /// Does all that is to be done, with `>` before what is translated.
    private func translate(
        _ lines: inout TranslatedLines, atMost count: Int = .max, into own: Publisher? = nil
    ) {
        var left = count
        while left > 0, let step = lines.step(in: log) {
            left -= 1
            switch step {
            case .translate(let task):
                let text = task.text == "?" ? "" : "> " + task.text
                perform(lines.caption(text, for: task), &lines, into: own)
            case .say: perform(step, &lines, into: own)
            }
        }
    }

    private func perform(
        _ step: TranslatedLines.Step?, _ lines: inout TranslatedLines, into own: Publisher? = nil
    ) {
        guard case .say(let caption, let task)? = step else { return }
        lines.said(task, as: (own ?? publisher).publish(final: caption, now: now) ?? 0)
    }

    // MARK: In a log of its own

    private func ownLog() -> (EventLog, Publisher) {
        let own = ToyCrypto().log(
            UUID(), translating: log.session, into: "de", in: order, now: now)
        return (own, Publisher(into: own))
    }

    private func said(in own: EventLog) -> [LiveChunk] {
        var chunks: [LiveChunk] = []
        own.forEachFinal(from: 1) { chunks.append($1) }
        return chunks
    }

    @Test func translationInALogOfItsOwn_namesLinesOfTheOther() {
        let (own, speaker) = ownLog()
        var lines = TranslatedLines(into: "de", of: log, saidIn: own)
        ["one", "two", "?", "three"].forEach { say($0) }
        say("one more", replaces: 1)
        translate(&lines, into: speaker)
        let chunks = said(in: own)
        #expect(chunks.map(\.text) == ["> one", "> two", "> three", "> one more"])
        #expect(chunks.map(\.of) == [1, 2, 4, 5] && chunks.map(\.replaces) == [nil, nil, nil, 1])
        #expect(log.lastSeq == 5 && publisher.saidLines == 4)
    }

    @Test func translationInALogOfItsOwn_goesOnWhereItWasLeft() {
        let (own, speaker) = ownLog()
        var lines = TranslatedLines(into: "de", of: log, saidIn: own)
        ["one", "two", "three"].forEach { say($0) }
        translate(&lines, atMost: 2, into: speaker)
        var again = TranslatedLines(into: "de", of: log, saidIn: own)
        #expect(again.next == 3)
        say("two, no", replaces: 2)
        translate(&again, into: speaker)
        #expect(said(in: own).map(\.text) == ["> one", "> two", "> three", "> two, no"])
        #expect(said(in: own).map(\.replaces) == [nil, nil, nil, 2])
    }

    /// An earlier version has put the translation among the lines that it translates.
    @Test func translationAmongItsLines_isNotSaidAgain_inALogOfItsOwn() {
        var before = TranslatedLines(into: "de", of: log)
        ["one", "two"].forEach { say($0) }
        translate(&before)
        say("three")
        let (own, speaker) = ownLog()
        var lines = TranslatedLines(into: "de", of: log, saidIn: own)
        translate(&lines, into: speaker)
        #expect(said(in: own).map(\.of) == [5])
        say("three, no", replaces: 5)
        translate(&lines, into: speaker)
        #expect(said(in: own).map(\.replaces) == [nil, 1])
    }

    /// A machine that lost its power has lost a line, but not its translation.
    @Test func lineInTheNumberOfALostOne_hasItsTranslationAnew() {
        let (own, speaker) = ownLog()
        say("one")
        for target in [1, 2] {
            var caption = Caption(text: "> lost", lang: "de")
            caption.of = target
            speaker.publish(final: caption, now: now)
        }
        var lines = TranslatedLines(into: "de", of: log, saidIn: own)
        #expect(lines.next == 2)
        say("another")
        translate(&lines, into: speaker)
        #expect(said(in: own).last?.text == "> another" && said(in: own).last?.replaces == 2)
    }

    // MARK: By others

    /// What a translator's machine knows of the event is no more than he has read by another connection.
    @Test func translation_namesALine_thatMayBeThere() {
        let (own, speaker) = ownLog()
        say("one")
        for (text, line) in [
            ("> one", 1), ("> ahead", 1 + Limits.translationLead), ("> free", Limits.lineNumber),
        ] {
            var caption = Caption(text: text)
            caption.of = line
            speaker.publish(final: caption, now: now)
        }
        #expect(said(in: own).map(\.of) == [1, 1 + Limits.translationLead, nil])
        #expect(speaker.saidLines == 3 && speaker.recent.newest.map(\.seq) == [1, 2, 3])
    }

    @Test func firstLine_translatesNone_whateverItNames() {
        var caption = Caption(text: "one")
        caption.of = 1
        publisher.publish(final: caption, now: now)
        #expect(log.final(1)?.of == nil && log.lastSeq == 1)
    }

    /// The second stands for the same line, so that no reader has both, or one and not the other.
    @Test func lineThatIsTranslatedAgain_hasItsTranslationCorrected_alsoAfterAnotherStart() {
        let (own, speaker) = ownLog()
        say("one")
        var caption = Caption(text: "> won")
        caption.of = 1
        speaker.publish(final: caption, now: now)
        caption.text = "> one"
        speaker.publish(final: caption, now: now)
        let again = Publisher(into: own)
        #expect(again.saidLines == 1)
        caption.text = "> One."
        again.publish(final: caption, now: now)
        _ = again.correct(1, text: "> One!", now: now)
        #expect(said(in: own).map(\.replaces) == [nil, 1, 1, 1])
        #expect(said(in: own).map(\.of) == [1, 1, 1, 1])
        #expect(again.recent.newest.map(\.text) == ["> One!"] && again.saidLines == 1)
    }

    /// What readers of the translation have: words by the lines that these are of in the end.
    private func shown(_ language: String) -> [Int: String] {
        var corrections = Corrections(rememberingAll: true)
        var (texts, lines): ([Int: String], [Int: Int]) = ([:], [:])
        log.forEachFinal(from: 1) { seq, chunk in
            let root = corrections.add(seq, replacing: chunk.replaces) ?? seq
            guard chunk.lang == language, let target = chunk.of else { return }
            if root == seq { lines[seq] = corrections.root(of: target) }
            texts[lines[root] ?? 0] = chunk.text
        }
        return texts
    }

    @Test func translation_namesItsLine_andHasItsDetails() throws {
        var lines = TranslatedLines(into: "de", of: log)
        say("one")
        say("zwei", lang: "de-AT")
        translate(&lines)
        let final = try #require(log.final(3))
        #expect(final.of == 1 && final.lang == "de" && final.text == "> one")
        #expect(final.speaker == "Ann" && final.start == 1 && final.replaces == nil)
        #expect(log.lastSeq == 3 && lines.step(in: log) == nil)
        // Who says the lines sees his own.
        #expect(publisher.saidLines == 2 && publisher.recent.newest.map(\.seq) == [1, 2])
        #expect(Publisher(into: log).saidLines == 2)
    }

    @Test func corrections_areTranslated_inTheTranslationsPlace() {
        var lines = TranslatedLines(into: "de", of: log)
        say("one")
        translate(&lines)
        say("two", replaces: 1)
        translate(&lines)
        #expect(log.final(4)?.of == 3 && log.final(4)?.replaces == 2)
        say("three", replaces: 3)
        translate(&lines)
        #expect(log.final(6)?.replaces == 2 && shown("de") == [1: "> three"])
    }

    @Test func withdrawnLines_loseTheirTranslation_andUntranslatedOnesToo() {
        var lines = TranslatedLines(into: "de", of: log)
        (1...2).forEach { say("line \($0)") }
        translate(&lines)
        #expect(publisher.correct(1, text: "", now: now) != nil)
        say("?", replaces: 2)
        translate(&lines)
        #expect(shown("de") == [1: "", 2: ""])
        // There was nothing to be withdrawn.
        let count = log.lastSeq
        say("?")
        translate(&lines)
        #expect(log.lastSeq == count + 1)
    }

    @Test func translationsAndTheirCorrections_areNotTranslated() {
        var german = TranslatedLines(into: "de", of: log)
        var french = TranslatedLines(into: "fr", of: log)
        say("one")
        translate(&german)
        translate(&french)
        say("besser", lang: nil, replaces: 2)
        translate(&german)
        translate(&french)
        #expect(log.lastSeq == 4 && shown("fr") == [1: "> one"])
    }

    @Test func resumedEvent_goesOn_behindTheLastThatWasTranslated() {
        var lines = TranslatedLines(into: "de", of: log)
        (1...5).forEach { say("line \($0)") }
        translate(&lines, atMost: 2)
        say("line one", replaces: 1)
        var again = TranslatedLines(into: "de", of: log)
        #expect(again.next == 3)
        translate(&again)
        #expect(
            shown("de") == [
                1: "> line one", 2: "> line 2", 3: "> line 3", 4: "> line 4", 5: "> line 5",
            ])
        #expect(TranslatedLines(into: "fr", of: log).next == log.lastSeq + 1)
    }

    /// Whatever is said, corrected and withdrawn, whenever the translator looks and however often it
    /// begins anew: in the end each line has its newest words' translation, and only one.
    @Test(arguments: 0..<100)
    func everyLine_hasItsTranslation_whateverHappens(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var lines = TranslatedLines(into: "de", of: log)
        var spoken: [Int] = []
        for step in 1...60 {
            switch Int.random(in: 0...9, using: &generator) {
            case 0...4:
                say("line \(step)")
                spoken.append(log.lastSeq)
            case 5...6:
                guard let target = spoken.randomElement(using: &generator) else { continue }
                say(step % 4 == 0 ? " " : "again \(step)", replaces: target)
                spoken.append(log.lastSeq)
            case 7: say("eigen \(step)", lang: "de")
            case 8: translate(&lines, atMost: Int.random(in: 1...5, using: &generator))
            // Something was translated: whoever begins anew knows where.
            default: if !shown("de").isEmpty { lines = TranslatedLines(into: "de", of: log) }
            }
        }
        translate(&lines)
        let (wanted, found) = (self.wanted, shown("de"))
        #expect(wanted.allSatisfy { found[$0.key] ?? "" == $0.value })
        #expect(Set(found.keys).isSubset(of: wanted.keys))
        var count = 0
        log.forEachFinal(from: 1) { count += $1.of != nil && $1.replaces == nil ? 1 : 0 }
        #expect(count == found.count)
    }

    /// What is to be there in the end, by the lines that it is of.
    private var wanted: [Int: String] {
        var (texts, corrections) = ([Int: String](), Corrections(rememberingAll: true))
        log.forEachFinal(from: 1) { seq, chunk in
            let root = corrections.add(seq, replacing: chunk.replaces) ?? seq
            guard chunk.of == nil, chunk.lang == "en" else { return }
            texts[root] = chunk.text == " " ? "" : "> " + chunk.text
        }
        return texts
    }
}
