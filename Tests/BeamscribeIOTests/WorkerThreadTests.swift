import Dispatch
import Glibc
import Synchronization
import Testing

@testable import BeamscribeIO

@Suite struct WorkerThreadTests {
    @Test func work_isDoneElsewhere_inOrder_andToldOnTheLoop() throws {
        let loop = try EventLoop()
        let worker = WorkerThread(on: loop)
        let done = Mutex<[Int]>([])
        var told: [Int] = []
        let here = pthread_self()
        for number in 1...100 {
            try worker.perform {
                done.withLock { $0.append(number) }
                return pthread_equal(here, pthread_self()) == 0 ? number : -number
            } _: {
                told.append($0)
                if told.count == 100 { loop.stop() }
            }
        }
        #expect(told.isEmpty, "It is told later.")
        run(loop)
        #expect(told == Array(1...100))
        #expect(done.withLock { $0 } == told)
    }

    @Test func work_isToldToNobody_onceTheWorkerIsGone() throws {
        let loop = try EventLoop()
        var worker: WorkerThread? = WorkerThread(on: loop)
        let isDone = DispatchSemaphore(value: 0)
        var isTold = false
        try worker?.perform {
            isDone.signal()
        } _: {
            isTold = true
        }
        worker = nil
        #expect(isDone.wait(timeout: .now() + 10) == .success)
        loop.schedule(after: .zero) { loop.stop() }
        run(loop)
        #expect(!isTold)
    }

    /// Whoever is told may have more to do, and the last who has the worker may be the one who is told.
    @Test func worker_isGivenMore_byWhoeverIsTold() throws {
        let loop = try EventLoop()
        var worker: WorkerThread? = WorkerThread(on: loop)
        var results: [String] = []
        try worker?.perform {
            "first"
        } _: {
            results.append($0)
            try? worker?.perform {
                "second"
            } _: {
                results.append($0)
                worker = nil
                loop.stop()
            }
        }
        run(loop)
        #expect(results == ["first", "second"])
    }

    private func run(_ loop: EventLoop) {
        loop.schedule(after: .seconds(10)) { loop.stop() }
        loop.run()
    }
}
