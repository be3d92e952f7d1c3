import BeamscribeCore
import BeamscribeIO

/// A connection to a bus that comes back by itself: at once, then after 1, 2, 4, 8, 10, 10... s.
///
/// Invariant: while it is started there is a connection or a timer for the next try.
final class BusLink {
    /// Told with each new connection; what it throws loses that again.
    var connected: ((MessageBus) throws(BusError) -> Void)?
    /// Told when there was no connection to be had, and when there is none any more.
    var lost: ((BusError) -> Void)?
    /// The connection, which may still be let in.
    private(set) var bus: MessageBus?

    private let address: String
    private let limit: Duration
    private let loop: EventLoop
    private var backoff = Backoff()
    private var generator = SystemRandomNumberGenerator()
    @OwnedTimer private var retry: LoopTimer?

    /// - Parameters:
    ///   - limit: the time by which the bus must have let this program in.
    init(to address: String, within limit: Duration, on loop: EventLoop) {
        self.address = address
        self.limit = limit
        self.loop = loop
    }

    deinit {
        stop()
    }

    func start() {
        if bus == nil, retry == nil { connect() }
    }

    func stop() {
        retry = nil
        bus?.close()
        bus = nil
        backoff.reset()
    }

    /// The connection has shown that it is of use: the next one is tried for at once.
    func hold() {
        backoff.reset()
    }

    private func connect() {
        do throws(BusError) {
            let bus = try MessageBus(to: address, within: limit, on: loop)
            self.bus = bus
            bus.lost = { [weak self] error in self?.lose(error) }
            try connected?(bus)
        } catch {
            bus?.close()
            lose(error)
        }
    }

    private func lose(_ error: BusError) {
        bus = nil
        retry = loop.schedule(after: backoff.next(using: &generator)) { [weak self] in
            self?.retry = nil
            self?.connect()
        }
        lost?(error)
    }
}
