import Testing

@testable import BeamscribeCommand

/// What `browse --watch` prints.
@Suite struct ServiceListTests {
    private func entry(_ name: String, at address: String) -> ServiceList.Entry {
        ServiceList.Entry(
            name: name, type: "_beamscribe._tcp", host: "x.local", addresses: [address], port: 1,
            txt: [:], event: "Hall", deviceName: "x")
    }

    @Test func event_isJoinedByItsAddress_whereAnotherOfItsNameIsNotShownYet() {
        let both = [entry("Hall", at: "192.0.2.1:1"), entry("Hall #2", at: "192.0.2.2:1")]
        var list = ServiceList(isJSON: false)
        let first = list.changes(to: [both[1]], among: both)
        #expect(first.contains("join --host 192.0.2.2:1"))
        #expect(list.changes(to: both, among: both).contains("join --host 192.0.2.1:1"))
        #expect(list.changes(to: [both[0]], among: [both[0]]) == "- Hall #2\n")
    }

    private var held: ServiceList.Entry {
        var entry = entry("held 1 Hall", at: "")
        (entry.addresses, entry.holders) = ([], ["192.0.2.8:1", "192.0.2.9:1"])
        (entry.holdingMachines, entry.txt) = (2, ["sec": "code"])
        return entry
    }

    @Test func heldEvent_isListedWithoutAHost() {
        var list = ServiceList(isJSON: false)
        #expect(
            list.changes(to: [held], among: [held]) == """
                + Hall
                    no host, held by 2 machines such as x, 192.0.2.8:1, 192.0.2.9:1, asks for a code
                    beamscribe join 'Hall'

                """)
        #expect(list.changes(to: [], among: []) == "- Hall (no host)\n")
    }

    /// The name leads to the host.
    @Test func heldEvent_isJoinedByItsAddress_whereAHostHasItsName() {
        let host = entry("Hall", at: "192.0.2.1:1")
        let rows = ServiceList(isJSON: false).all([host, held]).split(separator: "\n")
        #expect(rows[2] == "    beamscribe join 'Hall'")
        #expect(rows.last == "    beamscribe join --host 192.0.2.8:1")
    }

    @Test func host_isListedWithThoseWhoHoldItsEvent_andWhatChanges() {
        var host = entry("Hall", at: "192.0.2.1:1")
        var list = ServiceList(isJSON: false)
        _ = list.changes(to: [host], among: [host])
        (host.holders, host.holdingMachines) = (["192.0.2.8:1"], 1)
        #expect(
            list.changes(to: [host], among: [host]) == """
                = Hall
                    on x, 192.0.2.1:1
                    and 1 machine that holds it
                    beamscribe join 'Hall'

                """)
        host.hostIsSilent = true
        #expect(
            list.changes(to: [host], among: [host]).contains(
                "\n    which does not answer, but 1 machine that holds it\n"))
    }
}
