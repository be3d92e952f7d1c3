import BeamscribeIO
import Foundation
import TestSupport
import Testing

/// The loop with real descriptors. Each test runs its own loop on its own thread of the pool and
/// ends it by an event, or by a deadline that fails the test.
@Suite struct EventLoopTests {
    @Test func loop_tellsReadiness_andNothingAfterCancelling() throws {
        let loop = try EventLoop()
        let (reader, writer) = try Self.pipe()
        var received = 0
        var registration: Registration?
        registration = try loop.register(reader, for: .read) { readiness in
            #expect(readiness == .read)
            received += 1
            registration?.cancel()
            loop.stop()
        }
        write(writer, "x", 1)
        try run(loop)
        write(writer, "y", 1)
        let after = try EventLoop()
        after.schedule(after: .milliseconds(20)) { after.stop() }
        try run(after)
        #expect(received == 1)
        close(reader)
        close(writer)
    }

    @Test func event_isNotDelivered_toTheNextOwnerOfADescriptor() throws {
        let loop = try EventLoop()
        let (reader, writer) = try Self.pipe()
        let (other, otherWriter) = try Self.pipe()
        var stale = 0
        var second: Registration?
        // Both are ready in the same turn; the first handler replaces the second's descriptor.
        let first = try loop.register(reader, for: .read) { _ in
            guard second?.interest != nil else { return }
            second?.cancel()
            second = nil
            close(other)
            dup2(reader, other)
            let replaced = try? loop.register(other, for: .write) { _ in }
            replaced?.interest = []
            loop.schedule(after: .milliseconds(20)) { loop.stop() }
        }
        second = try loop.register(other, for: .read) { _ in stale += 1 }
        first.interest = .read
        write(writer, "x", 1)
        write(otherWriter, "x", 1)
        try run(loop)
        #expect(stale <= 1)
        for descriptor in [reader, writer, other, otherWriter] { close(descriptor) }
    }

    @Test func timers_fireInTheirOrder_andNotWhenCancelled() throws {
        let loop = try EventLoop()
        var fired: [Int] = []
        let start = Clock.uptime
        for (number, delay) in [(3, 30), (1, 10), (2, 20)] {
            loop.schedule(at: start + .milliseconds(delay)) { fired.append(number) }
        }
        loop.schedule(at: start + .milliseconds(15)) { fired.append(99) }.cancel()
        loop.schedule(at: start + .milliseconds(40)) { loop.stop() }
        try run(loop)
        #expect(fired == [1, 2, 3])
    }

    @Test func manyTimers_fireInTheOrder_ofTheirDeadlines() throws {
        let loop = try EventLoop()
        var fired: [Duration] = []
        let start = Clock.uptime
        for _ in 0..<500 {
            let deadline = start + .microseconds(Int.random(in: 0...20_000))
            loop.schedule(at: deadline) { fired.append(deadline) }
        }
        loop.schedule(at: start + .milliseconds(30)) { loop.stop() }
        try run(loop)
        #expect(fired.count == 500)
        #expect(fired == fired.sorted())
    }

    /// Somebody who has a timer of his own.
    private final class Owner {
        @OwnedTimer var timer: LoopTimer?
    }

    @Test func ownedTimer_neverFires_onceAnotherHasItsPlaceOrItsOwnerIsGone() throws {
        let loop = try EventLoop()
        var fired: [String] = []
        var gone: Owner? = Owner()
        gone?.timer = loop.schedule(after: .zero) { fired.append("of nobody") }
        gone = nil
        let owner = Owner()
        owner.timer = loop.schedule(after: .zero) { fired.append("replaced") }
        owner.timer = loop.schedule(after: .zero) { fired.append("owned") }
        loop.schedule(after: .milliseconds(1)) { loop.stop() }
        loop.run()
        #expect(fired == ["owned"])
        withExtendedLifetime(owner) {}
    }

    @Test func timer_firesOnceATurn_whenItArmsItselfAnew() throws {
        let loop = try EventLoop()
        let (reader, writer) = try Self.pipe()
        var fired = 0
        func fire() {
            fired += 1
            if fired == 1 { write(writer, "x", 1) }
            // It comes to an end of its own, so that a loop that it starves fails the test.
            guard fired < 1_000 else { return loop.stop() }
            loop.schedule(at: .zero, fire)
        }
        loop.schedule(at: .zero, fire)
        let registration = try loop.register(reader, for: .read) { _ in loop.stop() }
        try run(loop)
        // Once before the descriptor was ready, and once behind it in the turn in which it was.
        #expect(fired == 2)
        registration.cancel()
        close(reader)
        close(writer)
    }

    @Test func idleLoop_doesNotSpin() throws {
        let loop = try EventLoop()
        let (reader, writer) = try Self.pipe()
        var calls = 0
        // An interest in nothing must not wake for a descriptor that has something.
        let registration = try loop.register(reader, for: []) { _ in calls += 1 }
        write(writer, "x", 1)
        loop.schedule(after: .milliseconds(50)) { loop.stop() }
        try run(loop)
        #expect(calls == 0)
        registration.cancel()
        close(reader)
        close(writer)
    }

    /// Runs until the loop is stopped; a watchdog stops a loop that never is.
    private func run(_ loop: EventLoop) throws {
        var isLate = false
        let watchdog = loop.schedule(after: .seconds(10)) {
            isLate = true
            loop.stop()
        }
        loop.run()
        watchdog.cancel()
        #expect(!isLate, "the loop was not stopped in time")
    }

    static func pipe() throws -> (reader: Int32, writer: Int32) {
        var ends: [Int32] = [0, 0]
        guard Foundation.pipe(&ends) == 0 else { throw SystemError("make a pipe", code: errno) }
        return (ends[0], ends[1])
    }
}

@Suite struct LoopThreadTests {
    actor Counter {
        private nonisolated let thread: LoopThread
        private var count = 0
        nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

        init(on thread: LoopThread) { self.thread = thread }

        func add() -> Int {
            #expect(thread.isCurrent)
            count += 1
            return count
        }

        /// Counts from a callback of the loop, which is on the actor without being told so.
        func addLater() async -> Int {
            await withCheckedContinuation { continuation in
                thread.loop.schedule(after: .milliseconds(1)) { [self] in
                    continuation.resume(returning: add())
                }
            }
        }
    }

    @Test func actor_runsOnTheLoop_fromAnywhere() async throws {
        let counter = Counter(on: try LoopThread())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<500 { _ = await counter.add() } }
            }
        }
        #expect(await counter.addLater() == 4_001)
    }
}
