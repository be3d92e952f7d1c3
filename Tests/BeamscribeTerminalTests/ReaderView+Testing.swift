@testable import BeamscribeCore
@testable import BeamscribeTerminal

extension ReaderView {
    /// A view for tests, on which it is always five past two.
    static func test(
        columns: Int = 40, rows: Int = 10, colour: Bool = false,
        settings: ReaderSettings = ReaderSettings()
    ) -> ReaderView {
        ReaderView(
            size: TerminalSize(columns: columns, rows: rows), style: TerminalStyle(colour: colour),
            settings: settings
        ) { _ in "14:05" }
    }

    mutating func add(
        _ text: String, seq: Int, line: String = "", speaker: String? = nil, replaces: Int? = nil
    ) {
        add(
            TranscriptLine(
                seq: seq, line: line.isEmpty ? "l-\(seq)" : line, text: text, speaker: speaker,
                replaces: replaces, sentTimestamp: now, receivedTimestamp: now, latency: 0))
    }

    mutating func add(numbered numbers: ClosedRange<Int>) {
        for number in numbers { add("line \(number)", seq: number) }
    }

    mutating func show(_ text: String, line: String, speaker: String? = nil) {
        show(PartialLine(line: line, text: text, speaker: speaker))
    }

    /// Presses keys: each character is one.
    mutating func press(_ text: String) {
        for character in text { _ = handle(.character(character)) }
    }

    /// The rows of the screen, without blanks at their ends.
    mutating func screen() -> [String] {
        frame().map { row in
            var text = Substring(row.plain)
            while text.last == " " { text.removeLast() }
            return String(text)
        }
    }

    /// The rows that are captions or notices.
    mutating func captions() -> [String] {
        Array(screen().prefix(captionHeight)).filter { !$0.isEmpty }
    }
}

extension ReaderRow {
    /// What is written without attributes.
    var plain: String {
        text.split(separator: "\u{1B}[", omittingEmptySubsequences: false).enumerated()
            .map { $0 == 0 ? $1 : $1.drop { $0 != "m" }.dropFirst() }.joined()
    }
}
