import Testing

@testable import Beamscribe
@testable import BeamscribeIO

/// The addresses that an operator reads out.
@Suite struct JoinAddressesTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// An interface and an address of it each.
        let machine: [String]
        var listening = ["0.0.0.0", "::"]
        let told: [String]
    }

    @Test(arguments: [
        Case(
            testDescription: "a network goes before a link, IPv4 before IPv6",
            machine: ["lo 127.0.0.1", "eth0 fe80::1", "eth0 2001:db8::1", "eth0 192.0.2.1"],
            told: ["192.0.2.1", "2001:db8::1"]),
        Case(
            testDescription: "links serve where there is no network",
            machine: ["lo 127.0.0.1", "lo ::1", "eth0 fe80::1", "eth0 169.254.1.1"],
            told: ["169.254.1.1", "fe80::1"]),
        Case(
            testDescription: "loopback is for this machine alone",
            machine: ["lo ::1", "lo 127.0.0.1"], told: ["127.0.0.1"]),
        Case(
            testDescription: "no bridge of containers", machine: ["docker0 172.17.0.1", "lo ::1"],
            told: ["::1"]),
        Case(
            testDescription: "no family that nobody listens to",
            machine: ["eth0 2001:db8::1", "eth0 192.0.2.1"], listening: ["::"],
            told: ["2001:db8::1"]),
        Case(
            testDescription: "an address that was given stands for itself",
            machine: ["eth0 192.0.2.1"], listening: ["192.0.2.7", "127.0.0.1"],
            told: ["192.0.2.7"]),
        Case(testDescription: "none of nothing", machine: [], told: []),
    ])
    func addresses_areThoseThatAGuestCanReach(_ one: Case) throws {
        let interfaces = try one.machine.map {
            let words = $0.split(separator: " ").map(String.init)
            return Interfaces.Entry(
                interface: words[0], index: 1, address: try #require(IPAddress(words[1])),
                isMulticast: true)
        }
        let listening = try one.listening.map {
            Endpoint(try #require(IPAddress($0)), port: 23_267)
        }
        let told = JoinAddresses.of(listening, on: interfaces)
        #expect(told.map { "\($0.address)" } == one.told)
        #expect(told.allSatisfy { $0.port == 23_267 })
    }
}
