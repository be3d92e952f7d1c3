/// Asks a terminal how many columns it takes for samples, and learns from its answers.
///
/// Each sample is followed by the question where the cursor is (`ESC [ 6 n`, ECMA-48's DSR). The
/// first and the last question stand in the first column, where no sample ends: a terminal that
/// answers twice, or a question of another program, brings another order of columns, and then
/// nothing is learned. Until all answers are there the largest widths count.
///
/// Invariant: answers are awaited exactly while `asked` is set.
public struct WidthInquiry: Sendable {
    /// Answers that come later than this, in seconds, are not used.
    public static let patience = 2.0
    /// The fewest columns and rows of a screen whose terminal is asked.
    private static let leastColumns = 8
    private static let leastRows = 2

    /// The widths that the terminal has answered so far.
    public private(set) var widths = CharacterWidths.largest
    private var mayAsk: Bool
    private var asked: (samples: [WidthSample], at: Double)?
    private var answers: [(row: Int, column: Int)] = []

    /// - Parameter asks: whether the terminal may be asked at all.
    public init(asks: Bool) { mayAsk = asks }

    /// Whether an answer may still come that can be used.
    public func isWaiting(at now: Double) -> Bool { patience(at: now) != nil }

    /// The seconds for which an answer may still come that can be used; nil if none is awaited.
    public func patience(at now: Double) -> Double? {
        guard let asked, now - asked.at <= Self.patience else { return nil }
        return asked.at + Self.patience - now
    }

    /// The bytes for an empty row of the screen, not its first, with the cursor at the row's
    /// beginning and line wrap off; empty where there is nothing to ask. The row is empty again
    /// behind it, and the cursor where it was.
    ///
    /// - Parameter now: seconds of any clock.
    public mutating func questions(_ size: TerminalSize, at now: Double) -> String {
        guard mayAsk, size.columns >= Self.leastColumns, size.rows >= Self.leastRows else {
            return ""
        }
        mayAsk = false
        let samples = WidthSample.all(columns: size.columns)
        asked = (samples, now)
        let questions = samples.map {
            $0.text + Control.askForCursor + Control.rowStart + Control.eraseRight
        }
        return Control.askForCursor + questions.joined() + Control.askForCursor
    }

    /// Takes an answer: where the cursor is, counted from 1. In the first row it is Shift-F3 or the
    /// like.
    ///
    /// - Returns: whether ``widths`` are others now.
    public mutating func take(row: Int, column: Int, at now: Double) -> Bool {
        guard row != 1, let asked, isWaiting(at: now) else { return false }
        answers.append((row, column))
        guard answers.count == asked.samples.count + 2 else { return false }
        self.asked = nil
        guard isPlausible(asked.samples) else { return false }
        let before = widths
        for (sample, answer) in zip(asked.samples, answers.dropFirst()) {
            sample.learn(answer.column - 1, &widths)
        }
        return widths != before
    }

    private func isPlausible(_ samples: [WidthSample]) -> Bool {
        guard let first = answers.first, answers.last?.column == 1, first.column == 1,
            answers.allSatisfy({ $0.row == first.row })
        else { return false }
        return zip(samples, answers.dropFirst()).allSatisfy {
            $0.range.contains($1.column - 1)
        }
    }
}
