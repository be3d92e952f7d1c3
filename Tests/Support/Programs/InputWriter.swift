import Foundation
import Glibc

/// Writes to a program in order, away from the tasks that ask for it: a full pipe blocks nobody.
final class InputWriter: @unchecked Sendable {
    // Only touched on `queue`.
    private var descriptor: Descriptor?
    private let queue = DispatchQueue(label: "input")

    init(_ descriptor: Descriptor?) {
        descriptor?.setNonblocking()
        self.descriptor = descriptor
    }

    /// Comes back when the kernel has taken every byte.
    func write(_ bytes: [UInt8], until deadline: Deadline) async throws {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in
                continuation.resume(with: Result { try writeAll(bytes, until: deadline) })
            }
        }
    }

    /// Closes after what was asked for before.
    func close() {
        queue.async { [self] in descriptor = nil }
    }

    private func writeAll(_ bytes: [UInt8], until deadline: Deadline) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let descriptor else { throw failure(rest.count, "its input was closed") }
            let (count, error) = InputWriter.writeOnce(descriptor.number, rest)
            switch error {
            case nil: rest = rest.dropFirst(count)
            case EAGAIN where deadline.hasPassed:
                throw failure(rest.count, "\(deadline.allowed) were over")
            case EAGAIN: descriptor.waitUntilWritable(deadline)
            case EINTR: continue
            case let number?: throw failure(rest.count, String(cString: strerror(number)))
            }
        }
    }

    private func failure(_ left: Int, _ reason: String) -> WaitFailed {
        WaitFailed(
            what: "the program to take its input", reason: reason, seen: "\(left) bytes left")
    }

    /// `write(2)` without the SIGPIPE that would end the whole test run. The signal is blocked on
    /// this thread only: ignoring it would hide it from code under test in this process.
    private static func writeOnce(_ number: Int32, _ bytes: ArraySlice<UInt8>) -> (Int, Int32?) {
        var pipeSignal = sigset_t()
        var before = sigset_t()
        sigemptyset(&pipeSignal)
        sigaddset(&pipeSignal, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipeSignal, &before)
        let count = bytes.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
        let error = count == -1 ? errno : nil
        if error == EPIPE {
            var now = timespec()
            _ = sigtimedwait(&pipeSignal, nil, &now)
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
        return (count, error)
    }
}
