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

        /// Where the host's own voice is: behind no socket.
        static let floor = Address(socket: -1, there: .connected)
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
    private var floor: HostFloor?
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

    /// The host itself talks from now on.
    ///
    /// - Parameter news: told of what becomes of it, on this thread.
    func open(
        _ configuration: VoiceConfiguration.Floor, offering offer: VoiceOffer, seed: UInt64,
        news: @escaping @Sendable (FloorNews) -> Void
    ) {
        guard
            let made = HostFloor(configuration, on: thread.loop, seed: seed, news: news)
        else { return news(.ended("there is no memory left")) }
        floor = made
        beginFloor(offer)
        tickLater()
    }

    private func beginFloor(_ offer: VoiceOffer) {
        let voices = HostFloor.Voices(
            say: { [unowned self] in hear($0) }, send: { [unowned self] in receive($0) })
        floor?.begin(offer, with: voices)
    }

    /// The host's own voice says something.
    private func hear(_ message: VoiceMessage) {
        switch message {
        case .join(let join): floor.map { self.join($0.applicant, join) }
        case .talk(let talk): self.talk(talk, by: HostFloor.id)
        default: return
        }
    }

    private func receive(_ packet: [UInt8]) {
        var packet = packet
        take(
            packet.withUnsafeMutableBytes {
                room.receive($0, from: .floor, now: thread.loop.uptime, &outbox)
            })
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
        pass(actions)
    }

    private func flush() {
        guard !outbox.datagrams.isEmpty else { return }
        for index in sockets.indices { send(at: index) }
        let own = floor == nil ? [] : datagrams(at: Address.floor.socket)
        let packets = own.map { Array(outbox.bytes[$0.range]) }
        // Its memory is used again: nobody else may hold it now.
        outbox.clear()
        for var packet in packets { packet.withUnsafeMutableBytes { floor?.receive($0) } }
    }

    private func datagrams(at socket: Int) -> [VoiceOutbox<Address>.Datagram] {
        outbox.datagrams.filter { $0.address.socket == socket }
    }

    private func send(at index: Int) {
        let areOthers = outbox.datagrams.contains { $0.address.socket != index }
        let datagrams = areOthers ? datagrams(at: index) : outbox.datagrams
        outbox.bytes.withUnsafeBytes { bytes in
            sockets[index].send(datagrams.count, of: bytes) {
                (datagrams[$0].range, datagrams[$0].address.there)
            }
        }
    }

    /// Gives guests what is said to them, and the host's own voice.
    private func pass(_ actions: [Voices.Action]) {
        guard !actions.isEmpty else { return }
        give(actions)
        guard let floor else { return }
        for case .say(let message, HostFloor.id) in actions { floor.take(message) }
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

    // MARK: What who runs the event says

    /// Who is here, and who was put out.
    var participants: [VoiceParticipant] { room.participants }

    /// Puts out who comes from a device, for good.
    func putOut(device: String) { take(room.putOut(device: device, now: thread.loop.uptime)) }

    /// Lets who comes from a device in again.
    func letIn(device: String) { room.letIn(device: device) }

    private func take(_ actions: [Voices.Action]) {
        flush()
        pass(actions)
    }

    private func tickLater() {
        guard ticking == nil, room.count > 0 else { return }
        ticking = thread.loop.schedule(after: Self.pause) { [unowned self] in tick() }
    }

    private func tick() {
        ticking = nil
        floor?.tick()
        take(room.tick(now: thread.loop.uptime, &outbox))
        tickLater()
    }
}
