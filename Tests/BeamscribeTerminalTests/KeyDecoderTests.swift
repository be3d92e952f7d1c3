import BeamscribeCore
import BeamscribeTerminal
import Testing

@Suite struct KeyDecoderTests {
    @Test(arguments: [
        ("j", [Key.character("j")]), ("é漢😀", [.character("é"), .character("漢"), .character("😀")]),
        ("\r", [.enter]), ("\n", [.enter]), ("\u{7F}\u{8}", [.backspace, .backspace]),
        ("\u{3}", [.interrupt]), ("\u{4}\t", [.control("d"), .tab]), ("\u{85}", [.unknown]),
        ("\u{1B}[A\u{1B}[B\u{1B}[D", [.up, .down, .left]), ("\u{1B}OA\u{1B}OB", [.up, .down]),
        ("\u{1B}[1;5A", [.up]), ("\u{1B}[5~\u{1B}[6~", [.pageUp, .pageDown]),
        ("\u{1B}[I\u{1B}[O\u{1B}OI", [.focusGained, .focusLost, .unknown]),
        ("\u{1B}[H\u{1B}OH\u{1B}[1~\u{1B}[7~", [.home, .home, .home, .home]),
        ("\u{1B}[F\u{1B}OF\u{1B}[4~\u{1B}[8;2~", [.end, .end, .end, .end]),
        ("\u{1B}[C\u{1B}[3~\u{1B}[65~", [.right, .delete, .unknown]),
        ("\u{1B}[[Aq", [.unknown, .character("q")]),
        ("\u{1B}[?2026;2$yq", [.unknown, .character("q")]),
        ("\u{1B}\u{1B}[A", [.escape, .up]), ("\u{1B}\u{3}", [.escape, .interrupt]),
        ("\u{1B}éq", [.unknown, .character("q")]),
        (
            "a\u{1B}[12;3Rb\u{1B}[1;2R",
            [.character("a"), .cursorAt(row: 12, column: 3), .character("b")]
                + [.cursorAt(row: 1, column: 2)]
        ),
        ("\u{1B}[R\u{1B}[1R\u{1B}[1;2;3R\u{1B}[1;1:3R", Array(repeating: .unknown, count: 4)),
        ("\u{1B}[1\rq", [.unknown, .enter, .character("q")]),
        // Kitty's protocol: its answer, a key that is pressed, held and released, with Shift, with Ctrl, and what is none.
        ("\u{1B}[?27u", [.releasesAreTold]),
        (
            "\u{1B}[32;;32u\u{1B}[32;1:2u\u{1B}[32;1:3u",
            [.character(" "), .unknown, .released(" ")]
        ),
        ("\u{1B}[47;2;63u\u{1B}[109u", [.character("?"), .character("m")]),
        ("\u{1B}[99;5u\u{1B}[97;5u", [.interrupt, .control("a")]),
        ("\u{1B}[27u\u{1B}[13u\u{1B}[9u\u{1B}[127u", [.escape, .enter, .tab, .backspace]),
        ("\u{1B}[1;1:3A\u{1B}[1;1:1A\u{1B}[3;1:3~", [.unknown, .up, .unknown]),
        ("\u{1B}[57441;2u\u{1B}[u\u{1B}[99999999999999999999u", [.unknown, .unknown, .unknown]),
        ("\u{1B}[8;1u\u{1B}[155u\u{1B}[55296u", [.unknown, .unknown, .unknown]),
    ])
    func feed_decodesKeys(text: String, keys: [Key]) {
        var decoder = KeyDecoder()
        #expect(decoder.feed(Array(text.utf8)) == keys)
        #expect(!decoder.isWaiting)
    }

    /// What is pasted is one key, however it is cut, and whatever stands in it.
    @Test func paste_isOneKey_whateverIsInIt() {
        let bytes = Array("a\u{1B}[200~e\tend\r\nü\u{1B}[A\u{3}\u{1B}[201~b".utf8)
        for cut in 0...bytes.count {
            var decoder = KeyDecoder()
            let keys =
                decoder.feed(Array(bytes[..<cut])) + decoder.feed(Array(bytes[cut...]))
            #expect(keys.count == 3 && keys.first == .character("a"))
            #expect(keys.last == .character("b"))
            guard keys.count == 3, case .pasted(let text) = keys[1] else {
                Issue.record("\(keys)")
                continue
            }
            #expect(text.hasPrefix("e end\nü") && SafeText.isSafe(text.replacing("\n", with: "")))
        }
    }

    @Test func paste_goesOn_whenItsEndIsLate() {
        var decoder = KeyDecoder()
        #expect(decoder.feed(Array("\u{1B}[200~one\u{1B}".utf8)) == [])
        #expect(decoder.timeout() == [])
        #expect(decoder.feed(Array("[201~".utf8)) == [.pasted("one")])
        let long = String(repeating: "x", count: Limits.pasteBytes + 1)
        let keys = decoder.feed(Array("\u{1B}[200~\(long)\u{1B}[201~".utf8))
        #expect(keys == [.pasted(String(long.dropLast())), .pasted("x")])
    }

    @Test func feed_countsEachStrayByte_whenTextIsNotUnicode() {
        var decoder = KeyDecoder()
        let keys = decoder.feed([0x80, 0xFF, 0xC3, 0x71])
        #expect(keys == [.unknown, .unknown, .unknown, .character("q")])
    }

    @Test func timeout_isEscape_whenEscapeIsAlone() {
        var decoder = KeyDecoder()
        #expect(decoder.timeout() == [])
        #expect(decoder.feed([0x1B]) == [])
        #expect(decoder.isWaiting)
        #expect(decoder.timeout() == [.escape])
        #expect(decoder.timeout() == [])
        #expect(decoder.feed(Array("[A".utf8)) == [.character("["), .character("A")])
    }

    @Test(arguments: ["\u{1B}[", "\u{1B}O", "\u{1B}[1;"])
    func timeout_isUnknown_whenSequenceIsCut(text: String) {
        var decoder = KeyDecoder()
        #expect(decoder.feed(Array(text.utf8)) == [])
        #expect(decoder.timeout() == [.unknown])
    }

    @Test func feed_givesUp_whenSequenceNeverEnds() {
        var decoder = KeyDecoder()
        let keys = decoder.feed(Array("\u{1B}[".utf8) + Array(repeating: 0x31, count: 100_000))
        #expect(keys == [.unknown])
        for _ in 0..<100 { _ = decoder.feed(Array("\u{1B}[1".utf8)) }
        #expect(decoder.timeout().count <= 1)
    }

    @Test(arguments: 0..<200)
    func feed_givesTheSameKeys_whenCutAnywhere(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(clamping: seed))
        let alphabet = Array("\u{1B}[OA~1;\r".utf8) + [0xC3, 0xA9, 0xF0, 0x9F, 0x80]
        let bytes = (0..<25).map { _ in alphabet.randomElement(using: &generator)! }
        var whole = KeyDecoder()
        var cut = KeyDecoder()
        #expect(whole.feed(bytes) == bytes.flatMap { cut.feed([$0]) })
        #expect(whole.timeout() == cut.timeout())
    }
}
