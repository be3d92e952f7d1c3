import Beamscribe
import BeamscribeCore
import BeamscribeTLS
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import BeamscribeIO

/// What a host notices by itself reaches its operator and its guests.
@Suite struct AlertTests {
    /// Both ends of a named pipe, so that the host never sees its end.
    private final class Pipe: Sendable {
        let number: Int32

        init(_ path: String) {
            mkfifo(path, 0o600)
            number = open(path, O_RDWR | O_CLOEXEC)
        }

        func write(_ text: String) {
            var text = text
            text.withUTF8 { _ = Glibc.write(number, $0.baseAddress, $0.count) }
        }

        deinit { close(number) }
    }

    private func withHost(
        _ change: (inout HostConfiguration) -> Void,
        _ body: (Host, Guest, Pipe) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let input = Pipe(folder.path(of: "input"))
        var configuration = HostConfiguration(
            eventName: "Town Hall", deviceName: "stage", deviceID: UUID(),
            security: HostSecurity(try HostKey()))
        configuration.port = .number(0)
        configuration.addresses = [IPAddress("127.0.0.1")!]
        configuration.announces = false
        configuration.bluetooth = .nothing
        configuration.input = .file(folder.path(of: "input"))
        change(&configuration)
        let host = try Host(configuration)
        try await host.start()
        let endpoint = try await endpoint(of: host)
        var guestConfiguration = GuestConfiguration(
            target: .endpoints([endpoint], name: "here"),
            session: GuestSession.Configuration(displayName: "Ann"),
            device: DeviceSecret(UUID()), security: GuestSecurity())
        guestConfiguration.usesBluetooth = false
        let guest = try Guest(guestConfiguration)
        await guest.start()
        try await body(host, guest, input)
        await guest.stop()
        await host.stop()
    }

    private func endpoint(of host: Host) async throws -> Endpoint {
        for await batch in host.news {
            for case .listening(let endpoints) in batch { return endpoints[0] }
        }
        throw SystemError("host", code: 0)
    }

    /// Waits until `guest` tells something that `matches`.
    private func wait(
        _ guest: Guest, until matches: @Sendable (GuestEvent) -> Bool
    ) async -> GuestEvent? {
        for await batch in guest.events {
            if let event = batch.first(where: matches) { return event }
        }
        return nil
    }

    @Test(.timeLimit(.minutes(1)))
    func stalledInput_isToldToAll_andSoIsItsReturn() async throws {
        try await withHost {
            $0.timing.stalledAfter = .milliseconds(300)
        } _: { host, guest, input in
            input.write("one\n")
            #expect(await wait(guest) { $0 == .state(.stalled(.stalled)) } != nil)
            input.write("two\n")
            #expect(
                await wait(guest) {
                    if case .alert("resumed", _) = $0 { true } else { false }
                } != nil)
            var news: [HostNews] = []
            for await batch in host.news {
                news += batch
                if news.contains(.inputResumed) { break }
            }
            #expect(news.contains(.inputStalled(.milliseconds(300))))
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func lowBattery_isToldOnce_whenItFallsBelowTheThreshold() async throws {
        let folder = try TemporaryFolder()
        try folder.makeFolder("power/BAT0")
        try folder.makeFolder("power/mouse")
        try folder.write("Battery\n", to: "power/BAT0/type")
        try folder.write("Discharging\n", to: "power/BAT0/status")
        try folder.write("80\n", to: "power/BAT0/capacity")
        // A mouse's battery is no worry of the host's.
        try folder.write("Battery\n", to: "power/mouse/type")
        try folder.write("Device\n", to: "power/mouse/scope")
        try folder.write("Discharging\n", to: "power/mouse/status")
        try folder.write("2\n", to: "power/mouse/capacity")
        try await withHost {
            $0.powerSupplies = folder.path(of: "power")
            $0.timing.batteryInterval = .milliseconds(20)
        } _: { host, guest, input in
            input.write("one\n")
            _ = await wait(guest) { if case .line = $0 { true } else { false } }
            try folder.write("15\n", to: "power/BAT0/capacity")
            let alert = await wait(guest) {
                if case .alert("battery_low", _) = $0 { true } else { false }
            }
            guard case .alert(_, let message)? = alert else { return }
            #expect(message.contains("15 %"))
            try folder.write("9\n", to: "power/BAT0/capacity")
            input.write("two\n")
            var alerts = 0
            _ = await wait(guest) { event in
                if case .line(let line) = event { return line.text == "two" }
                return false
            }
            for await batch in host.news {
                alerts += batch.count { if case .batteryLow = $0 { true } else { false } }
                if alerts > 0 { break }
            }
            #expect(alerts == 1)
        }
    }

    @Test func battery_isReadAsOne_whereThereAreTwo() throws {
        let folder = try TemporaryFolder()
        for (name, full, left) in [("BAT0", "20000", "5"), ("BAT1", "60000", "85")] {
            try folder.makeFolder(name)
            try folder.write("Battery\n", to: "\(name)/type")
            try folder.write("\(full)\n", to: "\(name)/energy_full")
            try folder.write("\(left)\n", to: "\(name)/capacity")
            try folder.write(name == "BAT0" ? "Discharging\n" : "Full\n", to: "\(name)/status")
        }
        try folder.makeFolder("AC")
        try folder.write("Mains\n", to: "AC/type")
        let level = PowerSupply.level(in: folder.path)
        #expect(level == PowerSupply.Level(percent: 65, isDischarging: true))
        #expect(PowerSupply.level(in: folder.path(of: "nowhere")) == nil)
    }
}
