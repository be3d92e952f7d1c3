import Beamscribe
import BeamscribeCore
import NIOCore

/// Those who hear the floor by the page.
///
/// Each gets the same pages of sound, from where it came in. Who takes them slowly loses the oldest: what was said long ago is
/// of no use to who is in the room.
///
/// Invariant: `listeners` are those of `crowd`, at most ``Limits/pageListeners``.
actor FloorHub {
    /// What somebody gets who came.
    struct Place {
        let id: Int
        /// What a player needs first.
        let beginning: ByteBuffer
        let pages: AsyncStream<ByteBuffer>
    }

    /// Pages that wait for somebody: 2 s.
    private static let waiting = 20

    private let host: FeedSource
    private let executor: WebExecutor
    private var beginning = ByteBuffer()
    private var listeners: [Int: AsyncStream<ByteBuffer>.Continuation] = [:]
    private var crowd = SourceCrowd<Int>()
    private var nextID = 1
    private var isEnded = false

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    init(_ host: FeedSource, on executor: WebExecutor) {
        (self.host, self.executor) = (host, executor)
    }

    /// Begins, where the host has a floor.
    func begin() async {
        let (hub, loop) = (self, executor.loop)
        let sound = await host.openFloor { page in
            loop.execute { hub.assumeIsolated { $0.take(ByteBuffer(bytes: page)) } }
        }
        if let sound { beginning = ByteBuffer(bytes: sound) }
    }

    /// Whether there is anything to be heard.
    var isOpen: Bool { beginning.readableBytes > 0 && !isEnded }

    func hasRoom(for source: String) -> Bool {
        listeners.count < Limits.pageListeners || crowd.yielding(to: source) != nil
    }

    private func take(_ page: ByteBuffer) {
        for listener in listeners.values { listener.yield(page) }
    }

    /// Takes somebody in, and sends somebody else away where a source has more than its share.
    ///
    /// - Returns: nil where there is no room, or nothing to be heard.
    func arrive(from source: String) -> Place? {
        guard isOpen else { return nil }
        if listeners.count >= Limits.pageListeners {
            guard let other = crowd.yielding(to: source) else { return nil }
            leave(other)
        }
        let (pages, listener) = AsyncStream<ByteBuffer>.makeStream(
            bufferingPolicy: .bufferingNewest(Self.waiting))
        defer { nextID += 1 }
        listeners[nextID] = listener
        crowd.add(nextID, from: source)
        return Place(id: nextID, beginning: beginning, pages: pages)
    }

    /// Somebody has gone.
    func leave(_ id: Int) {
        listeners.removeValue(forKey: id)?.finish()
        crowd.remove(id)
    }

    /// Nobody hears anything any more.
    func end() {
        isEnded = true
        listeners.keys.forEach(leave)
    }
}
