import BeamscribeCore

/// A computer with clocks of its own, that can sleep.
final class Machine {
    let world: World
    private(set) var asleepUntil = 0
    private let bootedAt: Duration
    private var wallOffset: Double
    /// Whether its wall clock was ever set.
    private(set) var wasSet = false
    private let drift: Double
    /// What fell due while it was asleep.
    private var missed: [() -> Void] = []

    init(_ world: World) {
        self.world = world
        bootedAt = .seconds(world.random(1...1_000_000))
        wallOffset = Double(world.random(-600...600)) + 1_800_000_000
        drift = Double(world.random(-100...100)) * 1e-6
    }

    /// What its clocks show.
    var now: Moment {
        let seconds = Double(world.now) * 1e-6
        return Moment(
            uptime: bootedAt + .microseconds(world.now),
            wall: wallOffset + seconds * (1 + drift))
    }

    /// The wall clock is set.
    func setClock() {
        wasSet = true
        wallOffset += Double(world.random(-7_200...7_200))
    }

    // MARK: Sleep

    var isAsleep: Bool { world.now < asleepUntil }

    /// Nothing that is scheduled here happens for so long; its uptime counts on.
    func suspend(for duration: Int) {
        asleepUntil = max(asleepUntil, world.now + duration)
        let end = asleepUntil
        world.schedule(after: end - world.now) { [self] in if end == asleepUntil { wake() } }
    }

    /// What fell due meanwhile happens now, in its order.
    func wake() {
        asleepUntil = 0
        let due = missed
        missed = []
        for action in due { world.schedule(after: 0, action) }
    }

    /// Does something here after a time, or when the machine wakes if it is asleep then.
    func schedule(after delay: Int, _ action: @escaping () -> Void) {
        world.schedule(after: delay) { [self] in
            if isAsleep { missed.append(action) } else { action() }
        }
    }

    /// Does something here when its uptime has come.
    func schedule(at uptime: Duration, _ action: @escaping () -> Void) {
        let delay = uptime - now.uptime
        // Rounded up: a timer never comes early.
        let parts = delay.components
        let microseconds =
            Int(parts.seconds) * 1_000_000
            + Int((parts.attoseconds + 999_999_999_999) / 1_000_000_000_000)
        schedule(after: microseconds, action)
    }
}
