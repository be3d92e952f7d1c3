import BeamscribeCore
internal import CLinux
internal import Glibc
internal import Synchronization

/// Writes what is to be heard to a pipe or a file on a thread of its own, as that may be slow, and be opened slowly: of
/// what waits for too long the oldest is dropped, for whoever reads on wants to hear what is said now.
///
/// Invariant: at most `limit` bytes wait.
public final class SampleWriter: Sendable {
    /// What has become of it.
    public enum Trouble: Equatable, Sendable {
        /// Its reader was too slow, and has missed something. Told once.
        case behind
        /// It cannot be written to any more.
        case gone(SystemError)
    }

    private struct State {
        var waiting: [UInt8] = []
        /// Whether there has been somebody who could be too slow.
        var isOpen = false
        var isEnded = false
        var hasToldBehind = false
    }

    private let path: String?
    private var subject: String { path ?? "standard output" }
    private let limit: Int
    private let bell: Descriptor
    private let state = Mutex(State())
    /// How often it is looked whether a named pipe has a reader, in milliseconds.
    private static let patience: Int32 = 100

    /// - Parameters:
    ///   - path: a file's, which is made anew, or that of a named pipe, whose reader is waited for; nil for standard
    ///     output.
    ///   - limit: how many bytes may wait.
    ///   - trouble: called on the writer's thread.
    public init(
        path: String?, limit: Int, trouble: @escaping @Sendable (Trouble) -> Void
    ) throws(SystemError) {
        (self.path, self.limit) = (path, limit)
        bell = try Descriptor("make an event descriptor") {
            eventfd(0, Int32(clamping: EFD_CLOEXEC))
        }
        try SystemThread.start(named: "samples") { [self] in run(trouble) }
    }

    /// Adds bytes, an even number of them. Waits for nothing.
    ///
    /// - Returns: whether something older had to be dropped for the first time.
    public func write(_ bytes: [UInt8]) -> Bool {
        let isNews = state.withLock { state in
            state.waiting += bytes
            let surplus = state.waiting.count - limit
            guard surplus > 0 else { return false }
            state.waiting.removeFirst(surplus)
            guard state.isOpen else { return false }
            defer { state.hasToldBehind = true }
            return !state.hasToldBehind
        }
        ring()
        return isNews
    }

    /// Ends once what waits is written, or cannot be.
    public func end() {
        state.withLock { $0.isEnded = true }
        ring()
    }

    private func ring() {
        var one: UInt64 = 1
        _ = Glibc.write(bell.number, &one, 8)
    }

    // MARK: On the thread

    private func run(_ trouble: (Trouble) -> Void) {
        do throws(SystemError) {
            while true {
                // Asked first: who came to read before the end gets what waits.
                let isOver = state.withLock { $0.isEnded }
                if let descriptor = try open() {
                    state.withLock { $0.isOpen = true }
                    return try writeAll(to: descriptor)
                }
                if isOver { return }
                awaitReader()
            }
        } catch {
            trouble(.gone(error))
        }
    }

    /// - Returns: nil where it is a named pipe that nobody reads. To wait for that in the system would be for good.
    private func open() throws(SystemError) -> Descriptor? {
        guard let path else {
            return try Descriptor("write to", subject) { clinux_fcntl(1, F_DUPFD_CLOEXEC, 3) }
        }
        do throws(SystemError) {
            return try Descriptor("write to", path) {
                clinux_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0o666)
            }
        } catch {
            guard error.code == ENXIO, Self.isNamedPipe(path) else { throw error }
            return nil
        }
    }

    private static func isNamedPipe(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFIFO
    }

    /// Waits for a moment, or until it ends.
    private func awaitReader() {
        var asked = pollfd(fd: bell.number, events: Int16(clamping: POLLIN), revents: 0)
        guard poll(&asked, 1, Self.patience) > 0 else { return }
        heardBell()
    }

    private func heardBell() {
        var count: UInt64 = 0
        _ = read(bell.number, &count, 8)
    }

    private func writeAll(to descriptor: borrowing Descriptor) throws(SystemError) {
        while true {
            let (bytes, isEnded) = state.withLock { state in
                defer { state.waiting = [] }
                return (state.waiting, state.isEnded)
            }
            try write(bytes, to: descriptor)
            if isEnded { return }
            heardBell()
        }
    }

    private func write(
        _ bytes: [UInt8], to descriptor: borrowing Descriptor
    ) throws(SystemError) {
        let number = descriptor.number
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try system("write to", subject, tolerating: EAGAIN) {
                rest.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
            }
            if let count {
                rest = rest.dropFirst(count)
            } else {
                // Others may have asked for that, too, of a pipe that is shared.
                var asked = pollfd(fd: number, events: Int16(clamping: POLLOUT), revents: 0)
                poll(&asked, 1, -1)
            }
        }
    }
}
