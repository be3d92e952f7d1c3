import BeamscribeCore
import BeamscribeInput
import Testing

struct LongLineTests {
    private let words = (0..<3_000).map { "w\($0)" }.joined(separator: " ")

    @Test func longLine_isCutAtSpaces_andNothingIsLost() {
        let pieces = finals(.text, "first\n", words + "\n").dropFirst()
        #expect(pieces.count > 1)
        #expect(pieces.allSatisfy { $0.utf8.count <= Limits.lineBytes })
        #expect(pieces.dropLast().allSatisfy { $0.utf8.count > Limits.lineBytes - 10 })
        #expect(pieces.joined(separator: " ") == words)
    }

    @Test func longWord_isCutBetweenCharacters_andNothingIsLost() {
        for character in ["x", "é", "敏", "🇩🇪", "👩‍👩‍👧‍👦", "e\u{301}"] {
            for lead in ["", "a", "abc"] {
                let word = lead + String(repeating: character, count: 9_000 / character.utf8.count)
                let pieces = finals(.text, word)
                #expect(pieces.joined().unicodeScalars.elementsEqual(word.unicodeScalars))
                #expect(pieces.map(\.count).reduce(0, +) == word.count)
                #expect(pieces.count == 3)
            }
        }
    }

    @Test func endlessCharacter_isCutInTwo_whenItIsOverTheLimit() {
        let word = "e" + String(repeating: "\u{301}", count: 5_000)
        let pieces = finals(.text, word)
        #expect(pieces.joined().unicodeScalars.elementsEqual(word.unicodeScalars))
        #expect(pieces.allSatisfy { $0.utf8.count <= Limits.lineBytes })
    }

    @Test func line_isWhole_whenItIsExactlyAsLongAsAllowed() {
        let full = String(repeating: "x", count: Limits.lineBytes)
        #expect(
            finals(.text, full + "\n", full + "   \n", full + " y\n") == [full, full, full, "y"])
    }

    @Test func replacements_areCut_whenTheyGrowOverTheLimit() {
        let broken = [UInt8](repeating: 0xFF, count: 4_000) + [0x0A]
        let texts = batches(.text, [[0x0A], broken]).flatMap { $0 }.compactMap(\.finalText)
        #expect(texts.joined() == String(repeating: "\u{FFFD}", count: 4_000))
        #expect(texts.allSatisfy { $0.utf8.count <= Limits.lineBytes })
    }

    @Test func jsonText_isCut_andOnlyTheFirstPieceReplaces() throws {
        let found = events(.jsonl, #"{"text":"\#(words)","replaces":7,"line":"a","speaker":"Ann"}"#)
        let lines = found.compactMap { if case .final(let line) = $0 { line } else { nil } }
        #expect(lines.count == found.count)
        #expect(lines.map(\.text).joined(separator: " ") == words)
        #expect(lines.map(\.replaces) == [7] + lines.dropFirst().map { _ in nil })
        #expect(lines.allSatisfy { $0.line == "a" && $0.speaker == "Ann" })
    }

    @Test func jsonPartial_showsItsNewestWords_whenItIsTooLong() {
        let found = events(.jsonl, #"{"text":"\#(words)","final":false}"#)
        #expect(found.count == 1)
        #expect(found.first?.partialLine.map { words.hasSuffix($0.text) } == true)
    }
}
