import BeamscribeTerminal
import Testing

@testable import BeamscribeCore

/// What a line that is typed becomes, key by key.
@Suite struct CaptionEditorTests {
    /// An editor with what it has asked for so far.
    private struct Desk {
        var editor: CaptionEditor
        var actions: [EditorAction] = []

        init(speakers: [String] = [], lines: [RecentLines.Line] = []) {
            editor = CaptionEditor(speakers: speakers)
            editor.lines = lines
        }

        mutating func type(_ text: String) {
            press(text.map { Key.character($0) })
        }

        /// Keys that come together.
        mutating func press(_ keys: [Key]) {
            for key in keys { editor.handle(key).map { actions.append($0) } }
            editor.partial().map { actions.append($0) }
        }

        mutating func press(_ keys: Key...) { press(keys) }
    }

    private let said = [
        RecentLines.Line(seq: 7, text: "Good mourning"),
        RecentLines.Line(seq: 9, text: "and welcome", speaker: "Ann"),
    ]

    @Test func line_isAPartialAsItGrows_andThenAFinal() {
        var desk = Desk()
        desk.type("Helo")
        desk.press(.backspace)
        desk.type("lo")
        desk.press(.enter)
        #expect(
            desk.actions == [
                .partial(text: "Helo", speaker: nil), .partial(text: "Hel", speaker: nil),
                .partial(text: "Hello", speaker: nil), .final(text: "Hello", speaker: nil),
            ])
        #expect(desk.editor.line.isEmpty)
    }

    @Test func burst_isOnePartial_whenItComesTogether() {
        var desk = Desk()
        desk.press(
            "the cat".map { .character($0) } + [.backspace, .backspace, .backspace]
                + "dog".map { .character($0) })
        #expect(desk.actions == [.partial(text: "the dog", speaker: nil)])
    }

    @Test func emptyLine_isNothing_andWithdrawsWhatWasShown() {
        var desk = Desk()
        desk.press(.enter)
        desk.type("  ")
        desk.press(.enter)
        #expect(desk.actions.isEmpty)
        desk.type("a")
        desk.press(.backspace)
        desk.press(.enter)
        #expect(
            desk.actions == [
                .partial(text: "a", speaker: nil), .partial(text: "", speaker: nil),
            ])
    }

    @Test func pastedLines_areFinals() {
        var desk = Desk()
        desk.press("one\ntwo\nthr".map { $0 == "\n" ? .enter : .character($0) })
        #expect(
            desk.actions == [
                .final(text: "one", speaker: nil), .final(text: "two", speaker: nil),
                .partial(text: "thr", speaker: nil),
            ])
    }

    @Test func cursor_isWhereTextIsPutAndTakenAway() {
        var desk = Desk()
        desk.type("bd")
        desk.press(.left, .character("c"), .home, .character("a"), .end, .character("e"))
        #expect(desk.editor.line.text == "abcde")
        desk.press(.left, .left, .delete, .left, .backspace)
        #expect(desk.editor.line.text == "ace")
        desk.press(.control("e"), .control("w"))
        #expect(desk.editor.line.text == "")
        desk.type("one two  ")
        desk.press(.control("w"))
        #expect(desk.editor.line.text == "one ")
        desk.press(.left, .control("u"), .control("a"), .control("d"))
        #expect(desk.editor.line.text == "")
    }

    @Test func backspace_takesOneCharacterOfTheReaders() {
        var desk = Desk()
        // What the terminal sends for a family and for an e with an accent: code point by code point.
        for text in ["👨\u{200D}👩\u{200D}👧", "e\u{301}"] {
            desk.press("a".map { .character($0) })
            desk.press(text.unicodeScalars.map { .character(Character($0)) })
            #expect(desk.editor.line.text == "a" + text)
            desk.press(.backspace)
            #expect(desk.editor.line.text == "a")
            desk.press(.control("u"))
        }
    }

    @Test func tab_goesThroughTheSpeakers_andNobodyIsOneOfThem() {
        var desk = Desk(speakers: ["Ann", "Bob", "Ann", " "])
        var seen: [String?] = []
        for _ in 0..<4 {
            seen.append(desk.editor.speakers.current)
            desk.press(.tab)
        }
        #expect(seen == [nil, "Ann", "Bob", nil])
        desk.type("Yes")
        desk.press(.tab)
        desk.press(.enter)
        #expect(
            desk.actions == [
                .partial(text: "Yes", speaker: "Ann"), .partial(text: "Yes", speaker: "Bob"),
                .final(text: "Yes", speaker: "Bob"),
            ])
    }

    @Test(
        arguments: [
            ("Zoe: Good morning", "Zoe", "Good morning"),
            ("Dr. Lee: Good morning", "Dr. Lee", "Good morning"),
            ("the rule: be kind", nil, "the rule: be kind"),
            ("Three very good: reasons", nil, "Three very good: reasons"),
            ("At 10:30 we begin", nil, "At 10:30 we begin"), ("Zoe: ", nil, "Zoe:"),
            ("Notes: bring water", nil, "Notes: bring water"),
            ("TODO: call Ann", nil, "TODO: call Ann"),
            ("Open questions: two", nil, "Open questions: two"),
        ] as [(String, String?, String)])
    func name_isTheSpeaker_whenItLooksLikeOne(_ typed: String, _ speaker: String?, _ text: String) {
        var desk = Desk()
        desk.type(typed)
        desk.press(.enter)
        guard case .final(let words, let name)? = desk.actions.last else {
            Issue.record("\(desk.actions)")
            return
        }
        #expect(words == text && name == speaker)
        #expect(desk.editor.speakers.names == [speaker].compactMap(\.self))
    }

    @Test func up_correctsTheLinesBefore_andTheOpenLineWaits() {
        var desk = Desk(lines: said)
        desk.type("draft")
        desk.press(.up)
        #expect(desk.editor.correcting == 9 && desk.editor.line.text == "and welcome")
        #expect(desk.editor.speaker == "Ann")
        desk.press(.up, .up)
        #expect(desk.editor.correcting == 7)
        desk.press(.control("w"))
        desk.type("morning")
        desk.press(.enter)
        #expect(
            desk.actions == [
                .partial(text: "draft", speaker: nil),
                .corrections([.init(seq: 7, text: "Good morning")]),
            ])
        #expect(desk.editor.correcting == nil && desk.editor.line.text == "draft")
    }

    /// Lines of two logs may have one number.
    @Test func up_goesByTheEventsOrder_throughTheLogs() {
        var (main, ann) = (
            RecentLines.Line(seq: 2, at: 2, text: "two"),
            RecentLines.Line(seq: 1, at: 3, text: "uno")
        )
        ann.log = "a"
        main.speaker = "Bob"
        var desk = Desk(lines: [main, ann])
        desk.press(.up)
        #expect(desk.editor.corrected?.log == "a" && desk.editor.line.text == "uno")
        desk.press(.backspace, .backspace, .backspace, .backspace)
        #expect(desk.editor.corrected == main)
        desk.type("!")
        desk.press(.enter)
        var withdrawn = EditorAction.Correction(seq: 1, text: "")
        withdrawn.log = "a"
        let corrected = EditorAction.Correction(seq: 2, text: "two!", speaker: "Bob")
        #expect(desk.actions == [.corrections([withdrawn, corrected])])
    }

    @Test func correction_keepsItsSpeaker_orTakesAnother() {
        var desk = Desk(speakers: ["Bob"], lines: said)
        desk.press(.up)
        desk.type("!")
        desk.press(.enter, .up, .tab, .enter, .up, .home)
        desk.type("Zoe: ")
        desk.press(.enter)
        #expect(
            desk.actions == [
                .corrections([.init(seq: 9, text: "and welcome!", speaker: "Ann")]),
                .corrections([.init(seq: 9, text: "and welcome", speaker: "Bob")]),
                .corrections([.init(seq: 9, text: "and welcome", speaker: "Zoe")]),
            ])
    }

    @Test func correction_isNothing_whenNothingIsOther() {
        var desk = Desk(lines: said)
        desk.press(.up, .enter, .up, .character("x"), .escape)
        desk.press(.up, .up, .down, .down)
        #expect(desk.actions.isEmpty)
        #expect(desk.editor.correcting == nil && desk.editor.line.isEmpty)
    }

    @Test func backspace_goesIntoTheLastLine_whenThereIsNothingElse() {
        var desk = Desk(lines: [RecentLines.Line(seq: 3, text: "the wether")])
        // As a steno program takes back "wether", Enter included, and writes it again.
        desk.press(Array(repeating: .backspace, count: 7) + "weather".map { .character($0) })
        desk.press(.enter)
        #expect(desk.actions == [.corrections([.init(seq: 3, text: "the weather")])])
    }

    @Test func line_isWithdrawn_whenNoWordIsLeft() {
        var desk = Desk(lines: said)
        desk.press(.up, .control("u"), .enter)
        #expect(desk.actions == [.corrections([.init(seq: 9, text: "")])])
        #expect(desk.editor.correcting == nil)
    }

    /// The name is none of the words, and further backspaces reach the line before; nothing is done
    /// before Enter.
    @Test func backspaces_goOnIntoTheLineBefore_andNeverIntoTheName() {
        var desk = Desk(lines: said)
        desk.press([.up] + Array(repeating: .backspace, count: "and welcome".count))
        #expect(desk.editor.correcting == 9 && desk.editor.line.isEmpty)
        #expect(desk.editor.speaker == "Ann")
        desk.press(.backspace, .backspace, .character("G"))
        #expect(desk.editor.correcting == 7 && desk.editor.line.text == "Good mourninG")
        #expect(desk.actions.isEmpty)
        var other = desk
        other.press(.escape)
        #expect(other.actions.isEmpty && other.editor.correcting == nil)
        desk.press(.enter)
        #expect(
            desk.actions == [
                .corrections([.init(seq: 9, text: ""), .init(seq: 7, text: "Good mourninG")])
            ])
    }

    // MARK: What is pasted

    @Test func paste_isShownToNobody_beforeEnter_andItsLinesWaitForTheirs() {
        var desk = Desk(speakers: ["Ann"])
        desk.press(.pasted("Good\n\n  \nmorning all\nthree"))
        #expect(desk.actions.isEmpty && desk.editor.line.text == "Good")
        #expect(desk.editor.pastedCount == 3)
        desk.press(.enter)
        desk.press(.enter)
        #expect(
            desk.actions == [
                .final(text: "Good", speaker: nil), .final(text: "morning all", speaker: nil),
            ])
        #expect(desk.editor.line.text == "three" && desk.editor.pastedCount == 1)
        desk.press(.escape)
        #expect(desk.editor.line.isEmpty && desk.editor.pastedCount == 0)
        #expect(desk.actions.count == 2)
    }

    @Test func paste_isCutIntoLines_whenItIsTooLong() {
        var desk = Desk()
        let long = String(repeating: "字", count: 3_000)
        desk.press(.pasted(long))
        var sent = ""
        while desk.editor.pastedCount > 0 {
            #expect(desk.editor.line.text.utf8.count <= Limits.lineBytes)
            sent += desk.editor.line.text
            desk.press(.enter)
        }
        #expect(sent == long)
    }

    @Test func paste_staysOneLine_inACorrection() {
        var desk = Desk(lines: said)
        desk.press(.up, .pasted(" to\nall"), .enter)
        let text = "and welcome to all"
        #expect(desk.actions == [.corrections([.init(seq: 9, text: text, speaker: "Ann")])])
    }

    @Test func openLine_isSent_whenTheHostGoes_butNotWhatWasPasted() {
        var desk = Desk()
        desk.type("half a li")
        #expect(desk.editor.takeOpen() == .final(text: "half a li", speaker: nil))
        #expect(desk.editor.takeOpen() == nil)
        desk.press(.pasted("a password"))
        #expect(desk.editor.takeOpen() == nil)
    }

    @Test func end_isAskedFor_onAnEmptyLineOnly() {
        var desk = Desk()
        desk.type("a")
        desk.press(.control("d"))
        #expect(desk.actions == [.partial(text: "a", speaker: nil)])
        desk.press(.backspace, .control("d"))
        #expect(desk.actions.contains(.end))
    }

    @Test(arguments: [" ", ""])
    func longLine_isSentInPieces(_ blank: String) {
        var desk = Desk()
        let text = String(repeating: "wörter" + blank, count: 1_500)
        desk.type(text)
        desk.press(.enter)
        var pieces: [String] = []
        for case .final(let text, _) in desk.actions { pieces.append(text) }
        #expect(pieces.count > 2)
        #expect(pieces.allSatisfy { (1...Limits.lineBytes).contains($0.utf8.count) })
        #expect(pieces.joined(separator: blank) == text.trimmingBlanks)
    }

    @Test func clearedLine_isTakenBackFromReaders() {
        var desk = Desk()
        desk.type("secret")
        desk.editor.clear()
        desk.press()
        #expect(desk.actions.last == .partial(text: "", speaker: nil))
        desk.type("a")
        desk.editor.showAgain()
        desk.press()
        #expect(
            desk.actions.suffix(2) == [
                .partial(text: "a", speaker: nil), .partial(text: "a", speaker: nil),
            ])
    }
}

extension String {
    /// Without the blanks at its end.
    var trimmingBlanks: String { String(reversed().drop { $0 == " " }.reversed()) }
}
