/// The last rows of an event, as a sign or a video shows them: the newest finals, and below them
/// what is being said.
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
        var seq: Int
        var line: TranscriptLine
        var rows: [String]
    }

    private var finals: [Final] = []
    private var open = OpenLines<String, PartialLine>()
    private var corrections = Corrections()

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
        case .line(let line): take(line)
        case .partial(let partial):
            if partial.text.isEmpty {
                open.close(partial.line)
            } else {
                open.renew(partial.line, partial)
            }
        case .withdrawn(let from, _):
            finals.removeAll { $0.seq >= from }
            corrections.forget(from: from)
        case .begunAnew: (finals, corrections) = ([], Corrections())
        default: break
        }
    }

    private mutating func take(_ line: TranscriptLine) {
        open.close(line.line)
        if let corrected = corrections.add(line) {
            // One that is no longer on the board was read as it was.
            guard let index = finals.firstIndex(where: { $0.seq == corrected }) else { return }
            finals[index].line = finals[index].line.corrected(by: line)
            finals[index].rows = broken(finals[index].line.spokenText)
        } else {
            let broken = broken(line.spokenText)
            if !broken.isEmpty {
                finals.append(Final(seq: line.seq, line: line, rows: broken))
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
