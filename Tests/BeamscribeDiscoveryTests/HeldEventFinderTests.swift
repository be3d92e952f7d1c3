import BeamscribeIO
import Testing

@testable import BeamscribeDiscovery

/// A finder that also looks for those who hold events.
@Suite struct HeldEventFinderTests {
    private let event = HeldEvent()
    private let loop: EventLoop
    private let browser = FakeBrowser()
    private let holders = FakeBrowser()

    init() throws {
        loop = try EventLoop()
    }

    private func finder(probesHosts: Bool = true) -> HostFinder {
        HostFinder(
            browser, holders: holders, probesHosts: probesHosts, over: SystemNetwork(on: loop))
    }

    private func listener() throws -> (listener: any ConnectionListener, endpoint: Endpoint) {
        try SystemNetwork(on: loop).listen(
            at: Endpoint(#require(IPAddress("127.0.0.1")), port: 0))
    }

    /// Where nobody listens any more.
    private func gone() throws -> Endpoint { try listener().endpoint }

    private func holder(_ number: Int, at endpoint: Endpoint) throws -> ServiceInstance {
        var holder = try event.holder(number, port: endpoint.port)
        holder.addresses = [.init(address: endpoint.address, interface: "lo")]
        return holder
    }

    private func settle(_ finder: HostFinder) {
        holders.handler?(.settled)
        browser.handler?(.settled)
        var isOver = false
        loop.schedule(after: .seconds(10)) { isOver = true }
        while !finder.isSettled, !isOver { loop.runOnce() }
    }

    @Test(arguments: [true, false])
    func heldEvent_isReachable_whereAHolderAnswers(answers: Bool) throws {
        let door = try listener()
        let finder = finder()
        let living = answers ? [try holder(2, at: door.endpoint)] : []
        holders.handler?(.changed([try holder(1, at: try gone())] + living))
        settle(finder)
        let host = try #require(finder.hosts.first)
        #expect(host.mayBeJoined == answers && host.reachability != .unknown)
        #expect(host.isHeldOnly && !host.isHostSilent)
    }

    @Test func deadHost_isReachable_byWhoHoldsItsEvent() throws {
        let door = try listener()
        let finder = finder()
        browser.handler?(.changed([try event.host(at: try gone())]))
        holders.handler?(.changed([try holder(1, at: door.endpoint)]))
        settle(finder)
        #expect(finder.hosts.map(\.reachability) == [.reachable])
        #expect(finder.hosts.map(\.isHostSilent) == [true])
    }

    /// A host that nobody held is asked anew once somebody does.
    @Test func deadHost_isReachable_onceSomebodyHoldsItsEvent() throws {
        let door = try listener()
        let finder = finder()
        browser.handler?(.changed([try event.host(at: try gone())]))
        settle(finder)
        #expect(finder.hosts.first?.mayBeJoined == false)
        #expect(finder.hosts.first?.isHostSilent == false)
        holders.handler?(.changed([try holder(1, at: door.endpoint)]))
        #expect(!finder.isSettled)
        settle(finder)
        #expect(finder.hosts.map(\.reachability) == [.reachable])
        #expect(finder.hosts.map(\.isHostSilent) == [true])
    }

    @Test func holders_areNotAsked_whereTheHostAnswers() throws {
        let (stage, laptop) = (try listener(), try listener())
        let finder = finder()
        browser.handler?(.changed([try event.host(at: stage.endpoint)]))
        holders.handler?(.changed([try holder(1, at: laptop.endpoint)]))
        settle(finder)
        #expect(finder.hosts.map(\.reachability) == [.reachable])
        #expect(finder.hosts.map(\.isHostSilent) == [false])
        #expect(try stage.listener.accept() != nil)
        #expect(try laptop.listener.accept() == nil)
    }

    @Test(arguments: [ServiceBrowserEvent.settled, .unavailable("no daemon")])
    func hosts_needNotWaitForHolders(last: ServiceBrowserEvent) {
        let finder = finder()
        browser.handler?(.settled)
        #expect(finder.areHostsSettled && !finder.isSettled)
        holders.handler?(last)
        #expect(finder.isSettled && finder.unavailable == nil)
    }

    @Test func holdersProbe_doesNotHoldUpHosts() throws {
        let finder = finder()
        holders.handler?(.changed([try holder(1, at: try listener().endpoint)]))
        browser.handler?(.settled)
        holders.handler?(.settled)
        #expect(finder.areHostsSettled && !finder.isSettled)
    }

    @Test func refresh_asksForBoth_andOwnNodeIsPassedOver() throws {
        let finder = finder(probesHosts: false)
        finder.ownNode = "node 1"
        holders.handler?(.changed([try event.holder(1), try event.holder(2)]))
        #expect(finder.hosts.map { $0.holders.map(\.description) } == [["192.0.2.2:23267"]])
        finder.refresh()
        #expect(browser.refreshes == 1 && holders.refreshes == 1)
    }
}
