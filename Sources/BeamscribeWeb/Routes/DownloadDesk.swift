import Beamscribe
import BeamscribeCore
import Hummingbird
import NIOCore
import Synchronization

/// Gives out transcripts, a few at a time: to write one costs the host more than to send captions.
///
/// Invariant: `busy` answers hold a place, from when they were promised until they are done with.
final class DownloadDesk: Sendable {
    private let host: Host
    private let busy = Mutex(0)

    private static let places = 4

    init(_ host: Host) {
        self.host = host
    }

    /// The transcript so far, as the body of an answer that goes by `channel`; nil where there is no
    /// place.
    func download(_ format: TranscriptFormat, by channel: any Channel) -> ResponseBody? {
        guard let place = takePlace() else { return nil }
        let host = host
        return ResponseBody { writer in
            var download = await TranscriptDownload(format, of: host) { channel.isActive }
            while let text = await download.next() {
                try await writer.write(ByteBuffer(string: text))
            }
            try await writer.finish(nil)
            withExtendedLifetime(place) {}
        }
    }

    private func takePlace() -> Place? {
        let isFree = busy.withLock { busy in
            defer { busy = min(busy + 1, Self.places) }
            return busy < Self.places
        }
        return isFree ? Place(self) : nil
    }

    /// Goes with the answer that holds it, also with one that is never sent.
    private final class Place: Sendable {
        private let desk: DownloadDesk

        init(_ desk: DownloadDesk) {
            self.desk = desk
        }

        deinit {
            desk.busy.withLock { $0 -= 1 }
        }
    }
}
