internal import Glibc

/// The thread that the program begins on.
public enum MainThread {
    /// Runs `body` to its end while the calling thread waits.
    ///
    /// An asynchronous `main` would end in libdispatch's dispatch_main(), which waits with no
    /// signal blocked: signals would then end the program instead of being read by a
    /// ``SignalSource``.
    public static func wait(for body: @escaping @Sendable () async -> Void) {
        let done = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        sem_init(done, 0, 0)
        let address = UInt(bitPattern: done)
        Task.detached {
            await body()
            if let done = UnsafeMutablePointer<sem_t>(bitPattern: address) { sem_post(done) }
        }
        while sem_wait(done) != 0 {}
    }
}
