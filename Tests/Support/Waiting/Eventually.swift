/// Asks `condition` again and again until it is true.
///
/// For conditions that nothing reports (a file's contents, a daemon's state); where an event
/// exists, such as a program's output, its own `waitFor…` functions wait for that event.
///
/// - Parameters:
///   - what: What is waited for, as it reads after "waited for".
///   - interval: The pause between two questions.
///   - seen: What to say in the error about how things stood in the end.
nonisolated(nonsending) public func eventually(
    _ what: String,
    within limit: Duration = Deadline.generous,
    every interval: Duration = .milliseconds(20),
    seen: () async -> String = { "it stayed false" },
    condition: () async throws -> Bool
) async throws {
    try await eventualValue(what, within: limit, every: interval, seen: seen) {
        try await condition() ? true : nil
    }
}

/// Asks `find` again and again until it answers something other than nil.
@discardableResult
nonisolated(nonsending) public func eventualValue<Value>(
    _ what: String,
    within limit: Duration = Deadline.generous,
    every interval: Duration = .milliseconds(20),
    seen: () async -> String = { "nothing of the kind" },
    find: () async throws -> Value?
) async throws -> Value {
    let deadline = Deadline(in: limit)
    while true {
        // Looked at before the question: an answer that took long still counts.
        let last = deadline.hasPassed
        if let value = try await find() { return value }
        if last { throw WaitFailed(what: what, after: deadline, seen: await seen()) }
        try await Task.sleep(for: min(interval, deadline.remaining))
    }
}
