/// The numbers of the newest finals by the ids of their lines, for inputs that correct a line by
/// its id.
///
/// Invariant: `numbers` holds the ids of `order`, each once, at most `Limits.correctableLines`;
/// what corrects a line has the number of the line that it corrects in the end.
struct FinalNumbers {
    private var numbers: [String: Int] = [:]
    private var order: [String] = []
    /// Where in `order` the oldest id is; what is before it was let go.
    private var oldest = 0

    /// The number by which to correct the line `id`; nil where it is not known.
    func number(of id: String) -> Int? { numbers[id] }

    /// Final `seq` of the line `id` came, and corrects line `target` if that is given.
    mutating func note(_ seq: Int, line id: String, replacing target: Int?) {
        if target != nil, numbers[id] == target { return }
        if numbers.updateValue(target ?? seq, forKey: id) == nil {
            order.append(id)
            if numbers.count > Limits.correctableLines { letOldestGo() }
        }
    }

    private mutating func letOldestGo() {
        numbers[order[oldest]] = nil
        oldest += 1
        guard oldest > Limits.correctableLines else { return }
        order.removeFirst(oldest)
        oldest = 0
    }
}
