import BeamscribeCore
import BeamscribeTLS
import FoundationEssentials

/// As `GuestLink`: connects, reads and writes.
extension SimulatedGuest {
    func soon(_ action: @escaping () -> Void) {
        machine.schedule(after: 0) { [self] in if isRunning { action() } }
    }

    func connect() {
        disconnect()
        checkPause()
        dial += 1
        let number = dial
        world.note(name, "dials", number)
        network.dial(from: self) { [self] result in
            machine.schedule(after: 0) { [self] in
                guard number == dial, isRunning, connection == nil else {
                    if case .success(let connection) = result { connection.closeGuestEnd() }
                    return
                }
                dialled(result)
            }
        }
    }

    func dialled(_ result: Result<Connection, ConnectionTrouble>) {
        dial += 1
        switch result {
        case .failure(let trouble):
            world.note(name, "finds nobody")
            perform(session.connectionFailed(trouble, now: machine.now))
        case .success(let connection):
            world.note(name, "is connected")
            self.connection = connection
            socket = SecureEnd(
                reading: connection.down, writing: connection.up, stage.identities?.guest)
            connection.down.whenReadable = { [self] in soon { [self] in readable() } }
            connection.up.whenWritable = { [self] in soon { [self] in writable() } }
            connection.guestReset = { [self, unowned connection] in
                soon { [self] in
                    if self.connection === connection { closed(.networkLost, "driver: reset") }
                }
            }
            beginHandshake()
        }
    }

    func disconnect() {
        dial += 1
        if unsent.isEmpty, !isShakingHands { socket?.finishSending() }
        connection?.closeGuestEnd()
        connection = nil
        socket = nil
        isShakingHands = false
        unsent = []
    }

    func closed(_ cause: LossCause, _ why: String) {
        world.note(name, "loses its connection")
        let trouble = ConnectionTrouble(cause, why)
        let wasShakingHands = isShakingHands
        disconnect()
        perform(
            wasShakingHands
                ? session.connectionFailed(trouble, now: machine.now)
                : session.disconnected(trouble, now: machine.now))
    }

    func readable() {
        isShakingHands ? shakeHands() : read()
    }

    func writable() {
        if isShakingHands { shakeHands() } else { flush() }
    }

    /// The one at the other end is the host, as far as can be told.
    func enter(_ security: ConnectionSecurity) {
        isShakingHands = false
        perform(session.connected(security: security, as: device, now: machine.now))
        soon { [self] in readable() }
    }

    func read() {
        while let connection, let socket, !isPaused, isRunning {
            do throws(TLSError) {
                let received = try socket.receive(atMost: readLimit) { bytes in
                    take(bytes, on: connection)
                    return self.connection === connection
                }
                guard self.connection === connection else { continue }
                switch received {
                case .bytes: continue
                case .nothing: return
                case .end: return closed(.hostLost, "driver: closed")
                }
            } catch {
                checkFailure(error)
                if self.connection === connection { closed(.networkLost, "driver: \(error)") }
            }
        }
    }

    /// How much is read at once: sometimes very little.
    var readLimit: Int { world.chance(percent: 20) ? world.random(1...500) : 262_144 }

    func take(_ bytes: UnsafeRawBufferPointer, on connection: Connection) {
        world.note(name, "receives", bytes.count)
        if connection.isForged { world.fail("\(name): it listens to an impostor") }
        perform(session.received(bytes, now: machine.now), connection.run)
    }

    func flush() {
        guard let socket else { return }
        do throws(TLSError) {
            let count = try unsent.span.withUnsafeBytes { bytes throws(TLSError) in
                try socket.send(bytes)
            }
            unsent.removeFirst(count)
            if let broken = socket.brokenInvariant { world.fail("\(name): \(broken)") }
        } catch {
            checkFailure(error)
            closed(.networkLost, "driver: \(error)")
        }
    }
}
