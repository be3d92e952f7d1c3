import BeamscribeIO

/// What other programs write to the named pipe of `--control`, as a sequence.
actor TalkRequests {
    /// The lines; nil for one that was too long.
    nonisolated let lines = Broadcast<String?>()
    private nonisolated let thread: LoopThread
    private var pipe: CommandPipe?

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// - Parameter path: nil for none.
    init(from path: String?, on thread: LoopThread) async throws {
        self.thread = thread
        if let path { try open(path) }
    }

    /// What belongs to the loop goes on its thread.
    isolated deinit {}

    /// Takes no more, and leaves nothing behind.
    func close() { pipe = nil }

    private func open(_ path: String) throws {
        let lines = lines
        do throws(SystemError) {
            pipe = try CommandPipe(path: path, on: thread.loop) { lines.send($0) }
        } catch {
            throw Failure(.usage, "\(error): --control takes a named pipe.")
        }
    }
}
