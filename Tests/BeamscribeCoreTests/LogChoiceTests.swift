import Testing

@testable import BeamscribeCore

@Suite struct LogChoiceTests {
    private let room = LogTitle.sample
    private let other: LogTitle = {
        var title = LogTitle.sample
        (title.label, title.session) = ("Español", "another")
        return title
    }()
    private let main = GuestEvent.line(captionLine(1, "main"))
    private let line = GuestEvent.line(captionLine(1, "other"))
    private let alert = GuestEvent.alert(kind: "paused", message: "Paused.")

    private var all: [GuestEvent] { [main, .inLog(room, line), .inLog(other, line), alert] }

    @Test func everything_isWanted_whereNothingIsChosen() {
        #expect(wanted() == all && wanted("all") == all && wanted("Room 2", "ALL") == all)
    }

    @Test func logsAreChosen_byName_orId_whateverTheCase() {
        #expect(wanted("room 2") == [.inLog(room, line), alert])
        #expect(wanted("ESPAÑOL") == [.inLog(other, line), alert])
        #expect(wanted(room.session) == [.inLog(room, line), alert])
        #expect(wanted("floor") == [main, alert])
        #expect(wanted("Floor", "Español") == [main, .inLog(other, line), alert])
        #expect(wanted("nobody") == [alert])
    }

    private func wanted(_ names: String...) -> [GuestEvent] {
        var choice = LogChoice(names)
        return choice.wanted(all)
    }

    // MARK: Translations

    private let session = "6265616d-7363-4269-a265-000000000001"

    private func translation(_ language: String) -> LogTitle {
        var title = LogTitle.sample
        (title.label, title.lang, title.session) = (language, language, language)
        title.translates = session
        return title
    }

    private func translated(
        _ seq: Int, of target: Int, replaces: Int? = nil, into language: String = "es",
        at place: Int? = nil
    ) -> GuestEvent {
        var line = captionLine(seq, "\(language) \(target)")
        (line.of, line.replaces, line.lang) = (target, replaces, language)
        line.at = place ?? target + 1
        return .inLog(translation(language), .line(line))
    }

    private var joined: GuestEvent {
        .joined(JoinedEvent(eventName: "X", deviceName: "stage", session: session, history: 0))
    }

    @Test func translations_areWanted_whereTheirLanguageIs_orTheirName() {
        let events = [main, translated(1, of: 1), translated(1, of: 1, into: "fr-CA")]
        func wanted(_ names: [String], _ languages: [String]) -> [GuestEvent] {
            var choice = LogChoice(names, languages: languages)
            return choice.wanted(events)
        }
        #expect(wanted([], []) == [events[0]])
        #expect(wanted([], ["es"]) == [events[0], events[1]])
        #expect(wanted([], ["fr"]) == [events[0], events[2]])
        #expect(wanted([], ["*"]) == events && wanted(["all"], []) == events)
        #expect(wanted(["es"], []) == [events[1]])
        #expect(wanted(["floor", "es"], []) == [events[0], events[1]])
    }

    @Test func translation_standsForItsLine_whereALanguageIsChosen() {
        var choice = LogChoice(languages: ["es"])
        let events = choice.wanted([
            joined, .line(captionLine(7, "seven")), translated(1, of: 3), translated(2, of: 7),
            .line(captionLine(8, "eight")), translated(3, of: 8, replaces: 2),
        ])
        let lines = choice.replacing(events).compactMap {
            if case .line(let line) = $0 { line } else { nil }
        }
        // What it translates before what was asked for is left out.
        #expect(lines.map(\.text) == ["seven", "es 7", "eight", "es 8"])
        #expect(lines.map(\.seq) == [7, 7, 8, 8] && lines.map(\.replaces) == [nil, nil, nil, 7])
        #expect(lines.allSatisfy { $0.of == nil })
    }

