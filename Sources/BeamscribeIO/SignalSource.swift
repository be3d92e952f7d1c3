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

    /// Calls `handler` for each of `signals`, which must have been blocked.
    public init(
        _ signals: [Signal], on loop: EventLoop, _ handler: @escaping (Signal) -> Void
    ) throws(SystemError) {
        var set = Self.signalSet(of: signals)
        let flags = Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK)
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
        return Signal(rawValue: Int32(info.ssi_signo))
    }

    private static func signalSet(of signals: [Signal]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        signals.forEach { sigaddset(&set, $0.rawValue) }
        return set
    }
}
