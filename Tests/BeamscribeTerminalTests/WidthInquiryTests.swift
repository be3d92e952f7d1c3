import Foundation
import TestSupport
import Testing

@testable import BeamscribeTerminal

/// The answers of terminals, and the widths that follow from them.
@Suite struct WidthInquiryTests {
    /// Terminals as they were measured: tmux 3.3a, xterm 379, GNU screen 4.9, kitty 0.26, mlterm
    /// 3.9, Konsole 22.12, and xterm in a setting of East Asia.
    static let terminals: [(name: String, widths: CharacterWidths)] = [
        ("tmux", changed { $0.joins = true }),
        ("xterm", .common),
        (
            "screen",
            changed {
                ($0.newMarks, $0.formats, $0.hangulParts) = (.all, [.isolates, .tags], .old)
            }
        ),
        (
            "kitty",
            changed {
                ($0.spacingMarks, $0.emoji, $0.hangulParts) = ([], .wideSign, .all)
            }
        ),
        (
            "mlterm",
            changed {
                ($0.spacingMarks, $0.formats, $0.hangulParts) = ([], .all, .old)
                ($0.newMarks, $0.ligatesLamAlef) = (
                    [MarkAges(index: 9), MarkAges(index: 10)], true
                )
            }
        ),
        ("Konsole", changed { ($0.emoji, $0.cellLimit) = ([], 2) }),
        ("xterm -cjk_width", changed { $0.ambiguous = .all }),
    ]

    private static func changed(
        _ change: (inout CharacterWidths) -> Void
    ) -> CharacterWidths {
        var widths = CharacterWidths.common
        change(&widths)
        return widths
    }

    private let size = TerminalSize(columns: 80, rows: 24)

    /// The answers of a terminal: the row and the column of each question.
    private func answers(
        to questions: String, _ widths: CharacterWidths, row: Int = 2
    ) -> [(row: Int, column: Int)] {
        let pieces = questions.components(separatedBy: Control.askForCursor).dropLast()
        return pieces.map { piece in
            let text = piece.components(separatedBy: Control.eraseRight).last ?? ""
            return (row, 1 + widths.columns(of: text))
        }
    }

    private func learned(
        _ answers: [(row: Int, column: Int)], after seconds: Double = 0.1
    ) -> (widths: CharacterWidths, changes: Int) {
        var inquiry = WidthInquiry(asks: true)
        _ = inquiry.questions(size, at: 10)
        let changes = answers.count { answer in
            inquiry.take(row: answer.row, column: answer.column, at: 10 + seconds)
        }
        return (inquiry.widths, changes)
    }

    private var questions: String {
        var inquiry = WidthInquiry(asks: true)
        return inquiry.questions(size, at: 10)
    }

    @Test(arguments: terminals.indices)
    func terminal_isCountedAsItCounts(index: Int) {
        let (name, widths) = Self.terminals[index]
        let learned = learned(answers(to: questions, widths))
        #expect(learned.widths == widths, "\(name)")
        #expect(learned.changes == 1)
        for line in ScriptSentences.lines {
            let own = widths.columns(of: line)
            #expect(learned.widths.columns(of: line) == own)
            #expect(CharacterWidths.largest.columns(of: line) >= own, "\(name): \(line)")
        }
    }

    @Test func noAnswer_leavesTheLargestWidths() {
        #expect(learned([]).widths == .largest)
    }

    /// The answers of the same terminal, disturbed.
    @Test func answersThatCannotBe_areNotBelieved() {
        let right = answers(to: questions, .common)
        var isInFirstRow = right
        isInFirstRow[3].row = 1
        var isTooFar = right
        isTooFar[5].column = 41
        let cases = [
            right.flatMap { [$0, $0] }, Array(right.dropFirst()), right.map { ($0.row, 1) },
            right.map { (1, $0.column) }, right.map { ($0.row, 999_999_999) },
            right.map { (-$0.row, -$0.column) }, Array(right.reversed()).dropLast(3) + right,
            isInFirstRow, isTooFar, Array(right.prefix(7)) + [(24, 80)] + right.dropFirst(7),
        ]
        for (index, answers) in cases.enumerated() {
            let learned = learned(answers)
            #expect(learned.widths == .largest && learned.changes == 0, "case \(index)")
        }
    }

    @Test func lateAnswers_areNotUsed() {
        let right = answers(to: questions, .common)
        #expect(learned(right, after: 1.9).widths == .common)
        #expect(learned(right, after: 2.1).widths == .largest)
    }

    @Test func questions_areAskedOnce_andOnlyWhereTheyMay() {
        var inquiry = WidthInquiry(asks: true)
        #expect(inquiry.questions(TerminalSize(columns: 7, rows: 24), at: 0).isEmpty)
        #expect(inquiry.questions(TerminalSize(columns: 80, rows: 1), at: 0).isEmpty)
        #expect(!inquiry.isWaiting(at: 0))
        #expect(!inquiry.questions(size, at: 0).isEmpty)
        #expect(inquiry.isWaiting(at: 2) && !inquiry.isWaiting(at: 2.5))
        #expect(inquiry.questions(size, at: 1).isEmpty)
        var silent = WidthInquiry(asks: false)
        #expect(silent.questions(size, at: 0).isEmpty)
        let isChanged = silent.take(row: 2, column: 2, at: 0)
        #expect(!isChanged)
    }

    /// On a narrow screen long samples are left out, and what they would say stays the largest.
    @Test(arguments: 8...20) func narrowScreen_isAskedWhatFits(columns: Int) {
        var inquiry = WidthInquiry(asks: true)
        let questions = inquiry.questions(TerminalSize(columns: columns, rows: 9), at: 0)
        for answer in answers(to: questions, .common) {
            #expect(answer.column <= columns)
            _ = inquiry.take(row: answer.row, column: answer.column, at: 0)
        }
        #expect(!inquiry.isWaiting(at: 0))
        #expect(inquiry.widths.spacingMarks == .all && inquiry.widths.newMarks.isEmpty)
    }
}
