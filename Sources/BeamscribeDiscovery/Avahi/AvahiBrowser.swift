public import BeamscribeIO
import CAvahi

/// Looks for services through avahi-daemon.
public final class AvahiBrowser: ServiceBrowser, AvahiDaemon.Observer {
    public var handler: ((ServiceBrowserEvent) -> Void)?

    private let daemon: AvahiDaemon
    private let loop: EventLoop
    private let type: String
    private var table: ServiceTable
    private var client: OpaquePointer?
    private var browser: OpaquePointer?
    private var resolvers: [Entry: AvahiResolver] = [:]
    private var settling: LoopTimer?
    private var hasHeardAll = false
    private var isSettled = false
    private var isAvailable = true

    private struct Entry: Hashable {
        var key: ServiceTable.Key
        var path: ServiceTable.Path
    }

    /// - Parameter type: for example `_beamscribe._tcp`.
    public init(type: String, on loop: EventLoop) {
        self.type = type
        self.loop = loop
        table = ServiceTable(type: type)
        daemon = AvahiDaemon(on: loop)
        daemon.observer = self
    }

    public func start() {
        isSettled = false
        // The daemon says when it has heard everybody, but not when it is not there.
        settling = loop.schedule(after: Self.settlingTime) { [unowned self] in settle() }
        daemon.start()
    }

    public func stop() {
        settling?.cancel()
        daemon.stop()
    }

    public func refresh() {
        MulticastQuestion.ask(type: type)
        for (entry, resolver) in resolvers where resolver.hasFailed { resolve(entry) }
    }

    // MARK: The daemon

    func daemonIsRunning(_ client: OpaquePointer) {
        self.client = client
        if !isAvailable {
            isAvailable = true
            handler?(.available)
        }
        guard browser == nil else { return }
        let context = Unmanaged.passUnretained(self).toOpaque()
        browser = avahi_service_browser_new(
            client, Int32(AVAHI_IF_UNSPEC), Int32(AVAHI_PROTO_UNSPEC), type, nil,
            AvahiLookupFlags(0),
            { _, interface, family, event, name, _, domain, _, context in
                guard let context else { return }
                let browser = Unmanaged<AvahiBrowser>.fromOpaque(context).takeUnretainedValue()
                let path = ServiceTable.Path(
                    interface: interface, isIPv6: family == Int32(AVAHI_PROTO_INET6))
                browser.happened(
                    event, name.map { String(cString: $0) }, domain.map { String(cString: $0) },
                    path)
            }, context)
        if browser == nil {
            daemonIsUnavailable(String(cString: avahi_strerror(avahi_client_errno(client))))
        }
    }

    func daemonIsRegistering() {
        // The daemon can be asked in this state too: what it announces is not our business.
        guard let client, browser == nil else { return }
        daemonIsRunning(client)
    }

    func daemonWasLost() {
        resolvers = [:]
        if let browser { avahi_service_browser_free(browser) }
        browser = nil
        client = nil
        // Hosts do not go when the daemon does: what is known stays until the next one tells.
    }

    func daemonIsUnavailable(_ reason: String) {
        guard isAvailable else { return }
        isAvailable = false
        handler?(.unavailable(reason))
    }

    // MARK: Services

    private func happened(
        _ event: AvahiBrowserEvent, _ name: String?, _ domain: String?, _ path: ServiceTable.Path
    ) {
        switch event {
        case AVAHI_BROWSER_ALL_FOR_NOW:
            table.keep { resolvers[Entry(key: $0, path: $1)] != nil }
            report()
            hasHeardAll = true
            settleIfAnswered()
        case AVAHI_BROWSER_FAILURE: daemonIsUnavailable("Avahi cannot browse")
        default: break
        }
        guard let name, let domain else { return }
        let entry = Entry(key: ServiceTable.Key(name: name, domain: domain), path: path)
        switch event {
        case AVAHI_BROWSER_NEW:
            if table.appeared(entry.key, on: path) { resolve(entry) }
        case AVAHI_BROWSER_REMOVE:
            resolvers[entry] = nil
            table.vanished(entry.key, on: path)
            report()
        default: break
        }
    }

    /// What was heard counts once it is known where it leads, or that it leads nowhere.
    private func settleIfAnswered() {
        if hasHeardAll, resolvers.values.allSatisfy(\.hasAnswered) { settle() }
    }

    private func settle() {
        guard !isSettled else { return }
        isSettled = true
        settling?.cancel()
        handler?(.settled)
    }

    private func resolve(_ entry: Entry) {
        guard let client else { return }
        resolvers[entry] = AvahiResolver(
            client, entry.key, type: type, entry.path
        ) { [unowned self] resolution in
            if let resolution {
                table.resolved(entry.key, on: entry.path, resolution)
            } else {
                table.unresolved(entry.key, on: entry.path)
            }
            report()
            settleIfAnswered()
        }
    }

    private func report() {
        handler?(.changed(table.instances))
    }

    /// How long everybody on a quiet LAN needs to be heard and resolved, and then some.
    private static let settlingTime = Duration.milliseconds(2_000)
}
