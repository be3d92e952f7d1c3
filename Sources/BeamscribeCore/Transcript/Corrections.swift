/// Says which line a correction is of in the end, while lines come in one by one.
///
/// A correction of a correction is one of the line that this corrects in the end. A correction of a
/// line that never came is a line of its own, and takes the place of the missing one for those that
/// follow. The words are not kept, only numbers, and of these not more than a fixed count, unless
/// all are to be remembered: of what is forgotten, a correction of a correction names the nearer
/// one, and a correction of a line long past is a line of its own.
///
/// Invariant: every key of `corrected` is in `order`, and these are at most
/// ``Limits/rememberedCorrections`` where not all are remembered.
public struct Corrections: Codable, Equatable, Sendable {
    private enum CodingKeys: CodingKey { case lines, corrected, order }

    private var remembersAll = false
    private var lines = LineNumbers()
    /// The line that another one stands for.
    private var corrected: [Int: Int] = [:]
    /// The keys of `corrected`, the oldest first.
    private var order: [Int] = []

    /// Nothing has come yet.
    public init(rememberingAll remembersAll: Bool = false) {
        self.remembersAll = remembersAll
    }

    /// Whether line `seq` is shown in the place of another.
    public func isCorrection(_ seq: Int) -> Bool { corrected[seq] != nil }

    /// The line that line `seq` is shown in the place of: mostly its own.
    public func root(of seq: Int) -> Int { corrected[seq] ?? seq }

    /// Takes in the next line.
    ///
    /// - Returns: the number of the line that it corrects in the end; nil for a line of its own.
    public mutating func add(_ line: TranscriptLine) -> Int? {
        add(line.seq, replacing: line.replaces)
    }

    /// Takes in that line `seq` says that it replaces line `target`.
    ///
    /// - Returns: the number of the line that it corrects in the end; nil for a line of its own.
    public mutating func add(_ seq: Int, replacing target: Int?) -> Int? {
        // A number that comes again is that of another line: the host has lost the first.
        if let last = lines.last, last >= seq { forget(from: seq) }
        defer { lines.append(seq, keeping: remembersAll ? .max : Limits.rememberedStretches) }
        // A line that is still to come cannot be corrected.
        guard let target, target >= 1, target < seq else { return nil }
        guard let line = corrected[target] ?? (lines.contains(target) ? target : nil) else {
            note(target, as: seq)
            return nil
        }
        note(seq, as: line)
        return line
    }

    /// The host has lost line `seq` and those behind it: others will have their numbers.
    public mutating func forget(from seq: Int) {
        lines.removeAll(from: seq)
        corrected = corrected.filter { $0.key < seq && $0.value < seq }
        order.removeAll { corrected[$0] == nil }
    }

    private mutating func note(_ seq: Int, as line: Int) {
        if corrected.updateValue(line, forKey: seq) == nil { order.append(seq) }
        guard !remembersAll, order.count > Limits.rememberedCorrections else { return }
        corrected[order.removeFirst()] = nil
    }
}
