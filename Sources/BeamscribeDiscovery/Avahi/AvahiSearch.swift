import BeamscribeCore
import BeamscribeIO
import CAvahi

/// The services of one type, for as long as this lives. Works on the Avahi thread.
///
/// Invariant: of what is in `resolvers` and of `browser` the client is `client`.
final class AvahiSearch: AvahiDaemon.Observer {
    private let daemon: AvahiDaemon
    private let type: String
    private let tell: (ServiceBrowserEvent) -> Void
    private var table: ServiceTable
    private var client: OpaquePointer?
    private var browser: OpaquePointer?
    private var resolvers: [Entry: AvahiResolver] = [:]
    /// The daemon has told of everybody whom it knows.
    private var hasHeardAll = false
    /// Meanwhile those are held back of whom a namesake is not resolved yet. `hasHeardAll` is no measure:
    /// where somebody looks already, the daemon says so before any is resolved.
    @OwnedTimer private var holding: LoopTimer?
    private let loop: EventLoop
    private var trouble: AvahiTrouble?

    private struct Entry: Hashable {
        var key: ServiceTable.Key
        var path: ServiceTable.Path
    }

    /// - Parameter tell: told ``ServiceBrowserEvent/available`` once the daemon has told of all whom it
    ///   knows, and ``ServiceBrowserEvent/settled`` once it is known where they are.
    init(_ type: String, on loop: EventLoop, telling tell: @escaping (ServiceBrowserEvent) -> Void)
    {
        self.type = type
        self.tell = tell
        self.loop = loop
        table = ServiceTable(type: type)
        daemon = AvahiDaemon(on: loop)
        daemon.start(telling: self)
    }

    deinit {
        forgetAll()
    }

    /// Says how things stand, and looks again for those who could not be found.
    func refresh() {
        if hasHeardAll { tell(.available) }
        if let trouble { tell(.unavailable(trouble.reason)) }
        for (entry, resolver) in resolvers where resolver.hasFailed { resolve(entry) }
    }

    // MARK: The daemon

    func daemonIsRunning(_ client: OpaquePointer) {
        self.client = client
        trouble = nil
        guard browser == nil else { return }
        let context = Unmanaged.passUnretained(self).toOpaque()
        browser = avahi_service_browser_new(
            client, Int32(clamping: AVAHI_IF_UNSPEC), Int32(clamping: AVAHI_PROTO_UNSPEC), type,
            nil,
            AvahiLookupFlags(0),
            { _, interface, family, event, name, _, domain, _, context in
                guard let context else { return }
                let search = Unmanaged<AvahiSearch>.fromOpaque(context).takeUnretainedValue()
                let path = ServiceTable.Path(
                    interface: interface, isIPv6: family == Int32(clamping: AVAHI_PROTO_INET6))
                search.happened(
                    event, name.map { String(cString: $0) }, domain.map { String(cString: $0) },
                    path)
            }, context)
        holding = loop.schedule(after: Limits.namesakes) { [unowned self] in
            holding = nil
            report()
        }
        guard browser == nil else { return }
        daemonIsUnavailable(AvahiTrouble(code: avahi_client_errno(client)))
        daemon.renew()
    }

    func daemonIsRegistering(_ client: OpaquePointer, collides: Bool) {
        // The daemon can be asked in this state too: what it announces is not our business.
        if browser == nil { daemonIsRunning(client) }
    }

    func daemonWasLost() {
        // Hosts do not go when the daemon does: what is known stays until the next one tells.
        forgetAll()
    }

    func daemonIsUnavailable(_ trouble: AvahiTrouble) {
        self.trouble = trouble
        tell(.unavailable(trouble.reason))
    }

    private func forgetAll() {
        resolvers.values.forEach { $0.forget() }
        resolvers = [:]
        browser = nil
        client = nil
        hasHeardAll = false
    }

    // MARK: Services

    private func happened(
        _ event: AvahiBrowserEvent, _ name: String?, _ domain: String?, _ path: ServiceTable.Path
    ) {
        switch event {
        case AVAHI_BROWSER_ALL_FOR_NOW:
            table.keep { resolvers[Entry(key: $0, path: $1)] != nil }
            hasHeardAll = true
            report()
            tell(.available)
            settleIfAnswered()
        case AVAHI_BROWSER_FAILURE: daemonIsUnavailable(.failed("Avahi cannot browse"))
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
        if hasHeardAll, resolvers.values.allSatisfy(\.hasAnswered) { tell(.settled) }
    }

    private func resolve(_ entry: Entry) {
        guard let client else { return }
        resolvers[entry] = AvahiResolver(
            client, entry.key, type: type, entry.path
        ) { [unowned self] resolution in
            table.resolved(entry.key, on: entry.path, resolution)
            report()
            settleIfAnswered()
        }
    }

    /// Nobody is held back for long: names can be made up without end.
    private func report() {
        tell(.changed(holding == nil ? table.instances : table.instancesWithoutNamesakes))
    }
}
