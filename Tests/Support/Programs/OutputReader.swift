import Foundation
import Synchronization

/// Reads what a program writes, to the end and on threads of its own: a program must never wait for
/// a test that does something else.
///
/// Invariant: who sees something that the program has written, on whichever stream, or that it has
/// ended, sees all that it had written before, on every stream. A test that has waited for a caption
/// may look at once at what was said before it.
final class OutputReader: Sendable {
    private struct Source {
        let stream: ProgramStream
        let descriptor: Descriptor
    }

    private let output: Watched<ProgramOutput>
    /// The streams that have not ended.
    private let open = Mutex<[Source]>([])

    init(into output: Watched<ProgramOutput>) {
        self.output = output
    }

    /// Reads from `descriptor`, too, from now on.
    func start(_ descriptor: Descriptor, of stream: ProgramStream) {
        descriptor.setNonblocking()
        open.withLock { $0.append(Source(stream: stream, descriptor: descriptor)) }
        Thread.detachNewThread { [self] in
            repeat {
                descriptor.waitUntilReadable()
                read()
            } while open.withLock { $0.contains { $0.stream == stream } }
        }
    }

    /// The program has ended, of itself or not.
    func programHasEnded(_ status: ExitStatus) {
        read { $0.exit = status }
    }

    /// Tells of everything that has come and of what else has happened, both at once.
    private func read(_ happened: (inout ProgramOutput) -> Void = { _ in }) {
        open.withLock { open in
            let news = Self.takeNews(of: &open)
            output.change { output in
                for (stream, piece) in news { output[keyPath: stream.path].append(piece) }
                happened(&output)
            }
        }
    }

    /// What comes to one stream while another is read may have been written first: each is read again
    /// until the others bring nothing.
    private static func takeNews(
        of open: inout [Source]
    ) -> [(stream: ProgramStream, piece: Descriptor.Piece)] {
        var news: [(stream: ProgramStream, piece: Descriptor.Piece)] = []
        var upToDate = 0
        var next = 0
        while upToDate < open.count {
            let source = open[next % open.count]
            let piece = source.descriptor.readAvailable()
            if let piece { news.append((source.stream, piece)) }
            upToDate = piece == nil ? upToDate + 1 : 1
            if piece == .end { open.remove(at: next % open.count) } else { next += 1 }
        }
        return news
    }
}
