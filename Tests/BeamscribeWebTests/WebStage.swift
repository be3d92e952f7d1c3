import Beamscribe
import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials
import TestSupport

@testable import BeamscribeWeb

/// A host in this process whose captions are typed, and its page.
struct WebStage {
    let host: Host

    init(_ change: (inout HostConfiguration) -> Void = { _ in }) async throws {
        var configuration = HostConfiguration(
            eventName: "Town Hall", deviceName: "stage", deviceID: UUID(),
            security: HostSecurity(try HostKey()))
        configuration.port = .number(0)
        configuration.addresses = [IPAddress("127.0.0.1")!]
        configuration.announces = false
        configuration.bluetooth = .nothing
        configuration.input = .typed
        change(&configuration)
        host = try Host(configuration)
        try await host.start()
    }

    /// Serves the page at a free port of this machine. Its end waits for browsers, however slow the
    /// machine; a test that wants one cut off gives it less time.
    func serve(_ change: (inout WebConfiguration) -> Void = { _ in }) async throws -> WebServer {
        var configuration = WebConfiguration()
        configuration.address = IPAddress("127.0.0.1")!
        configuration.port = .number(0)
        configuration.farewell = .seconds(3_600)
        change(&configuration)
        return try await WebServer(configuration, for: await host.feed)
    }
}
