public import BeamscribeCore

/// What a thread that waits for many things offers to those who live on it: the time, and things
/// that are done later. Belongs to that thread.
///
/// ``EventLoop`` is the system's. Whoever asks a loop for the time, and nobody else, can be tested in
/// a world with a time of its own.
public protocol Loop: AnyObject {
    /// Time since the machine started, sleep included.
    var uptime: Duration { get }
    /// Seconds since 1970.
    var wall: Double { get }
    /// Something was said: from now on ``wall`` goes evenly, whatever the system's clock does.
    func holdWall()

    /// Calls `handler` once, at `deadline` on the uptime clock, and never from within this call.
    @discardableResult
    func schedule(at deadline: Duration, _ handler: @escaping () -> Void) -> LoopTimer
}

extension Loop {
    /// A time of one's own goes as it likes.
    public func holdWall() {}

    /// Both clocks now.
    public var now: Moment { Moment(uptime: uptime, wall: wall) }

    /// Calls `handler` once, when `delay` has passed; with no delay that is the next turn, behind
    /// what is ready then.
    @discardableResult
    public func schedule(after delay: Duration, _ handler: @escaping () -> Void) -> LoopTimer {
        schedule(at: uptime + delay, handler)
    }
}
