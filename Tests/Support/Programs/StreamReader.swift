import Foundation

/// Reads descriptors to their end, each on a thread of its own: a program must never wait for a
/// test that does something else.
enum StreamReader {
    static func start(
        _ descriptor: Descriptor, of stream: ProgramStream, into output: Watched<ProgramOutput>
    ) {
        let path = stream.path
        Thread.detachNewThread {
            while case let bytes = descriptor.read(), !bytes.isEmpty {
                output.change { $0[keyPath: path].append(bytes) }
            }
            output.change { $0[keyPath: path].end() }
        }
    }
}
