import TestSupport
import Testing

@testable import Beamscribe

/// The buffer between the loop and a reader whose task may be cancelled.
@Suite struct EventBufferTests {
    /// Many times, so that it is cancelled before, while and after it begins to wait.
    @Test func reader_ends_whenItsTaskIsCancelled() async throws {
        for _ in 0..<200 {
            let buffer = EventBuffer<Int>(limit: 8)
            let reading = Task { for await batch in buffer { _ = batch } }
            await Task.yield()
            reading.cancel()
            let hasEnded = Task { await reading.value }
            try await ends(hasEnded, "a cancelled reader")
        }
    }

    @Test func events_areLeftToTheNextReader_whenOneWasCancelled() async throws {
        let buffer = EventBuffer<Int>(limit: 8)
        let reading = Task { await buffer.next() }
        reading.cancel()
        #expect(await reading.value == nil)
        buffer.push([1, 2])
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await buffer.next()
        }
        #expect(await late.value == nil)
        #expect(await buffer.next() == [1, 2])
        buffer.finish()
        #expect(await buffer.next() == nil)
    }

    private func ends(_ task: Task<Void, Never>, _ what: String) async throws {
        let done = Done()
        Task {
            await task.value
            await done.set()
        }
        try await eventually(what, within: .seconds(60), every: .milliseconds(1)) {
            await done.isSet
        }
    }

    private actor Done {
        private(set) var isSet = false
        func set() { isSet = true }
    }
}
