import BeamscribeCore
import Testing

@Suite struct GlossaryTests {
    private func glossary(_ lines: String...) throws -> Glossary {
        try Glossary(list: lines.joined(separator: "\n"))
    }

    @Test(arguments: [
        ("we run cuber netties here", "we run Kubernetes here"),
        ("Cuber  Netties!", "Kubernetes!"), ("CUBER NETTIES", "Kubernetes"),
        ("cuber-netties, cuber", "cuber-netties, cuber"), ("cuber netties2", "cuber netties2"),
        ("a beam scribe", "a beamscribe"), ("Beam scribe, BEAM SCRIBE", "Beamscribe, BEAMSCRIBE"),
        ("don't, DON'T, Don't", "do not, DO NOT, Do not"), ("", ""), (" \t", " \t"),
        ("我们用库伯奈特斯吧", "我们用Kubernetes吧"), ("the class of ass", "the class of donkey"),
        ("very very good", "very good"), ("very very very good", "very very good"),
    ])
    func words_areMended(text: String, expected: String) throws {
        let glossary = try glossary(
            "cuber netties = Kubernetes", "beam scribe = beamscribe", "don't=do not",
            "库伯奈特斯 = Kubernetes", "ass = donkey", "very very = very")
        #expect(glossary.mended(text) == expected)
    }

    @Test func longest_counts_andOfTwoTheLater_andNothingIsMendedTwice() throws {
        let glossary = try glossary(
            "a = b", "b = c", "a a a = three", "a a = two", "x = first", "X = second")
        #expect(glossary.count == 5)
        #expect(glossary.mended("a a a a a a, b, x") == "three three, c, second")
        #expect(glossary.mended("a a a a b") == "three b c")
    }

    @Test func language_isThatOfTheLine_orADialectOfIt() throws {
        let glossary = try glossary("x = all", "[de]", "a = deutsch", "[]", "b = again")
        #expect(glossary.mended("x a b", lang: "de-AT") == "all deutsch again")
        #expect(glossary.mended("x a b", lang: "den") == "all a again")
        #expect(glossary.mended("x a b") == "all a again")
    }

    @Test func words_canGo_andALineNeverGetsTooLong() throws {
        let glossary = try glossary("um = ", "x = " + String(repeating: "y", count: 4_000))
        #expect(glossary.mended("well um yes") == "well  yes")
        #expect(glossary.mended("x").utf8.count == 4_000)
        #expect(glossary.mended("x x") == "x x")
        #expect(glossary.mended(" Um. um") == " . ")
        #expect(glossary.mended("um") == "um", "A line of nothing would be a line taken back.")
    }

    @Test(arguments: [
        ("nothing", 1), ("a = b\n= c", 2), ("a = b\n... = c", 2), ("[klingon!]\na = b", 1),
        ("# only\n\na : b", 3),
    ])
    func error_saysWhichLine(list: String, line: Int) {
        do throws(Glossary.ListError) {
            _ = try Glossary(list: list)
            Issue.record("it was taken")
        } catch {
            if case .notAnEntry(line, _) = error { return }
            Issue.record("\(error)")
        }
    }

    /// The console may write the first one.
    @Test(arguments: ["", "# a = b", "\u{FEFF}\n\n"])
    func list_mayBeEmpty(list: String) throws {
        #expect(try Glossary(list: list) == Glossary())
    }

    /// Whatever the text, it is whole where nothing fits, and mended once where something does.
    @Test func anyText_isWhole() throws {
        let glossary = try glossary("zebra = horse")
        var generator = SeededGenerator(seed: 1)
        let alphabet: [Character] = ["a", "B", " ", "\t", "'", ".", "字", "e\u{301}", "👩‍👩‍👧", "ß", "1"]
        for _ in 0..<2_000 {
            let text = String((0..<12).map { _ in alphabet.randomElement(using: &generator)! })
            #expect(glossary.mended(text) == text)
            #expect(glossary.mended(text + " Zebra") == text + " Horse")
        }
    }

    @Test(arguments: [
        ("We use cuber netties.", "We use Kubernetes.", "cuber netties", "Kubernetes"),
        ("Ann: (gnat), yes", "Ann: (Knut), yes", "gnat", "Knut"),
        ("the their there", "the there there", "their", "there"),
        ("one", "two", "one", "two"),
    ])
    func correction_tellsAPair(old: String, new: String, wrong: String, right: String) {
        let pair = GlossaryPair(from: old, to: new)
        #expect(pair?.wrong == wrong && pair?.right == right)
    }

    @Test(arguments: [
        ("same", "same"), ("one more", "one"), ("one", "one more"), ("", "x"), ("x", ""),
        ("a b c d e f", "g h i j k l"), ("a = b", "a = c = d"), ("so.", "so!"), ("x", "[de]"),
        ("kubernetes runs", "Kubernetes runs # fast"),
    ])
    func correction_isNoPair(old: String, new: String) {
        #expect(GlossaryPair(from: old, to: new) == nil)
    }
}
