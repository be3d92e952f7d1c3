import BeamscribeCore

/// What a caption service gets at once.
struct CaptionPost: Equatable, Sendable {
    /// One more than that of the post before; the same when it is sent again.
    var number: Int
    var pieces: [CaptionPiece]

    /// The last line that is complete with this; 0 for none that has a number.
    var last: Int { pieces.lazy.filter(\.isLast).map(\.seq).max() ?? 0 }

    /// The lines of other logs that are complete with this.
    var others: [CaptionPiece.Place] { pieces.filter(\.isLast).compactMap(\.other) }
}

/// A line for a caption service, or a piece of one.
struct CaptionPiece: Equatable, Sendable {
    /// A line of another log than the main one.
    struct Place: Equatable {
        let session: String
        let seq: Int
    }

    /// The line's number in the main log; 0 for one that has lost it, or is of another.
    var seq: Int
    var other: Place?
    var text: String
    /// The language (BCP 47), where it is known.
    var lang: String?
    /// When it was said by this machine's clock, in seconds since 1970.
    var time: Double
    var isFirst = true
    var isLast = true

    /// The pieces of a line, in the words that are shown; none of a line without words.
    static func pieces(
        of line: TranscriptLine, number: Int, in log: LogTitle? = nil, bytes: Int
    ) -> [CaptionPiece] {
        let other = log.map { Place(session: $0.session, seq: number) }
        let parts = split(line.spokenText, bytes: bytes)
        return parts.enumerated().map { index, part in
            CaptionPiece(
                seq: other == nil ? number : 0, other: other, text: part, lang: line.lang,
                time: line.receivedTimestamp - line.latency,
                isFirst: index == 0, isLast: index == parts.count - 1)
        }
    }

    /// Splits at blanks where there are some, else between characters; a character that is longer
    /// by itself is cut.
    static func split(_ text: String, bytes: Int) -> [String] {
        var parts: [String] = []
        var rest = text.drop { $0 == " " }
        while !rest.isEmpty {
            let end = end(of: rest, bytes: bytes)
            parts.append(SafeText.label(String(rest[..<end]), bytes: bytes))
            rest = rest[end...].drop { $0 == " " }
        }
        return parts
    }

    private static func end(of rest: Substring, bytes: Int) -> String.Index {
        var end = rest.startIndex
        var size = 0
        while end < rest.endIndex {
            size += rest[end].utf8.count
            if size > bytes, end > rest.startIndex { break }
            end = rest.index(after: end)
        }
        guard end < rest.endIndex, rest[end] != " " else { return end }
        return rest[..<end].lastIndex { $0 == " " } ?? end
    }
}
