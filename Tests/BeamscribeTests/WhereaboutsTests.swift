import BeamscribeCore
import Testing

@testable import Beamscribe
@testable import BeamscribeDiscovery
@testable import BeamscribeIO

@Suite struct WhereaboutsTests {
    private func endpoint(_ number: Int) -> Endpoint {
        Endpoint(IPAddress("192.0.2.1")!, port: UInt16(clamping: number))
    }
    private let channel = ChannelEndpoint(
        BluetoothAddress("00:11:22:33:44:55", kind: .public)!, psm: 0x83)

    private func host(
        _ ports: Int..., channels: [ChannelEndpoint] = [], holders: [Int] = []
    ) throws -> DiscoveredHost {
        let instance = ServiceInstance(
            name: "Town Hall", type: DiscoveredHost.serviceType, domain: "local", hostName: "stage",
            port: 1, txt: TXTRecord(),
            addresses: [.init(address: IPAddress("192.0.2.1")!, interface: "eth0")])
        var host = try #require(DiscoveredHost(instance))
        host.endpoints = ports.map(endpoint)
        host.channels = channels
        host.holders = holders.map(endpoint)
        return host
    }

    /// What is new of where the event is to be had.
    private func take(_ hosts: DiscoveredHost..., into ways: inout Whereabouts) -> Whereabouts.News
    {
        ways.take(hosts) { _ in false }
    }

