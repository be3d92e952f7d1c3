internal import CLinux
internal import Glibc

/// Reads a pipe, a terminal or a file on a loop, whatever epoll thinks of it.
///
/// Standard input is shared with other programs, so it is not made non-blocking: it is read once
/// each time that it is ready. A file, which epoll refuses, is always ready; it is read in turns
/// with everything else, and so is what the owner has left of an earlier read.
///
/// Invariant: `rest` is what was read and not taken yet; nothing is read before it is empty.
public final class ByteSource {
    private let descriptor: Descriptor
    private let subject: String
    private let loop: EventLoop
    private let take: (UnsafeRawBufferPointer) -> Int
    private let ended: (SystemError?) -> Void
    private let buffer: UnsafeMutableRawBufferPointer
    private var rest = 0..<0
    private var registration: Registration?
    @OwnedTimer private var turn: LoopTimer?
    /// Whether it is a file, or something else that waits for its reader for as long as it takes.
    public private(set) var isFile = false
    private var isDone = false

    /// Whether reading rests. Set while what came cannot be passed on.
    public var isPaused = false {
        didSet {
            guard isPaused != oldValue, !isDone else { return }
            if !isFile { listen() }
            takeTurn()
        }
    }

    /// Reads `path`, or standard input for nil.
    ///
    /// - Parameters:
    ///   - size: the most bytes of one read.
    ///   - take: gets what came, which is valid during the call, and says how many bytes of it it
    ///     has taken: one or more. It gets the others in the loop's next turn.
    ///   - ended: called once, at the end or with what went wrong.
    public convenience init(
        path: String?, size: Int, on loop: EventLoop,
        _ take: @escaping (UnsafeRawBufferPointer) -> Int,
        ended: @escaping (SystemError?) -> Void
    ) throws(SystemError) {
        let subject = path ?? "standard input"
        try self.init(
            reading: Self.open(path, subject), subject, size: size, on: loop, take, ended: ended)
    }

    /// Refuses what may not be read, or is not there. It opens nothing: who writes to a named pipe would be gone.
    public static func check(path: String) throws(SystemError) {
        try system("open", path) { access(path, R_OK) }
    }

    private static func open(
        _ path: String?, _ subject: String
    ) throws(SystemError) -> Descriptor {
        guard let path else {
            return try Descriptor("read", subject) { clinux_fcntl(0, F_DUPFD_CLOEXEC, 3) }
        }
        // Otherwise a named pipe that nobody writes to yet would hold up the whole loop.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
        let opened = try Descriptor("open", path) { clinux_open(path, flags, 0) }
        guard !opened.isFolder else { throw SystemError("read", path, code: EISDIR) }
        return opened
    }

    /// Reads what is open; `subject` is what it is called in errors.
    init(
        reading descriptor: consuming Descriptor, _ subject: String, size: Int, on loop: EventLoop,
        _ take: @escaping (UnsafeRawBufferPointer) -> Int,
        ended: @escaping (SystemError?) -> Void
    ) throws(SystemError) {
        self.descriptor = descriptor
        self.subject = subject
        self.loop = loop
        self.take = take
        self.ended = ended
        buffer = .allocate(byteCount: size, alignment: 16)
        try begin()
    }

    deinit {
        registration?.cancel()
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
            finish(error)
        }
    }

    /// What is left of an earlier read has a turn of its own.
    private func register() throws(SystemError) -> Registration {
        try loop.register(descriptor.number, for: .read) { [unowned self] _ in
            if rest.isEmpty { step() }
        }
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

    /// Goes on in the next turn, where the loop tells of nothing.
    private func takeTurn() {
        guard turn == nil, !isPaused, !isDone, isFile || !rest.isEmpty else { return }
        turn = loop.schedule(at: .zero) { [weak self] in
            // Whoever is told of the end may let the source go.
            guard let self else { return }
            turn = nil
            if !isPaused, !isDone { step() }
        }
    }

    private func step() {
        if rest.isEmpty { fill() }
        if !rest.isEmpty {
            let taken = take(UnsafeRawBufferPointer(rebasing: buffer[rest]))
            rest = rest.dropFirst(max(taken, 1))
        }
        takeTurn()
    }

    private func fill() {
        do throws(SystemError) {
            let count = try system("read", subject, tolerating: EAGAIN, EIO) {
                read(descriptor.number, buffer.baseAddress, buffer.count)
            }
            // A terminal that is gone answers EIO; epoll says hang-up then and would not rest.
            guard let count else { return errno == EIO ? finish(nil) : () }
            guard count > 0 else { return finish(nil) }
            rest = 0..<count
        } catch {
            finish(error)
        }
    }

    private func finish(_ error: SystemError?) {
        isDone = true
        registration?.cancel()
        registration = nil
        ended(error)
    }
}
