import BeamscribeCore

/// How much may be told of those who come and go: so many lines a minute of one source, and so many
/// in all. The rest is counted, and told in one line when the minute is over, so that nobody fills a
/// disk or hides something by coming and going.
///
/// Invariant: no source has told more than `perSource` lines since `began`, and all no more than
/// `inAll`.
struct NewsBudget {
    private let perSource: Int
    private let inAll: Int
    private let window: Duration
    private var began: Duration?
    private var told: [String: Int] = [:]
    private var toldInAll = 0
    private var heldBack = 0

    init(perSource: Int = 60, inAll: Int = 240, window: Duration = .seconds(60)) {
        self.perSource = perSource
        self.inAll = inAll
        self.window = window
    }

    /// Whether a line about a source is to be told.
    mutating func admits(_ source: String, now: Duration) -> Bool {
        if began == nil { began = now }
        guard toldInAll < inAll, told[source, default: 0] < perSource else {
            heldBack += 1
            return false
        }
        toldInAll += 1
        told[source, default: 0] += 1
        return true
    }

    /// How many lines were not told, once the window is over, or the event; nil where that is none.
    mutating func summary(now: Duration, isEnd: Bool = false) -> Int? {
        guard let began, isEnd || now >= began + window else { return nil }
        defer { (self.began, told, toldInAll, heldBack) = (nil, [:], 0, 0) }
        return heldBack > 0 ? heldBack : nil
    }
}
