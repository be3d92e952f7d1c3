import Beamscribe
import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO

/// Names those who announce the same event as the host that a guest has joined: a reader should know
/// whether that is the one that was meant, and whether somebody tries to pass for it.
struct RivalWatch {
    let host: DiscoveredHost
    let expectation: HostExpectation

    /// How many are named; anybody can announce any number.
    private static let named = 4
    /// How long the guest may take to be let in once everybody has been heard.
    private static let patience = 40
    private static let pause = Duration.milliseconds(250)

    /// Waits until everybody has been heard and the guest is in, and tells of the others, if any.
    func run(
        for guest: Guest, on thread: LoopThread, _ tell: @Sendable (String) async -> Void
    ) async throws {
        let browser = try Browser(probesHosts: false, on: thread)
        await browser.start()
        let rivals = await rivals(heardBy: browser)
        await browser.stop()
        guard !rivals.isEmpty, try await hasJoined(guest) else { return }
        for rival in rivals.prefix(Self.named) { await tell(sentence(rival)) }
        let more = rivals.count - Self.named
        if more > 0 { await tell("And \(more) more announce the same event.") }
    }

    private func rivals(heardBy browser: Browser) async -> [DiscoveredHost] {
        for await update in browser.updates where update.isSettled {
            return update.hosts.filter(isRival)
        }
        return []
    }

    /// Another one, on another machine: a host that has crashed may still be announced. Where others
    /// held the event, or it was kept, a host of its session is back, and the log's signatures judge it.
    private func isRival(_ other: DiscoveredHost) -> Bool {
        if host.endpoints.isEmpty, other.session == host.session { return false }
        let addresses = Set(host.endpoints.map(\.address))
        return other.instanceName != nil && other.id != host.id
            && EventName.isSame(other.eventName, host.eventName)
            && !other.endpoints.contains { addresses.contains($0.address) }
    }

    private func hasJoined(_ guest: Guest) async throws -> Bool {
        for _ in 0..<Self.patience {
            if await guest.hasJoined { return true }
            try await Task.sleep(for: Self.pause)
        }
        return false
    }

    private func sentence(_ rival: DiscoveredHost) -> String {
        let device = rival.deviceName.map { " (\($0))" } ?? ""
        let start = "\"\(rival.eventName)\" is announced at \(rival.place)\(device), too"
        guard expectation.knows(event: host.eventName) else {
            return
                "\(start): another event of the same name, perhaps. This one is at \(host.place); "
                + "`beamscribe join --host \(rival.place)` joins that one."
        }
        return "\(start), \(difference(rival)); it was not joined."
    }

    private func difference(_ rival: DiscoveredHost) -> String {
        if expectation.hasCode, rival.security != "code" { return "without a code" }
        guard let announced = rival.fingerprint else { return "without a key" }
        if announced == host.fingerprint { return "as if it were the same host" }
        return "with another key (\(announced))"
    }
}
