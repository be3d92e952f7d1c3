internal import CLinux
internal import Glibc

/// Reads a pipe, a terminal or a file on a loop, whatever epoll thinks of it.
///
/// Standard input is shared with other programs, so it is not made non-blocking: it is read once
/// each time that it is ready. A file, which epoll refuses, is always ready; it is read in turns
/// with everything else.
public final class ByteSource {
    /// What came.
    public enum Event {
        /// Bytes, valid during the call.
        case bytes(UnsafeRawBufferPointer)
        case end
        case failed(SystemError)
    }

    private let descriptor: Descriptor
    private let subject: String
    private let loop: EventLoop
    private let handler: (Event) -> Void
    private let buffer: UnsafeMutableRawBufferPointer
    private var registration: Registration?
    private var turn: LoopTimer?
    private var isFile = false
    private var isDone = false

    /// Whether reading rests. Set while what came cannot be passed on.
    public var isPaused = false {
        didSet {
            guard isPaused != oldValue, !isDone else { return }
            if isFile {
                if !isPaused { takeTurn() }
            } else {
                listen()
            }
        }
    }

    /// Reads `path`, or standard input for nil.
    ///
    /// - Parameter size: the most bytes of one read.
    public init(
        path: String?, size: Int, on loop: EventLoop, _ handler: @escaping (Event) -> Void
    ) throws(SystemError) {
        subject = path ?? "standard input"
        let number: Int32?
        if let path {
            // Otherwise a named pipe that nobody writes to yet would hold up the whole loop.
            let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
            number = try system("open", path) { clinux_open(path, flags, 0) }
            var information = stat()
            if fstat(number ?? -1, &information) == 0, information.st_mode & S_IFMT == S_IFDIR {
                close(number ?? -1)
                throw SystemError("read", path, code: EISDIR)
            }
        } else {
            number = try system("read", subject) { clinux_fcntl(0, F_DUPFD_CLOEXEC, 3) }
        }
        descriptor = Descriptor(owning: number ?? -1)
        self.loop = loop
        self.handler = handler
        buffer = .allocate(byteCount: size, alignment: 16)
        try begin()
    }

    deinit {
        registration?.cancel()
        turn?.cancel()
        buffer.deallocate()
    }

    /// A pipe whose writer has gone is ready whatever is waited for: to rest, the loop must not
    /// know of it at all.
    private func listen() {
        registration?.cancel()
        registration = nil
        guard !isPaused else { return }
        do throws(SystemError) {
            registration = try register()
        } catch {
            finish(.failed(error))
        }
    }

    private func register() throws(SystemError) -> Registration {
        try loop.register(descriptor.number, for: .read) { [unowned self] _ in readOnce() }
    }

    private func begin() throws(SystemError) {
        do throws(SystemError) {
            registration = try register()
        } catch {
            guard error.code == EPERM else { throw error }
            isFile = true
            takeTurn()
        }
    }

    private func takeTurn() {
        turn = loop.schedule(at: .zero) { [weak self] in
            // Whoever is told of the end may let the source go.
            guard let self, !isPaused, !isDone else { return }
            readOnce()
            if !isDone, !isPaused { takeTurn() }
        }
    }

    private func readOnce() {
        do throws(SystemError) {
            let count = try system("read", subject, tolerating: EAGAIN, EIO) {
                read(descriptor.number, buffer.baseAddress, buffer.count)
            }
            // A terminal that is gone answers EIO; epoll says hang-up then and would not rest.
            guard let count else { return errno == EIO ? finish(.end) : () }
            guard count > 0 else { return finish(.end) }
            handler(.bytes(UnsafeRawBufferPointer(rebasing: buffer[..<count])))
        } catch {
            finish(.failed(error))
        }
    }

    private func finish(_ event: Event) {
        isDone = true
        registration?.cancel()
        registration = nil
        handler(event)
    }
}
