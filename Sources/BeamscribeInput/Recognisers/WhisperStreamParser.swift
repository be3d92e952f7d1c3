import BeamscribeCore

/// What whisper.cpp's `whisper-stream` prints: one line that is erased and written anew with each
/// pass until a newline ends it, or, with voice detection (`--step 0`), blocks of timed lines.
///
///     ### Transcription 0 START | t0 = 0 ms | t1 = 4210 ms
///
///     [00:00:00.000 --> 00:00:02.100]   Good morning all. [SPEAKER_TURN]
///
///     ### Transcription 0 END
struct WhisperStreamParser: InputParser {
    static let greeting = "[Start speaking]"
    static let blockMark = "### Transcription "

    private var text = TextParser()
    private var output = CaptionOutput()
    private var turns = WhisperText()
    /// When the block's first sound was, in seconds; its times count from there.
    private var blockStart = 0.0

    mutating func feed(_ bytes: UnsafeRawBufferPointer) -> [InputEvent] {
        pass(text.feed(bytes))
    }

    mutating func finish() -> [InputEvent] {
        let events = pass(text.finish())
        self = WhisperStreamParser()
        return events
    }

    private mutating func pass(_ events: [InputEvent]) -> [InputEvent] {
        for event in events {
            switch event {
            case .final(let caption): takeLine(caption.text)
            case .partial(let caption): takeOpen(caption.text)
            case .correction, .warning: break
            }
        }
        return output.take()
    }

    private mutating func takeLine(_ line: String) {
        if line.hasPrefix(Self.blockMark) {
            if let start = Self.blockStart(in: line) { blockStart = start }
            output.withdraw(line: nil)
        } else if line == Self.greeting {
            output.withdraw(line: nil)
        } else if let timed = TimedLine(line) {
            output.final(
                turns.caption(
                    timed.text, start: blockStart + timed.start, end: blockStart + timed.end))
        } else {
            output.final(turns.caption(line, start: nil, end: nil))
        }
    }

    /// A line that has begun. What may become a mark or a timed line is not shown yet.
    private mutating func takeOpen(_ line: String) {
        let begin = LineText.trimmed(line[...], start: true)
        let isMark =
            begin.hasPrefix("#") || begin.hasPrefix("[0") || begin == "["
            || Self.greeting.hasPrefix(String(begin))
        if isMark || begin.isEmpty {
            output.withdraw(line: nil)
        } else {
            output.partial(turns.preview(line))
        }
    }

    /// The seconds of `### Transcription 3 START | t0 = 1500 ms | ...`.
    private static func blockStart(in line: String) -> Double? {
        guard let mark = line.firstRange(of: "t0 = ") else { return nil }
        var rest = line[mark.upperBound...]
        return ClockTime.takeSeconds(from: &rest).map { $0 / 1_000 }
    }
}
