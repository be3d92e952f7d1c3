/// The order of the lines of an event's logs: each comes behind all that its writer had seen.
///
/// Invariant: `highest` is the highest place that was given or noted here since it went back.
public final class EventOrder {
    /// The highest place in the event's order that this machine has seen; 0 for none.
    public private(set) var highest = 0

    /// An order in which nothing was said.
    public init() {}

    /// A line has this place.
    func note(_ place: Int) {
        if place <= Limits.lineNumber { highest = max(highest, place) }
    }

    /// What was said behind this place was taken back.
    func goBack(to place: Int) { highest = min(highest, max(place, 0)) }

    /// Returns the place of the next line of a log that is written here.
    ///
    /// - Parameters:
    ///   - places: those of the log's lines, which grow no faster than readers accept.
    ///   - seq: its number there, which is its place where nobody else has said anything.
    func next(in places: inout LinePlaces, of seq: Int) -> Int {
        let place = places.place(of: seq, said: highest + 1)
        highest = max(highest, place)
        return place
    }
}
