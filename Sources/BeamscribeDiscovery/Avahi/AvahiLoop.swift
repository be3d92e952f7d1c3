import BeamscribeCore
import BeamscribeIO
import CAvahi
import Glibc

/// An ``EventLoop`` as libavahi wants it: an AvahiPoll.
///
/// Invariant: the structure at `poll` and this object outlive every client made with it, and a
/// descriptor that libavahi watches twice (D-Bus does, for reading and for writing) has one
/// registration with the loop.
final class AvahiLoop {
    /// What avahi_client_new is given.
    let poll: UnsafeMutablePointer<AvahiPoll>

    let loop: EventLoop
    private var watches: [Int32: [Watch]] = [:]
    private var registrations: [Int32: Registration] = [:]

    init(_ loop: EventLoop) {
        self.loop = loop
        poll = .allocate(capacity: 1)
        poll.initialize(to: AvahiPoll())
        poll.pointee.userdata = Unmanaged.passUnretained(self).toOpaque()
        poll.pointee.watch_new = { AvahiLoop.from($0?.pointee.userdata)?.add($1, $2, $3, $4) }
        poll.pointee.watch_update = { Watch.from($0)?.update($1) }
        poll.pointee.watch_get_events = { Watch.from($0)?.happened ?? AvahiWatchEvent(0) }
        poll.pointee.watch_free = { Watch.from($0)?.free() }
        poll.pointee.timeout_new = { api, deadline, callback, userdata in
            AvahiLoop.from(api?.pointee.userdata)
                .map { Timeout($0.loop, callback, userdata) }?.start(deadline)
        }
        poll.pointee.timeout_update = { Timeout.from($0)?.schedule($1) }
        poll.pointee.timeout_free = { Timeout.from($0)?.free() }
    }

    deinit {
        registrations.values.forEach { $0.cancel() }
        poll.deinitialize(count: 1)
        poll.deallocate()
    }

    private static func from(_ pointer: UnsafeMutableRawPointer?) -> AvahiLoop? {
        pointer.map { Unmanaged<AvahiLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    private func add(
        _ descriptor: Int32, _ events: AvahiWatchEvent, _ callback: AvahiWatchCallback?,
        _ userdata: UnsafeMutableRawPointer?
    ) -> OpaquePointer? {
        let watch = Watch(self, descriptor, events, callback, userdata)
        watches[descriptor, default: []].append(watch)
        updateInterest(of: descriptor)
        return OpaquePointer(Unmanaged.passRetained(watch).toOpaque())
    }

    fileprivate func remove(_ watch: Watch) {
        watches[watch.descriptor]?.removeAll { $0 === watch }
        updateInterest(of: watch.descriptor)
    }

    fileprivate func updateInterest(of descriptor: Int32) {
        guard let all = watches[descriptor], !all.isEmpty else {
            watches[descriptor] = nil
            registrations.removeValue(forKey: descriptor)?.cancel()
            return
        }
        var interest: Interest = []
        for watch in all {
            if watch.wanted.rawValue & AVAHI_WATCH_IN.rawValue != 0 { interest.insert(.read) }
            if watch.wanted.rawValue & AVAHI_WATCH_OUT.rawValue != 0 { interest.insert(.write) }
        }
        if let registration = registrations[descriptor] {
            registration.interest = interest
        } else {
            registrations[descriptor] = try? loop.register(descriptor, for: interest) {
                [unowned self] in dispatch(descriptor, $0)
            }
        }
    }

    private func dispatch(_ descriptor: Int32, _ readiness: Interest) {
        var events: UInt32 = 0
        if readiness.contains(.read) { events |= AVAHI_WATCH_IN.rawValue }
        if readiness.contains(.write) { events |= AVAHI_WATCH_OUT.rawValue }
        for watch in watches[descriptor] ?? [] {
            // A callback may free other watches of the same descriptor.
            guard watches[descriptor]?.contains(where: { $0 === watch }) == true else { continue }
            watch.dispatch(AvahiWatchEvent(events & watch.wanted.rawValue))
        }
    }
}

/// What libavahi knows as an AvahiWatch.
private final class Watch {
    let descriptor: Int32
    private(set) var wanted: AvahiWatchEvent
    private(set) var happened = AvahiWatchEvent(0)
    private unowned let owner: AvahiLoop
    private let callback: AvahiWatchCallback?
    private let userdata: UnsafeMutableRawPointer?

    init(
        _ owner: AvahiLoop, _ descriptor: Int32, _ wanted: AvahiWatchEvent,
        _ callback: AvahiWatchCallback?, _ userdata: UnsafeMutableRawPointer?
    ) {
        self.owner = owner
        self.descriptor = descriptor
        self.wanted = wanted
        self.callback = callback
        self.userdata = userdata
    }

    static func from(_ pointer: OpaquePointer?) -> Watch? {
        pointer.map { Unmanaged<Watch>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
    }

    func update(_ events: AvahiWatchEvent) {
        wanted = events
        owner.updateInterest(of: descriptor)
    }

    func dispatch(_ events: AvahiWatchEvent) {
        guard events.rawValue != 0 else { return }
        happened = events
        let pointer = OpaquePointer(Unmanaged.passUnretained(self).toOpaque())
        callback?(pointer, descriptor, events, userdata)
        happened = AvahiWatchEvent(0)
    }

    func free() {
        owner.remove(self)
        Unmanaged.passUnretained(self).release()
    }
}

/// What libavahi knows as an AvahiTimeout.
private final class Timeout {
    private let loop: EventLoop
    private let callback: AvahiTimeoutCallback?
    private let userdata: UnsafeMutableRawPointer?
    private var timer: LoopTimer?

    init(
        _ loop: EventLoop, _ callback: AvahiTimeoutCallback?, _ userdata: UnsafeMutableRawPointer?
    ) {
        self.loop = loop
        self.callback = callback
        self.userdata = userdata
    }

    static func from(_ pointer: OpaquePointer?) -> Timeout? {
        pointer.map { Unmanaged<Timeout>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
    }

    func start(_ deadline: UnsafePointer<timeval>?) -> OpaquePointer {
        schedule(deadline)
        return OpaquePointer(Unmanaged.passRetained(self).toOpaque())
    }

    /// libavahi's deadlines are wall-clock times; the clock may be set before they come, so they
    /// are turned into delays at once.
    func schedule(_ deadline: UnsafePointer<timeval>?) {
        timer?.cancel()
        timer = nil
        guard let deadline else { return }
        let wall = Double(deadline.pointee.tv_sec) + Double(deadline.pointee.tv_usec) / 1e6
        let delay = max(0, wall - Clock.system)
        timer = loop.schedule(after: .seconds(saturating: delay)) { [unowned self] in
            let pointer = OpaquePointer(Unmanaged.passUnretained(self).toOpaque())
            callback?(pointer, userdata)
        }
    }

    func free() {
        timer?.cancel()
        Unmanaged.passUnretained(self).release()
    }
}
