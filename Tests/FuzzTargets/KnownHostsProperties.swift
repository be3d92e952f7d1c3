import BeamscribeCore

/// A file of remembered keys that anything may have written: it is refused or read, and what was
/// read is the same when it is written and read again.
enum KnownHostsProperties {
    static func check(_ bytes: UnsafeRawBufferPointer) throws(BrokenProperty) {
        guard var known = KnownHosts(json: Array(bytes)) else { return }
        try expect(known.count <= Limits.knownHosts, "\(known.count) hosts")
        try expect(KnownHosts(json: known.json) == known, "another when it is read again")
        let before = known
        for identity in [HostIdentity.device("stage"), .address("192.0.2.1:23267")] {
            try checkChange(&known, identity)
        }
        try expect(known.count <= before.count, "a host that was forgotten is there")
    }

    private static func checkChange(
        _ known: inout KnownHosts, _ identity: HostIdentity
    ) throws(BrokenProperty) {
        let new = Fingerprint(bytes: [UInt8](repeating: 7, count: 32))!
        let old = known.fingerprint(of: identity)
        switch known.judge(new, of: identity) {
        case .firstUse: try expect(old == nil, "a known host is new")
        case .known: try expect(old == new, "a key that it is not")
        case .changed(let remembered, _):
            try expect(remembered == old && old != new, "not the remembered key")
        }
        known.remember(new, of: identity, at: 1_800_000_000)
        try expect(known.judge(new, of: identity) == .known, "not remembered")
        try expect(KnownHosts(json: known.json) == known, "another when it is read again")
        try expect(known.forget(identity), "cannot be forgotten")
        try expect(known.fingerprint(of: identity) == nil, "not forgotten")
    }
}
