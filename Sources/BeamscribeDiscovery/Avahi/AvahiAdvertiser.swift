import BeamscribeCore
public import BeamscribeIO

/// Announces a service through avahi-daemon, under another name where the wished one is taken, and
/// anew whenever the daemon was away. What works on that is an ``AvahiPublication``.
public final class AvahiAdvertiser: ServiceAdvertiser {
    public var handler: ((ServiceAdvertiserEvent) -> Void)?

    private let loop: EventLoop
    private let link: AvahiLink<AvahiPublication, ServiceAdvertiserEvent?>
    @OwnedTimer private var patience: LoopTimer?

    /// - Parameter advertisement: what is announced once ``start()`` is called.
    public init(_ advertisement: Advertisement, on loop: EventLoop) {
        self.loop = loop
        link = AvahiLink(on: loop) { AvahiPublication(advertisement, on: $0, telling: $1) }
        link.heard = { [unowned self] in heard($0) }
        link.failed = { [unowned self] in handler?(.unavailable("\($0)")) }
    }

    public func start() {
        patience = loop.schedule(after: Limits.avahiAnnouncing) { [weak self] in
            self?.handler?(.unavailable(AvahiTrouble.silent.reason))
        }
        link.open()
    }

    public func stop() {
        patience?.cancel()
        link.close()
    }

    private func heard(_ event: ServiceAdvertiserEvent?) {
        patience?.cancel()
        if let event { handler?(event) }
    }
}
