import BeamscribeInput
import Testing

struct TextEscapeTests {
    @Test(arguments: [
        "\u{1B}[1;32mtext\u{1B}[0m", "\u{1B}]0;title\u{7}text", "\u{1B}]8;;u\u{1B}\\text",
        "\u{1B}[1Atext", "\u{1B}(Btext", "\u{1B}ctext", "\u{1B}\u{1B}[mtext", "\u{1B}[?25ltext",
        "\u{1B}Pq data\u{1B}\\text", "te\u{1B}[Kxt", "te\u{1B}[3Kxt", "te\u{1B}[?2Kxt",
        "\u{1B}]8;;u\u{1B}[mtext", "\u{1B}$(Ctext",
    ])
    func sequence_leavesOnlyText_howeverItIsSplit(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        for cut in 0...bytes.count {
            let parts = [Array(bytes[..<cut]), Array(bytes[cut...])]
            #expect(batches(.text, parts).flatMap { $0 }.compactMap(\.finalText) == ["text"])
        }
    }

    @Test(arguments: [
        "old\u{1B}[2Knew", "old\r\u{1B}[Knew", "old\r\u{1B}[0Knew", "old\u{1B}[1Knew",
        "old\r\u{1B}[2Knew", "old\u{1B}[2K\rnew", "old\u{1B}[2K\r    \rnew",
    ])
    func erasing_clearsTheLine_howeverItIsSaid(_ line: String) {
        #expect(finals(.text, line + "\n") == ["new"])
    }

    @Test func erasedLine_isNoFinal_whenNothingFollows() {
        #expect(finals(.text, "old\u{1B}[2K\n", "old\r\u{1B}[K\n") == [])
    }

    @Test func controlSequence_ends_whenAByteCannotBelongToIt() {
        #expect(finals(.text, "a\u{1B}[12\nb\u{1B}[1é\n") == ["a", "bé"])
        #expect(finals(.text, "a\u{1B}\nb\n") == ["a", "b"])
    }

    @Test func controlSequence_ends_after64Bytes() {
        let digits = String(repeating: "1", count: 64)
        #expect(finals(.text, "\u{1B}[\(digits)text\n") == ["text"])
        #expect(finals(.text, "\u{1B}[\(digits.dropLast())mtext\n") == ["text"])
        #expect(finals(.text, "\u{1B}(\(String(repeating: " ", count: 64))text\n") == ["text"])
    }

    @Test func terminalString_ends_atTheLineOrAfter4096Bytes() {
        #expect(finals(.text, "\u{1B}]0;never\nnext\n") == ["next"])
        #expect(finals(.text, "\u{1B}]\(String(repeating: "x", count: 4_096))text\n") == ["text"])
    }
}
