/// Writes the places that an operator marked between the lines of a transcript, in the formats that
/// have a place for them.
struct MarkWriter {
    private let format: TranscriptFormat
    private var waiting: ArraySlice<SessionRecord.Mark>

    /// - Parameter marks: the oldest first.
    init(_ format: TranscriptFormat, _ marks: [SessionRecord.Mark]) {
        self.format = format
        waiting = marks[...]
    }

    /// The marks that stand before line `seq` and were not written yet.
    mutating func before(_ seq: Int) -> String {
        var text = ""
        while let mark = waiting.first, mark.after < seq {
            waiting.removeFirst()
            text += self.text(mark)
        }
        return text
    }

    private func text(_ mark: SessionRecord.Mark) -> String {
        switch format {
        case .vtt: "NOTE Marked after line \(mark.after)\n\n"
        case .jsonl: json(mark)
        case .text, .srt: ""
        }
    }

    private func json(_ mark: SessionRecord.Mark) -> String {
        var writer = JSONObjectWriter(reservingCapacity: 64)
        writer.begin(prefix: 0)
        writer.write("after", mark.after)
        writer.write("time", mark.time)
        writer.write("type", "mark")
        writer.end()
        return String(decoding: writer.bytes, as: UTF8.self) + "\n"
    }
}
