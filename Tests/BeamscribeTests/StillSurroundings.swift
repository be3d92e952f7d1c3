import BeamscribeDiscovery
import Glibc

@testable import Beamscribe
@testable import BeamscribeIO

/// A machine whose loop nobody runs: nothing happens that a test does not do itself.
final class StillSurroundings: Surroundings, @unchecked Sendable {
    let loop: EventLoop
    let network: any Network
    let discovery: any Discovery
    let worker: any Worker

    init() throws {
        loop = try EventLoop()
        network = SystemNetwork(on: loop)
        discovery = SystemDiscovery(on: loop)
        worker = WorkerThread(on: loop)
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        MainActor.sharedUnownedExecutor
    }

    func perform(_ body: @escaping @Sendable () -> Void) {}

    func openInput(
        _ path: String?, _ take: @escaping (UnsafeRawBufferPointer) -> Int,
        ended: @escaping (SystemError?) -> Void
    ) throws(SystemError) -> any InputSource {
        try ByteSource(path: path, size: 1, on: loop, take, ended: ended)
    }

    func run(
        _ command: String, isAsked: Bool, _ take: @escaping (UnsafeRawBufferPointer) -> Int,
        ended: @escaping (ShellCommand.Outcome, [String]) -> Void
    ) throws(SystemError) -> any RunningInput {
        throw SystemError("run", command, code: ENOSYS)
    }

    func seed() -> UInt64 { 1 }
}
