/// Which lines of a session correct which, so that each correction can be put in its place.
///
/// A correction of a correction is one of the line that this corrects in the end. Of several for
/// one line the later ones count. A correction of a line that is not there stays a line of its
/// own, and takes the place of the missing one for those that follow.
///
/// The texts are not kept, only where they can be had: their places.
public struct CorrectionIndex<Place: Sendable>: Sendable {
    private struct Correction {
        var place: Place
        /// The one before it for the same line.
        var previous: Int?
    }

    private var corrections: [Correction] = []
    /// The newest correction of a line.
    private var newest: [Int: Int] = [:]
    /// The line that another one stands for.
    private var corrected: [Int: Int] = [:]

    /// An index of no corrections.
    public init() {}

    /// Takes in that line `seq`, at `place`, says that it replaces line `target`. To be called in
    /// the order of the log.
    ///
    /// - Parameter isThere: whether the log has that line.
    public mutating func add(_ seq: Int, replacing target: Int, at place: Place, isThere: Bool) {
        // A line that is still to come cannot be corrected.
        guard target < seq, target >= 1 else { return }
        guard let line = corrected[target] ?? (isThere ? target : nil) else {
            corrected[target] = seq
            return
        }
        corrected[seq] = line
        corrections.append(Correction(place: place, previous: newest[line]))
        newest[line] = corrections.count - 1
    }

    /// Whether line `seq` is shown in the place of another.
    public func isCorrection(_ seq: Int) -> Bool { corrected[seq] != nil }

    /// Where the corrections of line `seq` are, the oldest first.
    public func corrections(of seq: Int) -> [Place] {
        var places: [Place] = []
        var next = newest[seq]
        while let index = next {
            places.append(corrections[index].place)
            next = corrections[index].previous
        }
        return places.reversed()
    }
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
