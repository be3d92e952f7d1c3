public import BeamscribeCore
internal import Glibc

/// Connects to the first of the ways to a host that answers: a ``ConnectionRace`` on a network.
///
/// Invariant: calls exactly one of its two handlers, once, unless it is cancelled before.
public final class Dialer {
    private let network: any Network
    private var loop: any Loop { network.loop }
    private var race: ConnectionRace<Destination>
    private var attempts: [Destination: any ByteStream] = [:]
    @OwnedTimer private var nextAttempt: LoopTimer?
    @OwnedTimer private var deadline: LoopTimer?
    private var lastFailure = ConnectionTrouble(.networkLost, "there is no address to try")
    private var connected: ((any ByteStream, Destination) -> Void)?
    private var failed: ((ConnectionTrouble) -> Void)?

    /// - Parameters:
    ///   - fallbacks: tried once the others have failed, or do not answer for a while.
    ///   - timeout: for all attempts together.
    ///   - connected: gets the connection and what it was made to.
    ///   - failed: gets the reason: a machine that refuses is there, one that is silent may be
    ///     gone or unreachable.
    public init(
        _ destinations: [Destination], fallbacks: [Destination] = [], timeout: Duration,
        over network: any Network,
        connected: @escaping (any ByteStream, Destination) -> Void,
        failed: @escaping (ConnectionTrouble) -> Void
    ) {
        self.network = network
        self.connected = connected
        self.failed = failed
        race = ConnectionRace(destinations, fallbacks: fallbacks, at: network.loop.uptime)
        deadline = loop.schedule(after: timeout) { [unowned self] in
            let tried = attempts.keys.map(\.description).sorted().joined(separator: ", ")
            let why = "\(tried): no answer within \(Int(saturating: timeout.seconds)) s"
            finish { $0?(ConnectionTrouble(.networkLost, why)) }
        }
        // Never from within the caller's own call.
        nextAttempt = loop.schedule(at: .zero) { [unowned self] in proceed() }
    }

    /// Another way to the host came to light.
    public func add(_ destination: Destination) {
        race.add(destination, at: loop.uptime)
        armNextAttempt()
    }

    /// Another way came to light that is worse than the others.
    public func add(fallback destination: Destination) {
        race.add(fallback: destination, at: loop.uptime)
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
        while let destination = race.start(at: loop.uptime) { begin(destination) }
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
            let stream = try network.connect(to: destination)
            try stream.watch(for: .write) { [unowned self] _ in completed(destination) }
            attempts[destination] = stream
        } catch {
            note(error, at: destination)
            race.failed(destination, at: loop.uptime)
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
        guard let stream = attempts.removeValue(forKey: destination) else { return }
        if let error = stream.connectionError(to: destination) {
            note(error, at: destination)
            race.failed(destination, at: loop.uptime)
            proceed()
        } else {
            stream.ignore()
            race.won()
            let handler = connected
            cancel()
            handler?(stream, destination)
        }
    }

    private func finish(_ tell: (((ConnectionTrouble) -> Void)?) -> Void) {
        let handler = failed
        cancel()
        tell(handler)
    }
}
