import BeamscribeCore
package import BeamscribeDiscovery
package import BeamscribeIO

#if NATS
    import BeamscribeNATS
#endif

/// The machine that the program runs on.
///
/// Invariant: what belongs to the thread is touched there only, and before anybody lives here. The
/// compiler knows it of those who have the executor; this type says so unchecked.
package final class SystemSurroundings: Surroundings, @unchecked Sendable {
    private let thread: LoopThread
    package let network: any Network
    package let discovery: any Discovery
    package let worker: any Worker

    init(on thread: LoopThread) {
        self.thread = thread
        network = SystemNetwork(on: thread.loop)
        discovery = SystemDiscovery(on: thread.loop)
        worker = WorkerThread(on: thread.loop)
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    package func perform(_ body: @escaping @Sendable () -> Void) { thread.perform(body) }

    package func openInput(
        _ path: String?, _ take: @escaping (UnsafeRawBufferPointer) -> Int,
        ended: @escaping (SystemError?) -> Void
    ) throws(SystemError) -> any InputSource {
        try ByteSource(path: path, size: Limits.inputRead, on: thread.loop, take, ended: ended)
    }

    package func run(
        _ command: String, isAsked: Bool, _ take: @escaping (UnsafeRawBufferPointer) -> Int,
        ended: @escaping (ShellCommand.Outcome, [String]) -> Void
    ) throws(SystemError) -> any RunningInput {
        try TerminalCommand(
            command, isAsked: isAsked, size: Limits.inputRead, on: thread.loop, take, ended: ended)
    }

    package func backbone(at server: BackboneServer) throws(SystemError) -> (any Backbone)? {
        #if NATS
            try NATSBackbone(server, on: thread.loop)
        #else
            nil
        #endif
    }

    package func seed() -> UInt64 { .random(in: .min ... .max) }
}

extension Surroundings where Self == SystemSurroundings {
    /// The machine's, on a thread or, for nil, on one of their own.
    static func system(on thread: LoopThread?) throws(StartError) -> SystemSurroundings {
        SystemSurroundings(on: try needed(.given(thread), orElse: StartError.cannotBegin))
    }
}
