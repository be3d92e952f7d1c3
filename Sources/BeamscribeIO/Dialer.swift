public import BeamscribeCore
internal import Glibc

/// Connects to the first of a host's addresses that answers: a ``ConnectionRace`` with sockets.
///
/// Invariant: calls exactly one of its two handlers, once, unless it is cancelled before.
public final class Dialer {
    private let loop: EventLoop
    private var race: ConnectionRace<Endpoint>
    private var attempts: [Endpoint: Attempt] = [:]
    private var nextAttempt: LoopTimer?
    private var deadline: LoopTimer?
    private var lastFailure = ConnectionTrouble(.networkLost, "there is no address to try")
    private var connected: ((consuming Socket, Endpoint) -> Void)?
    private var failed: ((ConnectionTrouble) -> Void)?

    private final class Attempt {
        var socket: Socket?
        var registration: Registration?

        init(_ socket: consuming Socket) {
            self.socket = consume socket
        }

        deinit {
            registration?.cancel()
        }
    }

    /// - Parameters:
    ///   - timeout: for all attempts together.
    ///   - connected: gets the connection and the address that it was made to.
    ///   - failed: gets the reason: a machine that refuses is there, one that is silent may be
    ///     gone or unreachable.
    public init(
        _ endpoints: [Endpoint], timeout: Duration, on loop: EventLoop,
        connected: @escaping (consuming Socket, Endpoint) -> Void,
        failed: @escaping (ConnectionTrouble) -> Void
    ) {
        self.loop = loop
        self.connected = connected
        self.failed = failed
        race = ConnectionRace(endpoints, at: Clock.uptime)
        deadline = loop.schedule(after: timeout) { [unowned self] in
            let tried = attempts.keys.map(\.description).sorted().joined(separator: ", ")
            let why = "\(tried): no answer within \(Int(timeout.seconds)) s"
            finish { $0?(ConnectionTrouble(.networkLost, why)) }
        }
        // Never from within the caller's own call.
        nextAttempt = loop.schedule(at: .zero) { [unowned self] in proceed() }
    }

    deinit {
        cancel()
    }

    /// Another address of the host came to light.
    public func add(_ endpoint: Endpoint) {
        race.add(endpoint, at: Clock.uptime)
        armNextAttempt()
    }

    /// Gives up, without calling anybody.
    public func cancel() {
        connected = nil
        failed = nil
        nextAttempt?.cancel()
        deadline?.cancel()
        attempts = [:]
    }

    private func proceed() {
        while let endpoint = race.start(at: Clock.uptime) { begin(endpoint) }
        if race.isLost {
            finish { $0?(lastFailure) }
        } else {
            armNextAttempt()
        }
    }

    private func armNextAttempt() {
        nextAttempt?.cancel()
        guard let due = race.nextAttempt else { return }
        nextAttempt = loop.schedule(at: due) { [unowned self] in proceed() }
    }

    private func begin(_ endpoint: Endpoint) {
        do throws(SystemError) {
            let attempt = Attempt(try Socket.connecting(to: endpoint))
            let number = attempt.socket?.number ?? -1
            attempt.registration = try loop.register(number, for: .write) { [unowned self] _ in
                completed(endpoint)
            }
            attempts[endpoint] = attempt
        } catch {
            note(error, at: endpoint)
            race.failed(endpoint, at: Clock.uptime)
        }
    }

    /// Of several addresses' failures, one that shows the machine to be there says most.
    private func note(_ error: SystemError, at endpoint: Endpoint) {
        let isThere = error.isConnectionRefused
        guard isThere || lastFailure.cause != .hostLost else { return }
        lastFailure = ConnectionTrouble(
            isThere ? .hostLost : .networkLost, "\(endpoint): \(error.reason)")
    }

    private func completed(_ endpoint: Endpoint) {
        guard let attempt = attempts.removeValue(forKey: endpoint) else { return }
        attempt.registration?.cancel()
        if let error = attempt.socket?.connectionError(to: endpoint) {
            note(error, at: endpoint)
            race.failed(endpoint, at: Clock.uptime)
            proceed()
        } else if let socket = attempt.socket.take() {
            race.won()
            let handler = connected
            cancel()
            handler?(socket, endpoint)
        }
    }

    private func finish(_ tell: (((ConnectionTrouble) -> Void)?) -> Void) {
        let handler = failed
        cancel()
        tell(handler)
    }
}
