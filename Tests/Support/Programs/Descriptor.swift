import Glibc
import Synchronization

/// A file descriptor that is closed with its last owner, and never inherited by a program.
final class Descriptor: Sendable {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// Held while a pipe is made and while a process is started: Swift does not see `pipe2`, and
    /// a process born between `pipe` and `fcntl` would hold the pipe open and hide its end.
    static let inheritance = Mutex(())

    static func pipe() throws(SpawnFailed) -> (reading: Descriptor, writing: Descriptor) {
        var ends: [Int32] = [0, 0]
        let error = inheritance.withLock { _ in
            guard Glibc.pipe(&ends) == 0 else { return errno }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return 0
        }
        guard error == 0 else { throw SpawnFailed("a program with pipes", errno: error) }
        return (Descriptor(ends[0]), Descriptor(ends[1]))
    }

    static func open(_ path: String, _ flags: Int32) throws(SpawnFailed) -> Descriptor {
        let number = Glibc.open(path, flags | O_CLOEXEC)
        guard number >= 0 else { throw SpawnFailed(path, errno: errno) }
        return Descriptor(number)
    }

    /// What a stream gives next.
    enum Piece: Equatable, Sendable {
        case bytes([UInt8])
        case end
    }

    /// Blocks for the next bytes; empty at the end.
    func read() -> [UInt8] {
        while true {
            switch readAvailable() {
            case nil: waitUntilReadable()
            case .bytes(let bytes): return bytes
            case .end: return []
            }
        }
    }

    /// The next bytes; nil where a descriptor that does not block has none yet. (A terminal that its
    /// last program has left says EIO, which is its end.)
    func readAvailable() -> Piece? {
        var error: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
            var result: Int
            repeat {
                result = Glibc.read(number, buffer.baseAddress, buffer.count)
                error = result == -1 ? errno : 0
            } while error == EINTR
            count = max(0, result)
        }
        if error == EAGAIN { return nil }
        return bytes.isEmpty ? .end : .bytes(bytes)
    }

    func setNonblocking() {
        let flags = fcntl(number, F_GETFL)
        _ = fcntl(number, F_SETFL, flags | O_NONBLOCK)
    }

    func waitUntilReadable() { waitUntil(POLLIN, -1) }

    func waitUntilWritable(_ deadline: Deadline) {
        waitUntil(POLLOUT, deadline.remainingMilliseconds)
    }

    private func waitUntil(_ event: Int32, _ milliseconds: Int32) {
        var entry = pollfd(fd: number, events: Int16(event), revents: 0)
        _ = poll(&entry, 1, milliseconds)
    }
}
