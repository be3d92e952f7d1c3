import BeamscribeTLS
import Testing

@testable import Beamscribe

@Suite struct HostSecurityTests {
    @Test func security_isAnnounced_asWhatAGuestHasToBring() throws {
        let key = try HostKey()
        let code = try CodeSecret.sample.record()
        #expect(HostSecurity(key).name == "tls" && !HostSecurity(key).hasCode)
        #expect(HostSecurity(key, allowsPlain: true).name == "plain")
        #expect(HostSecurity(key, code: code).name == "code")
        let both = HostSecurity(key, code: code, allowsPlain: true)
        #expect(both.name == "code" && both.hasCode && !both.allowsPlain)
    }
}
