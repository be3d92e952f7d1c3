/// What of an event somebody has said in another language who interprets: in lines of his own, rather than
/// in one for each that is said.
///
/// A line of his stands for what was said since the one before it, if that is not long ago
/// (``Limits/interpretedPlaces``). What was said before his first, behind his newest, or while he was not there,
/// stands as it was said.
///
/// Invariant: `places` rise.
public struct InterpretedPlaces: Equatable, Sendable {
    /// Those of his lines in the event's order.
    private var places: [Int] = []

    /// Nothing was interpreted.
    public init() {}

    /// Whether nobody has interpreted anything.
    public var isEmpty: Bool { places.isEmpty }

    /// The interpreter has said a line.
    ///
    /// - Parameter place: where it stands in the event's order.
    /// - Returns: the places of which some may be interpreted now that were not.
    @discardableResult
    public mutating func speak(at place: Int) -> Range<Int> {
        let index = index(above: place - 1)
        if index == places.count || places[index] != place { places.insert(place, at: index) }
        let before = index == 0 ? place : places[index - 1]
        let behind = index + 1 == places.count ? place : places[index + 1]
        return before..<behind
    }

    /// Whether a line of another's at this place was interpreted.
    public func covers(_ place: Int) -> Bool {
        let next = index(above: place)
        guard next > 0, next < places.count else { return false }
        return places[next] - places[next - 1] <= Limits.interpretedPlaces
    }

    /// Of the first place that is higher; the number of places where none is.
    private func index(above place: Int) -> Int {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle] <= place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
