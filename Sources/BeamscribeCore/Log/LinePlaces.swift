/// The places of one log's lines in the event's order.
///
/// A writer says the place of each line. Here that is bounded by a rule that needs the lines of
/// this log alone, so that all who have the log compute the same order: a place is above that of
/// the line before it, and by at most ``Limits/placeStep``. So no writer can push the places of
/// others to where numbers end.
///
/// Invariant: the places that it gives out rise.
struct LinePlaces {
    /// The place of the newest line; 0 before the first.
    private(set) var last = 0
    /// Where growth is counted from; nil while the lines before the next are unknown.
    private var base: Int?

    /// The places of a log whose first line is next.
    init() { base = 0 }

    /// The places of a log whose newest line has this place.
    init(after place: Int) { (last, base) = (place, place) }

    /// Returns the place of the next line.
    ///
    /// - Parameters:
    ///   - seq: its number in the log, which no place is below.
    ///   - said: the place that its writer says; nil where that is `seq`.
    mutating func place(of seq: Int, said: Int?) -> Int {
        let highest = base.map { $0 + Limits.placeStep } ?? Limits.firstPlace
        last = max(last + 1, min(max(said ?? seq, seq), highest))
        base = last
        return last
    }

    /// Reading begins behind lines that are unknown here.
    mutating func beginAmidst() { (last, base) = (0, nil) }

    /// The newest lines were taken back.
    ///
    /// - Parameter place: that of the line that is the newest now; nil where it is unknown.
    mutating func goBack(to place: Int?) { last = place ?? 0 }
}
