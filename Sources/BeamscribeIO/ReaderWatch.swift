internal import CLinux
internal import Glibc

/// Notices that nobody reads a pipe or a socket any more, also while nothing is written to it.
///
/// epoll tells of errors and hang-ups without being asked: a pipe has an error as soon as its last
/// reader has gone.
public final class ReaderWatch {
    private var registration: Registration?

    /// Calls `gone` once, with what a write would fail with from then on. Nil where `descriptor` is
    /// neither a pipe nor a socket: a terminal that goes sends a signal, and a file stays.
    public init?(
        of descriptor: Int32, on loop: EventLoop, _ gone: @escaping (SystemError) -> Void
    ) {
        var status = stat()
        guard fstat(descriptor, &status) == 0,
            [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
        else { return nil }
        registration = try? loop.register(descriptor, for: []) { [unowned self] _ in
            // It would be told of in every turn.
            registration?.cancel()
            gone(SystemError("write to", "the output", code: EPIPE))
        }
        if registration == nil { return nil }
    }

    deinit {
        registration?.cancel()
    }
}
