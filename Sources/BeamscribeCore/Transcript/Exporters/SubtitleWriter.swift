/// Writes lines as SubRip or WebVTT cues, one a line, as they come.
///
/// A cue's times are the line's own `start` and `end`, or else its arrival since the first line.
/// An end that is not known is guessed from the reading time of the text.
///
/// Invariant: cues are numbered from 1, and no cue begins before the one before.
public struct SubtitleWriter: Codable, Sendable {
    private let isVTT: Bool
    private var count = 0
    private var firstSent: Double?
    private var lastStart = 0.0

    /// - Parameter isVTT: WebVTT, or else SubRip.
    public init(isVTT: Bool) {
        self.isVTT = isVTT
    }

    /// What stands before the first cue.
    public var header: String { isVTT ? "WEBVTT\n\n" : "" }

    /// The cue of `line`, with the blank line behind it.
    public mutating func cue(_ line: TranscriptLine) -> String {
        count += 1
        let first = firstSent ?? line.sentTimestamp
        firstSent = first
        let start = max(lastStart, line.start ?? max(0, line.sentTimestamp - first))
        lastStart = start
        let end = max(line.end ?? start + readingTime(of: line.text), start + Self.shortest)
        let rows = CaptionRows.rows(isVTT ? line.text : line.spokenText).map(escaped)
        let voice = isVTT ? line.speaker.map { "<v \(escaped($0))>" } ?? "" : ""
        return "\(count)\n\(timestamp(start)) --> \(timestamp(end))\n"
            + voice + rows.joined(separator: "\n") + "\n\n"
    }

    /// 15 characters a second, as television does it, and not for ever.
    private func readingTime(of text: String) -> Double {
        min(max(Double(text.count) / 15, Self.shortest), 7)
    }

    /// The shortest time in which a caption can be read.
    private static let shortest = 1.0

    private func timestamp(_ seconds: Double) -> String {
        let milliseconds = Int((min(max(seconds, 0), 3.6e6) * 1_000).rounded())
        let fields = [
            milliseconds / 3_600_000, milliseconds / 60_000 % 60, milliseconds / 1_000 % 60,
        ]
        let clock = fields.map { padded($0, to: 2) }.joined(separator: ":")
        return clock + (isVTT ? "." : ",") + padded(milliseconds % 1_000, to: 3)
    }

    private func padded(_ number: Int, to width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// `-->` would begin a cue's times; in WebVTT `&` and `<` begin markup.
    private func escaped(_ text: String) -> String {
        guard isVTT else { return text.replacing("-->", with: "->") }
        return text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;")
    }
}

/// Breaks a caption into rows.
enum CaptionRows {
    /// The longest row, in characters: what broadcasters use.
    static let width = 42

    /// `text` in rows of at most ``width`` characters, broken at spaces where there are any.
    static func rows(_ text: String) -> [String] {
        var rows: [String] = []
        var row = ""
        for word in text.split(separator: " ") {
            if !row.isEmpty, row.count + 1 + word.count > width {
                rows.append(row)
                row = ""
            }
            row += (row.isEmpty ? "" : " ") + word
        }
        return row.isEmpty ? (rows.isEmpty ? [""] : rows) : rows + [row]
    }
}
