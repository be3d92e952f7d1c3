import NIOCore

/// The connections of one event loop, on which alone it is used.
///
/// Invariant: each of `channels` is in `room` or in `streams`, each of `owed` in `channels`.
final class ConnectionHall: @unchecked Sendable {
    typealias ID = ObjectIdentifier

    private var room = WaitingRoom<ID>(seed: .random(in: .min ... .max))
    private var channels: [ID: any Channel] = [:]
    /// Those over which captions go, until the last of them is with the kernel.
    private var streams: Set<ID> = []
    /// Those that have asked, until the last of what they asked for is with the kernel.
    private var owed: Set<ID> = []

    /// Whether somebody has something to come that the kernel has not taken: captions, or a file.
    var owesAnswers: Bool { !owed.isEmpty }

    func enter(_ id: ID, _ channel: any Channel) {
        channel.eventLoop.assertInEventLoop()
        channels[id] = channel
        wait(id, channel)
    }

    func leave(_ id: ID) {
        room.leave(id)
        streams.remove(id)
        owed.remove(id)
        channels[id] = nil
    }

    /// Whether an answer is owed to a connection, from now on.
    func note(_ id: ID, isOwed: Bool) {
        if isOwed, channels[id] != nil { owed.insert(id) } else { owed.remove(id) }
    }

    func beginStream(_ id: ID) {
        guard channels[id] != nil else { return }
        room.leave(id)
        streams.insert(id)
    }

    func endStream(_ id: ID) {
        guard streams.remove(id) != nil, let channel = channels[id] else { return }
        wait(id, channel)
    }

    /// Ends every connection, whatever lies in it.
    func closeAll() {
        for channel in Array(channels.values) { channel.close(promise: nil) }
    }

    /// A connection has said who asks by it: a proxy's brings one reader after the other.
    func note(_ id: ID, asking visitor: Visitor) { room.move(id, to: visitor.source) }

    private func wait(_ id: ID, _ channel: any Channel) {
        let source = PageProxies.source(of: channel.remoteAddress)
        guard let evicted = room.enter(id, from: source) else { return }
        owed.remove(evicted)
        channels.removeValue(forKey: evicted)?.close(promise: nil)
    }
}
