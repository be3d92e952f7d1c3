/// Which line a correction is for in the end, as it comes.
///
/// As in `CorrectionIndex`: a correction of a correction is one of the line that this corrects. One
/// of a line that is not there is a line of its own, and takes the missing one's place for those
/// that follow.
struct CorrectionTargets: Sendable {
    /// The line that another one stands for.
    private var corrected: [Int: Int] = [:]

    /// The line whose words line `seq` replaces; nil if it is a line of its own.
    ///
    /// - Parameter isThere: whether line `target` is shown.
    mutating func target(of seq: Int, replacing target: Int, isThere: Bool) -> Int? {
        // A line that is still to come cannot be corrected.
        guard target < seq, target >= 1 else { return nil }
        guard let line = corrected[target] ?? (isThere ? target : nil) else {
            corrected[target] = seq
            return nil
        }
        corrected[seq] = line
        return line
    }

    /// Lines from `seq` on have never been: others come with their numbers.
    mutating func forget(from seq: Int) {
        corrected = corrected.filter { $0.key < seq && $0.value < seq }
    }
}
