import Testing

@testable import BeamscribeCore

@Suite struct CaptionFilterTests {
    private func line(_ seq: Int, _ lang: String?, replaces: Int? = nil) -> GuestEvent {
        var line = captionLine(seq, "text \(seq)")
        (line.lang, line.replaces) = (lang, replaces)
        return .line(line)
    }

    private func seqs(_ events: [GuestEvent]) -> [Int] {
        events.compactMap { if case .line(let line) = $0 { line.seq } else { nil } }
    }

    private func passes(_ lang: String?, _ languages: [String]) -> Bool {
        var filter = CaptionFilter(languages: languages)
        return !filter.pass([line(1, lang)]).isEmpty
    }

    @Test(arguments: [
        ("en", "en", true), ("EN", "en", true), ("en-GB", "en", true), ("en", "en-GB", false),
        ("en-GB", "EN-gb", true), ("eng", "en", false), ("de", "en", false), ("", "en", true),
        ("zh-Hant-TW", "zh-hant", true), ("zh-HantX", "zh-Hant", false), ("de", "*", true),
    ])
    func line_passes_byTheBeginningOfItsLanguage(tag: String, range: String, isWanted: Bool) {
        #expect(passes(tag, [range]) == isWanted)
    }

    @Test func line_passes_whenItDoesNotTellItsLanguage_orAnyIsWanted() {
        #expect(passes(nil, ["en"]))
        #expect(passes("de", []))
        #expect(passes("fr", ["en", "fr"]))
    }

    @Test func everythingElse_passes_inOrder() {
        var filter = CaptionFilter(languages: ["en"])
        let events: [GuestEvent] = [
            .state(.live), .gap(from: 1, through: 2), .alert(kind: "k", message: "m"),
            .withdrawn(from: 3, through: 4), .trouble("t"),
        ]
        #expect(filter.pass(events) == events)
    }

    @Test func withdrawnLine_hidesNoCorrection_ofTheOneThatHasItsNumberNow() {
        var filter = CaptionFilter(languages: ["en"])
        let shown = filter.pass([
            line(1, "en"), line(2, "de"), line(3, "de"), .withdrawn(from: 2, through: 3),
            .gap(from: 2, through: 3), line(4, nil, replaces: 3), line(5, nil, replaces: 2),
        ])
        #expect(seqs(shown) == [1, 4, 5])
    }

    @Test func correctionWithoutALanguage_hasThatOfItsLine() {
        var filter = CaptionFilter(languages: ["en"])
        let shown = filter.pass([
            line(1, "en"), line(2, "de"), line(3, nil, replaces: 1), line(4, nil, replaces: 2),
            line(5, nil, replaces: 4), line(6, "en", replaces: 2),
        ])
        #expect(seqs(shown) == [1, 3, 6])
        #expect(seqs(filter.pass([.withdrawn(from: 2, through: 6), line(2, nil)])) == [2])
        #expect(seqs(filter.pass([line(3, nil, replaces: 2)])) == [3])
    }

    @Test func openLine_isWithdrawn_whenItTurnsOutToBeInAnotherLanguage() {
        var filter = CaptionFilter(languages: ["en"])
        let unknown = GuestEvent.partial(PartialLine(line: "a", text: "x"))
        let german = GuestEvent.partial(PartialLine(line: "a", text: "xy", lang: "de"))
        let gone = GuestEvent.partial(PartialLine(withdrawing: "a"))
        #expect(filter.pass([unknown, german, german, gone]) == [unknown, gone])
        var final = captionLine(1, "xyz")
        (final.line, final.lang) = ("a", "de")
        #expect(filter.pass([unknown, .line(final)]) == [unknown, gone])
        #expect(filter.pass([.line(final)]) == [])
    }

    /// A line that does not tell its language is in that of its log, and each log counts for itself.
    @Test func linesOfOtherLogs_passByTheirLogsLanguage() {
        var filter = CaptionFilter(languages: ["en"])
        var (spanish, unknown) = (LogTitle.sample, LogTitle.sample)
        (spanish.lang, unknown.session) = ("es", "another")
        let plain = GuestEvent.line(captionLine(1, "text"))
        #expect(filter.pass([.inLog(spanish, plain), plain]) == [plain])
        #expect(filter.pass([.inLog(unknown, plain)]) == [.inLog(unknown, plain)])
        let english = line(2, "en")
        #expect(filter.pass([.inLog(spanish, english)]) == [.inLog(spanish, english)])
        let open = GuestEvent.partial(PartialLine(line: "a", text: "x"))
        let german = GuestEvent.partial(PartialLine(line: "a", text: "xy", lang: "de"))
        let gone = GuestEvent.partial(PartialLine(withdrawing: "a"))
        #expect(
            filter.pass([.inLog(unknown, open), .inLog(unknown, german)])
                == [.inLog(unknown, open), .inLog(unknown, gone)])
        #expect(filter.pass([.inLog(spanish, open)]) == [])
    }

    /// Whatever comes: what passes is wanted, and every open line that a reader sees is closed.
    @Test func filter_leavesNoOpenLine_thatIsNotWanted() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<1_000 {
            var filter = CaptionFilter(languages: ["en"])
            var open: [String: String] = [:]
            var truth: [String: String?] = [:]
            for seq in 1...40 {
                let name = "l-\(Int.random(in: 1...4, using: &generator))"
                let lang = [nil, "en", "en-US", "de"].randomElement(using: &generator) ?? nil
                var event = GuestEvent.partial(PartialLine(line: name, text: "t", lang: lang))
                switch Int.random(in: 0...3, using: &generator) {
                case 0:
                    var line = captionLine(seq, "t")
                    (line.line, line.lang) = (name, lang)
                    event = .line(line)
                    truth[name] = nil
                case 1:
                    event = .partial(PartialLine(withdrawing: name))
                    truth[name] = nil
                default: truth[name] = .some(lang)
                }
                for shown in filter.pass([event]) {
                    switch shown {
                    case .partial(let partial):
                        open[partial.line] = partial.text.isEmpty ? nil : partial.text
                        #expect(partial.lang != "de")
                    case .line(let line):
                        open[line.line] = nil
                        #expect(line.lang != "de")
                    default: break
                    }
                }
                let wanted = truth.filter { $0.value != "de" }.keys
                #expect(Set(open.keys) == Set(wanted))
            }
        }
    }

    @Test(arguments: [("en", true), ("pt-BR", true), ("zh-Hant-TW", true), ("*", true)])
    func tag_isALanguage(tag: String, isOne: Bool) {
        #expect(CaptionFilter.isLanguage(tag) == isOne)
    }

    @Test(arguments: ["", "-", "en-", "e n", "englishlanguage", "1a", "en_GB", "dé", "en,fr"])
    func tag_isNone(tag: String) {
        #expect(!CaptionFilter.isLanguage(tag))
    }
}
