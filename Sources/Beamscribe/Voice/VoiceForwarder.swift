import BeamscribeCore
import BeamscribeIO
import BeamscribeVoice

/// The host's ``VoiceRoom`` with its sockets, on a thread of its own that goes before all others: who writes captions
/// must not wait for voices, nor voices for a transcript that is being stored.
actor VoiceForwarder {
    typealias Voices = VoiceRoom<ConnectionID, Address>

    /// By which of the sockets, and where.
    struct Address: Equatable {
        var socket: Int
        var there: DatagramAddress
    }

    /// How often the room is told that time has passed.
    private static let pause: Duration = .milliseconds(100)
    /// How often a socket is asked in a row before it is another's turn.
    private static let turns = 8

    private nonisolated let thread: LoopThread
    private let room: Voices
    private let sockets: [DatagramSocket]
    private let give: @Sendable ([Voices.Action]) -> Void
    private var outbox = VoiceOutbox<Address>()
    @OwnedTimer private var ticking: LoopTimer?

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - sockets: where packets come.
    ///   - give: gets what is to be said to guests, on this thread.
    init(
        _ configuration: Voices.Configuration, at sockets: sending [DatagramSocket], seed: UInt64,
        on thread: LoopThread, give: @escaping @Sendable ([Voices.Action]) -> Void
    ) {
        self.thread = thread
        room = Voices(configuration, seed: seed)
        self.sockets = sockets
        self.give = give
    }

    isolated deinit {}

    /// Does something with it, soon.
    nonisolated func perform(_ body: @escaping @Sendable (isolated VoiceForwarder) -> Void) {
        thread.perform { self.assumeIsolated(body) }
    }

    /// Begins to take packets.
    func open() {
        _ = ThreadPriority.hurry()
        for index in sockets.indices {
            try? sockets[index].watch(on: thread.loop) { [unowned self] in read(index) }
        }
    }

    private func read(_ index: Int) {
        let now = thread.loop.uptime
        var actions: [Voices.Action] = []
        for _ in 0..<Self.turns {
            let mayBeMore = sockets[index].receive { packet, address in
                actions += room.receive(
                    packet, from: Address(socket: index, there: address), now: now, &outbox)
            }
            flush()
            guard mayBeMore else { break }
        }
        if !actions.isEmpty { give(actions) }
    }

    private func flush() {
        let datagrams = outbox.datagrams
        guard !datagrams.isEmpty else { return }
        outbox.bytes.withUnsafeBytes { bytes in
            for index in sockets.indices {
                let own =
                    sockets.count == 1 ? datagrams : datagrams.filter { $0.address.socket == index }
                sockets[index].send(own.count, of: bytes) {
                    (own[$0].range, own[$0].address.there)
                }
            }
        }
        outbox.clear()
    }

    // MARK: What guests say

    /// A guest wants to be on channels.
    func join(_ applicant: Voices.Applicant, _ join: VoiceJoin) {
        take(room.join(applicant, join, now: thread.loop.uptime))
        tickLater()
    }

    /// A guest begins or ends a talk.
    func talk(_ talk: VoiceTalk, by id: ConnectionID) {
        take(room.talk(talk, by: id, now: thread.loop.uptime))
    }

    /// A packet came by a guest's connection.
    func receive(_ packet: VoicePacket, from id: ConnectionID) {
        take(room.receive(packet, from: id, now: thread.loop.uptime, &outbox))
    }

    /// A guest's connection is gone.
    func leave(_ id: ConnectionID) { take(room.leave(id, now: thread.loop.uptime)) }

    private func take(_ actions: [Voices.Action]) {
        flush()
        if !actions.isEmpty { give(actions) }
    }

    private func tickLater() {
        guard ticking == nil, room.count > 0 else { return }
        ticking = thread.loop.schedule(after: Self.pause) { [unowned self] in tick() }
    }

    private func tick() {
        ticking = nil
        take(room.tick(now: thread.loop.uptime, &outbox))
        tickLater()
    }
}