    @Test func lastGoodWay_goesFirst_thenWhatWasFound_eachOnce() throws {
        var ways = Whereabouts(of: .endpoints([endpoint(1), endpoint(2)], name: "x"))
        #expect(ways.endpoints == [endpoint(1), endpoint(2)] && ways.channels.isEmpty)
        ways.led(to: .network(endpoint(2)), isHost: true)
        #expect(ways.endpoints == [endpoint(2), endpoint(1)])
        let news = try take(host(3, 2), host(4), into: &ways)
        #expect(
            news.destinations == [3, 4].map { .network(endpoint($0)) } && news.fallbacks.isEmpty)
        #expect(ways.endpoints == [2, 3, 4, 1].map(endpoint))
        ways.led(to: .channel(channel), isHost: true)
        #expect(try take(host(3), into: &ways).isEmpty)
        #expect(ways.endpoints == [2, 3, 1].map(endpoint))
    }

    /// A machine that holds the event, by the address that a user has given, may have nothing of it any more
    /// that can be believed, and answer first all the same.
    @Test func addressOfAHolder_isTriedBehindTheHost_onceItIsKnownForOne() throws {
        var ways = Whereabouts(of: .endpoints([endpoint(5)], name: "x"))
        ways.led(to: .network(endpoint(5)), isHost: true)
        ways.ledToHolder()
        #expect(ways.endpoints == [endpoint(5)] && ways.host == nil)
        _ = try take(host(1, holders: [5]), into: &ways)
        #expect(ways.endpoints == [1, 5].map(endpoint))
        ways.led(to: .network(endpoint(5)), isHost: false)
        #expect(ways.endpoints == [1, 5].map(endpoint))
        ways.led(to: .network(endpoint(1)), isHost: true)
        #expect(ways.host == endpoint(1))
    }

    @Test func channel_staysKnown_whileNothingNewerIsHeard() throws {
        var ways = Whereabouts(of: .host(try host(1, channels: [channel])))
        #expect(ways.endpoints == [endpoint(1)] && ways.channels == [channel])
        #expect(try take(host(1), into: &ways).isEmpty && ways.channels == [channel])
        let other = ChannelEndpoint(channel.device, psm: 0x84)
        let news = try take(host(1, channels: [channel, other]), into: &ways)
        #expect(news.destinations == [.channel(other)])
        #expect(ways.channels == [channel, other])
    }

    @Test func ways_areLimited_howeverManyClaimToBeTheHost() throws {
        var ways = Whereabouts(of: .endpoints([], name: "x"))
        let many = try (1...Limits.waysToHost + 9).map { try host($0) }
        let news = ways.take(many) { _ in false }
        #expect(news.destinations.count == Limits.waysToHost)
        #expect(ways.endpoints.count == Limits.waysToHost)
    }

    // MARK: Those who hold the event for its host

    @Test func holders_areFallbacks_andEachHasItsTurn() throws {
        var ways = Whereabouts(of: .host(try host(1, channels: [channel], holders: [5, 6])))
        #expect(ways.endpoints == [endpoint(1)])
        let (five, six) = (Destination.network(endpoint(5)), Destination.network(endpoint(6)))
        #expect(ways.fallbacks(withChannels: true) == [five, six, .channel(channel)])
        ways.led(to: five, isHost: true)
        #expect(ways.fallbacks(withChannels: false) == [six, five])
        #expect(ways.endpoints == [endpoint(1)], "a holder's is none of the host's")
        let news = try take(host(1, holders: [5, 6, 7]), into: &ways)
        #expect(news.destinations.isEmpty && news.fallbacks == [.network(endpoint(7))])
        #expect(ways.fallbacks(withChannels: false) == [six, five, .network(endpoint(7))])
        _ = try take(host(1, holders: [7]), into: &ways)
        #expect(ways.fallbacks(withChannels: false) == [.network(endpoint(7))])
    }

    /// Somebody announces many machines that do not serve.
    @Test func holders_areTriedFewAtATime_andThoseOfOneAddressShareATurn() throws {
        func elsewhere(_ number: Int) -> Endpoint {
            Endpoint(IPAddress("192.0.2.2")!, port: UInt16(clamping: number))
        }
        var found = try host(1, holders: Array(2...60))
        found.holders.append(elsewhere(99))
        var ways = Whereabouts(of: .host(found))
        let first = ways.fallbacks(withChannels: false)
        #expect(first.count == Limits.holdersTried)
        #expect(first.prefix(2) == [.network(endpoint(2)), .network(elsewhere(99))])
        ways.tried(.network(endpoint(2)))
        #expect(ways.fallbacks(withChannels: false).first == .network(elsewhere(99)))
        // It has nothing to say now; both have been tried as often.
        ways.tried(.network(elsewhere(99)))
        #expect(ways.fallbacks(withChannels: false).first == .network(endpoint(3)))
        ways.tried(.network(endpoint(3)))
        ways.led(to: .network(elsewhere(99)), isHost: false)
        ways.isServed()
        ways.tried(.network(endpoint(4)))
        #expect(ways.fallbacks(withChannels: false).first == .network(elsewhere(99)))
    }

    @Test func holder_doesNotReadFromItself() throws {
        var ways = Whereabouts(of: .host(try host(1)))
        let news = ways.take([try host(1, holders: [5, 6])]) { $0 == endpoint(5) }
        #expect(news.fallbacks == [.network(endpoint(6))])
    }

    @Test func machinesThatTheHostKnows_areFallbacks_besidesThoseThatAnnounceIt() throws {
        var ways = Whereabouts(of: .endpoints([endpoint(1)], name: "x"))
        let addresses = [
            "192.0.2.1:5", "192.0.2.1:6", "[2001:db8::7]:5", "no address", "192.0.2.1:0",
        ]
        ways.hear(of: Peers([.init(node: "n", addresses: addresses, role: "peer")])) {
            $0 == endpoint(6)
        }
        // Four addresses of a machine are looked at, of which one is none and one the guest's own.
        let six = Destination.network(Endpoint(IPAddress("2001:db8::7")!, port: 5))
        let five = Destination.network(endpoint(5))
        #expect(ways.fallbacks(withChannels: false) == [five, six])
        #expect(ways.way(to: five) == .holder)
        _ = try take(host(2, holders: [7, 5]), into: &ways)
        #expect(Set(ways.fallbacks(withChannels: false)) == [five, six, .network(endpoint(7))])
    }

    /// IPv4 in IPv6 is another spelling of the first.
    private static let loopback = ["127.0.0.1:5", "[::1]:5"]

    /// A host, or whoever passes for one, sends nobody to services of the guest's own machine or
    /// link.
    @Test(arguments: [
        ("192.0.2.1:1", ["192.0.2.9:5", "[2001:db8::7]:5"]),
        ("127.0.0.1:1", loopback + ["192.0.2.9:5", "[2001:db8::7]:5"]),
        ("[::1]:1", loopback + ["192.0.2.9:5", "[2001:db8::7]:5"]),
        ("169.254.7.7:1", ["169.254.1.1:5", "192.0.2.9:5", "[2001:db8::7]:5"]),
    ])
    func addresses_areThoseThatTheTellerCanMean(teller: String, believed: [String]) throws {
        var ways = Whereabouts(of: .host(try host(1)))
        ways.led(to: .network(try #require(Endpoint(teller))), isHost: true)
        let told = [
            "127.0.0.1:5", "[::1]:5", "[::ffff:7f00:1]:5", "0.0.0.0:5", "169.254.1.1:5",
            "224.0.0.251:5", "255.255.255.255:5", "192.0.2.9:5", "[2001:db8::7]:5", "[ff02::1]:5",
        ]
        ways.hear(
            of: Peers(told.map { .init(node: $0, addresses: [$0], role: "peer") })
        ) { _ in false }
        let expected = try believed.map { Destination.network(try #require(Endpoint($0))) }
        #expect(Set(ways.fallbacks(withChannels: false)) == Set(expected))
    }

    @Test func fullHost_isLeftAlone_untilTheNextConnectionEnds() throws {
        var ways = Whereabouts(of: .host(try host(1)))
        ways.hostIsFull()
        #expect(ways.endpoints == [endpoint(1)], "there is nobody else")
        ways.hear(of: Peers([.init(node: "n", addresses: ["192.0.2.1:5"], role: "relay")])) { _ in
            false
        }
        ways.hostIsFull()
        #expect(ways.endpoints.isEmpty)
        #expect(ways.fallbacks(withChannels: false) == [.network(endpoint(5))])
        let news = try take(host(1, 2), into: &ways)
        #expect(news.destinations.isEmpty && ways.endpoints.isEmpty)
        ways.connectionEnded()
        #expect(ways.endpoints == [1, 2].map(endpoint))
    }

    @Test func whoMayBeThere_isKnownOfEachWay() throws {
        var ways = Whereabouts(of: .endpoints([endpoint(1)], name: "x"))
        _ = try take(host(2, channels: [channel], holders: [5]), into: &ways)
        #expect(ways.way(to: .network(endpoint(1))) == .address)
        #expect(ways.way(to: .network(endpoint(2))) == .host)
        #expect(ways.way(to: .network(endpoint(5))) == .holder)
        #expect(ways.way(to: .channel(channel)) == .host)
    }
}
