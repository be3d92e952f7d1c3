import BeamscribeCore
internal import CLinux
internal import Glibc

/// What a running command reads: given to it as far as its pipe has room, the rest as it reads on.
///
/// Invariant: it is waited for room exactly while something is unwritten and somebody may read it.
final class CommandInput {
    private var pipe: WatchedDescriptor?
    private var unwritten: ArraySlice<UInt8> = []
    private var isEnded = false

    init(_ pipe: consuming Descriptor, on loop: EventLoop) {
        _ = clinux_fcntl(pipe.number, F_SETFL, O_NONBLOCK)
        self.pipe = WatchedDescriptor(pipe, on: loop)
    }

    /// Gives it `bytes` behind what it was given before. A command that reads no more gets nothing.
    func write(_ bytes: [UInt8]) {
        unwritten += bytes
        flush()
    }

    /// The same with samples of two bytes, of which the oldest are left out that would be more than `limit`
    /// bytes to wait for it.
    ///
    /// - Returns: whether any were left out.
    func write(samples bytes: [UInt8], keeping limit: Int) -> Bool {
        let surplus = unwritten.count + bytes.count - limit
        // Half a sample may have been read.
        unwritten = unwritten.dropFirst(max(0, surplus + surplus % 2))
        write(bytes)
        return surplus > 0
    }

    /// It reads to the end, once it has read what it was given.
    func end() {
        isEnded = true
        flush()
    }

    private func flush() {
        guard let number = pipe?.number else { return unwritten = [] }
        let count = SignalSource.ignoringBrokenPipe {
            unwritten.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
        }
        guard count >= 0 || errno == EAGAIN || errno == EINTR else { return pipe = nil }
        unwritten = unwritten.dropFirst(max(0, count))
        if unwritten.isEmpty, isEnded { return pipe = nil }
        if unwritten.isEmpty { return pipe?.ignore() ?? () }
        do throws(SystemError) {
            try pipe?.watch(for: .write) { [unowned self] _ in flush() }
        } catch {
            pipe = nil
        }
    }
}
