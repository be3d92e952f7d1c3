internal import CLinux
internal import Glibc
internal import Synchronization

/// Writes what is to be heard to a pipe or a file on a thread of its own, as that may be slow: of what waits for too
/// long the oldest is dropped, for whoever reads on wants to hear what is said now.
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
        var isEnded = false
        var hasToldBehind = false
    }

    private let descriptor: Descriptor
    private let subject: String
    private let limit: Int
    private let bell: Descriptor
    private let state = Mutex(State())

    /// - Parameters:
    ///   - path: a file's, which is made anew; nil for standard output.
    ///   - limit: how many bytes may wait.
    ///   - trouble: called on the writer's thread.
    public init(
        path: String?, limit: Int, trouble: @escaping @Sendable (Trouble) -> Void
    ) throws(SystemError) {
        subject = path ?? "standard output"
        descriptor = try Self.open(path, subject)
        self.limit = limit
        bell = try Descriptor("make an event descriptor") { eventfd(0, Int32(EFD_CLOEXEC)) }
        try SystemThread.start(named: "samples") { [self] in run(trouble) }
    }

    private static func open(_ path: String?, _ subject: String) throws(SystemError) -> Descriptor {
        guard let path else {
            return try Descriptor("write to", subject) { clinux_fcntl(1, F_DUPFD_CLOEXEC, 3) }
        }
        return try Descriptor("write to", path) {
            clinux_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        }
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
        while true {
            var count: UInt64 = 0
            _ = read(bell.number, &count, 8)
            let (bytes, isEnded) = state.withLock { state in
                defer { state.waiting = [] }
                return (state.waiting, state.isEnded)
            }
            do throws(SystemError) {
                try write(all: bytes)
            } catch {
                return trouble(.gone(error))
            }
            if isEnded { return }
        }
    }

    private func write(all bytes: [UInt8]) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try system("write to", subject) {
                rest.withUnsafeBytes { Glibc.write(descriptor.number, $0.baseAddress, $0.count) }
            }
            rest = rest.dropFirst(count ?? 0)
        }
    }
}
