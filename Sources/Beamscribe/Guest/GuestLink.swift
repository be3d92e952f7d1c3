import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

/// A guest's connection: the dialling and the socket.
///
/// Invariant: at most one of `dialer` and `socket` is there; `mover` only beside a socket that is
/// a stopgap; write interest is asked for exactly while something waits to be sent.
final class GuestLink {
    enum Event {
        /// There is a connection; `isMove` where a stopgap was left for a better one.
        case connected(Destination, HostTrust.Judgement, isMove: Bool)
        case failed(DialFailure)
        /// Somebody answered who is not to be trusted; other ways to the host are tried.
        case turnedAway(Destination, SecurityRefusal)
        /// A way has led to nobody; others are tried.
        case passedOver(Destination)
        /// Bytes came, valid during the call; ``read`` follows, or ``closed(_:)``.
        case bytes(UnsafeRawBufferPointer)
        /// What there was of bytes has come.
        case read
        /// Something came that is no whole record yet: the host lives.
        case life
        /// All that was to be sent is with the system.
        case sent
        case closed(ConnectionTrouble)
    }

    var happened: (Event) -> Void = { _ in }
    /// Says who may be there.
    var way: (Destination) -> HostTrust.Way = { _ in .host }
    /// Gives what is to be sent where nothing waits; empty for nothing.
    var refill: () -> [UInt8] = { [] }
    var isPaused = false {
        didSet { if isPaused != oldValue { listen() } }
    }

