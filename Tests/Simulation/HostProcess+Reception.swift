import BeamscribeCore
import BeamscribeTLS

/// As `HostReception`: drives the handshakes of strangers, and hands over those who come through.
extension HostProcess {
    func receive(_ connection: Connection) {
        let end = HostEnd(
            nextID, connection,
            SecureEnd(
                reading: connection.up, writing: connection.down, stage.identities?.host))
        nextID += 1
        connection.up.whenReadable = { [self] in readable(end) }
        connection.down.whenWritable = { [self] in writable(end) }
        connection.hostReset = { [self] in
            soon { [self] in
                isStranger(end) ? forget(stranger: end) : close(end, why: "was cut off")
            }
        }
        book.arrived(end.id, from: "192.0.2.\(end.id)", now: now.uptime)
        strangers.append(end)
        if book.silentSurplus() != nil { world.fail("host: it has no place for a stranger") }
        lookLater()
        readable(end)
    }

    func isStranger(_ end: HostEnd) -> Bool {
        isAlive && strangers.contains { $0 === end }
    }

    /// A stranger has said something. In an event without encryption its first bytes let it in.
    func shakeHands(with end: HostEnd) {
        while isStranger(end) {
            var first: [UInt8] = []
            do throws(TLSError) {
                let received = try end.socket.receive(atMost: readLimit) {
                    first += $0
                    return true
                }
                switch received {
                case .nothing: return
                case .end: return forget(stranger: end)
                case .bytes:
                    beginHandshake(of: end)
                }
            } catch {
                end.socket.flush()
                checkFailure(error, of: end)
                return forget(stranger: end)
            }
            end.socket.flush()
            if end.socket.isEstablished { admit(end, first) }
        }
    }

    /// Its first words, whether it has said all that its handshake needs or not. Nobody waits here.
    private func beginHandshake(of end: HostEnd) {
        book.spoke(end.id, now: now.uptime)
        guard book.isWaiting(end.id) else { return }
        if book.next(now: now.uptime) != .now(end.id, sendingAway: nil) {
            world.fail("host: it has no place for a handshake")
        }
    }

    /// TLS fails only where somebody has changed what went over the wire.
    func checkFailure(_ error: TLSError, of end: HostEnd) {
        world.note("host", "cannot read", end.id)
        if !end.connection.isTampered { world.fail("host: connection \(end.id) \(error)") }
    }

    private func admit(_ end: HostEnd, _ first: [UInt8]) {
        strangers.removeAll { $0 === end }
        book.admitted(end.id)
        add(end, first)
    }

    func forget(stranger end: HostEnd) {
        guard isStranger(end) else { return }
        world.note("host", "sends away", end.id)
        strangers.removeAll { $0 === end }
        book.left(end.id)
        end.connection.closeHostEnd()
        endIfAllGone()
    }

    private func lookLater() {
        guard !lookIsSet, let due = book.nextDeadline else { return }
        lookIsSet = true
        stage.machine.schedule(at: due) { [self] in
            guard isAlive else { return }
            lookIsSet = false
            let overdue = book.overdue(now: now.uptime)
            for end in strangers where overdue.contains(end.id) { forget(stranger: end) }
            if let broken = book.brokenInvariant { world.fail("host: \(broken)") }
            if isAlive { lookLater() }
        }
    }
}
