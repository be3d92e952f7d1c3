import TestSupport

/// An independent view of what can be seen of a service type on a machine: `avahi-browse` beside
/// the program under test.
struct Oracle {
    private let browser: RunningProgram

    init(on machine: LanHost, type: String = "_beamscribe._tcp") async throws {
        browser = try machine.spawn("stdbuf", "-oL", "avahi-browse", "-v", "-r", type)
    }

    /// Waits until Avahi has heard everybody who is there.
    func waitUntilHeard() async throws {
        try await browser.waitForLine(containing: "All for now")
    }

    /// Waits until a service has come and said where it is.
    func waitForService(on interface: String = "eth0") async throws {
        try await browser.waitForLine("a service on \(interface)") { line in
            line.split(separator: " ").prefix(2) == ["=", Substring(interface)]
        }
    }
}
