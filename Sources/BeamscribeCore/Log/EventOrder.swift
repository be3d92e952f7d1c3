/// The order of the lines of an event's logs: each comes behind all that its writer had seen.
///
/// A writer may say any place (``LinePlaces``). A place of another log counts where the lines since
/// the main log's newest explain it, all but ``Limits/placesAhead``; one that is higher counts as
/// far as they do. So nobody follows a writer who runs ahead, and the others keep their order.
///
/// Invariant: `highest` is the highest place that was given or noted here since it went back, as
/// far as it counts.
public final class EventOrder {
    /// The highest place in the event's order that this machine has seen; 0 for none.
    public private(set) var highest = 0
    /// The highest place of the main log's lines; nil before its first.
    private var mainPlace: Int?
    /// How many lines of other logs have come since.
    private var linesSince = 0

    /// An order in which nothing was said.
    public init() {}

    /// Returns how far a place of another log counts.
    private func counted(_ place: Int) -> Int {
        guard let explained = mainPlace.map({ $0 + linesSince }) else { return place }
        return place <= explained + Limits.placesAhead ? place : explained
    }

    /// A line has this place.
    ///
    /// - Parameters:
    ///   - isMain: whether it is one of the main log.
    ///   - count: how many lines of its log are news with it.
    func note(_ place: Int, isMain: Bool = false, lines count: Int = 1) {
        guard place <= Limits.lineNumber else { return }
        pass(place, isMain: isMain, lines: count)
        highest = max(highest, isMain ? place : counted(place))
    }

    private func pass(_ place: Int, isMain: Bool, lines count: Int) {
        if !isMain {
            linesSince = min(linesSince + count, Limits.lineNumber)
        } else if place > mainPlace ?? 0 {
            (mainPlace, linesSince) = (place, 0)
        }
    }

    /// What was said behind this place was taken back.
    func goBack(to place: Int) {
        highest = min(highest, max(place, 0))
        mainPlace = mainPlace.map { min($0, highest) }
    }

    /// Returns the place of the next line of a log that is written here.
    ///
    /// - Parameters:
    ///   - places: those of the log's lines, which grow no faster than readers accept.
    ///   - seq: its number there, which is its place where nobody else has said anything.
    ///   - isMain: whether it is the main log.
    ///   - beginsRun: whether its host has been restarted, and may have lost lines.
    func next(
        in places: inout LinePlaces, of seq: Int, isMain: Bool, beginsRun: Bool = false
    ) -> Int {
        let place = places.place(
            of: seq, said: highest + (beginsRun ? Limits.runStep : 1))
        pass(place, isMain: isMain, lines: 1)
        highest = max(highest, place)
        return place
    }
}
