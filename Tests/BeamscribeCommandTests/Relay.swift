import BeamscribeTLS
import Foundation
import Glibc
import Synchronization

/// The network between a guest and a host, which can break: it passes on what comes, and resets a
/// connection after some bytes or when it is told to. It can also be an enemy, who reads along or
/// puts himself in between.
final class Relay: Sendable {
    let port: UInt16
    private let state: Mutex<State>

    private struct State {
        /// What the next connections let through to the guest before they break; nil: all.
        var limits: [Int?]
        var isOver = false
        var isCut = false
        var connections = 0
        /// Who puts himself into the connections that come, and how many more of them.
        var impostor: HostKey?
        var intercepts = 0
        var hidesLogs = false
        var captured: [UInt8] = []
        var overheard: [UInt8] = []
    }

    /// - Parameters:
    ///   - target: The host's port.
    ///   - limits: After how many bytes to the guest each connection breaks; later ones do not.
    init(to target: UInt16, breakingAfter limits: [Int?] = []) throws {
        let listener = try TCPSocket.listening()
        port = listener.port
        state = Mutex(State(limits: limits))
        Thread.detachNewThread { [weak self] in
            var pairs: [Pair] = []
            while let self, !self.isOver {
                self.step(listener, target, &pairs)
            }
        }
    }

    deinit {
        state.withLock { $0.isOver = true }
    }

    var address: String { "127.0.0.1:\(port)" }
    /// How many connections came so far.
    var connections: Int { state.withLock { $0.connections } }

    /// All bytes that it has passed on, of both directions.
    var captured: [UInt8] { state.withLock { $0.captured } }
    /// The plaintext that it has got as an impostor.
    var overheard: [UInt8] { state.withLock { $0.overheard } }

    /// From now on puts itself into new connections: towards the guest it is a host with another
    /// key, towards the host a guest.
    ///
    /// - Parameter hidesLogs: whether he takes what a guest says of signed logs from its handshake.
    func intercept(_ count: Int = .max, hidingLogs hidesLogs: Bool = false) throws {
        let impostor = try HostKey()
        state.withLock {
            ($0.impostor, $0.intercepts, $0.hidesLogs) = (impostor, count, hidesLogs)
        }
    }

    /// Resets every connection that stands.
    func cut() { state.withLock { $0.isCut = true } }

    private var isOver: Bool { state.withLock { $0.isOver } }

    private final class Pair {
        let guest: TCPSocket
        let host: TCPSocket
        var rest: Int?
        var toGuest: ArraySlice<UInt8> = []
        var toHost: ArraySlice<UInt8> = []
        let interception: Interception?

        init(
            _ guest: TCPSocket, _ host: TCPSocket, _ limit: Int?, _ interception: Interception?
        ) {
            (self.guest, self.host, rest) = (guest, host, limit)
            self.interception = interception
        }
    }

    private func step(_ listener: TCPSocket, _ target: UInt16, _ pairs: inout [Pair]) {
        var entries = ([listener] + pairs.flatMap { [$0.guest, $0.host] }).map {
            pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0)
        }
        poll(&entries, nfds_t(entries.count), 10)
        if state.withLock({ state in
            defer { state.isCut = false }
            return state.isCut
        }) {
            pairs.forEach(reset)
            pairs = []
        }
        if let guest = listener.accept(), let host = try? TCPSocket.connected(to: target) {
            let limit = state.withLock { state in
                state.connections += 1
                return state.limits.isEmpty ? nil : state.limits.removeFirst()
            }
            pairs.append(Pair(guest, host, limit, interception()))
        }
        pairs.removeAll { !pump($0) }
    }

    private func interception() -> Interception? {
        let (impostor, hidesLogs) = state.withLock { state -> (HostKey?, Bool) in
            guard state.intercepts > 0 else { return (nil, false) }
            state.intercepts -= 1
            return (state.impostor, state.hidesLogs)
        }
        return impostor.flatMap { try? Interception(as: $0, hidingLogs: hidesLogs) }
    }

    private func reset(_ pair: Pair) {
        pair.guest.resetAtEnd()
        pair.host.resetAtEnd()
    }

    /// Passes on what there is. False when the connection is over.
    private func pump(_ pair: Pair) -> Bool {
        guard read(pair), drain(&pair.toHost, into: pair.host) else { return false }
        if let rest = pair.rest { pair.toGuest = pair.toGuest.prefix(rest) }
        let before = pair.toGuest.count
        guard drain(&pair.toGuest, into: pair.guest) else { return false }
        pair.rest = pair.rest.map { $0 - (before - pair.toGuest.count) }
        guard pair.rest == 0 else { return true }
        reset(pair)
        return false
    }

    private func read(_ pair: Pair) -> Bool {
        guard let interception = pair.interception else {
            return fill(&pair.toGuest, from: pair.host) && fill(&pair.toHost, from: pair.guest)
        }
        var (fromHost, fromGuest): (ArraySlice<UInt8>, ArraySlice<UInt8>) = ([], [])
        // A host that wants nothing to do with him keeps no impostor from the guest.
        _ = fill(&fromHost, from: pair.host)
        guard fill(&fromGuest, from: pair.guest) else { return false }
        let passed = interception.exchange(fromHost: fromHost, fromGuest: fromGuest)
        pair.toGuest += passed.toGuest
        pair.toHost += passed.toHost
        state.withLock { $0.overheard += interception.takeOverheard() }
        return true
    }

    private func fill(_ bytes: inout ArraySlice<UInt8>, from socket: TCPSocket) -> Bool {
        guard bytes.isEmpty else { return true }
        switch socket.receive() {
        case .bytes(let more): bytes = more[...]
        case .nothing: break
        case .end: return false
        }
        return true
    }

    private func drain(_ bytes: inout ArraySlice<UInt8>, into socket: TCPSocket) -> Bool {
        guard !bytes.isEmpty else { return true }
        guard let count = socket.send(bytes) else { return false }
        let passed = bytes.prefix(count)
        state.withLock { $0.captured += passed }
        bytes = bytes.dropFirst(count)
        return true
    }
}
