import BeamscribeCore
import BeamscribeIO
import CAvahi

/// One announcement, for as long as this lives. Works on the Avahi thread.
final class AvahiPublication: AvahiDaemon.Observer {
    private let daemon: AvahiDaemon
    private let loop: EventLoop
    private let advertisement: Advertisement
    private let tell: (ServiceAdvertiserEvent?) -> Void
    private var name: String
    private var group: OpaquePointer?
    private var client: OpaquePointer?
    private var collisions = 0
    /// When the daemon should have announced what it was given.
    @OwnedTimer private var patience: LoopTimer?

    /// - Parameter tell: told what becomes of it; nil where the daemon answers, and has to find a name
    ///   for this machine first.
    init(
        _ advertisement: Advertisement, on loop: EventLoop,
        telling tell: @escaping (ServiceAdvertiserEvent?) -> Void
    ) {
        self.advertisement = advertisement
        self.loop = loop
        self.tell = tell
        name = InstanceName.from(advertisement.name)
        daemon = AvahiDaemon(on: loop)
        daemon.start(telling: self)
    }

    // MARK: The daemon

    func daemonIsRunning(_ client: OpaquePointer) {
        self.client = client
        announce()
    }

    func daemonIsRegistering(_ client: OpaquePointer, collides: Bool) {
        patience?.cancel()
        tell(nil)
        if let group { avahi_entry_group_reset(group) }
    }

    func daemonWasLost() {
        patience?.cancel()
        group = nil
        client = nil
    }

    func daemonIsUnavailable(_ trouble: AvahiTrouble) {
        tell(.unavailable(trouble.reason))
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
                    Unmanaged<AvahiPublication>.fromOpaque(context).takeUnretainedValue()
                        .changed(state)
                }, context)
        }
        guard let group else { return fail(avahi_client_errno(client)) }
        let code = addService(to: group)
        switch code {
        case 0:
            let committed = avahi_entry_group_commit(group)
            committed == 0 ? expectAnswer() : fail(committed)
        case Int32(clamping: AVAHI_ERR_COLLISION): takeAnotherName()
        default: fail(code)
        }
    }

    private func expectAnswer() {
        patience = loop.schedule(after: Limits.avahiAnnouncing) { [unowned self] in
            tell(.unavailable(AvahiTrouble.silent.reason))
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
        let interfaces =
            advertisement.interfaces?.map { Int32(clamping: $0) } ?? [
                Int32(clamping: AVAHI_IF_UNSPEC)
            ]
        for interface in interfaces {
            let code = avahi_entry_group_add_service_strlst(
                group, interface, Int32(clamping: AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0), name,
                advertisement.type, nil, nil, advertisement.port, list)
            guard code == 0 else { return code }
        }
        return 0
    }

    private func changed(_ state: AvahiEntryGroupState) {
        switch state {
        case AVAHI_ENTRY_GROUP_ESTABLISHED:
            patience?.cancel()
            tell(.registered(name: name))
        case AVAHI_ENTRY_GROUP_COLLISION: takeAnotherName()
        case AVAHI_ENTRY_GROUP_FAILURE: fail(client.map { avahi_client_errno($0) } ?? 0)
        default: break
        }
    }

    private func takeAnotherName() {
        collisions += 1
        guard collisions < Self.maximumCollisions,
            let alternative = avahi_alternative_service_name(name)
        else { return fail(Int32(clamping: AVAHI_ERR_COLLISION)) }
        name = String(cString: alternative)
        avahi_free(alternative)
        announce()
    }

    private func fail(_ code: Int32) {
        patience?.cancel()
        let trouble = AvahiTrouble(code: code)
        guard trouble != .silent else {
            tell(.unavailable(trouble.reason))
            return daemon.renew()
        }
        let reason = String(cString: avahi_strerror(code))
        tell(.unavailable("Avahi refused the announcement: \(reason)"))
    }

    /// More hosts of one name than this do not meet on a LAN.
    private static let maximumCollisions = 64
}
