import BeamscribeCore
import BeamscribeTLS

/// As `SecureDialer` and `HostTrust`: finds out who answers before anything is said.
extension SimulatedGuest {
    private static let handshakeTimeout = Int.seconds(10)

    func beginHandshake() {
        isShakingHands = true
        guard stage.identities != nil else { return judge() }
        let begun = socket
        machine.schedule(after: Self.handshakeTimeout) { [self] in
            guard isShakingHands, socket === begun, isRunning else { return }
            closed(.networkLost, "driver: no answer in the handshake")
        }
        shakeHands()
    }

    func shakeHands() {
        while isShakingHands, isRunning, let socket {
            do throws(TLSError) {
                // A host says nothing before it is asked.
                let received = try socket.receive(atMost: readLimit) { _ in true }
                let isSent = socket.flush()
                if socket.isEstablished, isSent { return judge() }
                switch received {
                case .bytes: continue
                case .nothing: return
                case .end: return closed(.hostLost, "driver: closed in the handshake")
                }
            } catch {
                socket.flush()
                checkFailure(error)
                return turnAway(isDistrusted: false) {
                    $0.violatedSecurity("driver: \(error)", now: $1)
                }
            }
        }
    }

    private func judge() {
        guard let connection, let socket else { return }
        guard let seen = socket.hostFingerprint else { return enter(.plain) }
        guard trust.trusts(seen) else {
            return turnAway(isDistrusted: true) { $0.refused(.anotherHost(offered: seen), now: $1) }
        }
        if connection.isForged { world.fail("\(name): it takes an impostor for the host") }
        enter(.key(seen, isNew: !knowsHost))
    }

    private func turnAway(
        isDistrusted: Bool, _ tell: (GuestSession, Moment) -> [GuestSession.Action]
    ) {
        world.note(name, "turns away", trust.refusals)
        trust.refuse()
        disconnect()
        perform(tell(session, machine.now))
        if isRunning, trust.mustGiveUp(isDistrusted: isDistrusted) {
            world.fail("\(name): it goes on after \(trust.refusals) who are not the host")
        }
    }

    /// TLS fails only where somebody has changed what went over the wire.
    func checkFailure(_ error: TLSError) {
        if connection?.isTampered != true { world.fail("\(name): the other side \(error)") }
    }
}
