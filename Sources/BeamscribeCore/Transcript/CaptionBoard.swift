/// The last rows of an event, as a sign or a video shows them: the newest finals, and below them
/// what is being said.
///
/// Lines of another log than the main one are under its name.
///
/// Invariant: at most ``rows`` finals are held, none of which is blank.
public struct CaptionBoard: Sendable {
    /// Rows that are shown.
    public let rows: Int
    /// The longest row, in columns of ``CaptionWidth``; nil to break no line.
    public let width: Int?
    /// Whether lines that are still open are shown.
    public let showsOpenLines: Bool

    private struct Final {
        /// The log, nil for the main one.
        var log: String?
        var seq: Int
        var line: TranscriptLine
        var rows: [String]
    }

    /// An open line: two logs may name theirs alike.
    private struct OpenID: Equatable {
        let log: String?
        let line: String
    }

    private var finals: [Final] = []
    private var open = OpenLines<OpenID, PartialLine>()
    /// Of each log, nil for the main one.
    private var corrections: [String?: Corrections] = [:]

    /// A board that shows nothing yet.
    public init(rows: Int, width: Int?, showsOpenLines: Bool) {
        self.rows = rows
        self.width = width
        self.showsOpenLines = showsOpenLines
    }

    /// What is on the board: its rows, with line breaks between.
    public var text: String {
        let openRows = showsOpenLines ? open.entries.flatMap { broken($0.value.spokenText) } : []
        return (finals.flatMap(\.rows) + openRows).suffix(rows).joined(separator: "\n")
    }

    /// Takes in what happened.
    public mutating func take(_ event: GuestEvent) {
        switch event {
        case .inLog(let log, let event): take(event, of: log)
        case .begunAnew: (finals, corrections) = ([], [:])
        default: take(event, of: nil)
        }
    }

    private mutating func take(_ event: GuestEvent, of log: LogTitle?) {
        switch event {
        case .line(let line): take(line, of: log)
        case .partial(var partial):
            let id = OpenID(log: log?.session, line: partial.line)
            partial.speaker = log.map { $0.name(of: partial.speaker) } ?? partial.speaker
            if partial.text.isEmpty { open.close(id) } else { open.renew(id, partial) }
        case .withdrawn(let from, _):
            finals.removeAll { $0.log == log?.session && $0.seq >= from }
            corrections[log?.session]?.forget(from: from)
        default: break
        }
    }

    private mutating func take(_ line: TranscriptLine, of log: LogTitle?) {
        let session = log?.session
        open.close(OpenID(log: session, line: line.line))
        let corrected = corrections[session, default: Corrections()].add(line)
        let named = log.map { line.named(after: $0) } ?? line
        if let corrected {
            // One that is no longer on the board was read as it was.
            guard
                let index = finals.firstIndex(where: { $0.log == session && $0.seq == corrected })
            else { return }
            finals[index].line = finals[index].line.corrected(by: named)
            finals[index].rows = broken(finals[index].line.spokenText)
        } else if !(log != nil && line.isLate && line.latency > Limits.orderedAge) {
            // What was said before in another log would push away what is said now.
            let broken = broken(named.spokenText)
            if !broken.isEmpty {
                finals.append(Final(log: session, seq: line.seq, line: named, rows: broken))
            }
        }
        finals.removeAll { $0.rows.isEmpty }
        if finals.count > rows { finals.removeFirst(finals.count - rows) }
    }

    private func broken(_ text: String) -> [String] {
        if let width { return CaptionRows.rows(of: text, width: width) }
        return text.allSatisfy(\.isWhitespace) ? [] : [text]
    }
}
