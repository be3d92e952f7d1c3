import Beamscribe
import BeamscribeCore
import Hummingbird
import NIOCore

/// Gives out transcripts, a few at a time: to write one costs the host more than to send captions.
actor DownloadDesk {
    private let host: Host
    private let executor: WebExecutor
    private var busy = 0

    private static let places = 4

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    init(_ host: Host, on executor: WebExecutor) {
        self.host = host
        self.executor = executor
    }

    /// The transcript so far, as an answer's body; nil where there is no place.
    func download(_ format: TranscriptFormat) -> ResponseBody? {
        guard busy < Self.places else { return nil }
        let host = host
        return ResponseBody { writer in
            guard await self.enter() else { return try await writer.finish(nil) }
            do {
                var download = await TranscriptDownload(format, of: host)
                while let text = await download.next() {
                    try await writer.write(ByteBuffer(string: text))
                }
                await self.leave()
            } catch {
                await self.leave()
                throw error
            }
            try await writer.finish(nil)
        }
    }

    private func enter() -> Bool {
        guard busy < Self.places else { return false }
        busy += 1
        return true
    }

    private func leave() { busy -= 1 }
}
