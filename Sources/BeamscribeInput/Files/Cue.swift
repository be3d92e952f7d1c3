import BeamscribeCore

/// A cue of a subtitle file whose rows are being read.
struct Cue {
    var start: Double
    var end: Double
    private var rows: [String] = []
    private var length = 0

    init(_ times: CueTimes) {
        start = times.start
        end = times.end
    }

    /// Adds a row; false where there are too many for one cue.
    mutating func add(_ row: String) -> Bool {
        rows.append(row)
        length += row.utf8.count
        return length <= 4 * Limits.lineBytes
    }

    /// Takes the last row back, if it holds nothing but a number: it belongs to the next cue.
    mutating func removeCounter() {
        if let last = rows.last, CueTimes.isCounter(last) { rows.removeLast() }
    }

    /// The captions that the rows make, one a speaker.
    func captions() -> [Caption] {
        CueText.spans(of: rows.joined(separator: " ")).map {
            Caption(text: $0.text, speaker: $0.speaker, start: start, end: end)
        }
    }
}
