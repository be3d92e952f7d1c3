/// A line as JSON, in the form of the `line` records of docs/JSONL.md: an export has no guest who
/// received it, so `receivedTimestamp` and `latency` are not there.
///
/// It is written directly, since exports have lines by the hundred thousand.
enum LineRecord {
    /// The object of `line`, its keys in alphabetical order.
    static func json(_ line: TranscriptLine) -> String {
        var writer = JSONObjectWriter(reservingCapacity: line.text.utf8.count + 192)
        writer.begin(prefix: 0)
        if let end = line.end { writer.write("end", end) }
        if let lang = line.lang { writer.write("lang", lang) }
        writer.write("line", line.line)
        if let replaces = line.replaces { writer.write("replaces", replaces) }
        writer.write("sentTimestamp", line.sentTimestamp)
        writer.write("seq", line.seq)
        if let speaker = line.speaker { writer.write("speaker", speaker) }
        if let start = line.start { writer.write("start", start) }
        writer.write("text", line.text)
        writer.write("type", "line")
        writer.end()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
