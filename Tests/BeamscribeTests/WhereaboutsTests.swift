import BeamscribeCore
import Testing

@testable import Beamscribe
@testable import BeamscribeDiscovery
@testable import BeamscribeIO

@Suite struct WhereaboutsTests {
    private func endpoint(_ number: Int) -> Endpoint {
        Endpoint(IPAddress("192.0.2.1")!, port: UInt16(number))
    }
    private let channel = ChannelEndpoint(
        BluetoothAddress("00:11:22:33:44:55", kind: .public)!, psm: 0x83)

    private func host(_ ports: Int..., channels: [ChannelEndpoint] = []) throws -> DiscoveredHost {
        let instance = ServiceInstance(
            name: "Town Hall", type: DiscoveredHost.serviceType, domain: "local", hostName: "stage",
            port: 1, txt: TXTRecord(),
            addresses: [.init(address: IPAddress("192.0.2.1")!, interface: "eth0")])
        var host = try #require(DiscoveredHost(instance))
        host.endpoints = ports.map(endpoint)
        host.channels = channels
        return host
    }

    @Test func lastGoodWay_goesFirst_thenWhatWasFound_eachOnce() throws {
        var ways = Whereabouts(of: .endpoints([endpoint(1), endpoint(2)], name: "x"))
        #expect(ways.endpoints == [endpoint(1), endpoint(2)] && ways.channels.isEmpty)
        ways.led(to: .network(endpoint(2)))
        #expect(ways.endpoints == [endpoint(2), endpoint(1)])
        #expect(try ways.take([host(3, 2), host(4)]) == [3, 4].map { .network(endpoint($0)) })
        #expect(ways.endpoints == [2, 3, 4, 1].map(endpoint))
        ways.led(to: .channel(channel))
        #expect(try ways.take([host(3)]).isEmpty)
        #expect(ways.endpoints == [2, 3, 1].map(endpoint))
    }

    @Test func channel_staysKnown_whileNothingNewerIsHeard() throws {
        var ways = Whereabouts(of: .host(try host(1, channels: [channel])))
        #expect(ways.endpoints == [endpoint(1)] && ways.channels == [channel])
        #expect(try ways.take([host(1)]).isEmpty && ways.channels == [channel])
        let other = ChannelEndpoint(channel.device, psm: 0x84)
        #expect(try ways.take([host(1, channels: [channel, other])]) == [.channel(other)])
        #expect(ways.channels == [channel, other])
    }

    @Test func ways_areLimited_howeverManyClaimToBeTheHost() throws {
        var ways = Whereabouts(of: .endpoints([], name: "x"))
        let many = try (1...Limits.waysToHost + 9).map { try host($0) }
        #expect(ways.take(many).count == Limits.waysToHost)
        #expect(ways.endpoints.count == Limits.waysToHost)
    }
}
