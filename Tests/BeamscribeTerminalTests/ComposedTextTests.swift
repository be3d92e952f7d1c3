import Foundation
import TestSupport
import Testing

@testable import BeamscribeTerminal

@Suite struct ComposedTextTests {
    @Test func line_hasLettersAndMarksInOneScalar() {
        for line in ScriptSentences.lines {
            let composed = ComposedText.line(line)
            #expect(composed == line)
            #expect(composed.unicodeScalars.count <= line.unicodeScalars.count)
        }
        let korean = ScriptSentences.sentences["ko"] ?? ""
        let apart = korean.decomposedStringWithCanonicalMapping
        #expect(Array(ComposedText.line(apart).unicodeScalars) == Array(korean.unicodeScalars))
    }

    /// Signs that NFC replaces by others, alone and with a mark behind.
    @Test(arguments: [
        "\u{F900}", "\u{FA19}\u{301}", "\u{2F800}", "\u{212B}", "\u{2126}", "\u{37E}", "\u{958}",
        "\u{2329}", "\u{1F71}",
    ])
    func sign_isNotReplaced(text: String) {
        let composed = ComposedText.line("a" + text + "b")
        #expect(Array(composed.unicodeScalars) == Array(("a" + text + "b").unicodeScalars))
    }

    @Test(arguments: [
        ("e\u{301}", "é"), ("か\u{3099}", "が"), ("\u{1112}\u{1161}\u{11AB}", "한"),
        ("a\u{302}\u{301}", "ấ"), ("o\u{31B}\u{323}", "ợ"), ("क", "क"), ("", ""),
    ])
    func letter_isComposed(apart: String, composed: String) {
        let line = ComposedText.line(apart)
        #expect(Array(line.unicodeScalars) == Array(composed.unicodeScalars))
    }
}
