import BeamscribeCore
import BeamscribeDiscovery
import Testing

/// Of several who announce one event, those are tried first that go with what is known of it.
@Suite struct HostExpectationTests {
    private let key = Fingerprint(bytes: [UInt8](repeating: 0x11, count: 32))!

    /// Hosts of one event under the names that Avahi gives them.
    private func host(
        _ instance: String, security: String = "tls", fingerprint: String? = nil
    ) throws -> DiscoveredHost {
        var host = try makeHost("Town Hall")
        (host.id, host.instanceName) = (instance, instance)
        (host.security, host.fingerprint) = (security, fingerprint)
        return host
    }

    private func decide(
        _ hosts: [DiscoveredHost], _ expectation: HostExpectation, isSettled: Bool = true
    ) -> HostChoice {
        HostChoice.decide(
            name: "Town Hall", among: hosts, isSettled: isSettled, expecting: expectation)
    }

    private var knowing: HostExpectation {
        var expectation = HostExpectation()
        expectation.known.remember(key, of: Introduction(event: "Town Hall"), at: 1)
        return expectation
    }

    @Test func knownKey_isTaken_atOnce_andWaitedFor() throws {
        let (impostor, right) = (
            try host("a", fingerprint: "2222222222222222"), try host("b", fingerprint: key.short)
        )
        #expect(decide([impostor, right], knowing, isSettled: false) == .join(right))
        #expect(decide([impostor], knowing, isSettled: false) == .wait)
        // The handshake refuses it, or somebody says yes.
        #expect(decide([impostor], knowing) == .join(impostor))
    }

    @Test func firstOfThem_isTried_whereSeveralAnnounceTheKnownKey() throws {
        let hosts = [try host("a", fingerprint: key.short), try host("b", fingerprint: key.short)]
        #expect(decide(hosts, knowing) == .join(hosts[0]))
    }

    @Test func hostWithACode_isTaken_byWhoHasOne() throws {
        var expectation = HostExpectation()
        expectation.hasCode = true
        let (open, closed) = (try host("a"), try host("b", security: "code"))
        #expect(decide([open, closed], expectation, isSettled: false) == .join(closed))
        #expect(decide([open], expectation, isSettled: false) == .wait)
    }

    /// Everybody in the room has the code.
    @Test func reader_hasToChoose_whereSeveralHaveACode_andNoneIsKnown() throws {
        var expectation = HostExpectation()
        expectation.hasCode = true
        let hosts = [try host("a", security: "code"), try host("b", security: "code")]
        #expect(decide(hosts, expectation) == .choose(hosts))
    }

    @Test func pin_countsForMoreThanWhatIsRemembered() throws {
        var expectation = knowing
        expectation.pin = FingerprintPin("2222222222222222")
        let hosts = [
            try host("a", fingerprint: key.short), try host("b", fingerprint: "2222222222222222"),
        ]
        #expect(decide(hosts, expectation) == .join(hosts[1]))
    }

    @Test func unknownEvent_isChosenAsEver() throws {
        let hosts = [try host("a"), try host("b")]
        #expect(decide(hosts, HostExpectation()) == .choose(hosts))
        #expect(decide([hosts[0]], HostExpectation(), isSettled: false) == .join(hosts[0]))
    }

    @Test(arguments: [
        ("Town Hall #2", "Town Hall", true), ("town  hall", "Town Hall", true),
        ("Town Hall #22", "Town Hall #3", true), ("Town Hall#2", "Town Hall", false),
        ("Town Hall #", "Town Hall", false), ("Town Hall 2", "Town Hall", false), ("#2", "", false),
    ])
    func announcedName_isTheEvents_withANumberAndWithout(
        name: String, other: String, isSame: Bool
    ) {
        #expect(EventName.isSame(name, other) == isSame)
    }
}
