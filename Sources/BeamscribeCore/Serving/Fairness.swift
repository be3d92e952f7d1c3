/// Gives each group its turn.
package enum Fairness {
    /// One element of each group, then another of each, and so on; otherwise in their order.
    package static func inTurn<Element, Group: Hashable>(
        _ elements: some Sequence<Element>, by group: (Element) -> Group
    ) -> [Element] {
        var ranks: [Group: Int] = [:]
        var rounds: [[Element]] = []
        for element in elements {
            let rank = ranks[group(element), default: 0]
            ranks[group(element)] = rank + 1
            if rank == rounds.count { rounds.append([]) }
            rounds[rank].append(element)
        }
        return rounds.flatMap(\.self)
    }
}
