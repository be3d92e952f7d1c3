import BeamscribeCore
import BeamscribeTLS
import FoundationEssentials

/// What befalls a guest, and its reader.
extension SimulatedGuest {
    func pause(_ isPaused: Bool) {
        guard isRunning, isPaused != self.isPaused else { return }
        world.note(name, isPaused ? "pauses" : "reads on")
        self.isPaused = isPaused
        // It dials again only when its reader reads.
        if let lostAt, !isPaused { self.lostAt = (world.now, lostAt.hadHeld) }
        session.readingPaused(isPaused, now: machine.now)
        arm()
        if !isPaused { soon { self.read() } }
    }

    func setClock() {
        machine.setClock()
        clockWasSet = true
    }

    func hearNews() {
        guard isRunning, !machine.isAsleep else { return }
        perform(session.prospectsChanged(now: machine.now))
    }

    func leave() {
        world.note(name, "leaves")
        disconnect()
        isGone = true
    }

    func save() {
        guard let position = session.position, position.after == view.last else { return }
        saved = (position, view)
    }

    /// The program is killed, and started again with what it had saved.
    func restart() {
        guard isRunning else { return }
        world.note(name, "is started anew", saved?.position.after ?? 0)
        disconnect()
        if world.chance(percent: 50) { save() }
        view = saved?.view.restarted ?? GuestView(start)
        (joinedAt, lostAt, isPaused) = (nil, nil, false)
        trust.restart(after: saved?.position)
        session = Self.session(
            name, device, start, stage, saved?.position, world.seed, machine.now)
        begin()
    }
}