    /// The host has lost line 2, and says another under its number.
    @Test func translationOfALostLine_standsForNoOther() {
        var new = captionLine(2, "other")
        new.at = 10_003
        let translations = [
            translated(1, of: 1), translated(2, of: 2),
            translated(3, of: 2, replaces: 2, at: 10_004),
        ]
        func shown(_ events: [GuestEvent]) -> [TranscriptLine] {
            var choice = LogChoice(languages: ["es"])
            return choice.replacing(choice.wanted([joined] + events)).compactMap {
                if case .line(let line) = $0, line.lang == "es" { line } else { nil }
            }
        }
        let later = shown([main, .line(new)] + translations)
        #expect(later.map(\.seq) == [1, 2] && later.map(\.at) == [2, 10_004])
        #expect(later.allSatisfy { $0.replaces == nil })
        // A reader who was there has seen the old line, and the new one corrects nothing.
        let lost = GuestEvent.withdrawn(from: 2, through: 2)
        let old = GuestEvent.line(captionLine(2, "lost"))
        var choice = LogChoice(languages: ["es"])
        _ = choice.replacing(choice.wanted([joined, main, old] + translations.prefix(2)))
        _ = choice.replacing(choice.wanted([lost, .line(new)]))
        let renewed = choice.replacing(choice.wanted([translations[2]]))
        let lines = renewed.compactMap { if case .line(let line) = $0 { line } else { nil } }
        #expect(lines.map(\.seq) == [2] && lines.map(\.replaces) == [nil])
    }

    /// Somebody else's words in the same language would be read instead.
    @Test func lineInTheReadersLanguage_isNotReplaced() {
        var (english, corrected) = (captionLine(1, "no"), captionLine(2, "never"))
        (english.lang, corrected.replaces) = ("en-GB", 1)
        var choice = LogChoice(languages: ["en"])
        let events = choice.wanted([
            joined, .line(english), .line(corrected), translated(1, of: 1, into: "en"),
            translated(2, of: 2, into: "en"), .line(captionLine(3, "sí")),
            translated(3, of: 3, into: "en"),
        ])
        let lines = choice.replacing(events).compactMap {
            if case .line(let line) = $0 { line.text } else { nil }
        }
        #expect(lines == ["no", "never", "sí", "en 3"])
    }

    @Test func oneTranslation_standsForALine_whereSeveralAreWanted() {
        var choice = LogChoice(languages: ["es", "fr"])
        let events = choice.wanted([
            joined, main, translated(1, of: 1, into: "fr"), translated(1, of: 1),
        ])
        let shown = choice.leading(choice.replacing(events))
        #expect(shown.count == 3 && events.count == 4)
    }

    @Test func translation_standsBesideItsLine_whereItIsChosenByName() {
        var choice = LogChoice(["floor", "es"])
        let events = choice.wanted([joined, main, translated(1, of: 1)])
        #expect(choice.replacing(events) == events)
        #expect(choice.leading(events) == [joined, main] && !choice.replacesByTranslations)
    }

    /// On a screen a line is shown until its translation comes, and no other line of that language.
    @Test func lineOfAnotherLanguage_passes_whereItIsTranslated() {
        var english = captionLine(1, "one")
        english.lang = "en"
        let line = GuestEvent.line(english)
        var filter = CaptionFilter(languages: ["es"], keepsOriginals: true)
        #expect(filter.pass([joined, line]) == [joined])
        let known = GuestEvent.log(translation("fr"), .live)
        #expect(filter.pass([known, line]) == [known])
        let events = [.log(translation("es"), .live), line, translated(1, of: 1)]
        #expect(filter.pass(events) == events)
        var pipe = CaptionFilter(languages: ["es"])
        #expect(pipe.pass([joined] + events) == [joined, events[0], events[2]])
    }

    @Test func whatShowsOneLog_showsTheMainOne_orTheOneThatIsChosen() {
        var choice = LogChoice()
        #expect(choice.leading(all) == [main, alert])
        choice = LogChoice(["español"])
        #expect(choice.leading(all) == [line, alert])
        #expect(choice.includesMain == false)
    }

    @Test func ofTwoLogsOfOneName_oneLeads() {
        var (choice, second) = (LogChoice(["room 2"]), room)
        second.session = "a second"
        let before = GuestEvent.partial(PartialLine(line: "a", text: "x"))
        #expect(choice.leading([.inLog(room, before), .inLog(second, line)]) == [before])
        #expect(choice.leading([.inLog(second, before), .inLog(room, line)]) == [line])
    }

    /// Readers of a language get its varieties, too; in another script it is read by others.
    @Test(arguments: [
        ("en", "en", true), ("EN", "en", true), ("en-US", "en", true), ("en", "en-GB", true),
        ("en_US", "en", true), ("en-x-a", "en", true), ("", "en", true), ("--", "en", true),
        ("es", "en", false), ("eng", "en", false), ("zh-Hant", "zh-Hans", false),
        ("zh-Hant-TW", "zh-Hant", true), ("zh", "zh-Hans", true), ("sr-Latn", "sr-Cyrl", false),
    ])
    func language_isTheSame_whereItsReadersWouldGetBoth(
        _ tag: String, _ other: String, _ isSame: Bool
    ) {
        #expect(LanguageRange.isSame(tag, as: other) == isSame)
    }
}
