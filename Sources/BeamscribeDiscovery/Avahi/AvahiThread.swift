import BeamscribeIO
import Synchronization

/// The thread on which libavahi is called: each of its calls waits for an answer by D-Bus, 25 s
/// where there is none, and nobody else may wait for that. A thread that hangs in a call is left to
/// itself; it goes on, or ends, once the call returns.
///
/// There is one for the process: libdbus lets one thread at a time connect to the bus, so that a
/// second one would only wait for the first.
///
/// Invariant: `mailbox` is that of the thread that runs. The thread ends itself once no seat is taken
/// and no message waits, and takes `mailbox` along; until then whoever comes is given this thread.
final class AvahiThread: Sendable {
    static let shared = AvahiThread()

    private let state = Mutex(State())

    private struct State {
        var mailbox: Mailbox<Message>?
        var seats = 0
    }

    fileprivate struct Message: Sendable {
        var seat: ObjectIdentifier
        var isFirst = false
        var body: @Sendable (EventLoop) -> Void
    }

    init() {}

    var isRunning: Bool { state.withLock { $0.mailbox != nil } }

    /// Whether nothing waits to be done.
    var isIdle: Bool { state.withLock { $0.mailbox?.isEmpty ?? true } }

    fileprivate func enter(_ message: Message) throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            if state.mailbox == nil { state.mailbox = try begin() }
            state.seats += 1
            state.mailbox?.send(message)
        }
    }

    fileprivate func send(_ message: Message) {
        state.withLock { $0.mailbox }?.send(message)
    }

    /// What the seat has asked for and is not done yet is not done any more; there is nothing to be
    /// undone, and `message` not sent, where that holds of all.
    fileprivate func leave(_ message: Message) {
        state.withLock { state in
            state.seats -= 1
            let void = state.mailbox?.withdraw { $0.seat == message.seat } ?? []
            if !void.contains(where: \.isFirst) { state.mailbox?.send(message) }
        }
    }

    private func begin() throws(SystemError) -> Mailbox<Message> {
        let mailbox = try Mailbox<Message>()
        // This thread makes the loop, and has nothing to do with it any more once the other runs.
        nonisolated(unsafe) let loop = try EventLoop()
        let registration = try mailbox.open(on: loop) { [unowned loop] in
            while let message = mailbox.takeFirst() { message.body(loop) }
            if self.isOver() { loop.stop() }
        }
        nonisolated(unsafe) let opened = registration
        try SystemThread.start(named: "avahi") {
            loop.run()
            opened.cancel()
        }
        return mailbox
    }

    private func isOver() -> Bool {
        state.withLock { state in
            guard state.seats == 0, state.mailbox?.isEmpty == true else { return false }
            state.mailbox = nil
            return true
        }
    }
}

/// The place of one worker on the Avahi thread, where it is made, works and goes.
///
/// Invariant: `worker` is touched on that thread only.
final class AvahiSeat<Worker: AnyObject>: @unchecked Sendable {
    private let thread: AvahiThread
    private var worker: Worker?

    /// - Throws: when there is no thread to be had.
    init(
        on thread: AvahiThread, _ make: @escaping @Sendable (EventLoop) -> Worker
    ) throws(SystemError) {
        self.thread = thread
        var message = message { $0.worker = make($1) }
        message.isFirst = true
        try thread.enter(message)
    }

    func perform(_ body: @escaping @Sendable (Worker) -> Void) {
        thread.send(message { seat, _ in seat.worker.map(body) })
    }

    /// Lets the worker go. To be called once, at the end.
    func leave() {
        thread.leave(message { seat, _ in seat.worker = nil })
    }

    private func message(
        _ body: @escaping @Sendable (AvahiSeat, EventLoop) -> Void
    ) -> AvahiThread.Message {
        AvahiThread.Message(seat: ObjectIdentifier(self)) { body(self, $0) }
    }
}
