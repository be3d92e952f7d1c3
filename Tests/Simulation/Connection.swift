/// A TCP connection between a guest and the host, as both ends see it.
///
/// Each end closes for itself; what it had sent may still arrive. A connection that is dead gives
/// no sign any more to either end: each must find out by the other's silence.
final class Connection {
    let world: World
    /// From the guest to the host, and back.
    let up: Pipe
    let down: Pipe
    /// Who has made it.
    let guest: SimulatedProcess
    /// Told when the other end is gone without the end of the stream.
    var guestReset: () -> Void = {}
    var hostReset: () -> Void = {}
    var guestIsOpen = true
    var hostIsOpen = true
    private(set) var isDead = false
    /// Somebody else than the host has it at the other end, and says that he is the host.
    var isForged = false
    /// Who has it at the other end: the host's program, or another that serves the event.
    weak var server: SimulatedProcess?
    /// Whether that one is somebody who means harm.
    var isLiedOn = false
    /// Whether somebody has changed what went over it.
    private(set) var isTampered = false
    /// Whether both ends have it, and can read what comes.
    var isWhole: Bool { !isDead && !isTampered && guestIsOpen && hostIsOpen }

    init(
        _ world: World, from guest: SimulatedProcess, latency: Int, jitter: Int, upCapacity: Int,
        capacity: Int, pace: Int
    ) {
        self.world = world
        self.guest = guest
        up = Pipe(world, latency: latency, jitter: jitter, capacity: upCapacity, pace: 0)
        down = Pipe(world, latency: latency, jitter: jitter, capacity: capacity, pace: pace)
    }

    /// The network forgets it: neither end hears of the other again.
    func die() {
        isDead = true
        up.die()
        down.die()
    }

    /// Cut off: what is under way is lost, and each end that is open hears of it soon.
    func cut() {
        guard !isDead else { return }
        die()
        world.schedule(after: up.latency) { [self] in
            if guestIsOpen { guestReset() }
            if hostIsOpen { hostReset() }
        }
    }

    /// Nothing comes through in one or both directions for a while.
    func stall(up isUp: Bool, down isDown: Bool, for duration: Int) {
        if isUp { up.stalledUntil = world.now + duration }
        if isDown { down.stalledUntil = world.now + duration }
    }

    /// Somebody on the way changes a byte, in one direction.
    func tamper() {
        isTampered = true
        (world.chance(percent: 50) ? up : down).tamper()
    }

    func closeGuestEnd() {
        guard guestIsOpen else { return }
        guestIsOpen = false
        down.disconnect()
        up.finish()
        down.whenReadable = { [self] in answerWithReset(guestAsks: false) }
    }

    func closeHostEnd() {
        guard hostIsOpen else { return }
        hostIsOpen = false
        up.disconnect()
        down.finish()
        up.whenReadable = { [self] in answerWithReset(guestAsks: true) }
    }

    /// Bytes came for an end that is closed.
    private func answerWithReset(guestAsks: Bool) {
        world.schedule(after: up.latency) { [self] in
            guard !isDead else { return }
            if guestAsks, guestIsOpen { guestReset() }
            if !guestAsks, hostIsOpen { hostReset() }
        }
    }

    func heal() {
        up.heal()
        down.heal()
    }

    func end() {
        up.disconnect()
        down.disconnect()
        guestReset = {}
        hostReset = {}
    }
}
