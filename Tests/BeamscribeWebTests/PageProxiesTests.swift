import Beamscribe
import BeamscribeCore
import BeamscribeIO
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@testable import BeamscribeWeb

/// Readers who ask by way of a proxy.
@Suite struct PageProxiesTests {
    private static let forwardedFor = HTTPField.Name("X-Forwarded-For")!

    private func peer(_ address: String) throws -> SocketAddress {
        try SocketAddress(ipAddress: address, port: 40_000)
    }

    private func visitor(
        from address: String, behind proxies: [String] = [], _ fields: [String] = [],
        as name: HTTPField.Name = forwardedFor
    ) throws -> Visitor {
        var headers = HTTPFields()
        for field in fields { headers.append(HTTPField(name: name, value: field)) }
        return PageProxies(proxies.compactMap { IPAddress($0) })
            .visitor(headers, from: try peer(address))
    }

    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"), ("127.0.0.1", "127.0.0.1"), ("::1", "::1"),
    ])
    func withoutProxies_nobodyIsBelieved(address: String, source: String) throws {
        for fields in [[], ["203.0.113.9"], ["127.0.0.1"], ["nonsense"], [""]] {
            #expect(try visitor(from: address, fields).source == source)
            #expect(try visitor(from: address, behind: ["203.0.113.1"], fields).source == source)
        }
    }

    @Test(arguments: [
        (["203.0.113.9"], "203.0.113.9"),
        // The reader has said himself what stands left of it.
        (["198.51.100.1, 203.0.113.9"], "203.0.113.9"),
        (["198.51.100.1", "203.0.113.9"], "203.0.113.9"),
        (["127.0.0.1, 203.0.113.9"], "203.0.113.9"),
        // Each of several named proxies adds the one before it.
        (["203.0.113.9, 192.0.2.2"], "203.0.113.9"),
        (["198.51.100.1, 203.0.113.9, 192.0.2.2, 127.0.0.1"], "203.0.113.9"),
        (["203.0.113.9,192.0.2.2", "127.0.0.1"], "203.0.113.9"),
        ([" \t203.0.113.9\t "], "203.0.113.9"), (["203.0.113.9:51234"], "203.0.113.9"),
        (["2001:db8:1:2:3::4"], "2001:db8:1:2::/64"),
        (["[2001:db8:1:2:3::4]:51234"], "2001:db8:1:2::/64"),
        (["::ffff:203.0.113.9"], "203.0.113.9"),
        // Nobody stands there: the proxy answers for whoever it is.
        ([], "127.0.0.1"), ([""], "127.0.0.1"), (["203.0.113.9,"], "127.0.0.1"),
        (["unknown"], "127.0.0.1"), (["203.0.113.9, nonsense"], "127.0.0.1"),
        (["203.0.113.9 198.51.100.1"], "127.0.0.1"), (["192.0.2.2"], "127.0.0.1"),
        (["203.0.113.256"], "127.0.0.1"), (["[::1"], "::1"), (["127.0.0.2"], "127.0.0.2"),
    ])
    func rightmostAddress_counts_thatIsNoNamedProxy(fields: [String], source: String) throws {
        let proxies = ["127.0.0.1", "192.0.2.2"]
        let visitor = try visitor(from: "127.0.0.1", behind: proxies, fields)
        #expect(visitor == Visitor(source: source, isLocal: false))
        // It may come as an IPv6 one, and be named so.
        let mapped = try self.visitor(
            from: "::ffff:127.0.0.1", behind: ["::ffff:127.0.0.1", "192.0.2.2"], fields)
        #expect(mapped == visitor)
    }

    @Test func nothingLong_isTaken() throws {
        let claims = Array(repeating: "127.0.0.1", count: 1_000).joined(separator: ",")
        let proxies = ["127.0.0.1"]
        #expect(
            try visitor(from: "127.0.0.1", behind: proxies, ["203.0.113.9," + claims])
                == Visitor(source: "203.0.113.9", isLocal: false))
        for long in [String(repeating: "1", count: 10_000), String(repeating: ",", count: 10_000)] {
            #expect(
                try visitor(from: "127.0.0.1", behind: proxies, [long]).source == "127.0.0.1")
        }
    }

    /// Claims to the left of it change nothing.
    @Test(arguments: 0..<1_000)
    func claims_areIgnored(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "127.0.0.1", "192.0.2.2", "203.0.113.8", "::1", "x", "", " ", ",", "\"", "[", "]", "%",
            "for=1.2.3.4",
        ]
        let claim = (0..<Int.random(in: 0...8, using: &generator))
            .map { _ in pieces.randomElement(using: &generator)! }.joined(separator: ",")
        let fields = claim.isEmpty ? ["203.0.113.9"] : ["\(claim), 203.0.113.9"]
        #expect(
            try visitor(from: "192.0.2.2", behind: ["192.0.2.2"], fields)
                == Visitor(source: "203.0.113.9", isLocal: false))
    }

    @Test func whoComesByAProxy_isNotLocal() throws {
        for address in ["127.0.0.1", "127.3.2.1", "::1", "::ffff:127.0.0.1"] {
            #expect(try visitor(from: address).isLocal)
            #expect(try !visitor(from: address, behind: [address]).isLocal)
            // A proxy that is not named may say what it is.
            for name in ["X-Forwarded-For", "Forwarded", "Via"] {
                let name = try #require(HTTPField.Name(name))
                for value in ["127.0.0.1", "", "1.1 proxy"] {
                    #expect(try !visitor(from: address, [value], as: name).isLocal)
                }
            }
        }
        for address in ["192.0.2.7", "2001:db8::1"] {
            #expect(try !visitor(from: address).isLocal)
        }
        let gone = PageProxies().visitor(HTTPFields(), from: nil)
        #expect(gone == Visitor(source: "unknown", isLocal: false))
    }

    // MARK: The page

    private let proxy = IPAddress("127.0.0.1")!

    @Test func metrics_areForNobody_whoComesByAProxy() async throws {
        let stage = try await WebStage()
        for proxies in [[], [proxy]] {
            let server = try await stage.serve { $0.proxies = proxies }
            let client = WebClient(server.port)
            let long = String(repeating: "127.0.0.1, ", count: 900) + "127.0.0.1"
            for claim in ["127.0.0.1", "::1", "", "nonsense", long, "203.0.113.9, 127.0.0.1"] {
                let answer = try await client.ask("/metrics", fields: ["X-Forwarded-For: \(claim)"])
                #expect(answer.status == 404, "\(claim.prefix(40))")
            }
            #expect(try await client.ask("/metrics").status == (proxies.isEmpty ? 200 : 404))
            await server.stop()
        }
        await stage.host.stop()
    }

    /// Without that all are one source, and the newest of it gives way to nobody.
    @Test func readersBehindAProxy_countOneByOne() async throws {
        let stage = try await WebStage()
        let server = try await stage.serve { ($0.proxies, $0.maximumPhones) = ([proxy], 3) }
        let client = WebClient(server.port)
        func phone(_ address: String) async throws -> EventStreamReader {
            try await client.events(fields: ["X-Forwarded-For: 198.51.100.1, \(address)"])
        }
        let greedy = [
            try await phone("203.0.113.1"), try await phone("203.0.113.1"),
            try await phone("203.0.113.1"),
        ]
        #expect(try await phone("203.0.113.1").head.status == 503)
        let other = try await phone("203.0.113.2")
        #expect(other.head.status == 200)
        try await greedy[2].readToEnd()
        _ = await stage.host.type("line 1")
        for phone in [greedy[0], greedy[1], other] { try await phone.wait(forFinal: "line 1") }
        #expect(try await phone("203.0.113.2").head.status == 503)
        await stage.host.stop()
        await server.stop()
    }
}
