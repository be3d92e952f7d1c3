import Beamscribe
import BeamscribeCore
import BeamscribeIO
import HummingbirdCore
import NIOCore
import Synchronization

/// Gives out transcripts, a few at a time: to write one costs the host more than to send captions.
///
/// Invariant: each answer holds a place, from when it was promised until it is done with, or until
/// another got it and its channel was closed; `channels` has those of the places.
final class DownloadDesk: Sendable {
    private struct State {
        var places = DownloadPlaces()
        var channels: [Int: any Channel] = [:]
    }

    private let host: Host
    private let state = Mutex(State())

    init(_ host: Host) {
        self.host = host
    }

    /// The transcript so far, as the body of an answer that goes by `channel`; nil where there is no
    /// place.
    func download(_ format: TranscriptFormat, by channel: any Channel) -> ResponseBody? {
        guard let place = takePlace(for: channel) else { return nil }
        let host = host
        return ResponseBody { writer in
            var download = await TranscriptDownload(format, of: host) { channel.isActive }
            while let text = await download.next() {
                var rest = ByteBuffer(string: text)
                // Whoever reads slowly is seen to read.
                while let piece = rest.readSlice(length: min(Self.piece, rest.readableBytes)),
                    piece.readableBytes > 0
                {
                    try await writer.write(piece)
                    place.progressed()
                }
            }
            try await writer.finish(nil)
            withExtendedLifetime(place) {}
        }
    }

    private static let piece = 16_384

    private func takePlace(for channel: any Channel) -> Place? {
        let (id, other): (Int?, (any Channel)?) = state.withLock { state in
            guard let (id, other) = state.places.take(from: channel.source, now: Clock.uptime)
            else { return (nil, nil) }
            state.channels[id] = channel
            return (id, other.flatMap { state.channels.removeValue(forKey: $0) })
        }
        other?.close(promise: nil)
        return id.map { Place($0, self) }
    }

    /// Goes with the answer that holds it, also with one that is never sent.
    private final class Place: Sendable {
        private let id: Int
        private let desk: DownloadDesk

        init(_ id: Int, _ desk: DownloadDesk) {
            self.id = id
            self.desk = desk
        }

        func progressed() {
            desk.state.withLock { $0.places.progressed(id, now: Clock.uptime) }
        }

        deinit {
            desk.state.withLock { state in
                state.places.leave(id)
                state.channels[id] = nil
            }
        }
    }
}
