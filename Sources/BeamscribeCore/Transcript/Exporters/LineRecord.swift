/// A line as JSON, in the form of the `line` records of docs/JSONL.md: an export has no guest who
/// received it, so `receivedTimestamp` and `latency` are not there.
///
/// It is written directly, since exports have lines by the hundred thousand.
struct LineRecord: CaptionVisitor {
    private var writer: JSONObjectWriter
    /// The row of the table that is to be written, and the one that is looked at.
    private var (wanted, row) = (0, 0)

    /// The object of `line`, its keys in alphabetical order.
    ///
    /// - Parameter log: whose it is among several; nil for a log by itself.
    static func json(_ line: TranscriptLine, of log: LogTitle? = nil) -> String {
        var line = line
        let size = line.text.utf8.count + (log == nil ? 192 : 384)
        var record = LineRecord(writer: JSONObjectWriter(reservingCapacity: size))
        record.writer.begin(prefix: 0)
        if let log {
            for key in alphabetOfLogs { record.write(key, of: &line, in: log) }
        } else {
            for row in alphabet { record.write(row, of: &line) }
        }
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

    private mutating func write(_ key: Key, of line: inout TranscriptLine, in log: LogTitle) {
        switch key {
        case .row(let row): write(row, of: &line)
        case .at: writer.write("at", line.at)
        case .fingerprint: writer.write("fingerprint", log.writer.hex)
        case .log: writer.write("log", log.label)
        case .isPrivate: if log.isPrivate { writer.write("private", true) }
        case .session: writer.write("session", log.session)
        }
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

    /// What a line of one of several logs has.
    private enum Key {
        case row(Int)
        case at, fingerprint, isPrivate, log, session
    }

    /// The names of the table's rows.
    private static let names = {
        var keys = Keys()
        var line = TranscriptLine(
            seq: 0, line: "", text: "", sentTimestamp: 0, receivedTimestamp: 0, latency: 0)
        _ = line.visit(&keys)
        return keys.names
    }()

    /// The rows of the table in alphabetical order of their keys, all of which come before "type".
    private static let alphabet = names.indices.sorted { names[$0] < names[$1] }

    /// The same with what tells of the log.
    private static let alphabetOfLogs = {
        let rows = names.enumerated().map { ($1, Key.row($0)) }
        let logs: [(String, Key)] = [
            ("at", .at), ("fingerprint", .fingerprint), ("log", .log), ("private", .isPrivate),
            ("session", .session),
        ]
        return (rows + logs).sorted { $0.0 < $1.0 }.map(\.1)
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
