public import BeamscribeCore
internal import Glibc

/// Connects to the first of the ways to a host that answers: a ``ConnectionRace`` with sockets.
///
/// Invariant: calls exactly one of its two handlers, once, unless it is cancelled before.
public final class Dialer {
    private let loop: EventLoop
    private var race: ConnectionRace<Destination>
    private var attempts: [Destination: Attempt] = [:]
    @OwnedTimer private var nextAttempt: LoopTimer?
    @OwnedTimer private var deadline: LoopTimer?
    private var lastFailure = ConnectionTrouble(.networkLost, "there is no address to try")
    private var connected: ((consuming Socket, Destination) -> Void)?
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
    ///   - fallbacks: tried once the others have failed, or do not answer for a while.
    ///   - timeout: for all attempts together.
    ///   - connected: gets the connection and what it was made to.
    ///   - failed: gets the reason: a machine that refuses is there, one that is silent may be
    ///     gone or unreachable.
    public init(
        _ destinations: [Destination], fallbacks: [Destination] = [], timeout: Duration,
        on loop: EventLoop,
        connected: @escaping (consuming Socket, Destination) -> Void,
        failed: @escaping (ConnectionTrouble) -> Void
    ) {
        self.loop = loop
        self.connected = connected
        self.failed = failed
        race = ConnectionRace(destinations, fallbacks: fallbacks, at: Clock.uptime)
        deadline = loop.schedule(after: timeout) { [unowned self] in
            let tried = attempts.keys.map(\.description).sorted().joined(separator: ", ")
            let why = "\(tried): no answer within \(Int(timeout.seconds)) s"
            finish { $0?(ConnectionTrouble(.networkLost, why)) }
        }
        // Never from within the caller's own call.
        nextAttempt = loop.schedule(at: .zero) { [unowned self] in proceed() }
    }

    /// Another way to the host came to light.
    public func add(_ destination: Destination) {
        race.add(destination, at: Clock.uptime)
        armNextAttempt()
    }

    /// Gives up, without calling anybody.
    public func cancel() {
        connected = nil
        failed = nil
        (nextAttempt, deadline) = (nil, nil)
        attempts = [:]
    }

    private func proceed() {
        while let destination = race.start(at: Clock.uptime) { begin(destination) }
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

    private func begin(_ destination: Destination) {
        do throws(SystemError) {
            let attempt = Attempt(try Socket.connecting(to: destination))
            let number = attempt.socket?.number ?? -1
            attempt.registration = try loop.register(number, for: .write) { [unowned self] _ in
                completed(destination)
            }
            attempts[destination] = attempt
        } catch {
            note(error, at: destination)
            race.failed(destination, at: Clock.uptime)
        }
    }

    /// Of several addresses' failures, one that shows the machine to be there says most.
    private func note(_ error: SystemError, at destination: Destination) {
        let isThere = error.isConnectionRefused
        guard isThere || lastFailure.cause != .hostLost else { return }
        lastFailure = ConnectionTrouble(
            isThere ? .hostLost : .networkLost, "\(destination): \(error.reason)")
    }

    private func completed(_ destination: Destination) {
        guard let attempt = attempts.removeValue(forKey: destination) else { return }
        attempt.registration?.cancel()
        if let error = attempt.socket?.connectionError(to: destination) {
            note(error, at: destination)
            race.failed(destination, at: Clock.uptime)
            proceed()
        } else if let socket = attempt.socket.take() {
            race.won()
            let handler = connected
            cancel()
            handler?(socket, destination)
        }
    }

    private func finish(_ tell: (((ConnectionTrouble) -> Void)?) -> Void) {
        let handler = failed
        cancel()
        tell(handler)
    }
}
