import TestSupport
import Testing

/// Captions that are told apart by their numbers.
func lines(_ numbers: ClosedRange<Int>) -> [String] {
    numbers.map { "line \($0)" }
}

extension RunningProgram {
    /// Writes captions to a host's standard input.
    func send(_ numbers: ClosedRange<Int>) async throws {
        try await write(lines(numbers).map { $0 + "\n" }.joined())
    }

    /// Waits until a guest has printed as many lines as the numbers are, and expects them to be
    /// exactly those captions.
    func expectLines(
        _ numbers: ClosedRange<Int>, within limit: Duration = Deadline.generous,
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        try await waitForOutput("\(numbers.count) lines", within: limit) {
            $0.standardOutput.lines.count >= numbers.count
        }
        #expect(standardOutputLines == lines(numbers), sourceLocation: location)
    }

    /// Waits for a host to say that browsers can find it.
    @discardableResult
    func waitForAnnouncement(
        after skipped: Int = 0, within limit: Duration = Deadline.generous
    ) async throws -> String {
        try await waitForLine(
            "the announcement", on: .standardError, after: skipped, within: limit
        ) { $0.hasPrefix("Announced") }
    }

    /// Waits for the end and expects it to be this one.
    func expectExit(
        _ code: Int32, within limit: Duration = Deadline.generous,
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let status = try await waitForExit(within: limit)
        let said = Comment(rawValue: standardErrorText)
        #expect(status == .exited(code), said, sourceLocation: location)
    }

    /// Expects the last line of standard error to be a program's complaint with these words in it.
    func expectComplaint(
        _ words: String..., at location: SourceLocation = #_sourceLocation
    ) {
        let last = standardErrorLines.last ?? ""
        #expect(last.hasPrefix("beamscribe: "), sourceLocation: location)
        for word in words {
            #expect(last.contains(word), "\(last)", sourceLocation: location)
        }
    }
}
