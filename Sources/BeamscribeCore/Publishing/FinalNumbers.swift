/// The numbers of the newest finals by the ids of their lines, for inputs that correct a line by
/// its id.
///
/// Invariant: `numbers` holds the ids of `order`, each once, at most `Limits.correctableLines`;
/// what corrects a line has the number of the line that it corrects in the end.
struct FinalNumbers {
    private var numbers: [String: Int] = [:]
    private var order: [String] = []

    /// The number by which to correct the line `id`; nil where it is not known.
    func number(of id: String) -> Int? { numbers[id] }

    /// Final `seq` of the line `id` came, and corrects line `target` if that is given.
    mutating func note(_ seq: Int, line id: String, replacing target: Int?) {
        guard numbers.updateValue(target ?? seq, forKey: id) == nil else { return }
        order.append(id)
        if order.count > Limits.correctableLines { numbers[order.removeFirst()] = nil }
    }
}
