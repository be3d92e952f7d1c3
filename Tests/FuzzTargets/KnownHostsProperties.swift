import BeamscribeCore

/// A file of remembered keys that anything may have written: it is refused or read, and what was
/// read is the same when it is written and read again.
enum KnownHostsProperties {
    static func check(_ bytes: UnsafeRawBufferPointer) throws(BrokenProperty) {
        guard var known = KnownHosts(json: Array(bytes)) else { return }
        try expect(known.count <= Limits.knownHosts + Limits.knownEvents, "\(known.count) hosts")
        try expect(KnownHosts(json: known.json) == known, "another when it is read again")
        let names = [
            Introduction(device: "stage"), Introduction(address: "192.0.2.1:23267"),
            Introduction(event: "Town Hall", hasCode: true),
            Introduction(device: "stage", event: "Town Hall", hasCode: false),
        ]
        for introduction in names { try checkChange(&known, introduction) }
    }

    private static func checkChange(
        _ known: inout KnownHosts, _ introduction: Introduction
    ) throws(BrokenProperty) {
        let new = Fingerprint(bytes: [UInt8](repeating: 7, count: 32))!
        switch known.judge(new, of: introduction) {
        case .firstMeeting, .known: break
        case .changed(let identity, let remembered, _):
            try expect(remembered == known.fingerprint(of: identity), "not the remembered key")
            try expect(remembered != new, "it has not changed")
        case .newHost(let event, let hosts):
            try expect(!hosts.contains { $0.fingerprint == new }, "it is none of them")
            try expect(known.fingerprints(ofEvent: event) == hosts.map(\.fingerprint), "the hosts")
        case .codeIsGone(let event): try expect(known.needsCode(event: event), "no code")
        }
        known.remember(new, of: introduction, at: 1_800_000_000)
        try expect(known.judge(new, of: introduction) == .known, "not remembered")
        try expect(KnownHosts(json: known.json) == known, "another when it is read again")
    }
}
