/// Which lines of a whole session correct which, by the rule of ``Corrections``, so that each
/// correction can be put in its place. Of several for one line the later ones count.
///
/// The texts are not kept, only where they can be had: their places.
public struct CorrectionIndex<Place: Sendable>: Sendable {
    private var corrections = Corrections(rememberingAll: true)
    /// Where the corrections of a line are, the oldest first.
    private var places: [Int: [Place]] = [:]

    /// An index of no lines.
    public init() {}

    /// Takes in that line `seq`, at `place`, says that it replaces line `target`. To be called with
    /// each line, in the order of the log.
    public mutating func add(_ seq: Int, replacing target: Int?, at place: Place) {
        guard let line = corrections.add(seq, replacing: target) else { return }
        places[line, default: []].append(place)
    }

    /// Whether line `seq` is shown in the place of another.
    public func isCorrection(_ seq: Int) -> Bool { corrections.isCorrection(seq) }

    /// The line in whose place line `seq` is shown, which may be its own.
    public func root(of seq: Int) -> Int { corrections.root(of: seq) }

    /// Where the corrections of line `seq` are, the oldest first.
    public func corrections(of seq: Int) -> [Place] { places[seq] ?? [] }
}

extension TranscriptLine {
    /// This line as `correction` says it: with its words, and with its speaker and language if it
    /// has any. Number, id and times stay.
    public func corrected(by correction: TranscriptLine) -> TranscriptLine {
        var line = self
        line.text = correction.text
        line.speaker = correction.speaker ?? speaker
        line.lang = correction.lang ?? lang
        return line
    }
}
