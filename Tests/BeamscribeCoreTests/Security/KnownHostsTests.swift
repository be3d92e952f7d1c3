import BeamscribeCore
import Testing

@Suite struct KnownHostsTests {
    private let first = Fingerprint(bytes: [UInt8](repeating: 0x11, count: 32))!
    private let second = Fingerprint(bytes: [UInt8](repeating: 0x22, count: 32))!
    private let stage = HostIdentity.device("stage")

    @Test func host_isKnown_onceRemembered_andChanged_withAnotherKey() {
        var hosts = KnownHosts()
        #expect(hosts.judge(first, of: stage) == .firstUse)
        #expect(hosts.fingerprint(of: stage) == nil && hosts.knownSince(stage) == nil)
        hosts.remember(first, of: stage, at: 100)
        #expect(hosts.judge(first, of: stage) == .known)
        #expect(hosts.judge(second, of: stage) == .changed(remembered: first, since: 100))
        hosts.remember(first, of: stage, at: 200)
        #expect(hosts.knownSince(stage) == 100)
        hosts.remember(second, of: stage, at: 300)
        #expect(hosts.fingerprint(of: stage) == second)
        #expect(hosts.judge(first, of: stage) == .changed(remembered: second, since: 300))
    }

    @Test func host_isNew_onceForgotten() {
        var hosts = KnownHosts()
        hosts.remember(first, of: stage, at: 1)
        let wasKnown = hosts.forget(stage)
        let wasStillKnown = hosts.forget(stage)
        #expect(wasKnown && !wasStillKnown)
        #expect(hosts == KnownHosts())
        #expect(hosts.judge(second, of: stage) == .firstUse)
    }

    @Test func device_isNotTheAddress_itIsNamedLike() throws {
        var hosts = KnownHosts()
        hosts.remember(first, of: .device("192.0.2.1:23267"), at: 1)
        #expect(hosts.judge(second, of: .address("192.0.2.1:23267")) == .firstUse)
        hosts.remember(second, of: .address("192.0.2.1:23267"), at: 2)
        let read = try #require(KnownHosts(json: hosts.json))
        #expect(read.fingerprint(of: .device("192.0.2.1:23267")) == first)
        #expect(read.fingerprint(of: .address("192.0.2.1:23267")) == second)
    }

    @Test func name_isTheSame_whereUnicodeSaysSo() throws {
        var hosts = KnownHosts()
        hosts.remember(first, of: .device("Ren\u{E9}"), at: 1)
        #expect(hosts.judge(second, of: .device("Rene\u{301}")) != .firstUse)
        let read = try #require(KnownHosts(json: hosts.json))
        #expect(read.judge(first, of: .device("Rene\u{301}")) == .known)
        #expect(read.judge(first, of: .device("rené")) == .firstUse)
    }

    @Test func longestUnseen_goes_whenThereAreTooMany() {
        var hosts = KnownHosts()
        for number in 0..<4_096 {
            hosts.remember(first, of: .device("host \(number)"), at: Double(number))
        }
        hosts.remember(first, of: .device("host 0"), at: 5_000)
        hosts.remember(first, of: .address("host 1"), at: 5_001)
        #expect(hosts.count == 4_096)
        #expect(hosts.judge(first, of: .device("host 0")) == .known)
        #expect(hosts.judge(first, of: .device("host 1")) == .firstUse)
        #expect(hosts.judge(first, of: .address("host 1")) == .known)
    }

    @Test func newcomer_isRemembered_evenWhenItsClockIsBehind() {
        var hosts = KnownHosts()
        for number in 0..<5_000 {
            hosts.remember(first, of: .device("\(number)"), at: Double(-number))
            #expect(hosts.judge(first, of: .device("\(number)")) == .known)
        }
        #expect(hosts.count == 4_096)
    }
}
