import BeamscribeCore
internal import CLinux
internal import Glibc
internal import Synchronization

/// Messages from any thread to the one that runs an ``EventLoop``, in the order in which they were
/// sent.
///
/// Invariant: while messages wait the loop was woken, once, since it was last told of any.
public final class Mailbox<Message: Sendable>: Sendable {
    private let bell: Descriptor
    private let state = Mutex(State())

    private struct State {
        var waiting: [Message] = []
        var isRung = false
    }

    /// - Throws: when the system has no descriptor left.
    public init() throws(SystemError) {
        let flags = Int32(clamping: EFD_CLOEXEC) | Int32(clamping: EFD_NONBLOCK)
        bell = try Descriptor("make an event descriptor") { eventfd(0, flags) }
    }

    /// Leaves a message. To be called on any thread; waits for none.
    public func send(_ message: Message) {
        let mustRing = state.withLock { state in
            state.waiting.append(message)
            defer { state.isRung = true }
            return !state.isRung
        }
        guard mustRing else { return }
        var one: UInt64 = 1
        _ = write(bell.number, &one, 8)
    }

    /// Calls `rung` on the loop whenever messages were left, until the registration is cancelled.
    /// They may be gone again when it looks.
    public func open(
        on loop: EventLoop, _ rung: @escaping () -> Void
    ) throws(SystemError) -> Registration {
        try loop.register(bell.number, for: .read) { [unowned self] _ in
            var count: UInt64 = 0
            _ = read(bell.number, &count, 8)
            state.withLock { $0.isRung = false }
            rung()
        }
    }

    public func take() -> [Message] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    /// Takes the oldest; nil if none waits.
    public func takeFirst() -> Message? {
        state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    }

    /// Takes those back that `isVoid`, and returns them.
    public func withdraw(where isVoid: (Message) -> Bool) -> [Message] {
        state.withLock { state in
            defer { state.waiting.removeAll(where: isVoid) }
            return state.waiting.filter(isVoid)
        }
    }

    public var isEmpty: Bool { state.withLock { $0.waiting.isEmpty } }
}
