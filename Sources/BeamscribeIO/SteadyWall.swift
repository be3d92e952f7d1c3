/// The wall clock as an event needs it. Once held, a step of the system's clock moves it no more:
/// the time between two lines is what has truly passed.
struct SteadyWall {
    /// The wall clock less the uptime, in seconds, from when it was held; nil before.
    private var held: Double?

    /// Lets no step move the clock from now on.
    ///
    /// - Parameters:
    ///   - system: the system's clock, in seconds since 1970.
    ///   - uptime: seconds since the machine started, sleep included.
    mutating func hold(_ system: Double, uptime: Double) { held = held ?? system - uptime }

    /// Seconds since 1970.
    func time(_ system: Double, uptime: Double) -> Double { held.map { $0 + uptime } ?? system }
}
