import BeamscribeCore
import Testing

/// A cue as the tests read it back from SubRip or WebVTT.
struct SubtitleCue: Equatable {
    var number: Int
    /// In milliseconds.
    var start: Int
    var end: Int
    var rows: [String]

    static func cues(in text: String) throws -> [SubtitleCue] {
        let header = SubtitleWriter(isVTT: true).header
        let body = text.hasPrefix(header) ? text.dropFirst(header.count) : text[...]
        return try body.split(separator: "\n\n").map { block in
            let rows = block.split(separator: "\n", omittingEmptySubsequences: false)
            try #require(rows.count >= 3, "a cue without text: \(block)")
            let times = rows[1].split(separator: " ")
            try #require(times.count == 3 && times[1] == "-->")
            return SubtitleCue(
                number: try #require(Int(rows[0])), start: try milliseconds(times[0]),
                end: try milliseconds(times[2]), rows: rows.dropFirst(2).map(String.init))
        }
    }

    private static func milliseconds(_ time: Substring) throws -> Int {
        let fields = time.split { ":,.".contains($0) }.compactMap { Int($0) }
        try #require(fields.count == 4)
        return ((fields[0] * 60 + fields[1]) * 60 + fields[2]) * 1_000 + fields[3]
    }
}
