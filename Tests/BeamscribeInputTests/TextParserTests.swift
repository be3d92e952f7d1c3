import BeamscribeCore
import BeamscribeInput
import Testing

struct TextParserTests {
    @Test func line_isFinal_whenItEnds() {
        #expect(
            events(.text, "one\ntwo\r\nthree\n") == [.final("one"), .final("two"), .final("three")])
    }

    @Test func openLine_isPartialThenFinal_whenItGrows() {
        #expect(
            events(.text, "Good", " mor", "ning\n")
                == [.partial("Good"), .partial("Good mor"), .final("Good morning")])
    }

    @Test func openLine_isFinal_whenTheInputEnds() {
        #expect(events(.text, "tail") == [.partial("tail"), .final("tail")])
    }

    @Test func partial_isNotRepeated_whenNothingVisibleChanges() {
        #expect(
            events(.text, "a", " ", "\r", "a", "\u{1B}[0m", "\n") == [.partial("a"), .final("a")])
    }

    @Test func partial_isTheNewestOnly_whenABatchHoldsSeveral() {
        #expect(events(.text, "one\ra\rab\rabc").prefix(1) == [.partial("abc")])
        #expect(events(.text, "one\ntw").prefix(2) == [.final("one"), .partial("tw")])
    }

    @Test func carriageReturn_replacesTheLine_whenTextFollows() {
        #expect(finals(.text, "a long line\rshort\n") == ["short"])
        #expect(
            events(.text, "abc", "\r", "d", "\n") == [.partial("abc"), .partial("d"), .final("d")])
    }

    @Test func carriageReturn_changesNothing_whenTheLineEndsThere() {
        #expect(
            finals(.text, "text\r\n", "more\r", "\n", "last\r\r\n", "end\r") == [
                "text", "more", "last", "end",
            ])
    }

    @Test func rewrittenLine_isTrimmed_atBothEnds() {
        #expect(finals(.text, "x\r   padded   \n") == ["padded"])
        #expect(finals(.text, "   plain   \n") == ["   plain"])
    }

    @Test func whisperStream_givesPartialsAndFinals_whenItRedraws() {
        let parts = ["[Start speaking]\n", "Good mor", "Good morning"].enumerated()
            .map { $0.offset == 0 ? $0.element : Samples.redraw(" " + $0.element) }
        #expect(
            events(.text, parts[0], parts[1], parts[2], parts[2], "\n") == [
                .final("[Start speaking]"), .partial("Good mor"), .partial("Good morning"),
                .final("Good morning"),
            ])
    }

    @Test func blankLine_isNothing_whenNoPartialWasShown() {
        #expect(events(.text, "\n", "  \t\n", "\u{A0}\n", "\r\n", "   ", "\n") == [])
    }

    @Test func partial_isWithdrawn_whenItsLineBecomesEmpty() {
        #expect(events(.text, "hm", "\u{8}\u{8}\n") == [.partial("hm"), .partial("")])
        #expect(events(.text, "hm", "\u{1B}[2K") == [.partial("hm"), .partial("")])
        #expect(
            events(.text, "hm", "\u{8}\u{8}\nnew") == [
                .partial("hm"), .partial("new"), .final("new"),
            ])
    }

    @Test func backspace_removesOneCharacter_whateverItsSize() {
        #expect(finals(.text, "helo\u{8}lo\u{7F}p\n") == ["hellp"])
        #expect(finals(.text, "a👩‍👩‍👧‍👦\u{8}b🇩🇪\u{8}ce\u{301}\u{8}\n") == ["abc"])
        #expect(finals(.text, "\u{8}\u{8}x\n") == ["x"])
        #expect(finals(.text, "abc\r\u{8}\n") == ["abc"])
    }

    @Test func controls_go_orBecomeVisible_andTabsBecomeSpaces() {
        #expect(finals(.text, "a\tb\u{0}c\u{B}d\u{9B}e\u{202E}f\n") == ["a bcd<U+009B>e<U+202E>f"])
        #expect(
            finals(.text, "plain first\na\u{85}b\u{2028}c\u{202E}d\n")
                == ["plain first", "a b c<U+202E>d"])
    }

    @Test func byteOrderMark_goes_whenItIsTheVeryStart() {
        #expect(finals(.text, "\u{FEFF}one\n") == ["one"])
        #expect(finals(.text, "\u{FEFF}\n") == [])
        #expect(finals(.text, "one\n\u{FEFF}x\n") == ["one", "\u{FEFF}x"])
    }

    @Test func incompleteCharacter_waits_whenABatchEndsInIt() {
        var parser = TextParser()
        #expect(parser.feed([0x61, 0xE2, 0x82]) == [.partial("a")])
        #expect(parser.feed([0xAC]) == [.partial("a€")])
        #expect(parser.feed([0xF0, 0x9F]) == [])
        #expect(parser.feed([0x0A]) == [.final("a€\u{FFFD}")])
    }

    @Test func brokenBytes_becomeReplacements_andAreNotFatal() {
        var parser = TextParser()
        #expect(parser.feed([0x61, 0xFF, 0x62, 0x0A]) == [.final("a\u{FFFD}b")])
        #expect(parser.feed([0x61, 0xC3, 0x62, 0x0A]) == [.final("a\u{FFFD}b")])
    }

    @Test func everyControl_goes_whereverItStandsInItsWord() {
        let used: Set<UInt8> = [0x08, 0x09, 0x0A, 0x0D, 0x1B]
        for control in (UInt8(0)..<0x20) where !used.contains(control) {
            for place in 0...20 {
                var line = [UInt8](repeating: 0x7E, count: 20)
                line.insert(control, at: place)
                let found = batches(.text, [[0x0A] + line + [0x0A]]).flatMap { $0 }
                #expect(found == [.final(String(repeating: "~", count: 20))])
            }
        }
    }

    @Test func directions_arePaired_howeverTheLineComes() {
        #expect(
            finals(.text, "a \u{2067}ש", "\u{2069} b\n", "c \u{2067}d\ne\u{2069}\n")
                .map { Array($0.unicodeScalars) }
                == ["a \u{2067}ש\u{2069} b", "c <U+2067>d", "e<U+2069>"]
                .map { Array($0.unicodeScalars) })
    }

    @Test func directions_areVisible_whileTheirEndIsStillToCome() {
        let events = events(.text, "a \u{2067}b", "\u{2069}\n")
        #expect(events.first == .partial(Caption(text: "a <U+2067>b")))
        #expect(events.last == .final(Caption(text: "a \u{2067}b\u{2069}")))
    }

    /// 1,024 overrides take 3 bytes each, and 8 when they are visible.
    @Test func line_isCutAgain_whenItGrowsByWhatBecomesVisible() {
        let finals = finals(.text, "x\n" + String(repeating: "\u{202E}abc ", count: 580) + "\n")
        #expect(finals.count > 2)
        #expect(finals.allSatisfy { $0.utf8.count <= Limits.lineBytes && SafeText.isSafe($0) })
        let visible = String(repeating: "<U+202E>abc ", count: 580)
        #expect(finals.dropFirst().joined(separator: " ") == visible.dropLast())
    }
}
