import NIOCore

/// Runs tasks and an actor on one event loop, so that serving a crowd of phones is one thread's
/// work, and what that thread shares needs no lock.
final class WebExecutor: TaskExecutor, SerialExecutor {
    let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute {
            job.runSynchronously(
                isolatedTo: self.asUnownedSerialExecutor(),
                taskExecutor: self.asUnownedTaskExecutor())
        }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    func isSameExclusiveExecutionContext(other: WebExecutor) -> Bool { self === other }

    func checkIsolated() {
        loop.preconditionInEventLoop()
    }
}
