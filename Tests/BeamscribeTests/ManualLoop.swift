import BeamscribeIO

/// A loop whose time passes when a test says so.
final class ManualLoop: Loop {
    private(set) var uptime: Duration = .seconds(1)
    var wall: Double { 0 }
    private var timers: [(deadline: Duration, timer: LoopTimer)] = []

    @discardableResult
    func schedule(at deadline: Duration, _ handler: @escaping () -> Void) -> LoopTimer {
        let timer = LoopTimer(deadline: deadline, handler: handler)
        timers.append((deadline, timer))
        return timer
    }

    /// Time passes, and what is due by then is done, in its order.
    func advance(by time: Duration) {
        let end = uptime + time
        while let next = timers.filter({ $0.deadline <= end }).min(by: { $0.deadline < $1.deadline }
        ) {
            timers.removeAll { $0.timer === next.timer }
            uptime = max(uptime, next.deadline)
            next.timer.fire()
        }
        uptime = end
    }
}
