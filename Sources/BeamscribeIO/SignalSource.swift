import BeamscribeCore
internal import CLinux
internal import Glibc

/// Signals as events of a loop (signalfd(2)).
public final class SignalSource {
    /// A signal that a program cares about.
    public enum Signal: Int32, CaseIterable, Sendable {
        case interrupt = 2
        case terminate = 15
        case hangUp = 1
        case windowChanged = 28
        case continued = 18
        case userOne = 10
        case userTwo = 12
    }

    private let descriptor: Descriptor
    private var registration: Registration?

    /// Keeps `signals` from their default action in this thread and in those that it starts. To
    /// be called before any thread is started.
    public static func block(_ signals: [Signal]) {
        var set = signalSet(of: signals)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Gives `signals` their default action again, for the whole process: one thread that does not
    /// block a signal is enough.
    public static func unblock(_ signals: [Signal]) {
        var set = signalSet(of: signals)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// A write to a closed pipe is an error of that write, not the program's end.
    public static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// What `write` gives, a call of write(2) in which a closed pipe is an error (`EPIPE`), whatever
    /// this process does with the signal otherwise.
    static func ignoringBrokenPipe(_ write: () -> Int) -> Int {
        var brokenPipe = sigset_t()
        sigemptyset(&brokenPipe)
        sigaddset(&brokenPipe, SIGPIPE)
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, &brokenPipe, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let count = write()
        guard count < 0, errno == EPIPE else { return count }
        // A blocked signal is pending even where it is ignored, and would strike later.
        var now = timespec()
        sigtimedwait(&brokenPipe, nil, &now)
        errno = EPIPE
        return count
    }

    /// Calls `handler` for each of `signals`, which must have been blocked.
    public init(
        _ signals: [Signal], on loop: EventLoop, _ handler: @escaping (Signal) -> Void
    ) throws(SystemError) {
        var set = Self.signalSet(of: signals)
        let flags = Int32(clamping: SFD_CLOEXEC) | Int32(clamping: SFD_NONBLOCK)
        descriptor = try Descriptor("watch", "for signals") { signalfd(-1, &set, flags) }
        registration = try loop.register(descriptor.number, for: .read) { [unowned self] _ in
            while let signal = next() { handler(signal) }
        }
    }

    deinit {
        registration?.cancel()
    }

    private func next() -> Signal? {
        var info = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        guard read(descriptor.number, &info, size) == size else { return nil }
        return Signal(rawValue: Int32(clamping: info.ssi_signo))
    }

    private static func signalSet(of signals: [Signal]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        signals.forEach { sigaddset(&set, $0.rawValue) }
        return set
    }
}
