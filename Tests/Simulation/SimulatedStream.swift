import BeamscribeCore
import BeamscribeIO
import Glibc

/// One end of a ``Connection``, as a program has it: what the kernel does for a socket.
///
/// As with epoll(7) its owner is told again and again for as long as it is ready, and of an error
/// whatever is waited for.
final class SimulatedStream: ByteStream {
    enum Side {
        case guest, host
    }

    private let process: SimulatedProcess
    private let side: Side
    /// Nil while it is being made, and where that failed.
    private(set) var connection: Connection?
    private var failure: SystemError?
    private var handler: ((Interest) -> Void)?
    private var isTurnSet = false
    private var hasSent = false
    private var hasReceived = false
    /// When it came in.
    private var began = 0
    var interest: Interest = [] { didSet { if interest != oldValue { update() } } }

    /// One that is being made.
    init(of process: SimulatedProcess, at side: Side) {
        self.process = process
        self.side = side
    }

    /// One that came in.
    convenience init(of process: SimulatedProcess, accepting connection: Connection) {
        self.init(of: process, at: .host)
        began = process.world.now
        take(connection)
    }

    deinit {
        guard let connection else { return }
        if side == .host, process.isAlive, !hasReceived, connection.up.isReadable {
            process.wires.sentAwayUnheard(connection, after: process.world.now - began)
        }
        process.closed(connection)
    }

    private func take(_ made: Connection) {
        connection = made
        let side = side
        process.open(made) { side == .guest ? made.closeGuestEnd() : made.closeHostEnd() }
        let changed = { [weak self] in self?.update() ?? () }
        let reset = { [weak self] in self?.fail(ECONNRESET) ?? () }
        switch side {
        case .guest:
            (made.down.whenReadable, made.up.whenWritable, made.guestReset) = (
                changed, changed, reset
            )
        case .host:
            (made.up.whenReadable, made.down.whenWritable, made.hostReset) = (
                changed, changed, reset
            )
        }
    }

    private func fail(_ code: Int32) {
        failure = SystemError("use", "the connection", code: code)
        update()
    }

    /// The try to connect has come to an end.
    func completed(_ result: Result<Connection, SystemError>) {
        switch result {
        case .success(let made):
            guard process.isAlive else { return made.closeGuestEnd() }
            take(made)
        case .failure(let error): failure = error
        }
        update()
    }

    private var incoming: Pipe? { side == .guest ? connection?.down : connection?.up }
    private var outgoing: Pipe? { side == .guest ? connection?.up : connection?.down }

    // MARK: Waiting

    private var readiness: Interest {
        guard failure == nil else { return [.read, .write] }
        var ready: Interest = []
        if incoming?.isReadable ?? false { ready.insert(.read) }
        if interest.contains(.write), outgoing?.hasRoom ?? false { ready.insert(.write) }
        return ready.intersection(interest)
    }

    private func update() {
        guard !isTurnSet, handler != nil, !readiness.isEmpty else { return }
        isTurnSet = true
        process.soon { [weak self] in self?.turn() }
    }

    private func turn() {
        isTurnSet = false
        var ready = readiness
        guard let handler, !ready.isEmpty else { return }
        // The kernel may say so where there is nothing, of a packet with a wrong checksum say.
        let (world, wires) = (process.world, process.wires)
        if world.now < wires.falseReadinessUntil, world.chance(percent: 30) {
            ready.insert(interest)
        }
        handler(ready)
        update()
    }

    func watch(
        for interest: Interest, _ handler: @escaping (Interest) -> Void
    ) throws(SystemError) {
        self.handler = handler
        self.interest = interest
        update()
    }

    func ignore() { handler = nil }

    // MARK: Bytes

    func send(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Transfer {
        guard !bytes.isEmpty, process.isAlive else { return .bytes(0) }
        if let failure { throw failure }
        process.beforeSending()
        // It may be killed between any two sends.
        guard process.isAlive, let outgoing else { return .wouldBlock }
        guard !outgoing.isFinished else { throw SystemError("send", "to it", code: EPIPE) }
        let count = outgoing.send(bytes)
        if side == .guest, !hasSent, count == bytes.count { process.wires.overhear(bytes) }
        hasSent = true
        process.world.note(process.name, "sends", count)
        return count == 0 ? .wouldBlock : .bytes(count)
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Transfer {
        guard process.isAlive, let incoming else { return .wouldBlock }
        // Sometimes very little comes at once.
        let world = process.world
        let limit =
            world.chance(percent: 20) ? min(world.random(1...500), buffer.count) : buffer.count
        if let bytes = incoming.read(atMost: limit) {
            buffer.copyBytes(from: bytes)
            hasReceived = true
            return .bytes(bytes.count)
        }
        if let failure { throw failure }
        return incoming.hasEnded ? .endOfStream : .wouldBlock
    }

    func finishSending() {
        if process.isAlive { outgoing?.finish() }
    }

    func connectionError(to destination: Destination) -> SystemError? { failure }
}
