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
}
