import Beamscribe
import BeamscribeCore
import Glibc
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import BeamscribeWeb

/// Phones and the host's thread, in an order that the test sets.
@Suite struct PhoneHubTests {
    /// Keeps the host at encoding until it is let go.
    private final class Gate: FeedEncoder {
        private let held = Mutex(false)
        private let opened = Mutex(false)

        var isHeld: Bool { held.withLock { $0 } }

        func open() { opened.withLock { $0 = true } }

        func append(_ item: Reader.Item, to bytes: inout [UInt8]) {
            held.withLock { $0 = true }
            while !opened.withLock({ $0 }) { sched_yield() }
        }
    }

    private final class Flag: Sendable {
        private let value = Mutex(false)
        var isSet: Bool { value.withLock { $0 } }
        func set() { value.withLock { $0 = true } }
    }

    /// What it was asked for has not come when it goes: nobody is left to wake it for it.
    @Test func phone_isLetGo_whileTheHostIsRead() async throws {
        let stage = try await WebStage()
        let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let feed = await stage.host.feed
        let hub = PhoneHub(
            feed, on: WebExecutor(threads.next()), in: PhonePlaces(maximum: 1))
        await hub.begin()
        _ = await stage.host.type("one")
        let place = await feed.reader(after: 1)
        let phone = try #require(await hub.arrive(at: place, by: StreamLane(), from: "192.0.2.7"))

        let gate = Gate()
        let first = await feed.reader(after: 0)
        let holding = Task { await feed.feed(from: first, by: gate) }
        try await eventually("the host to be held") { gate.isHeld }
        let ending = Task { await hub.end() }
        try await eventually("the end to wait for the host") { await !hub.hasRoom(for: "") }
        let isDone = Flag()
        let reading = await hub.read(phone) { isDone.set() }
        gate.open()

        try await eventually("the phone's task to end") { isDone.isSet }
        await reading.value
        await ending.value
        _ = await holding.value
        await stage.host.stop()
        try await threads.shutdownGracefully()
    }
}

extension PhoneHub {
    /// A phone's task, which has asked the host when this returns.
    fileprivate func read(
        _ id: Int, done: @escaping @Sendable () -> Void
    ) -> Task<Void, Never> {
        Task.immediate {
            while await next(for: id) != nil {}
            done()
        }
    }
}
