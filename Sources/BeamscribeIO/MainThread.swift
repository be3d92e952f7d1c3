internal import Glibc

/// The thread that the program begins on.
public enum MainThread {
    /// Runs `body` while the calling thread waits, and ends the program with its exit code.
    ///
    /// An asynchronous `main` would end in libdispatch's dispatch_main(), which waits with no
    /// signal blocked: signals would then end the program instead of being read by a
    /// ``SignalSource``. And the program ends by _exit(2): exit(3) would take the libraries apart
    /// while the loop's thread still runs in them. Nothing is buffered that this could lose.
    public static func run(_ body: @escaping @Sendable () async -> Int32) -> Never {
        let done = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        sem_init(done, 0, 0)
        Task.detached { _exit(await body()) }
        // Never posted: this thread only waits.
        while true { sem_wait(done) }
    }

    /// Ends the program at once, whatever its threads are doing.
    public static func end(with code: Int32) -> Never {
        _exit(code)
    }
}
