import BeamscribeCore
import Testing

@Suite struct KnownHostsTests {
    private let first = Fingerprint(bytes: [UInt8](repeating: 0x11, count: 32))!
    private let second = Fingerprint(bytes: [UInt8](repeating: 0x22, count: 32))!
    private let third = Fingerprint(bytes: [UInt8](repeating: 0x33, count: 32))!
    private let stage = Introduction(device: "stage")
    private let hall = Introduction(device: "stage", event: "Town Hall", hasCode: false)

    // MARK: Devices and addresses

    private func fail(_ what: Comment) { Issue.record(what) }

    @Test func device_isKnown_onceRemembered_andChanged_withAnotherKey() {
        var hosts = KnownHosts()
        #expect(hosts.judge(first, of: stage) == .firstMeeting)
        #expect(hosts.fingerprint(of: .device("stage")) == nil)
        hosts.remember(first, of: stage, at: 100)
        #expect(hosts.judge(first, of: stage) == .known)
        let changed = KnownHosts.Verdict.changed(.device("stage"), remembered: first, since: 100)
        #expect(hosts.judge(second, of: stage) == changed)
        hosts.remember(first, of: stage, at: 200)
        #expect(hosts.judge(second, of: stage) == changed, "Since the first time.")
        hosts.remember(second, of: stage, at: 300)
        #expect(hosts.fingerprint(of: .device("stage")) == second)
        #expect(
            hosts.judge(first, of: stage)
                == .changed(.device("stage"), remembered: second, since: 300))
    }

    @Test func host_isNew_onceForgotten() {
        var hosts = KnownHosts()
        hosts.remember(first, of: hall, at: 1)
        let rest = hosts.forgetting(hall)
        #expect(rest == KnownHosts())
        #expect(rest.judge(second, of: hall) == .firstMeeting)
        #expect(hosts.judge(second, of: hall) != .firstMeeting)
    }

    @Test func device_isNotTheAddress_itIsNamedLike() throws {
        var hosts = KnownHosts()
        let (device, address) = (
            Introduction(device: "192.0.2.1:23267"), Introduction(address: "192.0.2.1:23267")
        )
        hosts.remember(first, of: device, at: 1)
        #expect(hosts.judge(second, of: address) == .firstMeeting)
        hosts.remember(second, of: address, at: 2)
        let read = try #require(KnownHosts(json: hosts.json))
        #expect(read.fingerprint(of: .device("192.0.2.1:23267")) == first)
        #expect(read.fingerprint(of: .address("192.0.2.1:23267")) == second)
    }

    @Test func name_isTheSame_whereUnicodeSaysSo() throws {
        var hosts = KnownHosts()
        hosts.remember(first, of: Introduction(device: "Ren\u{E9}"), at: 1)
        let other = Introduction(device: "Rene\u{301}")
        #expect(hosts.judge(second, of: other) != .firstMeeting)
        let read = try #require(KnownHosts(json: hosts.json))
        #expect(read.judge(first, of: other) == .known)
        #expect(read.judge(first, of: Introduction(device: "rené")) == .firstMeeting)
    }

    @Test func oneKnownName_isEnoughToRefuse_whateverTheOthersAre() {
        var hosts = KnownHosts()
        hosts.remember(first, of: stage, at: 1)
        let names = [
            Introduction(address: "192.0.2.9:1", device: "stage", event: "Something else"),
            Introduction(device: "stage", event: "Town Hall", hasCode: true),
        ]
        for introduction in names {
            guard case .changed(.device("stage"), _, _) = hosts.judge(second, of: introduction)
            else {
                Issue.record("\(introduction)")
                continue
            }
        }
    }

    // MARK: Events

    @Test func newDevice_isNotTheEventsHost_underAKnownEvent() {
        var hosts = KnownHosts()
        hosts.remember(first, of: hall, at: 100)
        let impostor = Introduction(device: "stage-2", event: "Town Hall", hasCode: false)
        guard case .newHost("Town Hall", let known) = hosts.judge(second, of: impostor) else {
            Issue.record("\(hosts.judge(second, of: impostor))")
            return
        }
        #expect(known.map(\.device) == ["stage"] && known.map(\.fingerprint) == [first])
        // The same key under another name of its machine is the host.
        #expect(hosts.judge(first, of: impostor) == .known)
    }

    @Test(arguments: ["town hall", "TOWN HALL", " Town  Hall ", "Town\u{A0}Hall", "Town\tHall"])
    func event_isTheSame_howeverItIsWritten(name: String) {
        var hosts = KnownHosts()
        hosts.remember(first, of: hall, at: 100)
        let judged = hosts.judge(second, of: Introduction(device: "x", event: name))
        guard case .newHost = judged else { return fail("\(judged)") }
    }

    @Test func event_mayHaveSeveralHosts_onceTheyWereTaken() throws {
        var hosts = KnownHosts()
        hosts.remember(first, of: hall, at: 1)
        hosts.remember(second, of: Introduction(device: "b", event: "Town Hall"), at: 2)
        #expect(hosts.fingerprints(ofEvent: "Town Hall") == [second, first])
        for key in [first, second] {
            #expect(hosts.judge(key, of: Introduction(event: "Town Hall")) == .known)
        }
        guard case .newHost(_, let known) = hosts.judge(third, of: Introduction(event: "Town Hall"))
        else { return fail("not new") }
        #expect(known.map(\.device) == ["b", "stage"], "The one seen last comes first.")
        #expect(try #require(KnownHosts(json: hosts.json)) == hosts)
    }

    @Test func code_isMissed_onceTheEventHadOne() {
        var hosts = KnownHosts()
        let open = Introduction(device: "stage", event: "Town Hall", hasCode: false)
        let closed = Introduction(device: "stage", event: "Town Hall", hasCode: true)
        let unknownYet = Introduction(device: "stage", event: "Town Hall")
        #expect(!hosts.needsCode(event: "town hall"))
        hosts.remember(first, of: closed, at: 1)
        #expect(hosts.needsCode(event: "town hall"))
        #expect(hosts.judge(first, of: open) == .codeIsGone(event: "Town Hall"))
        #expect(hosts.judge(first, of: closed) == .known)
        #expect(hosts.judge(first, of: unknownYet) == .known)
        hosts.remember(first, of: open, at: 2)
        #expect(hosts.judge(first, of: open) == .known, "Somebody has said yes to it.")
        #expect(hosts.judge(first, of: closed) == .known)
    }

    @Test func replacedKey_isNoHostOfTheEventAnyMore() {
        var hosts = KnownHosts()
        hosts.remember(first, of: hall, at: 1)
        hosts.remember(second, of: hall, at: 2)
        #expect(hosts.fingerprints(ofEvent: "Town Hall") == [second])
        guard case .changed = hosts.judge(first, of: hall) else { return fail("not changed") }
    }

    // MARK: Limits

    @Test func longestUnseen_goes_whenThereAreTooMany() {
        var hosts = KnownHosts()
        for number in 0..<4_096 {
            hosts.remember(first, of: Introduction(device: "host \(number)"), at: Double(number))
        }
        hosts.remember(first, of: Introduction(device: "host 0"), at: 5_000)
        hosts.remember(first, of: Introduction(address: "host 1"), at: 5_001)
        #expect(hosts.count == 4_096)
        #expect(hosts.judge(first, of: Introduction(device: "host 0")) == .known)
        #expect(hosts.judge(first, of: Introduction(device: "host 1")) == .firstMeeting)
        #expect(hosts.judge(first, of: Introduction(address: "host 1")) == .known)
    }

    @Test func events_areLimited_andTheirHosts() throws {
        var hosts = KnownHosts()
        for number in 0..<600 {
            hosts.remember(first, of: Introduction(event: "event \(number)"), at: Double(number))
        }
        #expect(hosts.count == Limits.knownEvents)
        #expect(hosts.fingerprints(ofEvent: "event 87").isEmpty)
        #expect(hosts.fingerprints(ofEvent: "event 88") == [first])
        for number in 0..<20 {
            let key = try #require(
                Fingerprint(bytes: [UInt8](repeating: UInt8(clamping: number), count: 32)))
            hosts.remember(
                key, of: Introduction(device: "\(number)", event: "event 599"), at: Double(700))
        }
        #expect(hosts.fingerprints(ofEvent: "event 599").count == Limits.hostsPerEvent)
        #expect(try #require(KnownHosts(json: hosts.json)) == hosts)
    }

    @Test func newcomer_isRemembered_evenWhenItsClockIsBehind() {
        var hosts = KnownHosts()
        for number in 0..<5_000 {
            let name = Introduction(device: "\(number)")
            hosts.remember(first, of: name, at: Double(-number))
            #expect(hosts.judge(first, of: name) == .known)
        }
        #expect(hosts.count == 4_096)
    }

    /// Whatever was remembered before, somebody without one of the keys is never simply known, and
    /// who was joined is known the next time.
    @Test func stranger_isNeverKnown_whateverIsRemembered() throws {
        var generator = SeededGenerator(seed: 41)
        let names = ["a", "b", "A", "c"]
        for _ in 0..<3_000 {
            var hosts = KnownHosts()
            for time in 0..<Int.random(in: 1...6, using: &generator) {
                let key = [first, second].randomElement(using: &generator)!
                hosts.remember(key, of: Self.random(names, &generator), at: Double(time))
            }
            let introduction = Self.random(names, &generator)
            #expect(hosts.judge(third, of: introduction) != .known)
            hosts.remember(first, of: introduction, at: 10)
            #expect(hosts.judge(first, of: introduction) == .known)
            #expect(hosts.judge(third, of: introduction) != .known)
            #expect(hosts.judge(third, of: introduction) != .firstMeeting)
        }
    }

    private static func random(
        _ names: [String], _ generator: inout SeededGenerator
    ) -> Introduction {
        var introduction = Introduction(device: names.randomElement(using: &generator))
        if Bool.random(using: &generator) {
            introduction.event = names.randomElement(using: &generator)
        }
        if Bool.random(using: &generator) {
            introduction.address = names.randomElement(using: &generator)
        }
        introduction.hasCode = [nil, true, false].randomElement(using: &generator)!
        return introduction
    }

    @Test func nobody_isForgotten_whereOneOfAFullTableIsSeenAgain() {
        var hosts = KnownHosts()
        for number in 0..<Limits.knownHosts {
            hosts.remember(first, of: Introduction(device: "\(number)"), at: Double(number))
        }
        hosts.remember(first, of: Introduction(device: "\(Limits.knownHosts - 1)"), at: 9_999)
        #expect(hosts.count == Limits.knownHosts)
        #expect(hosts.judge(first, of: Introduction(device: "0")) == .known)
    }

    @Test(arguments: [Double.nan, .infinity])
    func time_isNone_whereAClockSaysNone(time: Double) {
        var hosts = KnownHosts()
        hosts.remember(first, of: stage, at: time)
        #expect(
            hosts.judge(second, of: stage)
                == .changed(.device("stage"), remembered: first, since: 0))
    }
}
