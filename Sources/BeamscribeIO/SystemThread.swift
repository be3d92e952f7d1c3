internal import CLinux
internal import Glibc

/// Threads of the system's own, for what waits where nobody else can.
public enum SystemThread {
    /// Runs `body` on a new thread. Nobody can wait for it; the system has it back once `body`
    /// returns.
    ///
    /// - Parameter name: what tools show, at most 15 bytes.
    public static func start(
        named name: String, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let job = Job {
            clinux_name_thread(name)
            body()
        }
        let context = Unmanaged.passRetained(job).toOpaque()
        let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
            if let context = $0 { Unmanaged<Job>.fromOpaque(context).takeRetainedValue().run() }
            return nil
        }
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, main, context)
        guard code == 0 else {
            Unmanaged<Job>.fromOpaque(context).release()
            throw SystemError("start a thread", code: code)
        }
        pthread_detach(thread)
    }

    private final class Job {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
