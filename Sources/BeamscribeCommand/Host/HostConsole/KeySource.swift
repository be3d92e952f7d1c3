import BeamscribeCore
import BeamscribeIO
import BeamscribeTerminal

/// The keys of the operator's terminal, in order and none lost: what is typed here is read by a
/// whole room.
///
/// Invariant: at most ``Limits/waitingKeys`` and one read of keys wait.
actor KeySource {
    private nonisolated let thread: LoopThread
    private let counting: TerminalCounting
    private var source: ByteSource?
    private var decoder = KeyDecoder()
    private var waiting: [Key] = []
    private var reader: CheckedContinuation<[Key]?, Never>?
    private var loneEscape: LoopTimer?
    private var isStopped = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// What belongs to the loop goes on its thread.
    isolated deinit {}

    /// - Parameter counting: takes what the terminal answers.
    init(on thread: LoopThread, _ counting: TerminalCounting) {
        (self.thread, self.counting) = (thread, counting)
    }

    /// Begins to read, or to read again after the terminal was another's.
    func start() {
        guard source == nil, !isStopped else { return }
        source = try? ByteSource(path: ControllingTerminal.path, size: 4_096, on: thread.loop) {
            [unowned self] bytes in
            pressed(Array(bytes))
            return bytes.count
        } ended: { [unowned self] _ in
            // A read from the background ends it, too.
            source = nil
        }
    }

    /// Stops reading for as long as the terminal is another's.
    func rest() {
        source = nil
    }

    func stop() async {
        if source != nil { await counting.settle() }
        isStopped = true
        source = nil
        loneEscape?.cancel()
        reader?.resume(returning: nil)
        reader = nil
    }

    /// The keys that were pressed since, once there are some; nil at the end. One reader at a time.
    func next() async -> [Key]? {
        if !waiting.isEmpty { return take() }
        if isStopped { return nil }
        return await withCheckedContinuation { reader = $0 }
    }

    private func take() -> [Key] {
        defer {
            waiting = []
            source?.isPaused = false
        }
        return waiting
    }

    private func pressed(_ bytes: [UInt8]) {
        loneEscape?.cancel()
        add(counting.take(decoder.feed(bytes)))
        guard decoder.isWaiting else { return }
        loneEscape = thread.loop.schedule(after: .milliseconds(50)) { [unowned self] in
            add(decoder.timeout())
        }
    }

    private func add(_ keys: [Key]) {
        waiting += keys
        if let reader, !waiting.isEmpty {
            self.reader = nil
            reader.resume(returning: take())
        } else if waiting.count >= Limits.waitingKeys {
            source?.isPaused = true
        }
    }
}
