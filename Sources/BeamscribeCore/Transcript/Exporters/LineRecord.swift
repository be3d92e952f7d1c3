/// A line as JSON, in the form of the `line` records of docs/JSONL.md: an export has no guest who
/// received it, so `receivedTimestamp` and `latency` are not there.
///
/// It is written directly, since exports have lines by the hundred thousand.
struct LineRecord: CaptionVisitor {
    private var writer: JSONObjectWriter
    /// The row of the table that is to be written, and the one that is looked at.
    private var (wanted, row) = (0, 0)

    /// The object of `line`, its keys in alphabetical order.
    static func json(_ line: TranscriptLine) -> String {
        var line = line
        let size = line.text.utf8.count + 192
        var record = LineRecord(writer: JSONObjectWriter(reservingCapacity: size))
        record.writer.begin(prefix: 0)
        for row in alphabet { record.write(row, of: &line) }
        record.writer.write("type", "line")
        record.writer.end()
        return String(decoding: record.writer.bytes, as: UTF8.self)
    }

    private init(writer: JSONObjectWriter) {
        self.writer = writer
    }

    private mutating func write(_ row: Int, of line: inout TranscriptLine) {
        (wanted, self.row) = (row, 0)
        _ = line.visit(&self)
    }

    @inline(__always)
    mutating func field(
        _ key: StaticString, _ value: inout some CaptionValue, _: CaptionText
    ) -> Bool {
        defer { row &+= 1 }
        guard row == wanted else { return false }
        value.write(key, to: &writer)
        return true
    }

    /// The rows of the table in alphabetical order of their keys, all of which come before "type".
    private static let alphabet = {
        var keys = Keys()
        var line = TranscriptLine(
            seq: 0, line: "", text: "", sentTimestamp: 0, receivedTimestamp: 0, latency: 0)
        _ = line.visit(&keys)
        return keys.names.indices.sorted { keys.names[$0] < keys.names[$1] }
    }()

    private struct Keys: CaptionVisitor {
        var names: [String] = []

        mutating func field(
            _ key: StaticString, _ value: inout some CaptionValue, _: CaptionText
        ) -> Bool {
            names.append(key.description)
            return false
        }
    }
}
