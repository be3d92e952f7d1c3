import BeamscribeCore
public import BeamscribeIO

/// Looks for services through avahi-daemon. What works on that is an ``AvahiSearch``.
///
/// Invariant: while an answer is awaited `patience` runs; its end says that there is none.
public final class AvahiBrowser: ServiceBrowser {
    public var handler: ((ServiceBrowserEvent) -> Void)?

    private let loop: EventLoop
    private let type: String
    private let link: AvahiLink<AvahiSearch, ServiceBrowserEvent>
    @OwnedTimer private var settling: LoopTimer?
    @OwnedTimer private var patience: LoopTimer?
    private var isSettled = false
    private var isAvailable = true

    /// - Parameter type: for example `_beamscribe._tcp`.
    public init(type: String, on loop: EventLoop) {
        self.type = type
        self.loop = loop
        link = AvahiLink(on: loop) { AvahiSearch(type, on: $0, telling: $1) }
        link.heard = { [unowned self] in heard($0) }
        link.failed = { [unowned self] in heard(.unavailable("\($0)")) }
    }

    deinit {
        stop()
    }

    public func start() {
        stop()
        isSettled = false
        // The daemon says when it has heard everybody, but not when it is not there.
        settling = loop.schedule(after: Limits.avahiSettling) { [weak self] in self?.settle() }
        link.open()
        expectAnswer()
    }

    public func stop() {
        settling?.cancel()
        patience = nil
        link.close()
    }

    public func refresh() {
        MulticastQuestion.ask(type: type)
        link.ask { $0.refresh() }
        expectAnswer()
    }

    private func expectAnswer() {
        guard patience == nil else { return }
        patience = loop.schedule(after: Limits.avahiBrowsing) { [weak self] in
            self?.heard(.unavailable(AvahiTrouble.silent.reason))
        }
    }

    private func heard(_ event: ServiceBrowserEvent) {
        switch event {
        case .changed: handler?(event)
        case .settled: settle()
        case .unavailable: answered(event, isAvailable: false)
        case .available: answered(event, isAvailable: true)
        }
    }

    /// The daemon is there, or is not; either is told once.
    private func answered(_ event: ServiceBrowserEvent, isAvailable: Bool) {
        patience = nil
        guard isAvailable != self.isAvailable else { return }
        self.isAvailable = isAvailable
        handler?(event)
    }

    private func settle() {
        guard !isSettled else { return }
        isSettled = true
        settling?.cancel()
        handler?(.settled)
    }
}
