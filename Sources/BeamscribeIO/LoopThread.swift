internal import CLinux
internal import Glibc
internal import Synchronization

/// A thread that runs an ``EventLoop`` and, between its events, the jobs of the actors that have
/// it as their executor. Such an actor may use the loop and what belongs to it directly.
///
/// Invariant: `loop` is touched on the thread only. The compiler knows it of actors on this
/// executor; this type is the one place that says so unchecked.
public final class LoopThread: SerialExecutor, @unchecked Sendable {
    /// The thread's loop, for actors on this executor only.
    public let loop: EventLoop

    private let wakeUp: Descriptor
    private let jobs = Mutex<Jobs>(Jobs())

    private struct Jobs {
        var waiting: [UnownedJob] = []
        var isWoken = false
        var thread: pthread_t?
    }

    /// Makes the loop and starts its thread.
    public init() throws(SystemError) {
        loop = try EventLoop()
        let flags = Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)
        wakeUp = Descriptor(
            owning: try system("make an event descriptor") { eventfd(0, flags) } ?? -1)
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self).toOpaque()
        let code = pthread_create(&thread, nil, { LoopThread.main($0) }, context)
        guard code == 0 else {
            Unmanaged<LoopThread>.fromOpaque(context).release()
            throw SystemError("start a thread", code: code)
        }
    }

    /// `thread`, or a new one for nil.
    public static func given(_ thread: LoopThread?) throws(SystemError) -> LoopThread {
        if let thread { return thread }
        return try LoopThread()
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        let mustWake = jobs.withLock { jobs in
            jobs.waiting.append(unowned)
            defer { jobs.isWoken = true }
            return !jobs.isWoken
        }
        if mustWake { wake() }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    public func isSameExclusiveExecutionContext(other: LoopThread) -> Bool { self === other }

    public func checkIsolated() {
        precondition(isCurrent, "not on the loop's thread")
    }

    /// Whether the caller runs on the loop's thread.
    public var isCurrent: Bool {
        jobs.withLock { $0.thread }.map { pthread_equal($0, pthread_self()) != 0 } ?? false
    }

    private func wake() {
        var one: UInt64 = 1
        _ = write(wakeUp.number, &one, 8)
    }

    // MARK: On the thread

    private static func main(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context else { return nil }
        let executor = Unmanaged<LoopThread>.fromOpaque(context).takeRetainedValue()
        executor.jobs.withLock { $0.thread = pthread_self() }
        let wakeUp = executor.wakeUp.number
        let registration = try? executor.loop.register(wakeUp, for: .read) { [unowned executor] _ in
            var count: UInt64 = 0
            _ = read(wakeUp, &count, 8)
            executor.runJobs()
        }
        executor.loop.run()
        registration?.cancel()
        executor.runJobs()
        return nil
    }

    private func runJobs() {
        let batch = jobs.withLock { jobs in
            defer { jobs.waiting = [] }
            jobs.isWoken = false
            return jobs.waiting
        }
        for job in batch { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
}
