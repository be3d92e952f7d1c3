import BeamscribeIO
import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import BeamscribeDiscovery

/// The thread on which libavahi is called, with workers that call something else.
@Suite struct AvahiThreadTests {
    private final class Worker {}

    private let thread = AvahiThread()

    @Test func news_comeInOrder_untilTheLinkIsClosed() throws {
        let loop = try EventLoop()
        let link = AvahiLink(on: loop, thread: thread) { _, tell in
            (1...100).forEach(tell)
            return Worker()
        }
        var heard: [Int] = []
        link.heard = { number in
            heard.append(number)
            if number == 50 {
                link.close()
                loop.stop()
            }
        }
        link.open()
        loop.run()
        #expect(heard == Array(1...50))
    }

    @Test func thread_endsByItself_whenAllHaveLeft() async throws {
        let loop = try EventLoop()
        let links = (0..<3).map { _ in
            AvahiLink<Worker, Int>(on: loop, thread: thread) { _, _ in Worker() }
        }
        links.forEach { $0.open() }
        #expect(thread.isRunning)
        links.forEach { $0.close() }
        try await eventually("the thread to end") { !thread.isRunning }
        links[0].open()
        #expect(thread.isRunning, "There is another one for who comes later.")
        links[0].close()
    }

    @Test func nobodyWaits_andNothingPilesUp_whileTheThreadHangs() async throws {
        let loop = try EventLoop()
        let (gate, hangs) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let stuck = AvahiLink<Worker, Int>(on: loop, thread: thread) { _, _ in
            hangs.signal()
            gate.wait()
            return Worker()
        }
        stuck.open()
        wait(for: hangs)
        let made = Atomic(0)
        for _ in 0..<100 {
            let link = AvahiLink<Worker, Int>(on: loop, thread: thread) { _, _ in
                made.add(1, ordering: .relaxed)
                return Worker()
            }
            link.open()
            link.ask { _ in }
            link.close()
        }
        #expect(thread.isIdle, "Who has come and gone has left nothing to be done.")
        stuck.close()
        #expect(thread.isRunning)
        gate.signal()
        try await eventually("the thread to end") { !thread.isRunning }
        #expect(made.load(ordering: .relaxed) == 0)
    }

    private func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }
}
