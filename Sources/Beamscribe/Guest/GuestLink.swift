import BeamscribeCore
import BeamscribeIO

/// A guest's connection: the dialling and the socket.
///
/// Invariant: at most one of `dialer` and `socket` is there; `mover` only beside a socket that is
/// a channel.
final class GuestLink {
    /// What happened.
    enum Event {
        case connected(Destination)
        /// The channel was left for a connection over the network.
        case moved(Destination)
        case failed(ConnectionTrouble)
        /// Bytes came, valid during the call.
        case bytes(UnsafeRawBufferPointer)
        case closed(ConnectionTrouble)
    }

    var happened: (Event) -> Void = { _ in }
    /// Whether reading rests.
    var isPaused = false {
        didSet { if isPaused != oldValue { updateInterest() } }
    }

    private let loop: EventLoop
    private var dialer: Dialer?
    /// Looks for a way over the network while there is a channel.
    private var mover: Dialer?
    private var socket: Socket?
    /// What carries the connection; nil without one.
    private(set) var transport: Transport?
    private var registration: Registration?
    private var unsent: [UInt8] = []
    private let scratch = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 262_144, alignment: 16)

    private static let connectTimeout = Duration.seconds(10)
    private static let moveTimeout = Duration.seconds(5)

    init(on loop: EventLoop) {
        self.loop = loop
    }

    deinit {
        registration?.cancel()
        scratch.deallocate()
    }

    /// - Parameter channels: for where the network leads nowhere.
    func connect(to endpoints: [Endpoint], or channels: [ChannelEndpoint]) {
        disconnect()
        dialer = Dialer(
            endpoints.map { .network($0) }, fallbacks: channels.map { .channel($0) },
            timeout: Self.connectTimeout, on: loop,
            connected: { [unowned self] socket, destination in
                dialer = nil
                open(socket, destination, isMove: false)
            },
            failed: { [unowned self] trouble in
                dialer = nil
                happened(.failed(trouble))
            })
    }

    /// Another way to try, if a connection is being made.
    func add(_ destination: Destination) {
        dialer?.add(destination)
    }

    /// Leaves a channel for a network, if there is one and one of its endpoints answers.
    func move(to endpoints: [Endpoint]) {
        guard transport == .bluetooth, !endpoints.isEmpty else { return }
        if let mover { return endpoints.forEach { mover.add(.network($0)) } }
        mover = Dialer(
            endpoints, timeout: Self.moveTimeout, on: loop,
            connected: { [unowned self] socket, destination in
                closeSocket()
                open(socket, destination, isMove: true)
            },
            failed: { [unowned self] _ in mover = nil })
    }

    func disconnect() {
        dialer?.cancel()
        dialer = nil
        closeSocket()
    }

    private func closeSocket() {
        mover?.cancel()
        mover = nil
        if transport == .bluetooth, unsent.isEmpty {
            // The host does without, if it must: it sees the channel go.
            _ = try? socket?.send(FrameDecoder.endMark)
        }
        transport = nil
        registration?.cancel()
        registration = nil
        socket = nil
        unsent = []
    }

    func send(_ bytes: [UInt8]) {
        unsent += bytes
        flush()
    }

    private func open(
        _ socket: consuming Socket, _ destination: Destination, isMove: Bool
    ) {
        let number = socket.number
        self.socket = consume socket
        do throws(SystemError) {
            registration = try loop.register(number, for: []) { [unowned self] in ready($0) }
            transport = destination.transport
            updateInterest()
            happened(isMove ? .moved(destination) : .connected(destination))
        } catch {
            closeSocket()
            let trouble = ConnectionTrouble(.networkLost, "\(destination): \(error.reason)")
            happened(isMove ? .closed(trouble) : .failed(trouble))
        }
    }

    private func updateInterest() {
        var interest: EventLoop.Interest = isPaused ? [] : .read
        if !unsent.isEmpty { interest.insert(.write) }
        registration?.interest = interest
    }

    private func ready(_ readiness: EventLoop.Readiness) {
        if readiness.contains(.write) { flush() }
        if readiness.contains(.read), socket != nil, !isPaused { read() }
    }

    private func read() {
        do throws(SystemError) {
            switch try socket?.receive(into: scratch) {
            case .bytes(let count)?:
                happened(.bytes(UnsafeRawBufferPointer(rebasing: scratch[..<count])))
            case .endOfStream?:
                close(.closedByHost)
            case .wouldBlock?, nil: return
            }
        } catch {
            close(ConnectionTrouble(cutOffBy: error))
        }
    }

    private func flush() {
        do throws(SystemError) {
            while !unsent.isEmpty {
                guard case .bytes(let count)? = try socket?.send(unsent) else { break }
                unsent.removeFirst(count)
            }
            updateInterest()
        } catch {
            close(ConnectionTrouble(cutOffBy: error))
        }
    }

    private func close(_ trouble: ConnectionTrouble) {
        disconnect()
        happened(.closed(trouble))
    }
}

extension ConnectionTrouble {
    fileprivate init(cutOffBy error: SystemError) {
        self.init(
            error.isConnectionReset ? .hostLost : .networkLost,
            "the connection was cut off (\(error.reason))")
    }
}