    private let network: any Network
    private let trust: HostTrust
    private var dialer: SecureDialer?
    /// Looks for a way to the host over the network while there is none.
    private var mover: SecureDialer?
    private var socket: SecureSocket?
    /// What carries the connection; nil without one.
    private(set) var transport: Transport?
    /// Whether the connection is one for want of a better: a channel, one to somebody who holds the
    /// event for its host, or one by which the host can't tell others where this machine is.
    private(set) var isStopgap = false
    /// Whether the host is to learn an address of this machine that others can use.
    private let isToBeFound: Bool
    /// Whether the connection is by addresses that mean nothing beyond its own link.
    private var isLinkLocal = false
    /// Counts the connections, so that what takes a while is not said on a later one.
    private(set) var number = 0
    private var unsent: [UInt8] = []
    /// Whether nothing follows what waits to be sent.
    private var isFinishing = false
    /// Since when the other side has taken nothing of what waits; nil where nothing does.
    private var stuckSince: Duration?
    /// For how long it may do so, whatever it says meanwhile.
    var stuckTimeout = Timing().stuckTimeout
    /// Bytes that connections took, in all.
    private(set) var sentBytes = 0
    /// What has come since the last whole record.
    private var unread = 0
    private let scratch = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 262_144, alignment: 16)

    /// - Parameter isToBeFound: whether the host sends others to where this guest comes from.
    init(trusting trust: HostTrust, over network: any Network, isToBeFound: Bool) {
        self.trust = trust
        self.isToBeFound = isToBeFound
        self.network = network
    }

    deinit {
        scratch.deallocate()
    }

    /// - Parameter fallbacks: for where the host's own network leads nowhere.
    func connect(to endpoints: [Endpoint], or fallbacks: [Destination]) {
        disconnect()
        let mayTakeLong = fallbacks.contains { $0.transport == .bluetooth }
        dialer = SecureDialer(
            endpoints.map { .network($0) }, fallbacks: fallbacks,
            timeout: mayTakeLong ? Limits.connectingByChannel : Limits.connecting,
            by: { [unowned self] in way($0) }, trusting: trust, over: network,
            connected: { [unowned self] connection in
                dialer = nil
                open(connection, isMove: false)
            },
            failed: { [unowned self] failure in
                dialer = nil
                happened(.failed(failure))
            })
        dialer?.turnedAway = { [unowned self] in happened(.turnedAway($0, $1)) }
        dialer?.passedOver = { [unowned self] in happened(.passedOver($0)) }
    }

    /// What only the two ends of the connection have; nil where there is none, or it is plain.
    func exportedKey(_ purpose: ExportedKey = .code) -> [UInt8]? {
        try? socket?.exportedKey(purpose)
    }

    /// Another way to try, if a connection is being made.
    func add(_ destination: Destination) {
        dialer?.add(destination)
    }

    /// Another way to try that is worse than others, if a connection is being made.
    func add(fallback destination: Destination) {
        dialer?.add(fallback: destination)
    }

    /// Leaves a stopgap for the host, if one of its endpoints answers.
    func move(to endpoints: [Endpoint]) {
        let endpoints = isLinkLocal ? endpoints.filter { !$0.address.isOfOneLink } : endpoints
        guard isStopgap, !endpoints.isEmpty else { return }
        if let mover { return endpoints.forEach { mover.add(.network($0)) } }
        mover = SecureDialer(
            endpoints.map { .network($0) }, timeout: Limits.moving,
            by: { [unowned self] in way($0) },
            trusting: trust, over: network,
            connected: { [unowned self] connection in
                closeSocket()
                open(connection, isMove: true)
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
            _ = FrameDecoder.endMark.withUnsafeBytes { try? socket?.send($0) }
        }
        if unsent.isEmpty { socket?.finishSending() }
        (transport, isStopgap, isLinkLocal) = (nil, false, false)
        socket = nil
        (unsent, stuckSince) = ([], nil)
        (unread, isFinishing) = (0, false)
    }

    func send(_ bytes: [UInt8]) {
        guard !isFinishing else { return }
        unsent += bytes
        flush()
    }

    /// There may be something to be had from ``refill``.
    func pull() { flush() }

    /// How many bytes wait to be sent.
    var waiting: Int { unsent.count }

    /// Whether nothing waits to be sent.
    var isIdle: Bool { unsent.isEmpty && socket?.hasOutput != true }

    /// Sends what there is, and no more. ``Event/closed(_:)`` follows once the other side has read it and has closed:
    /// who closes before with something unread takes back what is under way (RFC 1122, 4.2.2.13).
    func finish() {
        guard socket != nil, !isFinishing else { return }
        flush()
        isFinishing = true
        if isIdle { socket?.finishSending() }
    }

    private func open(_ connection: SecureDialer.Connection, isMove: Bool) {
        let destination = connection.destination
        socket = connection.socket
        number += 1
        do throws(SystemError) {
            transport = destination.transport
            let isHolder = way(destination) == .holder && !connection.judgement.isWriter
            isLinkLocal = isToBeFound && destination.isLinkLocal
            isStopgap = transport != .network || isHolder || isLinkLocal
            try watch()
            happened(.connected(destination, connection.judgement, isMove: isMove))
        } catch {
            closeSocket()
            let trouble = ConnectionTrouble(.networkLost, "\(destination): \(error.reason)")
            happened(isMove ? .closed(trouble) : .failed(.trouble(trouble)))
        }
    }

    private func listen() {
        do throws(SystemError) {
            try watch()
        } catch {
            close(ConnectionTrouble(.networkLost, error.reason))
        }
    }

    /// Waits for what is wanted of the connection, and for its end.
    private func watch() throws(SystemError) {
        try socket?.watch(for: interest) { [unowned self] in ready($0) }
    }

    private var interest: Interest {
        var interest: Interest = isPaused ? [] : .read
        if !unsent.isEmpty || socket?.hasOutput == true { interest.insert(.write) }
        return interest
    }

    private func ready(_ readiness: Interest) {
        if readiness.contains(.write) { flush() }
        guard readiness.contains(.read), let socket else { return }
        // It has broken, which is told again and again. What has come on it is read when there is
        // room for that.
        if isPaused { return socket.ignore() }
        read()
    }

    private func read() {
        guard let reading = socket else { return }
        var hasCome = false
        do throws(SecureSocketError) {
            let received = try reading.receive(into: scratch) { bytes in
                (unread, hasCome) = (0, true)
                happened(.bytes(bytes))
                // What was read may be why there is another connection now, or none.
                return socket === reading
            }
            guard socket === reading else { return }
            switch received {
            case .bytes(let count):
                noteLife(count)
                if hasCome { happened(.read) }
            case .nothing: return
            case .end: close(.closedByHost)
            }
        } catch {
            if socket === reading { close(ConnectionTrouble(error)) }
        }
    }

    /// A record may take longer than the protocol's 6 s to come over a slow line. Whoever delays a
    /// connection byte by byte must not make it seem alive for long, though.
    private func noteLife(_ count: Int) {
        unread += count
        guard unread >= Limits.bytesOfLife else { return }
        unread = 0
        happened(.life)
    }

    private func flush() {
        guard let socket else { return }
        let before = socket.sentBytes
        do throws(SecureSocketError) {
            repeat {
                if unsent.isEmpty, !isFinishing { unsent = refill() }
                let count = try unsent.span.withUnsafeBytes { bytes throws(SecureSocketError) in
                    try socket.send(bytes)
                }
                unsent.removeFirst(count)
                sentBytes += count
                if count == 0 { break }
            } while unsent.isEmpty
            socket.interest = interest
        } catch {
            return close(ConnectionTrouble(error))
        }
        guard isIdle else { return noteProgress(socket.sentBytes > before) }
        stuckSince = nil
        if isFinishing { socket.finishSending() }
        happened(.sent)
    }

    /// Signs of life are sent every few seconds, so that this is looked at as often.
    private func noteProgress(_ hasMoved: Bool) {
        let now = network.loop.uptime
        guard let since = stuckSince, !hasMoved else { return stuckSince = now }
        guard now - since >= stuckTimeout else { return }
        let time = Int(saturating: stuckTimeout.seconds)
        close(ConnectionTrouble(.networkLost, "the other side has taken nothing for \(time) s"))
    }

    private func close(_ trouble: ConnectionTrouble) {
        disconnect()
        happened(.closed(trouble))
    }
}

extension Destination {
    /// Whether its address means nothing on another link.
    fileprivate var isLinkLocal: Bool {
        if case .network(let endpoint) = self { endpoint.address.isOfOneLink } else { false }
    }
}

extension IPAddress {
    /// Whether nobody can be told of it who is not on its link, by an interface of the same name: what
    /// 169.254.0.0/16 is without a router, fe80::/10 is not.
    fileprivate var isOfOneLink: Bool { isLinkLocal && !isIPv4 }
}

extension ConnectionTrouble {
    fileprivate init(_ error: SecureSocketError) {
        switch error {
        case .system(let error): self.init(cutOffBy: error)
        // Whoever changes what goes over the wire ends the connection, and no more.
        case .security(let error): self.init(.networkLost, "the other side \(error)")
        }
    }
}
