/// The numbers of lines that somebody has: mostly all of a few stretches.
///
/// Invariant: `stretches` are in order and do not touch one another; there are at most as many as
/// were to be kept, and the lowest were forgotten where there were more.
struct LineNumbers: Codable, Equatable, Sendable {
    private var stretches: [ClosedRange<Int>] = []

    /// The greatest number; nil where there is none.
    var last: Int? { stretches.last?.upperBound }

    /// Adds a number that is greater than all others.
    mutating func append(_ number: Int, keeping limit: Int = Limits.rememberedStretches) {
        guard let last = stretches.last else { return stretches.append(number...number) }
        guard last.upperBound < number else { return }
        if last.upperBound == number - 1 {
            stretches[stretches.count - 1] = last.lowerBound...number
        } else {
            stretches.append(number...number)
            if stretches.count > limit { stretches.removeFirst() }
        }
    }

    func contains(_ number: Int) -> Bool {
        var (low, high) = (0, stretches.count)
        while low < high {
            let middle = (low + high) / 2
            if stretches[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low < stretches.count && stretches[low].contains(number)
    }

    /// Forgets `number` and all that are greater.
    mutating func removeAll(from number: Int) {
        while let last = stretches.last, last.upperBound >= number {
            stretches.removeLast()
            if last.lowerBound < number { stretches.append(last.lowerBound...(number - 1)) }
        }
    }
}
