import BeamscribeCore
internal import CLinux
internal import Glibc

/// What a started process is still to read. What does not fit into a pipe at once is written as the
/// process reads.
///
/// Invariant: the pipe is open exactly while something is unwritten and somebody may read it.
struct ChildInput: ~Copyable {
    private var pipe: Descriptor?
    private var number: Int32 = -1
    private var unwritten: ArraySlice<UInt8>

    init(_ bytes: [UInt8], to pipe: consuming Descriptor) {
        number = pipe.number
        _ = clinux_fcntl(number, F_SETFL, O_NONBLOCK)
        self.pipe = consume pipe
        unwritten = bytes[...]
    }

    var isOpen: Bool { number >= 0 }

    mutating func write() {
        guard isOpen else { return }
        let count = SignalSource.ignoringBrokenPipe {
            unwritten.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
        }
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        unwritten = unwritten.dropFirst(max(0, count))
        if count < 0 || unwritten.isEmpty { close() }
    }

    /// A command reads to the end of its input.
    private mutating func close() {
        pipe = nil
        number = -1
    }
}
