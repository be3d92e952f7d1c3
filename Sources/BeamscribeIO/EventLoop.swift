import BeamscribeCore
internal import CLinux
internal import Glibc

/// One thread's wait for everything: descriptors by epoll(7), time by timerfd_create(2).
///
/// Not Sendable on purpose: a loop and all that is registered with it belong to one thread.
///
/// Invariant: `registrations[slot]` is the registration whose token was given to epoll for that
/// descriptor; a token of an older registration of the same number finds nothing, so that an event
/// for a closed descriptor never reaches the owner of its successor.
public final class EventLoop: Loop {
    private let epoll: Descriptor
    private let timer: Descriptor
    private var registrations: [Int32: Registration] = [:]
    private var nextRegistrationID: UInt32 = 1
    private var timers = TimerQueue()
    private var armedFor: Duration?
    private var isStopped = false
    private let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: 1_024)

    /// - Throws: when the system has no descriptor left.
    public init() throws(SystemError) {
        epoll = try Descriptor("make an event queue") {
            epoll_create1(Int32(clamping: EPOLL_CLOEXEC))
        }
        let flags = Int32(clamping: TFD_CLOEXEC) | Int32(clamping: TFD_NONBLOCK)
        timer = try Descriptor("make a timer") { timerfd_create(CLOCK_BOOTTIME, flags) }
        var event = epoll_event()
        event.events = clinux_epoll_in
        event.data.u64 = Self.timerToken
        try system("wait for", "the timer") {
            epoll_ctl(epoll.number, EPOLL_CTL_ADD, timer.number, &event)
        }
    }

    deinit {
        events.deallocate()
    }

    // MARK: Descriptors

    /// Calls `handler` whenever `descriptor` is ready for `interest`, until the registration is
    /// cancelled, which must be before the descriptor is closed. An error or a hang-up makes it ready
    /// for both: the next read or write tells what happened.
    public func register(
        _ descriptor: Int32, for interest: Interest, _ handler: @escaping (Interest) -> Void
    ) throws(SystemError) -> Registration {
        let registration = Registration(
            id: nextRegistrationID, descriptor: descriptor, interest: interest, loop: self,
            handler: handler)
        nextRegistrationID &+= 1
        try control(EPOLL_CTL_ADD, registration)
        registrations[descriptor] = registration
        return registration
    }

    func update(_ registration: Registration) {
        // Fails only for a descriptor that its owner has closed too early.
        try? control(EPOLL_CTL_MOD, registration)
    }

    func cancel(_ registration: Registration) {
        guard registrations[registration.descriptor] === registration else { return }
        registrations[registration.descriptor] = nil
        try? control(EPOLL_CTL_DEL, registration)
    }

    private func control(
        _ operation: Int32, _ registration: Registration
    ) throws(SystemError) {
        var event = epoll_event()
        if registration.interest.contains(.read) { event.events |= clinux_epoll_in }
        if registration.interest.contains(.write) { event.events |= clinux_epoll_out }
        event.data.u64 = registration.token
        try system("wait for", "descriptor \(registration.descriptor)") {
            epoll_ctl(epoll.number, operation, registration.descriptor, &event)
        }
    }

    // MARK: Time

    public var uptime: Duration { Clock.uptime }
    public var wall: Double { Clock.wall }
    public func holdWall() { Clock.holdWall() }

    @discardableResult
    public func schedule(at deadline: Duration, _ handler: @escaping () -> Void) -> LoopTimer {
        let timer = LoopTimer(deadline: deadline, handler: handler)
        timers.insert(timer)
        return timer
    }

    private func armTimer() {
        let deadline = timers.earliest
        guard deadline != armedFor else { return }
        armedFor = deadline
        var setting = itimerspec()
        if let deadline {
            let parts = max(deadline, .nanoseconds(1)).components
            setting.it_value.tv_sec = Int(parts.seconds)
            setting.it_value.tv_nsec = Int(parts.attoseconds / 1_000_000_000)
        }
        timerfd_settime(timer.number, Int32(clamping: TFD_TIMER_ABSTIME), &setting, nil)
    }

    // MARK: Running

    /// Waits for events and handles them, again and again, until ``stop()``.
    public func run() {
        while !isStopped { runOnce() }
    }

    /// Makes ``run()`` return after the events at hand.
    public func stop() {
        isStopped = true
    }

    /// Waits for events and handles them once. Descriptors come before timers, so that a program
    /// that was asleep hears what arrived before it finds that time has passed. Those timers fire
    /// that were due as the turn began: one that arms itself anew waits for the next turn, behind
    /// what is ready then, and can starve nobody.
    public func runOnce() {
        let count = wait()
        let due = timers.takeDue(at: Clock.uptime)
        for event in events[0..<count] { dispatch(event) }
        for timer in due { timer.fire() }
    }

    /// How many events there are, once there is one or a timer is due.
    private func wait() -> Int {
        let isDue = timers.earliest.map { $0 <= Clock.uptime } ?? false
        if !isDue { armTimer() }
        let (capacity, timeout) = (Int32(clamping: events.count), Int32(clamping: isDue ? 0 : -1))
        return Int(max(epoll_wait(epoll.number, events.baseAddress, capacity, timeout), 0))
    }

    private func dispatch(_ event: epoll_event) {
        let token = event.data.u64
        if token == Self.timerToken {
            var expirations: UInt64 = 0
            _ = read(timer.number, &expirations, 8)
            armedFor = nil
            return
        }
        let descriptor = Int32(truncatingIfNeeded: token & 0xFFFF_FFFF)
        guard let registration = registrations[descriptor], registration.token == token else {
            return
        }
        let trouble = event.events & (clinux_epoll_error | clinux_epoll_hang_up) != 0
        var readiness: Interest = []
        if trouble || event.events & clinux_epoll_in != 0 { readiness.insert(.read) }
        if trouble || event.events & clinux_epoll_out != 0 { readiness.insert(.write) }
        registration.handler(readiness)
    }

    /// No descriptor is negative, so no registration has this token.
    private static let timerToken = UInt64.max
}

/// A descriptor's place in an ``EventLoop``.
public final class Registration {
    let descriptor: Int32
    let token: UInt64
    var handler: (Interest) -> Void
    private weak var loop: EventLoop?

    /// What to wait for. Ask for `write` only while output waits: a socket is writable nearly
    /// always, and the loop would never rest.
    public var interest: Interest {
        didSet { if interest != oldValue { loop?.update(self) } }
    }

    init(
        id: UInt32, descriptor: Int32, interest: Interest, loop: EventLoop,
        handler: @escaping (Interest) -> Void
    ) {
        self.descriptor = descriptor
        self.interest = interest
        self.loop = loop
        self.handler = handler
        token = UInt64(id) << 32 | UInt64(UInt32(bitPattern: descriptor))
    }

    /// Ends the registration. Its handler is not called again.
    public func cancel() {
        loop?.cancel(self)
    }
}
