import BeamscribeCore

/// How well somebody is heard, over the last 10 s.
public enum HearingQuality: String, Sendable {
    /// Hardly anything is guessed, and soon heard.
    case good
    /// One notices.
    case fair
    /// One has to ask again.
    case poor
    /// Nothing has come for 2 s of a talk.
    case away
}

/// What was guessed of what was heard, second by second.
struct QualityWindow {
    private var seconds: [(concealed: Int, heard: Int)] = []
    private var before = ListeningFigures()

    /// A second has passed.
    mutating func add(_ figures: ListeningFigures) {
        seconds.append(
            (figures.concealed - before.concealed, figures.heard - before.heard))
        if seconds.count > 10 { seconds.removeFirst() }
        before = figures
    }

    /// The share that was guessed, 0 to 1.
    var concealed: Double {
        let heard = seconds.reduce(0) { $0 + $1.heard }
        return heard == 0
            ? 0 : min(1, Double(seconds.reduce(0) { $0 + $1.concealed }) / Double(heard))
    }

    /// - Parameter delay: in milliseconds.
    func quality(delay: Double) -> HearingQuality {
        if concealed <= 0.01, delay <= 100 { return .good }
        return concealed <= 0.05 && delay <= 200 ? .fair : .poor
    }
}
