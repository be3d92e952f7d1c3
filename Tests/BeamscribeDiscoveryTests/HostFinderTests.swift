import BeamscribeIO
import Testing

@testable import BeamscribeDiscovery

/// A browser that finds what a test says.
final class FakeBrowser: ServiceBrowser {
    var handler: ((ServiceBrowserEvent) -> Void)?
    var refreshes = 0

    func start() {}
    func stop() {}
    func refresh() { refreshes += 1 }

    func find(_ name: String, at endpoint: Endpoint) {
        let address = ServiceInstance.Address(address: endpoint.address, interface: "lo")
        handler?(
            .changed([
                ServiceInstance(
                    name: name, type: DiscoveredHost.serviceType, domain: "local",
                    hostName: "stage.local", port: endpoint.port, txt: TXTRecord(),
                    addresses: [address])
            ]))
    }
}

@Suite struct HostFinderTests {
    @Test func host_isReachable_whenItsPortAnswers() throws {
        let listener = try SystemNetwork(on: EventLoop()).listen(
            at: Endpoint(#require(IPAddress("127.0.0.1")), port: 0))
        #expect(try settle(at: listener.endpoint) == .reachable)
    }

    @Test func ghost_isUnreachable_withTheReason() throws {
        let gone = try SystemNetwork(on: EventLoop()).listen(
            at: Endpoint(#require(IPAddress("127.0.0.1")), port: 0)
        ).endpoint
        guard case .unreachable(let reason) = try settle(at: gone) else {
            Issue.record("a ghost was believed")
            return
        }
        #expect(reason.contains("refused"))
    }

    @Test func finder_tells_thatNothingCanBeFound() throws {
        let loop = try EventLoop()
        let browser = FakeBrowser()
        let finder = HostFinder(browser, probesHosts: true, over: SystemNetwork(on: loop))
        browser.handler?(.unavailable("no daemon"))
        #expect(finder.unavailable == "no daemon")
        browser.handler?(.available)
        #expect(finder.unavailable == nil)
        finder.refresh()
        #expect(browser.refreshes == 1)
    }

    @Test func finder_forgetsWhatAHostAnswered_whenItGoes() throws {
        let loop = try EventLoop()
        let address = try #require(IPAddress("127.0.0.1"))
        let gone = try SystemNetwork(on: EventLoop()).listen(
            at: Endpoint(address, port: 0)
        ).endpoint
        let browser = FakeBrowser()
        let finder = HostFinder(browser, probesHosts: true, over: SystemNetwork(on: loop))
        finder.changed = { if finder.hosts.first?.reachability != .unknown { loop.stop() } }
        browser.find("Town Hall", at: gone)
        loop.schedule(after: .seconds(10)) { loop.stop() }
        loop.run()
        #expect(finder.hosts.first?.mayBeJoined == false)
        browser.find("Other", at: gone)
        browser.find("Town Hall", at: gone)
        #expect(finder.hosts.first?.reachability == .unknown, "It is looked at anew.")
    }

    /// What the finder makes of a host at `endpoint`, once it is settled.
    private func settle(at endpoint: Endpoint) throws -> DiscoveredHost.Reachability? {
        let loop = try EventLoop()
        let browser = FakeBrowser()
        let finder = HostFinder(browser, probesHosts: true, over: SystemNetwork(on: loop))
        finder.changed = { if finder.isSettled { loop.stop() } }
        browser.find("Town Hall", at: endpoint)
        #expect(finder.hosts.first?.reachability == .unknown)
        browser.handler?(.settled)
        loop.schedule(after: .seconds(10)) { loop.stop() }
        loop.run()
        return finder.hosts.first?.reachability
    }
}
