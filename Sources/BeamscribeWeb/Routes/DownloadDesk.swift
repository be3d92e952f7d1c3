import Beamscribe
import BeamscribeCore
import BeamscribeIO
import HummingbirdCore
import NIOCore
import Synchronization

/// Gives out transcripts, a few at a time: to write one costs the host more than to send captions.
/// Another one gives out pieces of the history, by the same rules.
///
/// Invariant: each answer holds a place, from when it was promised until it is done with, or until
/// another got it and its channel was closed; `channels` has those of the places.
final class DownloadDesk: Sendable {
    private struct State {
        var places: DownloadPlaces
        var channels: [Int: any Channel] = [:]
    }

    private let state: Mutex<State>

    init(limit: Int = Limits.downloads) {
        state = Mutex(State(places: DownloadPlaces(limit: limit)))
    }

    /// The transcript of these logs so far, as the body of an answer that goes by `channel`; nil where there
    /// is no place.
    func download(
        _ format: TranscriptFormat, of sources: [FeedSource], for visitor: Visitor,
        by channel: any Channel
    ) -> ResponseBody? {
        guard let place = takePlace(for: visitor, by: channel) else { return nil }
        return ResponseBody { writer in
            var download = await TranscriptDownload(format, of: sources) { channel.isActive }
            while let text = await download.next() {
                try await place.send(ByteBuffer(string: text), by: &writer)
            }
            try await writer.finish(nil)
            withExtendedLifetime(place) {}
        }
    }

    /// A place for an answer that goes by `channel`; nil where there is none.
    func takePlace(for visitor: Visitor, by channel: any Channel) -> Place? {
        let (id, other): (Int?, (any Channel)?) = state.withLock { state in
            guard let (id, other) = state.places.take(from: visitor.source, now: Clock.uptime)
            else { return (nil, nil) }
            state.channels[id] = channel
            return (id, other.flatMap { state.channels.removeValue(forKey: $0) })
        }
        other?.close(promise: nil)
        return id.map { Place($0, self) }
    }

    /// Goes with the answer that holds it, also with one that is never sent.
    final class Place: Sendable {
        private let id: Int
        private let desk: DownloadDesk

        fileprivate init(_ id: Int, _ desk: DownloadDesk) {
            self.id = id
            self.desk = desk
        }

        /// An answer that has the place until it is sent.
        func answer(_ bytes: ByteBuffer) -> ResponseBody {
            ResponseBody(contentLength: bytes.readableBytes) { writer in
                try await self.send(bytes, by: &writer)
                try await writer.finish(nil)
            }
        }

        /// Sends some of an answer. Whoever reads slowly is seen to read.
        func send(_ bytes: ByteBuffer, by writer: inout any ResponseBodyWriter) async throws {
            var rest = bytes
            while let piece = rest.readSlice(length: min(Self.piece, rest.readableBytes)),
                piece.readableBytes > 0
            {
                try await writer.write(piece)
                desk.state.withLock { $0.places.progressed(id, now: Clock.uptime) }
            }
        }

        private static let piece = 16_384

        deinit {
            desk.state.withLock { state in
                state.places.leave(id)
                state.channels[id] = nil
            }
        }
    }
}
