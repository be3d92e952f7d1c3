extension RunningProgram {
    /// Waits until `condition` holds of what the program wrote, and answers that. Fails at once
    /// when nothing more can come.
    @discardableResult
    nonisolated(nonsending) public func waitForOutput(
        _ what: String,
        within limit: Duration = Deadline.generous,
        where condition: (ProgramOutput) -> Bool
    ) async throws -> ProgramOutput {
        try await wait(for: what, within: limit) { output in
            if condition(output) { return output }
            let hasEnded = output.standardOutput.hasEnded && output.standardError.hasEnded
            try self.failIf(hasEnded && output.exit != nil, what, output)
            return nil
        }
    }

    /// Waits for a line that `matches`, and answers it. Fails at once when the stream has ended
    /// without it.
    ///
    /// - Parameter skipped: How many lines from the program's first on are not looked at.
    @discardableResult
    nonisolated(nonsending) public func waitForLine(
        _ what: String? = nil,
        on stream: ProgramStream = .standardOutput,
        after skipped: Int = 0,
        within limit: Duration = Deadline.generous,
        matching matches: (String) -> Bool
    ) async throws -> String {
        let what = what ?? "a matching line on \(stream.rawValue)"
        var looked = skipped
        return try await wait(for: what, within: limit) { output in
            let text = output[keyPath: stream.path]
            if let line = text.lines.dropFirst(looked).first(where: matches) { return line }
            looked = max(looked, text.lines.count)
            try self.failIf(text.hasEnded, what, output)
            return nil
        }
    }

    /// Waits for a line that contains `part`, and answers it.
    @discardableResult
    nonisolated(nonsending) public func waitForLine(
        containing part: String,
        on stream: ProgramStream = .standardOutput,
        after skipped: Int = 0,
        within limit: Duration = Deadline.generous
    ) async throws -> String {
        let what = "a line with \"\(part)\" on \(stream.rawValue)"
        return try await waitForLine(what, on: stream, after: skipped, within: limit) {
            $0.contains(part)
        }
    }

    /// Waits until the program has ended, and until all that it wrote is collected.
    @discardableResult
    nonisolated(nonsending) public func waitForExit(
        within limit: Duration = Deadline.generous
    ) async throws -> ExitStatus {
        let status = try await wait(for: "the program to end", within: limit, find: \.exit)
        // What the program started and left behind may hold its streams open for ever.
        _ = try? await wait(for: "the end of its output", within: .seconds(1)) { output in
            let isComplete = output.standardOutput.hasEnded || self.hasUnreadOutput
            return isComplete && output.standardError.hasEnded ? true : nil
        }
        return status
    }

    nonisolated(nonsending) private func wait<Value>(
        for what: String, within limit: Duration, find: (ProgramOutput) throws -> Value?
    ) async throws -> Value {
        try await observed.wait(
            for: what, until: Deadline(in: limit),
            seen: { "\(launch.title) (process \(pid)): \($0.report)" }, find: find)
    }

    private func failIf(_ hasEnded: Bool, _ what: String, _ output: ProgramOutput) throws {
        guard hasEnded else { return }
        let seen = "\(launch.title) (process \(pid)): \(output.report)"
        throw WaitFailed(what: what, reason: "nothing more can come", seen: seen)
    }
}
