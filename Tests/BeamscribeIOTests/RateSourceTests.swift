import BeamscribeCore
import BeamscribeIO
import Testing

@Suite struct RateSourceTests {
    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7"),
        ("127.0.0.1", "127.0.0.1"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fd00::1", "fd00::/64"),
        ("fe80::1", "fe80::1"),
        ("febf::1", "febf::1"),
        ("fec0::1", "fec0::/64"),
        ("::1", "::1"),
    ])
    func source_isTheAddress_orTheNetworkOfAnIPv6One(_ address: String, _ source: String) throws {
        #expect(try #require(IPAddress(address)).rateSource == source)
    }

    @Test func ipv4Address_isTheSameSource_whicheverWayItComes() throws {
        var generator = SeededGenerator(seed: 42)
        let prefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        for _ in 0..<2_000 {
            let bytes = (0..<4).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let plain = try #require(IPAddress(bytes: bytes))
            let mapped = try #require(IPAddress(bytes: prefix + bytes))
            #expect(plain.rateSource == mapped.rateSource)
        }
    }

    @Test func addressesOfOneIPv6Network_areOneSource() throws {
        var generator = SeededGenerator(seed: 43)
        for _ in 0..<2_000 {
            let network: [UInt8] =
                [0x20] + (0..<7).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let sources = try (0..<4).map { _ in
                let rest = (0..<8).map { _ in UInt8.random(in: 0...255, using: &generator) }
                return try #require(IPAddress(bytes: network + rest)).rateSource
            }
            #expect(Set(sources).count == 1)
        }
    }

    @Test func machinesOfALink_haveSourcesOfTheirOwn() throws {
        let first = try #require(IPAddress("fe80::1"))
        let second = try #require(IPAddress("fe80::2"))
        #expect(first.rateSource != second.rateSource)
        let scoped = try #require(IPAddress(bytes: first.bytes, scope: 1))
        #expect(scoped.rateSource != first.rateSource)
    }
}
