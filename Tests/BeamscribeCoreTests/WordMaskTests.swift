import Testing

@testable import BeamscribeCore

@Suite struct WordMaskTests {
    private func mask(_ list: String) throws -> WordMask { try WordMask(list: list) }

    @Test(arguments: [
        ("darn", "d***"), ("Darn!", "D***!"), ("DARN it", "D*** it"), ("darned", "darned"),
        ("undarn", "undarn"), ("darn-darn", "d***-d***"), ("darn's", "d***'s"),
        ("«darn»", "«d***»"), ("heck", "h***"), ("hecking good", "h****** good"),
        ("check", "check"), ("darn2", "darn2"), ("_darn_", "_d***_"), ("", ""), ("x", "*"),
    ])
    func words_areMasked_whole(text: String, expected: String) throws {
        let mask = try mask("darn\nheck*\nx\n")
        #expect(mask.masked(text) == expected)
    }

    @Test func words_areFound_howeverUnicodeSpellsThem() throws {
        let mask = try mask("scheiße\ncafé\nσκατός\nдурак\n")
        #expect(mask.masked("SCHEISSE Scheiße scheisse") == "S******* S****** s*******")
        #expect(mask.masked("cafe\u{301} CAFÉ") == "c*** C***")
        #expect(mask.masked("ΣΚΑΤΌΣ σκατός") == "Σ***** σ*****")
        #expect(mask.masked("Дурак, дураки") == "Д****, дураки")
    }

    @Test func words_areFoundAnywhere_whereWritingHasNoBlanks() throws {
        let mask = try mask("他妈的\nばか\nเหี้ย\n")
        #expect(mask.masked("你他妈的笨") == "你他**笨")
        #expect(mask.masked("このばかもの") == "このば*もの")
        #expect(mask.masked("ไอ้เหี้ยนี่").contains("*"))
        #expect(mask.masked("他妈") == "他妈")
    }

    @Test func list_hasCommentsBlanksAndMarks() throws {
        let mask = try mask("\u{FEFF}# a list\r\n\r\n  darn  # mild\r\nheck*\r\n")
        #expect(mask.masked("darn hecks") == "d*** h****")
        #expect(mask.masked("mild list") == "mild list")
    }

    @Test(arguments: [
        ("darn\noh dear\n", 2, "oh dear"), ("*", 1, "*"), ("a*b", 1, "a*b"), ("f'ing", 1, "f'ing"),
    ])
    func list_isRefused_byItsLine(list: String, line: Int, text: String) {
        #expect(throws: WordMask.ListError.notAWord(line: line, text)) { try WordMask(list: list) }
    }

    @Test func list_isRefused_whenNothingIsInIt() {
        #expect(throws: WordMask.ListError.empty) { try WordMask(list: "# nothing\n\n") }
    }

    @Test func english_leavesOrdinaryWordsAlone() {
        let ordinary =
            "Scunthorpe, Dick and Cockburn passed the class; the assistant's Essex shiitake, a "
            + "peacock, a cockpit, cummings, niggardly, snigger, document, hello, pussycat, title"
        #expect(WordMask.english.masked(ordinary) == ordinary)
        let masked = WordMask.english.masked("Fucking hell, shit happens")
        #expect(masked == "F****** hell, s*** happens")
    }

    /// Against the plain way: cut the text into words, look each up.
    @Test func masked_isWhatThePlainWayGives_forAnyText() throws {
        var generator = SeededGenerator(seed: 21)
        let parts = ["darn", "Darn", "heck", "hecks", "é", "e\u{301}", "ok", "字", "2", "👍🏽", "ß"]
        let between = [" ", "-", "'", ", ", "", "\u{A0}", "…", "\u{200D}"]
        let mask = try mask("darn\nheck*\né\nok2\n")
        for _ in 0..<5_000 {
            var text = ""
            for _ in 0..<Int.random(in: 0...12, using: &generator) {
                text += parts.randomElement(using: &generator) ?? ""
                text += between.randomElement(using: &generator) ?? ""
            }
            let masked = mask.masked(text)
            #expect(masked == plainly(text))
            #expect(masked.utf8.count <= text.utf8.count && masked.count == text.count)
            #expect(mask.masked(masked) == masked)
        }
    }

    private func plainly(_ text: String) -> String {
        var result: [Character] = []
        var word: [Character] = []
        for character in Array(text) + ["\n"] {
            if character.isLetter || character.isNumber {
                word.append(character)
                continue
            }
            let folded = String(word).lowercased()
            let isBad = ["darn", "é", "ok2"].contains(folded) || folded.hasPrefix("heck")
            let kept = word.count > 1 ? 1 : 0
            result += isBad ? word.prefix(kept) + word.dropFirst(kept).map { _ in "*" } : word
            result.append(character)
            word = []
        }
        return String(result.dropLast())
    }

    @Test func events_haveTheirWordsMasked_andNothingElse() throws {
        let mask = try mask("darn")
        var line = captionLine(1, "oh darn")
        (line.speaker, line.line) = ("Darn", "darn")
        var expected = line
        expected.text = "oh d***"
        #expect(mask.masked(.line(line)) == .line(expected))
        let partial = PartialLine(line: "darn", text: "darn", speaker: "Darn")
        #expect(
            mask.masked(.partial(partial))
                == .partial(PartialLine(line: "darn", text: "d***", speaker: "Darn")))
        let log = LogTitle.sample
        #expect(mask.masked(.inLog(log, .line(line))) == .inLog(log, .line(expected)))
        let alert = GuestEvent.alert(kind: "k", message: "darn")
        #expect(mask.masked(alert) == alert)
    }
}
