internal import Glibc
internal import Synchronization

/// A thread that runs an ``EventLoop`` and, between its events, the jobs of the actors that have
/// it as their executor. Such an actor may use the loop and what belongs to it directly; one that
/// does has an `isolated deinit`, so that this holds of its end too.
///
/// The thread ends once nobody has this any more, and nobody waits for that.
public final class LoopThread: Sendable {
    private let executor: LoopExecutor

    /// Makes the loop and starts its thread.
    public init() throws(SystemError) {
        executor = try LoopExecutor()
        try SystemThread.start(named: "loop") { [executor] in executor.run() }
    }

    deinit {
        executor.end()
    }

    /// `thread`, or a new one for nil.
    public static func given(_ thread: LoopThread?) throws(SystemError) -> LoopThread {
        if let thread { return thread }
        return try LoopThread()
    }

    /// The thread's loop, for actors on this executor only.
    public var loop: EventLoop { executor.loop }

    /// The executor for an actor, which must keep this for as long as it lives.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Whether this runs on the thread.
    public var isCurrent: Bool { executor.isCurrent }

    /// Does something on the thread, soon. Waits for nothing.
    public func perform(_ body: @escaping @Sendable () -> Void) {
        executor.perform(body)
    }
}

/// What a ``LoopThread`` runs. The thread itself keeps it: the last job that it runs may be the one
/// that lets go of the ``LoopThread``.
///
/// Invariant: `loop` is touched on the thread only, and before that is started. The compiler knows
/// it of actors on this executor; this type is the one place that says so unchecked.
private final class LoopExecutor: SerialExecutor, @unchecked Sendable {
    let loop: EventLoop

    private let mailbox: Mailbox<Message>
    private let thread = Mutex<pthread_t?>(nil)

    private enum Message {
        case job(UnownedJob)
        case call(@Sendable () -> Void)
        case end
    }

    init() throws(SystemError) {
        loop = try EventLoop()
        mailbox = try Mailbox()
        _ = try mailbox.open(on: loop) { [unowned self] in runJobs() }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        mailbox.send(.job(UnownedJob(job)))
    }

    func perform(_ body: @escaping @Sendable () -> Void) {
        mailbox.send(.call(body))
    }

    /// Ends the thread after the jobs that wait.
    func end() {
        mailbox.send(.end)
    }

    func isSameExclusiveExecutionContext(other: LoopExecutor) -> Bool { self === other }

    func checkIsolated() {
        precondition(isCurrent, "not on the loop's thread")
    }

    var isCurrent: Bool {
        thread.withLock { $0 }.map { pthread_equal($0, pthread_self()) != 0 } ?? false
    }

    // MARK: On the thread

    func run() {
        thread.withLock { $0 = pthread_self() }
        loop.run()
    }

    private func runJobs() {
        for message in mailbox.take() {
            switch message {
            case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
            case .call(let body): body()
            case .end: loop.stop()
            }
        }
    }
}
