@testable import BeamscribeCore
@testable import BeamscribeTerminal

extension ReaderView {
    /// A view for tests, on which it is always five past two.
    static func test(
        columns: Int = 40, rows: Int = 10, colour: Bool = false,
        settings: ReaderSettings = ReaderSettings(), showing choice: LogChoice = LogChoice()
    ) -> ReaderView {
        ReaderView(
            size: TerminalSize(columns: columns, rows: rows), style: TerminalStyle(colour: colour),
            settings: settings, showing: choice
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

extension LogTitle {
    /// The main log of an event for tests.
    static let testMain = "6265616d-7363-4269-a265-000000000001"

    /// One of its other logs; the last digit of its id is its number.
    ///
    /// - Parameters:
    ///   - translation: the language into which it translates the main log; nil for captions.
    ///   - main: the log for whose captioner its own stands in; nil for none.
    static func test(
        _ number: Int, _ label: String, lang: String? = nil, translating translation: String? = nil,
        standingInFor main: String? = nil
    ) -> LogTitle {
        let session = "6265616d-7363-4269-a265-00000000000\(number)"
        let record =
            translation.map {
                LogRecord(
                    session, translating: testMain, of: testMain, as: label, lang: $0,
                    eventName: "Town Hall", deviceName: "stage", created: 1, number: 1)
            }
            ?? LogRecord(
                session, of: testMain, as: label, lang: lang, eventName: "Town Hall",
                deviceName: "stage", created: 1, number: 1, standingInFor: main)
        return LogTitle(record, by: Fingerprint(bytes: [UInt8](repeating: 7, count: 32))!)
    }
}

extension TranscriptLine {
    /// - Parameters:
    ///   - place: its place among the event's lines.
    ///   - target: the line that it translates.
    static func test(
        _ text: String, seq: Int, at place: Int, of target: Int? = nil, replaces: Int? = nil
    ) -> TranscriptLine {
        var line = TranscriptLine(
            seq: seq, line: "l-\(seq)", text: text, replaces: replaces, sentTimestamp: 0,
            receivedTimestamp: 0, latency: 0)
        (line.at, line.of) = (place, target)
        return line
    }
}
