import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

/// Connects to the first of the ways to a host that answers and is to be trusted: what a
/// ``Dialer`` gives, with the handshake done. Where that fails the other ways are tried: anybody
/// can claim to be a way to the host.
///
/// Invariant: calls exactly one of `connected` and `failed`, once, unless it is cancelled before; at
/// most one of `dialer` and `handshake` is there.
final class SecureDialer {
    /// A connection, as safe as it is meant to be.
    struct Connection {
        let socket: SecureSocket
        let destination: Destination
        let judgement: HostTrust.Judgement
    }

    /// Told of each who answers and is not to be trusted, before other ways are tried.
    var turnedAway: (Destination, SecurityRefusal) -> Void = { _, _ in }
    /// Told of each way that has led to nobody.
    var passedOver: (Destination) -> Void = { _ in }

    private let network: any Network
    private let trust: HostTrust
    private let timeout: Duration
    private var destinations: [Destination]
    private var fallbacks: [Destination]
    private let way: (Destination) -> HostTrust.Way
    private var dialer: Dialer?
    private var handshake: Handshake?
    private var failure: DialFailure?
    private var connected: ((Connection) -> Void)?
    private var failed: ((DialFailure) -> Void)?

    /// The handshake on one way.
    private final class Handshake {
        let socket: SecureSocket
        let destination: Destination
        @OwnedTimer var deadline: LoopTimer?

        init(_ socket: SecureSocket, _ destination: Destination) {
            self.socket = socket
            self.destination = destination
        }
    }

    /// - Parameters:
    ///   - fallbacks: tried once the others have failed, or do not answer for a while.
    ///   - timeout: until one of them answers.
    ///   - way: says of each who may be there.
    init(
        _ destinations: [Destination], fallbacks: [Destination] = [], timeout: Duration,
        by way: @escaping (Destination) -> HostTrust.Way,
        trusting trust: HostTrust, over network: any Network,
        connected: @escaping (Connection) -> Void, failed: @escaping (DialFailure) -> Void
    ) {
        self.network = network
        self.trust = trust
        self.timeout = timeout
        self.destinations = destinations
        self.fallbacks = fallbacks
        self.way = way
        self.connected = connected
        self.failed = failed
        dial()
    }

    /// Another way to the host came to light.
    func add(_ destination: Destination) {
        guard !destinations.contains(destination) else { return }
        destinations.append(destination)
        dialer?.add(destination)
    }

    /// Another way came to light that is worse than others.
    func add(fallback destination: Destination) {
        guard !fallbacks.contains(destination) else { return }
        fallbacks.append(destination)
        dialer?.add(fallback: destination)
    }

    /// Gives up, without calling anybody.
    func cancel() {
        connected = nil
        failed = nil
        dialer?.cancel()
        dialer = nil
        handshake = nil
    }

    private func dial() {
        dialer = Dialer(
            destinations, fallbacks: fallbacks, timeout: timeout, over: network,
            connected: { [unowned self] stream, destination in
                dialer = nil
                secure(stream, destination)
            },
            failed: { [unowned self] trouble in
                dialer = nil
                finish(.trouble(trouble))
            })
    }

    // MARK: The handshake

    private func secure(_ stream: any ByteStream, _ destination: Destination) {
        do throws(TLSError) {
            // What is within this process needs no encryption.
            let context = destination == .backbone ? nil : trust.context
            let tls = try context.map { context throws(TLSError) in try TLSConnection(context) }
            begin(Handshake(SecureSocket(stream, tls), destination))
        } catch {
            finish(.violated("\(error)"))
        }
    }

    private func begin(_ begun: Handshake) {
        handshake = begun
        guard !begun.socket.isEstablished else { return judge(begun) }
        do throws(SystemError) {
            try begun.socket.watch(for: [.read, .write]) { [unowned self, unowned begun] in
                proceed(begun, reads: $0.contains(.read))
            }
        } catch {
            return pass(over: begun, .trouble(ConnectionTrouble(cutOffBy: error)))
        }
        let isOnly = destinations.count + fallbacks.count < 2
        begun.deadline = network.loop.schedule(
            after: isOnly ? Limits.guestHandshake : Limits.guestHandshakeAmongWays
        ) { [unowned self, unowned begun] in
            let why = "\(begun.destination): the host did not answer"
            pass(over: begun, .trouble(ConnectionTrouble(.networkLost, why)))
        }
    }

    private func proceed(_ begun: Handshake, reads: Bool) {
        do throws(SecureSocketError) {
            if reads {
                // A host says nothing before it is asked: what comes is the handshake's.
                let received = try begun.socket.receive(into: trust.scratch) { _ in true }
                if received == .end { throw .security(.closed) }
            }
            let isSent = try begun.socket.flush()
            begun.socket.interest = isSent ? .read : [.read, .write]
        } catch {
            _ = try? begun.socket.flush()
            return pass(over: begun, trust.failure(error, at: begun.destination))
        }
        if begun.socket.isEstablished, !begun.socket.hasOutput { judge(begun) }
    }

    private func judge(_ begun: Handshake) {
        do throws(SecurityRefusal) {
            let judgement = try trust.judge(
                begun.socket.hostFingerprint, at: way(begun.destination))
            let made = Connection(
                socket: begun.socket, destination: begun.destination, judgement: judgement)
            let handler = connected
            cancel()
            made.socket.ignore()
            handler?(made)
        } catch {
            pass(over: begun, .refused(error))
        }
    }

    // MARK: Failing

    /// This way leads to nobody who is to be trusted; others may.
    private func pass(over begun: Handshake, _ failure: DialFailure) {
        handshake = nil
        note(failure)
        passedOver(begun.destination)
        destinations.removeAll { $0 == begun.destination }
        fallbacks.removeAll { $0 == begun.destination }
        guard !destinations.isEmpty || !fallbacks.isEmpty else { return finish(failure) }
        if case .refused(let refusal) = failure { turnedAway(begun.destination, refusal) }
        dial()
    }

    private func note(_ next: DialFailure) {
        guard let failure, !next.outweighs(failure) else { return failure = next }
    }

    private func finish(_ last: DialFailure) {
        note(last)
        let handler = failed
        cancel()
        handler?(failure ?? last)
    }
}
