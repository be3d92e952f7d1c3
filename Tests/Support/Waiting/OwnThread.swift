import Foundation

/// Something that blocks, or goes on for long, on a thread of its own.
///
/// The threads that tests share are as few as the processors. What keeps one of them while it waits
/// for another test, or for the rest of its own, may wait for ever.
public struct OwnThread<Value: Sendable>: Sendable {
    private let result = Watched<Result<Value, any Error>?>(nil)

    /// Begins at once.
    public init(_ body: @escaping @Sendable () throws -> Value) {
        let result = result
        Thread.detachNewThread {
            let outcome = Result { try body() }
            result.change { $0 = outcome }
        }
    }

    /// Whether it is done.
    public var isOver: Bool { result.state != nil }

    /// What came of it, once it is done.
    nonisolated(nonsending) public func value() async throws -> Value {
        try await result.wait(
            for: "a thread to end", until: Deadline(in: Deadline.generous),
            seen: { _ in "it runs" }, find: { $0 }
        ).get()
    }
}
