import BeamscribeIO

/// What other programs write to the named pipe of `--control`, as a sequence. That the program is to end is taken from the
/// beginning, before there is somebody who could talk.
actor TalkRequests {
    /// The lines but for those that ask for the end; nil for one that was too long.
    nonisolated let lines = Broadcast<String?>(limit: mostLines)
    /// A pipe that is full has fewer lines that mean something.
    private static let mostLines = 8_192
    private nonisolated let thread: LoopThread
    private var pipe: CommandPipe?

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - path: nil for none.
    ///   - quit: called where the program is to end.
    init(
        from path: String?, on thread: LoopThread, quit: @escaping @Sendable () -> Void
    ) async throws {
        self.thread = thread
        if let path { try open(path, quit) }
    }

    /// What belongs to the loop goes on its thread.
    isolated deinit {}

    /// Takes no more, and leaves nothing behind.
    func close() { pipe = nil }

    private func open(_ path: String, _ quit: @escaping @Sendable () -> Void) throws {
        let lines = lines
        do throws(SystemError) {
            pipe = try CommandPipe(path: path, on: thread.loop) { line in
                if line.flatMap(TalkRequest.init) == .quit { quit() } else { lines.send(line) }
            }
        } catch {
            throw Failure(.usage, "\(error): --control takes a named pipe of your own.")
        }
    }
}
