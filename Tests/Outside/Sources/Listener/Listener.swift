import Beamscribe

/// Joins the first event on the network that has this name, or any, and prints what is said in it.
@main struct Listener {
    static func main() async throws {
        let name = CommandLine.arguments.dropFirst().first
        guard let found = try await find(name) else { return }
        print("Joining \(found.eventName).")
        let guest = try Guest(GuestConfiguration(target: .host(found), displayName: "Ann"))
        await guest.start()
        for await batch in guest.events {
            for case .line(let line) in batch {
                print(line.speaker.map { "\($0): \(line.text)" } ?? line.text)
            }
        }
        if let outcome = await guest.outcome, outcome != .ended { print("Lost: \(outcome)") }
    }

    static func find(_ name: String?) async throws -> DiscoveredHost? {
        let browser = try Browser()
        await browser.start()
        for await update in browser.updates {
            let wanted = update.hosts.first { name == nil || $0.eventName == name }
            if let wanted {
                await browser.stop()
                return wanted
            }
        }
        return nil
    }
}
