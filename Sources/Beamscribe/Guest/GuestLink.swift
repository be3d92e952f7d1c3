import BeamscribeCore
import BeamscribeIO

/// A guest's connection: the dialling and the socket.
///
/// Invariant: at most one of `dialer` and `socket` is there.
final class GuestLink {
    /// What happened.
    enum Event {
        case connected(Endpoint)
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
    private var socket: Socket?
    private var registration: Registration?
    private var unsent: [UInt8] = []
    private let scratch = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 262_144, alignment: 16)

    private static let connectTimeout = Duration.seconds(10)

    init(on loop: EventLoop) {
        self.loop = loop
    }

    deinit {
        registration?.cancel()
        scratch.deallocate()
    }

    func connect(to endpoints: [Endpoint]) {
        disconnect()
        dialer = Dialer(
            endpoints, timeout: Self.connectTimeout, on: loop,
            connected: { [unowned self] socket, endpoint in open(socket, endpoint) },
            failed: { [unowned self] trouble in
                dialer = nil
                happened(.failed(trouble))
            })
    }

    /// Another address to try, if a connection is being made.
    func add(_ endpoint: Endpoint) {
        dialer?.add(endpoint)
    }

    func disconnect() {
        dialer?.cancel()
        dialer = nil
        registration?.cancel()
        registration = nil
        socket = nil
        unsent = []
    }

    func send(_ bytes: [UInt8]) {
        unsent += bytes
        flush()
    }

    private func open(_ socket: consuming Socket, _ endpoint: Endpoint) {
        dialer = nil
        let number = socket.number
        self.socket = consume socket
        do throws(SystemError) {
            registration = try loop.register(number, for: []) { [unowned self] in ready($0) }
            updateInterest()
            happened(.connected(endpoint))
        } catch {
            disconnect()
            happened(
                .failed(ConnectionTrouble(.networkLost, "\(endpoint): \(error.reason)")))
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
                close(ConnectionTrouble(.hostLost, "the host closed the connection"))
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
