import BeamscribeCore
public import BeamscribeIO
import CAvahi

/// Announces a service through avahi-daemon, under another name where the wished one is taken, and
/// anew whenever the daemon was away.
public final class AvahiAdvertiser: ServiceAdvertiser, AvahiDaemon.Observer {
    public var handler: ((ServiceAdvertiserEvent) -> Void)?

    private let daemon: AvahiDaemon
    private let advertisement: Advertisement
    private var name: String
    private var group: OpaquePointer?
    private var client: OpaquePointer?
    private var collisions = 0

    /// - Parameter advertisement: what is announced once ``start()`` is called.
    public init(_ advertisement: Advertisement, on loop: EventLoop) {
        self.advertisement = advertisement
        name = InstanceName.from(advertisement.name)
        daemon = AvahiDaemon(on: loop)
        daemon.observer = self
    }

    public func start() { daemon.start() }
    public func stop() { daemon.stop() }

    // MARK: The daemon

    func daemonIsRunning(_ client: OpaquePointer) {
        self.client = client
        announce()
    }

    func daemonIsRegistering() {
        if let group { avahi_entry_group_reset(group) }
    }

    func daemonWasLost() {
        if let group { avahi_entry_group_free(group) }
        group = nil
        client = nil
    }

    func daemonIsUnavailable(_ reason: String) {
        handler?(.unavailable(reason))
    }

    // MARK: The announcement

    private func announce() {
        guard let client else { return }
        if group == nil {
            let context = Unmanaged.passUnretained(self).toOpaque()
            group = avahi_entry_group_new(
                client,
                { group, state, context in
                    guard let context else { return }
                    Unmanaged<AvahiAdvertiser>.fromOpaque(context).takeUnretainedValue()
                        .changed(state)
                }, context)
        }
        guard let group else { return fail(avahi_client_errno(client)) }
        let code = addService(to: group)
        switch code {
        case 0:
            let committed = avahi_entry_group_commit(group)
            if committed != 0 { fail(committed) }
        case Int32(AVAHI_ERR_COLLISION): takeAnotherName()
        default: fail(code)
        }
    }

    private func addService(to group: OpaquePointer) -> Int32 {
        avahi_entry_group_reset(group)
        // The list is built from its end, so that the record's first string comes first.
        var list: UnsafeMutablePointer<AvahiStringList>?
        for string in advertisement.txt.strings.reversed() {
            list = avahi_string_list_add_arbitrary(list, string, string.count)
        }
        defer { avahi_string_list_free(list) }
        let interfaces = advertisement.interfaces?.map { Int32($0) } ?? [Int32(AVAHI_IF_UNSPEC)]
        for interface in interfaces {
            let code = avahi_entry_group_add_service_strlst(
                group, interface, Int32(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0), name,
                advertisement.type, nil, nil, advertisement.port, list)
            guard code == 0 else { return code }
        }
        return 0
    }

    private func changed(_ state: AvahiEntryGroupState) {
        switch state {
        case AVAHI_ENTRY_GROUP_ESTABLISHED: handler?(.registered(name: name))
        case AVAHI_ENTRY_GROUP_COLLISION: takeAnotherName()
        case AVAHI_ENTRY_GROUP_FAILURE: fail(client.map { avahi_client_errno($0) } ?? 0)
        default: break
        }
    }

    private func takeAnotherName() {
        collisions += 1
        guard collisions < Self.maximumCollisions,
            let alternative = avahi_alternative_service_name(name)
        else { return fail(Int32(AVAHI_ERR_COLLISION)) }
        name = String(cString: alternative)
        avahi_free(alternative)
        announce()
    }

    private func fail(_ code: Int32) {
        let reason = String(cString: avahi_strerror(code))
        handler?(.unavailable("Avahi refused the announcement: \(reason)"))
    }

    /// More hosts of one name than this do not meet on a LAN.
    private static let maximumCollisions = 64
}
